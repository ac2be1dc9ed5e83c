#include "explain/answer/node_removal.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <tuple>

#include "api/values/drained_pod.h"
#include "base/counted.h"
#include "explain/answer/changes.h"
#include "explain/answer/drain.h"
#include "explain/answer/drain_budgets.h"
#include "explain/answer/node_volumes.h"
#include "explain/answer/uncordoning.h"
#include "explain/report/reason_words.h"
#include "explain/report/state_taints.h"
#include "explain/workload/device_claims.h"
#include "explain/workload/eviction_cost.h"
#include "scheduler/framework/decision.h"

namespace podium::explain {
namespace {

constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";

using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;

constexpr std::size_t kMostKindsCompared = 64;  // of pods that wait, with an empty node

constexpr const char* kScaleDownDisabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
constexpr const char* kControlPlane = "node-role.kubernetes.io/control-plane";

std::vector<PodInfoPtr> pods_to_evict(Row row, const Snapshot& fork) {
  std::vector<PodInfoPtr> out;
  for (const auto& pod : fork.entry(row).pods) {
    if (!stays(*pod->pod) && !is_replaced(*pod->pod)) out.push_back(pod);
  }
  return out;
}

// "5 of 7 other nodes do not have enough free cpu", "the other node is cordoned"
std::string words_of(const DrainedPod& entry) {
  if (!entry.cause) return entry.reason;
  const auto words = reason_words(entry.cause->code, entry.cause->about, entry.reason);
  if (words == entry.reason || is_of_pod(entry.cause->code)) return words;
  if (entry.nodes_total == 1) return "the other node " + words;
  const auto who = entry.nodes == entry.nodes_total
                       ? fmt::format("the other {} nodes", entry.nodes_total)
                       : fmt::format("{} of {} other nodes", entry.nodes, entry.nodes_total);
  return fmt::format("{} {}", who, entry.nodes == 1 ? words : plural_of(words));
}

// Whether nodes are rejected because of pods that may be elsewhere.
bool is_kept_away_by_pods(const framework::Verdict& verdict) {
  return std::ranges::any_of(verdict.reasons, [](const framework::Reason& reason) {
    using enum framework::ReasonCode;
    return reason.code == pod_anti_affinity || reason.code == existing_pod_anti_affinity ||
           reason.code == topology_spread_skew || reason.code == too_few_domains;
  });
}

}  // namespace

NodeRemoval::NodeRemoval(const NodeSearch& search, Snapshot fork)
    : search_(search), profiles_(search.config), base_(std::move(fork)) {
  waiters_ = sort_waiting(search.waiting, profiles_, search.budget, base_);
  for (const auto& waiter : waiters_.pods) waiting_.insert(waiter.pod->pod->meta.uid);
  for (const auto& nomination : base_.nominations()) nominated_.insert(nomination.node);
  claim_of_ = claims_of_one_node(base_, search.budget);
  Places places;
  if (!place_waiters(waiters_, search_.budget, places, base_)) return;
  std::set<std::size_t> kinds;
  for (std::size_t i = 0; i < places.size(); ++i) {
    // A pod of a DaemonSet goes with its node.
    if (!places[i] && !stays(*waiters_.pods[i].pod->pod) && kinds.insert(waiters_.pods[i].kind).second)
      still_waiting_.push_back(i);
  }
  if (still_waiting_.size() > kMostKindsCompared) still_waiting_.resize(kMostKindsCompared);
  no_cordoned_helps_ = still_waiting_;
  if (!still_waiting_.empty()) find_wanted_cordoned(places);
  if (!no_cordoned_helps_.empty()) find_wanted_unready(places);
  find_gainers(places);
  is_ready_ = true;
}

// As the answer about the nodes that are missing does, which names them.
void NodeRemoval::find_wanted_cordoned(Places places) {
  const auto placed = count_placed(places);
  const auto most = placed_uncordoned(waiters_, search_.budget, base_, places);
  if (most <= placed) return;
  auto fork = base_;
  const auto rows = cordoned_to_use(waiters_, most, search_.budget, base_, places);
  for (const auto row : rows) uncordon(row, fork);
  if (!place_waiters(waiters_, search_.budget, places, fork)) return;
  const std::set<Row> wanted(rows.begin(), rows.end());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] && wanted.contains(*places[i])) waiter_of_.emplace(*places[i], i);
  }
  std::erase_if(no_cordoned_helps_, [&](std::size_t i) { return places[i].has_value(); });
}

// Nodes that have just joined, or come back. A node that has lost contact may never be ready again.
void NodeRemoval::find_wanted_unready(Places places) {
  auto fork = base_;
  std::set<Row> unready;
  base_.present().each([&](Row row) {
    const auto& node = base_.entry(row).node;
    const auto& taints = node->taints;
    const auto is_lost = [](const api::Taint& taint) { return taint.key == kUnreachable; };
    if (node->unschedulable || std::ranges::none_of(taints, is_of_state) ||
        std::ranges::any_of(taints, is_lost))
      return;
    auto ready = std::make_shared<api::Node>(*node);
    std::erase_if(ready->taints, is_of_state);
    fork.set_node(std::move(ready));
    unready.insert(row);
  });
  const auto before = places;
  if (unready.empty() || !place_waiters(waiters_, search_.budget, places, fork)) return;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] && !before[i] && unready.contains(*places[i])) waiter_of_unready_.emplace(*places[i], i);
  }
}

void NodeRemoval::find_gainers(const Places& places) {
  for (const auto index : still_waiting_) {
    if (!has_time()) return;
    const auto& waiter = waiters_.pods[index];
    const auto decision = framework::evaluate(*waiter.pod, base_, *waiter.profile);
    if (std::ranges::none_of(decision.rejections.verdicts(), is_kept_away_by_pods)) continue;
    auto& kind = gainers_.emplace_back();
    for (std::size_t i = index; i < places.size(); ++i) {
      if (!places[i] && waiters_.pods[i].kind == waiter.kind) kind.push_back(i);
    }
  }
}

// The queue takes a pod that waits before a pod of equal priority that a controller creates again.
void NodeRemoval::place_gainers(std::int32_t priority, std::size_t& next, Snapshot& fork) const {
  for (; next < gainers_.size(); ++next) {
    if (waiters_.pods[gainers_[next].front()].pod->priority < priority) return;
    for (const auto index : gainers_[next]) {
      const auto& [pod, profile, kind] = waiters_.pods[index];
      if (fork.find_pod(pod->pod->meta.uid)) continue;
      if (!has_time()) return;
      const auto decision = framework::evaluate(*pod, fork, *profile);
      if (!decision.choice || place_with_devices(pod, *decision.choice, *profile, fork)) break;
    }
  }
}

std::optional<Blocked> NodeRemoval::take(Row row, bool with_waiting, Moves& moves, Snapshot& fork) {
  ++taken_;
  const auto node = fork.entry(row).node;
  const auto on_it = fork.entry(row).pods;
  auto evicted = pods_to_evict(row, fork);
  if (auto blocked = blocked_by_itself(row, evicted, fork)) return blocked;
  cordon(row, fork);
  // As drain() does: the pods that already terminate end first.
  for (const auto& pod : on_it) {
    if (!stays(*pod->pod) && is_replaced(*pod->pod)) remove_with_devices(*pod->pod, fork);
  }
  for (const auto& pod : evicted) remove_with_devices(*pod->pod, fork);
  sort_for_placing(evicted);
  std::size_t next = 0;
  std::vector<PodInfoPtr> back;  // tolerate the cordon, and are on the node again until it is gone
  const auto move = [&](const PodInfoPtr& pod, std::size_t drained) -> std::optional<Blocked> {
    auto moved = move_pod(*pod, *profiles_.find_answering(pod->pod->scheduler_name), drained, fork);
    if (!moved.to) return no_room(*pod, moved.entry);
    if (*moved.to == row)
      back.push_back(pod);
    else if (!is_waiting(*pod))
      moves.emplace_back(pod, std::move(moved.entry.node));
    return std::nullopt;
  };
  for (const auto& pod : evicted) {
    place_gainers(pod->priority, next, fork);
    if (!has_time()) return std::nullopt;
    if (auto blocked = move(pod, 1)) return blocked;
  }
  if (!evicted.empty()) place_gainers(std::numeric_limits<std::int32_t>::min(), next, fork);
  if (with_waiting) {
    if (auto blocked = wanted_by_waiting(row, fork)) return blocked;
  }
  if (auto blocked = blocked_by_volume(row)) return blocked;
  const auto left = fork.entry(row).pods;
  for (const auto& pod : left) remove_with_devices(*pod->pod, fork);
  fork.remove_node(node->meta.name);
  for (const auto& pod : back) {
    if (!has_time()) return std::nullopt;
    if (auto blocked = move(pod, 0)) return blocked;
  }
  return std::nullopt;
}

std::optional<Blocked> NodeRemoval::blocked_by_itself(Row row, const Snapshot& fork) const {
  return blocked_by_itself(row, pods_to_evict(row, fork), fork);
}

std::optional<Blocked> NodeRemoval::blocked_by_itself(Row row, const std::vector<PodInfoPtr>& evicted,
                                                      const Snapshot& fork) const {
  if (auto blocked = blocked_by_node(row, *fork.entry(row).node)) return blocked;
  // Nothing evicts a pod that only waits: it goes elsewhere.
  const auto running = without_waiting(evicted);
  for (const auto& pod : running) {
    if (auto blocked = blocked_by_pod(*pod)) return blocked;
  }
  return blocked_by_budgets(running);
}

bool NodeRemoval::is_waiting(const cluster::PodInfo& pod) const {
  return waiting_.contains(pod.pod->meta.uid);
}

std::vector<PodInfoPtr> NodeRemoval::without_waiting(std::vector<PodInfoPtr> pods) const {
  std::erase_if(pods, [this](const PodInfoPtr& pod) { return is_waiting(*pod); });
  return pods;
}

// An answer names objects of its own namespace, and of those that the author may see.
bool NodeRemoval::is_named(const api::ObjectMeta& meta) const {
  return is_own(meta) || search_.question.seen_namespaces.contains(meta.namespace_);
}
bool NodeRemoval::is_own(const api::ObjectMeta& meta) const {
  return meta.namespace_ == search_.question.meta.namespace_;
}
std::string NodeRemoval::named(const char* kind, const api::ObjectMeta& meta) const {
  if (!is_named(meta)) return fmt::format("a {} of another namespace", kind);
  return is_own(meta) ? fmt::format("{} {}", kind, meta.name)
                      : fmt::format("{} {}/{}", kind, meta.namespace_, meta.name);
}
Blocked NodeRemoval::blocked_by(const char* code, const cluster::PodInfo& pod,
                                std::string_view because) const {
  const auto& meta = pod.pod->meta;
  return {code, fmt::format("{} {}", named("pod", meta), because), !is_named(meta)};
}

std::optional<Blocked> NodeRemoval::blocked_by_node(Row row, const api::Node& node) const {
  if (node.meta.labels.contains(kControlPlane)) return Blocked{"ControlPlane", "it is a control-plane node"};
  if (says(node.meta.annotations, kScaleDownDisabled, "true"))
    return Blocked{"ScaleDownDisabled", fmt::format("it has the annotation {}: true", kScaleDownDisabled)};
  if (says(node.meta.annotations, kDoNotDisrupt, "true"))
    return Blocked{"DoNotDisrupt", fmt::format("it has the annotation {}: true", kDoNotDisrupt)};
  if (nominated_.contains(node.meta.name))
    return Blocked{"Nominated", "it is nominated for a pod that waits for evictions"};
  if (const auto found = waiter_of_.find(row); found != waiter_of_.end())
    return blocked_by("Wanted", *waiters_.pods[found->second].pod,
                      "waits, and fits there once it is uncordoned");
  if (const auto found = waiter_of_unready_.find(row); found != waiter_of_unready_.end())
    return blocked_by("Wanted", *waiters_.pods[found->second].pod, "waits, and fits there once it is ready");
  return std::nullopt;
}

std::optional<Blocked> NodeRemoval::blocked_by_pod(const cluster::PodInfo& pod) const {
  const auto& meta = pod.pod->meta;
  if (const auto protection = protection_of(*pod.pod))
    return blocked_by(protection->code, pod, protection->because);
  if (!meta.controller()) return blocked_by("NoController", pod, "has no controller that recreates it");
  if (!profiles_.find_answering(pod.pod->scheduler_name))
    return blocked_by("OtherScheduler", pod, "has another scheduler");
  if (const auto volume = local_data_of(*pod.pod))
    return blocked_by("LocalData", pod,
                      is_own(meta) ? fmt::format("has data on the node: {}", *volume)
                                   : std::string("has data on the node"));
  return std::nullopt;
}

// A budget must allow all evictions at the same time, as for a drain. The eviction API refuses a pod that
// several budgets select.
std::optional<Blocked> NodeRemoval::blocked_by_budgets(const std::vector<PodInfoPtr>& evicted) const {
  std::map<std::string_view, std::vector<const cluster::PodInfo*>> by_namespace;
  for (const auto& pod : evicted) {
    if (asks_budgets(*pod->pod)) by_namespace[pod->pod->meta.namespace_].push_back(pod.get());
  }
  for (const auto& [ns, pods] : by_namespace) {
    std::set<const cluster::PodInfo*> selected;
    for (const auto* budget : budgets_of(ns, base_.objects())) {
      std::int32_t hits = 0;
      for (const auto* pod : pods) {
        if (!has_time()) return std::nullopt;
        if (!budget->selector->matches(pod->pod->meta.labels)) continue;
        hits += takes_disruption(*pod->pod, *budget) ? 1 : 0;
        if (!selected.insert(pod).second) return blocked_by("Budget", *pod, "is selected by several budgets");
      }
      if (auto blocked = blocked_by_budget(*budget, hits)) return blocked;
    }
  }
  return std::nullopt;
}

// `hits`: the disruptions that the evictions take from it.
std::optional<Blocked> NodeRemoval::blocked_by_budget(const api::PodDisruptionBudget& budget,
                                                      std::int32_t hits) const {
  const auto allowed = std::max(0, budget.disruptions_allowed);
  if (hits <= allowed) return std::nullopt;
  auto reason = fmt::format("{} allows {}, and {} of its pods {} there", named("budget", budget.meta),
                            podium::counted(static_cast<std::size_t>(allowed), "disruption"), hits,
                            hits == 1 ? "is" : "are");
  return Blocked{"Budget", std::move(reason), !is_named(budget.meta)};
}

Blocked NodeRemoval::no_room(const cluster::PodInfo& pod, const DrainedPod& entry) const {
  if (is_waiting(pod)) return blocked_by("Wanted", pod, "waits, and has no other place");
  const bool has_reason = is_named(pod.pod->meta) && !entry.reason.empty();
  return blocked_by("NoRoom", pod,
                    has_reason ? "has no other place: " + words_of(entry) : "has no other place");
}

// No pod that uses it is on the node: that one would have no other place.
std::optional<Blocked> NodeRemoval::blocked_by_volume(Row row) const {
  const auto found = claim_of_.find(row);
  if (found == claim_of_.end()) return std::nullopt;
  api::ObjectMeta claim;
  std::tie(claim.namespace_, claim.name) = found->second;
  return Blocked{"LocalVolume", fmt::format("the volume of {} is there", named("claim", claim)),
                 !is_named(claim)};
}

// A node that is empty and takes a pod that waits is of use. So is one that takes it once it is uncordoned,
// if no other cordoned node does, or once it is ready, if the pod's volume may be there.
std::optional<Blocked> NodeRemoval::wanted_by_waiting(Row row, const Snapshot& fork) const {
  const auto& node = *base_.entry(row).node;
  auto empty = fork;
  uncordon(row, empty);
  const auto& indices = node.unschedulable ? no_cordoned_helps_ : still_waiting_;
  const char* once = node.unschedulable ? "waits, and fits there once it is empty and uncordoned"
                                        : "waits, and fits there once it is empty";
  for (const auto index : indices) {
    if (auto wanted = wanted_by(index, row, empty, once)) return wanted;
  }
  if (std::ranges::none_of(node.taints, is_of_state)) return std::nullopt;
  auto ready = std::make_shared<api::Node>(*empty.entry(row).node);
  std::erase_if(ready->taints, is_of_state);
  empty.set_node(std::move(ready));
  for (const auto index : no_cordoned_helps_) {
    if (!has_read_volume(*waiters_.pods[index].pod->pod)) continue;
    if (auto wanted = wanted_by(index, row, empty, "waits, and fits there once it is ready")) return wanted;
  }
  return std::nullopt;
}

std::optional<Blocked> NodeRemoval::wanted_by(std::size_t index, Row row, const Snapshot& empty,
                                              std::string_view once) const {
  const auto& waiter = waiters_.pods[index];
  if (!has_time()) return std::nullopt;
  const auto decision = framework::evaluate(*waiter.pod, empty, *waiter.profile);
  if (!decision.fits() || !decision.feasible.test(row)) return std::nullopt;
  return blocked_by("Wanted", *waiter.pod, once);
}

}  // namespace podium::explain
