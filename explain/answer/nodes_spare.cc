// The nodes that could go, one after the other: what they run is placed again, with the code of drains.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "explain/answer/changes.h"
#include "explain/answer/drain.h"
#include "explain/answer/node_search.h"
#include "explain/answer/waiting.h"
#include "explain/report/project.h"
#include "explain/report/reason_words.h"
#include "explain/workload/device_claims.h"
#include "scheduler/framework/decision.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;

constexpr std::size_t kMostSpareListed = 64, kMostMovesListed = 64, kMostExamples = 3, kBlockedBytes = 1024;
constexpr std::size_t kMostKindsCompared = 64;  // of pods that wait, with an empty node

constexpr const char* kScaleDownDisabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
constexpr const char* kSafeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict";
constexpr const char* kDoNotDisrupt = "karpenter.sh/do-not-disrupt";
constexpr const char* kControlPlane = "node-role.kubernetes.io/control-plane";

bool says(const api::Labels& annotations, const char* key, std::string_view value) {
  const auto* found = annotations.find(key);
  return found && *found == value;
}

// Why a node cannot go.
struct Blocked {
  const char* code;
  std::string reason;
  bool is_unnamed = false;  // it is about an object of another namespace than the question's
};

// A node that could go: its pods and their new nodes.
struct Step {
  std::string node;
  std::vector<std::pair<PodInfoPtr, std::string>> moves;
};

struct Found {
  std::vector<Step> steps;
  std::map<std::string, Blocked> blocked;  // by node
  std::size_t tried = 0;                   // nodes
  bool is_finished = false;
};

class Sparing {
 public:
  Sparing(const NodeSearch& search, Snapshot fork)
      : search_(search), profiles_(search.config), base_(std::move(fork)) {
    waiters_ = sort_waiting(search.waiting, profiles_, search.budget, base_);
  }

  SpareAnswer run() {
    // Pods that wait take room first.
    Places places;
    SpareAnswer out;
    if (!place_waiters(waiters_, search_.budget, places, base_)) return out;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!places[i] && one_of_kind_.emplace(waiters_.pods[i].kind, i).second) still_waiting_.push_back(i);
    }
    if (still_waiting_.size() > kMostKindsCompared) still_waiting_.resize(kMostKindsCompared);
    auto best = go_in(by_pods());
    if (has_time()) {
      auto other = go_in(by_size());
      if (other.steps.size() > best.steps.size()) best = std::move(other);
    }
    out.nodes.is_finished = best.is_finished;
    if (auto once = all_cordoned_first(best.steps)) {
      best.steps = std::move(*once);
      out.nodes.cordon_first = best.steps.size() > 1;
    }
    out.tried = best.tried;
    record(best, out.nodes);
    return out;
  }

 private:
  bool has_time() const { return explain::has_time(search_.budget); }

  // --- the order ---

  std::size_t pods_to_move(Row row) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        base_.entry(row).pods, [](const PodInfoPtr& pod) { return !stays(*pod->pod); }));
  }
  // The nodes with the fewest pods first, and with the smallest requests.
  std::vector<Row> by_pods() const {
    return sorted([this](Row row) {
      return std::tuple<std::int64_t, std::int64_t>(pods_to_move(row), base_.requested_milli_cpu[row]);
    });
  }
  // The nodes first that have the smallest requests.
  std::vector<Row> by_size() const {
    return sorted([this](Row row) {
      return std::tuple<std::int64_t, std::int64_t>(base_.requested_milli_cpu[row],
                                                    base_.requested_memory[row]);
    });
  }
  template <typename Key>
  std::vector<Row> sorted(Key key) const {
    const auto rows = base_.rows_by_name();
    std::vector<std::pair<decltype(key(Row{})), Row>> keyed;
    for (const auto row : rows) keyed.emplace_back(key(row), row);
    std::ranges::stable_sort(keyed, {}, [](const auto& each) { return each.first; });
    std::vector<Row> out;
    for (const auto& [_, row] : keyed) out.push_back(row);
    return out;
  }

  // --- the search ---

  // Takes each node away that can go, in this order. Less room is left then, so a node that could not go
  // before is not tried again.
  Found go_in(const std::vector<Row>& rows) const {
    Found out;
    auto fork = base_;
    for (const auto row : rows) {
      if (!has_time()) return out;
      ++out.tried;
      const std::string name(base_.node_name(row));
      if (fork.node_count() == 1) {
        auto blocked = blocked_by_itself(row, pods_to_evict(row, fork), fork);
        out.blocked.emplace(name, std::move(blocked).value_or(Blocked{"LastNode", "it is the last node"}));
        break;
      }
      auto trial = fork;
      std::vector<std::pair<PodInfoPtr, std::string>> moves;
      if (auto blocked = take(row, true, moves, trial)) {
        out.blocked.emplace(name, std::move(*blocked));
        continue;
      }
      if (!has_time()) return out;
      fork = std::move(trial);
      out.steps.push_back({name, std::move(moves)});
    }
    out.is_finished = true;
    return out;
  }

  // The same nodes where no pod may go to a node that goes later. nullopt: not all can go like that.
  std::optional<std::vector<Step>> all_cordoned_first(const std::vector<Step>& steps) const {
    auto fork = base_;
    for (const auto& step : steps) cordon(*fork.find_row(step.node), fork);
    std::vector<Step> out;
    for (const auto& step : steps) {
      std::vector<std::pair<PodInfoPtr, std::string>> moves;
      if (!has_time() || take(*fork.find_row(step.node), false, moves, fork)) return std::nullopt;
      out.push_back({step.node, std::move(moves)});
    }
    return has_time() ? std::optional(std::move(out)) : std::nullopt;
  }

  // Places the node's pods on other nodes and removes it. Returns what blocks that, which spoils the fork.
  std::optional<Blocked> take(Row row, bool with_waiting,
                              std::vector<std::pair<PodInfoPtr, std::string>>& moves, Snapshot& fork) const {
    const auto node = fork.entry(row).node;
    const auto on_it = fork.entry(row).pods;
    auto evicted = pods_to_evict(row, fork);
    if (auto blocked = blocked_by_itself(row, evicted, fork)) return blocked;
    cordon(row, fork);
    for (const auto& pod : evicted) remove_with_devices(*pod->pod, fork);
    sort_for_placing(evicted);
    for (const auto& pod : evicted) {
      if (!has_time()) return std::nullopt;
      auto moved = move_pod(*pod, *profiles_.find(pod->pod->scheduler_name), fork);
      if (!moved.to) return no_room(*pod, moved.entry);
      moves.emplace_back(pod, std::move(moved.entry.node));
    }
    if (with_waiting) {
      if (auto blocked = wanted_by_waiting(row, fork)) return blocked;
    }
    for (const auto& pod : on_it) remove_with_devices(*pod->pod, fork);
    fork.remove_node(node->meta.name);
    return std::nullopt;
  }

  static std::vector<PodInfoPtr> pods_to_evict(Row row, const Snapshot& fork) {
    std::vector<PodInfoPtr> out;
    for (const auto& pod : fork.entry(row).pods) {
      if (!stays(*pod->pod)) out.push_back(pod);
    }
    return out;
  }

  // --- what blocks ---

  // Whatever the room on other nodes.
  std::optional<Blocked> blocked_by_itself(Row row, const std::vector<PodInfoPtr>& evicted,
                                           const Snapshot& fork) const {
    if (auto blocked = blocked_by_node(*fork.entry(row).node)) return blocked;
    for (const auto& pod : evicted) {
      if (auto blocked = blocked_by_pod(*pod)) return blocked;
    }
    return blocked_by_budgets(evicted);
  }

  // An answer names objects of its own namespace only.
  bool is_own(const api::ObjectMeta& meta) const {
    return meta.namespace_ == search_.question.meta.namespace_;
  }
  std::string named(const char* kind, const api::ObjectMeta& meta) const {
    return is_own(meta) ? fmt::format("{} {}", kind, meta.name)
                        : fmt::format("a {} of another namespace", kind);
  }
  Blocked blocked_by(const char* code, const cluster::PodInfo& pod, std::string_view because) const {
    const auto& meta = pod.pod->meta;
    return {code, fmt::format("{} {}", named("pod", meta), because), !is_own(meta)};
  }

  std::optional<Blocked> blocked_by_node(const api::Node& node) const {
    if (node.meta.labels.contains(kControlPlane))
      return Blocked{"ControlPlane", "it is a control-plane node"};
    if (says(node.meta.annotations, kScaleDownDisabled, "true"))
      return Blocked{"ScaleDownDisabled", fmt::format("it has the annotation {}: true", kScaleDownDisabled)};
    if (says(node.meta.annotations, kDoNotDisrupt, "true"))
      return Blocked{"DoNotDisrupt", fmt::format("it has the annotation {}: true", kDoNotDisrupt)};
    for (const auto& nomination : base_.nominations()) {
      if (nomination.node == node.meta.name)
        return Blocked{"Nominated", "it is nominated for a pod that waits for evictions"};
    }
    return std::nullopt;
  }

  std::optional<Blocked> blocked_by_pod(const cluster::PodInfo& pod) const {
    const auto& meta = pod.pod->meta;
    if (says(meta.annotations, kDoNotDisrupt, "true"))
      return blocked_by("DoNotDisrupt", pod, fmt::format("has the annotation {}: true", kDoNotDisrupt));
    if (says(meta.annotations, kSafeToEvict, "false"))
      return blocked_by("NotSafeToEvict", pod, fmt::format("has the annotation {}: false", kSafeToEvict));
    if (!meta.controller()) return blocked_by("NoController", pod, "has no controller that creates it again");
    if (!profiles_.find(pod.pod->scheduler_name))
      return blocked_by("OtherScheduler", pod, "has another scheduler");
    return std::nullopt;
  }

  // As for a drain: a budget must allow all evictions at the same time. The eviction API refuses a pod that
  // several budgets select.
  std::optional<Blocked> blocked_by_budgets(const std::vector<PodInfoPtr>& evicted) const {
    std::map<std::string_view, std::string> budget_of;  // by UID of the pod
    for (const auto& [key, budget] : base_.objects().all<api::PodDisruptionBudget>()) {
      if (!budget->selector) continue;
      if (!has_time()) return std::nullopt;
      std::int32_t hits = 0;
      for (const auto& pod : evicted) {
        if (pod->pod->meta.namespace_ != budget->meta.namespace_ ||
            !budget->selector->matches(pod->pod->meta.labels))
          continue;
        ++hits;
        if (!budget_of.emplace(pod->pod->meta.uid, budget->meta.name).second)
          return blocked_by("Budget", *pod, "is selected by several budgets");
      }
      const auto allowed = std::max(0, budget->disruptions_allowed);
      if (hits <= allowed) continue;
      auto reason = fmt::format("{} allows {}, and {} of its pods {} there", named("budget", budget->meta),
                                podium::counted(static_cast<std::size_t>(allowed), "disruption"), hits,
                                hits == 1 ? "is" : "are");
      return Blocked{"Budget", std::move(reason), !is_own(budget->meta)};
    }
    return std::nullopt;
  }

  // "most nodes do not have enough free cpu"
  static std::string words_of(const DrainedPod& entry) {
    if (!entry.cause) return entry.reason;
    const auto words = reason_words(entry.cause->code, entry.cause->about, entry.reason);
    return words == entry.reason || is_of_pod(entry.cause->code) ? words : "most nodes " + plural_of(words);
  }

  Blocked no_room(const cluster::PodInfo& pod, const DrainedPod& entry) const {
    const bool is_named = is_own(pod.pod->meta) && !entry.reason.empty();
    return blocked_by("NoRoom", pod,
                      is_named ? "has no other place: " + words_of(entry) : "has no other place");
  }

  // A node that is empty and takes a pod that waits is of use.
  std::optional<Blocked> wanted_by_waiting(Row row, const Snapshot& fork) const {
    if (still_waiting_.empty()) return std::nullopt;
    auto empty = fork;
    if (!base_.entry(row).node->unschedulable) uncordon(row, empty);
    for (const auto index : still_waiting_) {
      const auto& waiter = waiters_.pods[index];
      if (!has_time()) return std::nullopt;
      const auto decision = framework::evaluate(*waiter.pod, empty, *waiter.profile);
      if (decision.fits() && decision.feasible.test(row))
        return blocked_by("Wanted", *waiter.pod, "waits, and fits there once it is empty");
    }
    return std::nullopt;
  }

  // --- the answer ---

  void record(const Found& found, NodesSpare& out) const {
    std::size_t listed = 0;
    for (const auto& step : found.steps) {
      out.pods_moved += step.moves.size();
      if (out.nodes.size() == kMostSpareListed) continue;
      SpareNode entry{.node = step.node, .pods_moved = step.moves.size()};
      for (const auto& [pod, to] : step.moves) {
        if (pod->pod->meta.namespace_ != search_.question.meta.namespace_) continue;
        ++entry.pods_total;
        if (listed++ < kMostMovesListed) entry.pods.push_back({pod->pod->meta.name, to});
      }
      out.nodes.push_back(std::move(entry));
    }
    out.nodes_total = found.steps.size();
    std::map<std::string_view, BlockedNodes> by_code;
    for (const auto& [node, blocked] : found.blocked) {
      auto& of_code = by_code[blocked.code];
      const bool is_first = of_code.nodes++ == 0;
      // A reason that names its object is of more use.
      const bool is_better = is_first || (of_code.is_unnamed && !blocked.is_unnamed);
      if (is_better) {
        of_code.code = blocked.code;
        of_code.reason = cut(blocked.reason, kBlockedBytes);
        of_code.is_unnamed = blocked.is_unnamed;
        of_code.examples.insert(of_code.examples.begin(), node);
        if (of_code.examples.size() > kMostExamples) of_code.examples.pop_back();
      } else if (of_code.examples.size() < kMostExamples) {
        of_code.examples.push_back(node);
      }
    }
    for (auto& [_, each] : by_code) out.blocked.push_back(std::move(each));
    std::ranges::stable_sort(out.blocked, std::ranges::greater(), &BlockedNodes::nodes);
  }

  const NodeSearch& search_;
  const QuietProfiles profiles_;
  Snapshot base_;
  Waiters waiters_;
  std::map<std::size_t, std::size_t> one_of_kind_;  // index of a waiter without a place
  std::vector<std::size_t> still_waiting_;          // one of each kind
};

}  // namespace

SpareAnswer find_nodes_spare(const NodeSearch& search, Snapshot fork) {
  return Sparing(search, std::move(fork)).run();
}

}  // namespace podium::explain
