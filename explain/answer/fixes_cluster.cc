#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "explain/answer/changes.h"
#include "explain/answer/fix_kinds.h"
#include "explain/workload/device_claims.h"
#include "scheduler/framework/filters.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using cluster::Row;

constexpr std::size_t kMostUncordoned = 4, kMostShapes = 8;
constexpr std::int32_t kHighestUserPriority = 1'000'000'000;

std::string so_many(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "pod" : "pods"); }

void try_uncordon(const Trials& trials, Fixes& out) {
  std::size_t tried = 0;
  for (const auto row : trials.rejected()) {
    if (trials.verdict(row).plugin != "NodeUnschedulable") continue;
    if (tried++ == kMostUncordoned) return;
    auto fork = trials.question().fork;
    const std::string name(fork.node_name(row));
    uncordon(row, fork);
    if (const auto landing = trials.on_fork(fork))
      out.add("UncordonNode", {{"nodeName", name}}, "uncordon " + name, *landing);
  }
}

// What makes nodes alike for a pod: labels but for the hostname, taints that stay on a new node, capacity.
std::string shape_of(const api::Node& node) {
  std::string shape;
  for (const auto& [key, value] : node.meta.labels) {
    if (key != api::label::hostname) shape += fmt::format("{}={},", key, value);
  }
  for (const auto& taint : node.taints) {
    if (!taint.key.starts_with("node.kubernetes.io/"))
      shape += fmt::format("{}={}:{},", taint.key, taint.value, static_cast<int>(taint.effect));
  }
  for (const auto& [name, amount] : node.allocatable) shape += fmt::format("{}={},", name, amount.text());
  return shape;
}

// The first node by name of each shape, the most frequent shapes first.
std::vector<Row> one_of_each_shape(const Trials& trials) {
  const auto& fork = trials.question().fork;
  std::map<std::string, std::pair<std::size_t, Row>> shapes;
  for (const auto row : fork.rows_by_name()) {
    if (!trials.has_time()) return {};
    ++shapes.try_emplace(shape_of(*fork.entry(row).node), 0, row).first->second.first;
  }
  std::vector<std::pair<std::size_t, Row>> order;
  for (const auto& [_, shape] : shapes) order.push_back(shape);
  std::ranges::stable_sort(order, std::greater(), &std::pair<std::size_t, Row>::first);
  std::vector<Row> rows;
  for (const auto& [_, row] : order) {
    if (rows.size() < kMostShapes) rows.push_back(row);
  }
  return rows;
}

void try_another_node(const Trials& trials, Fixes& out) {
  for (const auto row : one_of_each_shape(trials)) {
    if (out.full() || !trials.has_time()) return;
    auto fork = trials.question().fork;
    const std::string like(fork.node_name(row));
    add_nodes_like(like, 1, trials.question().budget, fork);
    if (const auto landing = trials.on_fork(fork))
      out.add("AddNodes", {{"count", 1}, {"like", like}}, "one more node like " + like, *landing);
  }
}

bool may_go(const api::Pod& pod) {
  const auto* owner = pod.meta.controller();
  return !(owner && owner->kind == "DaemonSet") &&
         !pod.meta.annotations.contains("kubernetes.io/config.mirror");
}

// The node's pods that may go, those with the largest request of what it lacks first.
std::vector<PodInfoPtr> largest_first(const Trials& trials, Row row) {
  const auto resources = lacking(trials.verdict(row));
  std::vector<PodInfoPtr> out;
  for (const auto& pod : trials.question().fork.entry(row).pods) {
    if (may_go(*pod->pod)) out.push_back(pod);
  }
  if (!resources.empty()) {
    std::ranges::stable_sort(out, std::greater(),
                             [&](const PodInfoPtr& pod) { return pod->requests.get(resources.front()); });
  }
  return out;
}

// The fewest of these pods, from the first on, without which the pod fits on the node; nullopt: not even
// without all of them.
std::optional<std::size_t> fewest(const framework::Filters& filters, Row row,
                                  const std::vector<PodInfoPtr>& largest) {
  const auto fits = [&](std::size_t count) {
    return !filters.check(row, {.added = {}, .removed = std::span(largest).first(count)});
  };
  if (largest.empty() || !fits(largest.size())) return std::nullopt;
  std::size_t too_few = 0, enough = largest.size();
  while (enough - too_few > 1) {
    const auto middle = too_few + (enough - too_few) / 2;
    (fits(middle) ? enough : too_few) = middle;
  }
  return enough;
}

void try_fewer_pods(const Trials& trials, Fixes& out) {
  const auto& question = trials.question();
  const framework::Filters filters(question.pod, question.fork, trials.quiet());
  if (filters.rejected()) return;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::optional<Row> best;
  std::vector<PodInfoPtr> victims;
  for (const auto row : trials.rejected()) {
    if (!trials.has_time()) return;
    if (trials.verdict(row).plugin != "NodeResourcesFit" ||
        trials.verdict(row).code != framework::Code::unschedulable)
      continue;
    auto largest = largest_first(trials, row);
    const auto count = fewest(filters, row, largest);
    if (!count || *count >= least) continue;
    least = *count;
    best = row;
    victims = std::move(largest);
  }
  if (!best) return;
  auto fork = question.fork;
  for (std::size_t i = 0; i < least; ++i) remove_with_devices(*victims[i]->pod, fork);
  const std::string node(question.fork.node_name(*best));
  if (const auto landing = trials.on_fork(fork))
    out.add("FewerPods", {{"nodeName", node}, {"pods", least}},
            fmt::format("{} fewer on {}, its largest first", so_many(least), node), *landing);
}

// The priorities just above those of placed pods, ascending. Lower ones than the pod's own change nothing.
std::vector<std::int32_t> higher_priorities(const Trials& trials) {
  const auto own = trials.question().pod.priority;
  std::set<std::int32_t> values;
  trials.question().fork.each_pod([&](const PodInfoPtr& pod) {
    if (pod->priority >= own && pod->priority < kHighestUserPriority) values.insert(pod->priority + 1);
  });
  return {values.begin(), values.end()};
}

// A pod of higher priority may evict all that one of lower priority may, so the least is found by bisection.
void try_priority(const Trials& trials, Fixes& out) {
  if (trials.pod().preempt_never || trials.question().decision.preemption) return;
  const auto values = higher_priorities(trials);
  if (values.empty()) return;
  auto best = trials.with_priority(values.back());
  if (!best) return;
  std::size_t least = 0, enough = values.size() - 1;
  while (least < enough) {
    const auto middle = least + (enough - least) / 2;
    if (auto eviction = trials.with_priority(values[middle])) {
      enough = middle;
      best = std::move(eviction);
    } else {
      if (!trials.has_time()) return;  // the least is not known
      least = middle + 1;
    }
  }
  auto message = fmt::format("a priority of at least {}: it would preempt ", values[enough]);
  message += best->victims > 0 ? fmt::format("{} on {}", so_many(best->victims), best->node_name)
                               : fmt::format("pods on {}", best->node_name);
  out.add("RaisePriority", {{"priority", values[enough]}}, std::move(message),
          {best->node_name, std::nullopt});
}

}  // namespace

void add_cluster_fixes(const Trials& trials, Fixes& out) {
  if (trials.rejected_by("NodeUnschedulable")) try_uncordon(trials, out);
  if (trials.rejected_by("NodeResourcesFit")) try_fewer_pods(trials, out);
  if (!trials.question().node) try_another_node(trials, out);
  try_priority(trials, out);
}

}  // namespace podium::explain
