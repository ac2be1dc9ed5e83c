#include "explain/answer/node_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "explain/answer/fork_memory.h"
#include "explain/report/reason_words.h"
#include "explain/report/state_taints.h"
#include "scheduler/cluster/pod_requests.h"

namespace podium::explain {
namespace {

using cluster::Row;
using cluster::Snapshot;

// Labels that do not distinguish nodes for the pods that wait.
LabelKeys keys_of_no_shape(const Waiters& waiters, const Budget& budget, const Snapshot& fork) {
  auto keys = keys_of_one_node(fork, budget);
  keys.emplace(api::label::zone);
  keys.emplace(api::label::region);
  std::vector<bool> seen(waiters.kinds);
  for (const auto& waiter : waiters.pods) {
    if (seen[waiter.kind]) continue;
    if (!has_time(budget)) break;
    seen[waiter.kind] = true;
    const auto& pod = *waiter.pod->pod;
    for (const auto& key : keys_of_constraints(pod)) keys.erase(key);
    if (!has_read_volume(pod)) continue;
    // A volume may belong to a place.
    keys.erase(std::string(api::label::zone));
    keys.erase(std::string(api::label::region));
  }
  keys.emplace(api::label::hostname);
  return keys;
}

WaitingPods pods_of(const Waiters& waiters) {
  WaitingPods out;
  for (const auto& each : waiters.pods) out.push_back(each.pod);
  return out;
}

void find_shapes(const Waiters& waiters, const Budget& budget, const Snapshot& fork, KnownShapes& out) {
  const auto without = keys_of_no_shape(waiters, budget, fork);
  struct Alike {
    std::size_t nodes = 0;
    Row first = 0;
  };
  std::map<std::string, Alike> shapes;
  for (const auto row : fork.rows_by_name()) {
    if (!has_time(budget)) return;
    auto& alike = shapes[shape_of(*fork.entry(row).node, without)];
    if (alike.nodes++ == 0) alike.first = row;
  }
  std::vector<Alike> most;
  for (const auto& [_, alike] : shapes) most.push_back(alike);
  std::ranges::sort(most, [&](const Alike& a, const Alike& b) {
    return a.nodes != b.nodes ? a.nodes > b.nodes : fork.node_name(a.first) < fork.node_name(b.first);
  });
  out.total = most.size();
  if (most.size() > kMostShapes) most.resize(kMostShapes);
  const auto waiting = pods_of(waiters);
  const NodesLike nodes(budget, waiting, fork);
  for (const auto& alike : most) {
    if (!has_time(budget)) return;
    const std::string name(fork.node_name(alike.first));
    out.list.push_back({.shape = {.name = "like " + name, .like = name, .node = {}, .price = {}, .most = {}},
                        .model = nodes.model_of(alike.first)});
  }
}

// Leaves out the last shapes if one node of each needs more memory than a question may use. The first ones
// stay: they are as many as were always possible.
void drop_those_without_memory(KnownShapes& shapes) {
  ForkMemory memory(ForkMemory::kMost / 2);
  std::size_t kept = 0;
  while (kept < shapes.list.size() &&
         (memory.take(1, shapes.list[kept].model.memory) || kept < kMostExhaustive))
    ++kept;
  shapes.list.erase(shapes.list.begin() + static_cast<std::ptrdiff_t>(kept), shapes.list.end());
}

void measure(KnownShapes& shapes) {
  shapes.is_priced = !shapes.list.empty() && std::ranges::all_of(shapes.list, [](const KnownShape& each) {
    return each.shape.price.has_value();
  });
  std::vector<std::tuple<std::int64_t, std::int64_t, std::size_t>> sizes;
  for (std::size_t i = 0; i < shapes.list.size(); ++i) {
    auto& shape = shapes.list[i];
    shape.most = std::min(kMostAddedNodes, shape.shape.most.value_or(kMostAddedNodes));
    const auto has = cluster::to_resources(shape.model.node->allocatable);
    sizes.emplace_back(has.milli_cpu, has.memory, i);
  }
  std::ranges::sort(sizes);
  std::int64_t place = 0;
  for (const auto& [cpu, memory, index] : sizes) shapes.list[index].size = ++place;
}

}  // namespace

LabelKeys keys_of_constraints(const api::Pod& pod) {
  LabelKeys keys;
  for (const auto& [key, _] : pod.node_selector) keys.insert(key);
  if (pod.node_affinity.required) {
    for (const auto& term : *pod.node_affinity.required) {
      for (const auto& each : term.match_expressions) keys.insert(each.key);
    }
  }
  for (const auto& each : pod.topology_spread) keys.insert(each.topology_key);
  for (const auto* affinity : {&pod.pod_affinity, &pod.pod_anti_affinity}) {
    for (const auto& term : affinity->required) keys.insert(term.topology_key);
  }
  return keys;
}

LabelKeys keys_of_one_node(const cluster::Snapshot& fork, const Budget& budget) {
  struct Values {
    std::size_t nodes = 0;
    std::set<std::string_view> distinct = {};
  };
  std::map<std::string_view, Values> labels;
  for (const auto row : fork.rows_by_name()) {
    if (!has_time(budget)) return {};
    for (const auto& [key, value] : fork.entry(row).node->meta.labels) {
      auto& values = labels[key];
      ++values.nodes;
      values.distinct.insert(value);
    }
  }
  LabelKeys keys;
  for (const auto& [key, values] : labels) {
    if (values.nodes > 1 && values.distinct.size() == values.nodes) keys.emplace(key);
  }
  return keys;
}

std::string shape_of(const api::Node& node, const LabelKeys& without) {
  std::string shape;
  for (const auto& [key, value] : node.meta.labels) {
    if (!without.contains(key)) shape += fmt::format("{}={},", key, value);
  }
  for (const auto& taint : node.taints) {
    if (!is_of_state(taint))
      shape += fmt::format("{}={}:{},", taint.key, taint.value, static_cast<int>(taint.effect));
  }
  for (const auto& [name, amount] : node.allocatable) shape += fmt::format("{}={},", name, amount.text());
  return shape;
}

Result<KnownShapes> known_shapes(const std::vector<Shape>& given, const FieldPath& path,
                                 const Waiters& waiters, const Budget& budget, const Snapshot& fork) {
  KnownShapes out;
  const auto waiting = pods_of(waiters);
  std::optional<DaemonSets> daemons;
  std::optional<NodesLike> nodes;
  for (std::size_t i = 0; i < given.size() && has_time(budget); ++i) {
    KnownShape known{.shape = given[i], .model = {}};
    if (given[i].like.empty()) {
      if (!daemons) daemons.emplace(budget, waiting, fork);
      known.model = daemons->model_of(*given[i].node, given[i].slices, given[i].drivers);
    } else {
      const auto row = fork.find_row(given[i].like);
      if (!row) return invalid((path[i] / "like").said(no_node(given[i].like, {})));
      if (!nodes) nodes.emplace(budget, waiting, fork);
      known.model = nodes->model_of(*row);
    }
    out.list.push_back(std::move(known));
  }
  out.total = given.size();
  if (given.empty()) find_shapes(waiters, budget, fork, out);
  drop_those_without_memory(out);
  measure(out);
  return out;
}

}  // namespace podium::explain
