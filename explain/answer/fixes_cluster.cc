#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "api/values/drained_pod.h"
#include "base/counted.h"
#include "explain/answer/changes.h"
#include "explain/answer/fix_kinds.h"
#include "explain/workload/device_claims.h"
#include "scheduler/framework/filters.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using cluster::Row;

constexpr std::size_t kMostShapesTried = 64, kMostNodeFixes = 8;
constexpr std::int32_t kHighestUserPriority = 1'000'000'000, kSystemCritical = 2'000'000'000;

void try_each(const Trials& trials, std::vector<Remedy> remedies, Fixes& out) {
  for (auto& remedy : remedies) {
    if (out.full() || !trials.has_time()) return;
    if (const auto landing = trials.with({&remedy})) out.add(std::move(remedy), *landing);
  }
}

// The cluster needs its system-critical pods, and DaemonSets and the kubelet make theirs again.
bool may_go(const cluster::PodInfo& info) {
  return info.priority < kSystemCritical && !api::stays(*info.pod);
}

// The node's pods that may be removed, sorted by their request of the short resource, the largest first.
// Without the question's own pods, and without the siblings of its pod: it would take their place.
std::vector<PodInfoPtr> largest_first(const Trials& trials, Row row) {
  const auto resources = lacking(trials.verdict(row));
  std::vector<PodInfoPtr> out;
  for (const auto& pod : trials.question().start.entry(row).pods) {
    if (may_go(*pod) && !trials.is_sibling(*pod->pod)) out.push_back(pod);
  }
  if (!resources.empty()) {
    std::ranges::stable_sort(out, std::greater(),
                             [&](const PodInfoPtr& pod) { return pod->requests.get(resources.front()); });
  }
  return out;
}

// The shortest prefix of these pods whose removal makes the pod fit on the node; nullopt: removing
// all is not enough.
std::optional<std::size_t> fewest(const Trials& trials, const framework::Filters& filters, Row row,
                                  const std::vector<PodInfoPtr>& largest) {
  const auto fits = [&](std::size_t count) {
    return !filters.check(row, {.added = {}, .removed = std::span(largest).first(count)});
  };
  if (largest.empty() || !fits(largest.size())) return std::nullopt;
  std::size_t too_few = 0, enough = largest.size();
  while (enough - too_few > 1) {
    if (!trials.has_time()) return std::nullopt;
    const auto middle = too_few + (enough - too_few) / 2;
    (fits(middle) ? enough : too_few) = middle;
  }
  return enough;
}

// Leaves out those of the pods whose removal the others make needless: a pod that another filter objects to
// may be a small one. Returns whether there are any.
bool drop_needless(const Trials& trials, const framework::Filters& filters, Row row,
                   std::vector<PodInfoPtr>& victims) {
  constexpr std::size_t kMostTried = 32;
  const auto before = victims.size();
  if (before > kMostTried) return false;
  for (std::size_t i = 0; victims.size() > 1 && i < victims.size() && trials.has_time();) {
    auto others = victims;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (filters.check(row, {.added = {}, .removed = others}))
      ++i;
    else
      victims = std::move(others);
  }
  return victims.size() < before;
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
    if (trials.verdict(row).plugin != framework::names::kNodeResourcesFit ||
        trials.verdict(row).code != framework::Code::unschedulable)
      continue;
    auto largest = largest_first(trials, row);
    const auto count = fewest(trials, filters, row, largest);
    if (!count || *count >= least) continue;
    least = *count;
    best = row;
    victims = std::move(largest);
  }
  if (!best) return;
  victims.resize(least);
  const bool are_largest = !drop_needless(trials, filters, *best, victims);
  const auto pods = podium::counted(victims.size(), "pod");
  const std::string node(question.fork.node_name(*best));
  Remedy remedy{
      .type = "FewerPods",
      .fields = {{"nodeName", node}, {"pods", victims.size()}},
      .message = fmt::format("{} fewer on {}{}", pods, node, are_largest ? ", its largest first" : ""),
      .change_cluster = [victims = std::move(victims)](cluster::Snapshot& fork) {
        for (const auto& victim : victims) remove_with_devices(*victim->pod, fork);
      }};
  if (const auto landing = trials.with({&remedy})) out.add(std::move(remedy), *landing);
}

// Pods that terminate still count, and leave by themselves. Returns how many replicas fit then; 0: that does
// not help.
std::int32_t try_terminating(const Trials& trials, Fixes& out) {
  std::vector<PodInfoPtr> pods;
  std::set<std::string> nodes;
  trials.question().start.each_pod([&](const PodInfoPtr& pod) {
    if (!pod->pod->terminating()) return;
    pods.push_back(pod);
    nodes.insert(pod->pod->node_name);
  });
  if (pods.empty()) return 0;
  boost::json::object fields{{"pods", pods.size()}};
  if (nodes.size() == 1) fields["nodeName"] = *nodes.begin();
  Remedy remedy{
      .type = "FewerPods",
      .fields = std::move(fields),
      .message = fmt::format("the end of {}{}",
                             podium::counted(pods.size(), "pod that terminates", "pods that terminate"),
                             nodes.size() == 1 ? " on " + *nodes.begin() : ""),
      .change_cluster = [pods](cluster::Snapshot& fork) {
        for (const auto& pod : pods) {
          if (fork.find_pod(pod->pod->meta.uid)) remove_with_devices(*pod->pod, fork);
        }
      }};
  const auto landing = trials.with({&remedy});
  if (!landing) return 0;
  out.add(std::move(remedy), *landing);
  return landing->fitting;
}

// The priorities just above those of placed pods, ascending. Priorities below the pod's own change nothing.
std::vector<std::int32_t> higher_priorities(const Trials& trials) {
  const auto own = trials.question().pod.priority;
  std::set<std::int32_t> values;
  trials.question().start.each_pod([&](const PodInfoPtr& pod) {
    if (pod->priority >= own && pod->priority < kHighestUserPriority) values.insert(pod->priority + 1);
  });
  return {values.begin(), values.end()};
}

// The class with the lowest value that is enough; empty: there is none. System classes are
// for system pods only.
std::string class_of_at_least(const Trials& trials, std::int32_t priority) {
  const api::PriorityClass* best = nullptr;
  for (const auto& [_, each] : trials.question().start.objects().all<api::PriorityClass>()) {
    if (each->value < priority || each->value > kHighestUserPriority || each->preempt_never.value_or(false))
      continue;
    if (!trials.has_quota_of(*each)) continue;
    if (!best || std::pair(each->value, each->meta.name) < std::pair(best->value, best->meta.name))
      best = each.get();
  }
  return best && trials.with_priority(best->value) ? best->meta.name : std::string();
}

std::string eviction_words(const Trials::Landing& landing) {
  if (landing.evicted == 0) return "pods on " + landing.node_name;
  if (landing.evicted_from.size() > 1)
    return fmt::format("{} on {} nodes", podium::counted(landing.evicted, "pod"),
                       landing.evicted_from.size());
  return fmt::format("{} on {}", podium::counted(landing.evicted, "pod"), *landing.evicted_from.begin());
}

// A pod of higher priority may evict every pod that one of lower priority may. So bisection
// finds the lowest priority. Preemption also chooses pods that terminate, and waits for their end: that needs
// no higher priority. `after_end`: the replicas that fit then.
// Source: pkg/scheduler/framework/preemption (prepareCandidate).
void try_priority(const Trials& trials, std::int32_t after_end, Fixes& out) {
  if (trials.pod().preempt_never || trials.question().decision.preemption) return;
  const auto values = higher_priorities(trials);
  const auto best = least_that_helps(trials, std::ssize(values), [&](std::int64_t i) {
    return trials.with_priority(values[static_cast<std::size_t>(i)]);
  });
  if (!best || best->landing.fitting <= after_end) return;
  const auto least = values[static_cast<std::size_t>(best->index)];
  boost::json::object fields{{"priority", least}};
  if (auto name = class_of_at_least(trials, least); !name.empty()) fields["priorityClassName"] = name;
  out.add({.type = "RaisePriority",
           .fields = std::move(fields),
           .message = fmt::format("a priority of at least {}: it would preempt {}", least,
                                  eviction_words(best->landing))},
          best->landing);
}

// One more node of each shape on which the failed pod fits.
std::vector<Remedy> new_nodes_that_fit(const Trials& trials) {
  std::vector<Remedy> out;
  for (auto& remedy : new_nodes(trials, kMostShapesTried)) {
    if (out.size() == kMostNodeFixes || !trials.has_time()) break;
    auto fork = trials.question().fork;
    remedy.change_cluster(fork);
    if (trials.fits_on(fork)) out.push_back(std::move(remedy));
  }
  return out;
}

}  // namespace

void add_cluster_fixes(const Trials& trials, Fixes& out) {
  if (trials.rejected_by(framework::names::kNodeUnschedulable)) try_each(trials, uncordoned(trials), out);
  const auto after_end = try_terminating(trials, out);
  if (trials.rejected_by(framework::names::kNodeResourcesFit)) try_fewer_pods(trials, out);
  if (!trials.question().node) try_each(trials, new_nodes_that_fit(trials), out);
  try_priority(trials, after_end, out);
}

}  // namespace podium::explain
