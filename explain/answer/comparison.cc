#include "explain/answer/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "api/values/drained_pod.h"
#include "explain/answer/waiting.h"
#include "explain/report/project.h"
#include "explain/workload/device_claims.h"
#include "explain/workload/unscheduled.h"
#include "scheduler/framework/decision.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;

// Where a pod is with one configuration.
struct Outcome {
  std::string node, reason;  // one of them is empty
};
using Outcomes = std::map<std::string, Outcome>;  // by UID

// Copies of a pod at the same time: without a node, and on the fork of one side.
constexpr std::size_t kCopies = 2;

// The pod as it was before it was placed. Its UID stays, which draws among equal nodes.
PodInfoPtr unplaced(const cluster::PodInfo& pod) {
  auto out = std::make_shared<api::Pod>(*pod);
  unschedule(*out);
  out->scheduling_gates.clear();
  return cluster::make_pod_info(std::move(out), pod.rules);
}

// Pods that stay may request more than any number of nodes has, and less than nothing.
std::size_t percent(std::int64_t part, std::int64_t whole) {
  constexpr double kMost = 1e9;
  if (whole <= 0) return 0;
  const auto share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return static_cast<std::size_t>(std::clamp(share, 0.0, kMost));
}

std::vector<ZoneUse> zones_of(const Snapshot& fork) {
  struct Sums {
    std::int64_t cpu = 0, cpu_of = 0, memory = 0, memory_of = 0;
  };
  std::map<std::string, Sums> sums;
  fork.present().each([&](Row row) {
    const auto* zone = fork.entry(row).node->meta.labels.find(api::label::zone);
    if (!zone) return;
    auto& sum = sums[*zone];
    sum.cpu = cluster::saturating_add(sum.cpu, fork.requested_milli_cpu[row]);
    sum.cpu_of = cluster::saturating_add(sum.cpu_of, fork.allocatable_milli_cpu[row]);
    sum.memory = cluster::saturating_add(sum.memory, fork.requested_memory[row]);
    sum.memory_of = cluster::saturating_add(sum.memory_of, fork.allocatable_memory[row]);
  });
  std::vector<ZoneUse> out;
  for (const auto& [zone, sum] : sums)
    out.push_back({zone, percent(sum.cpu, sum.cpu_of), percent(sum.memory, sum.memory_of)});
  return out;
}

// Each side places the pods of its own profiles only.
std::vector<PodInfoPtr> own_pods(const std::vector<PodInfoPtr>& pods, const QuietProfiles& profiles) {
  auto out = pods;
  std::erase_if(out, [&](const PodInfoPtr& pod) { return !profiles.find(pod->pod->scheduler_name); });
  return out;
}

// Places the pods with one configuration.
class Side {
 public:
  Side(const config::Config& config, const std::vector<PodInfoPtr>& pods, const Budget& budget, Snapshot fork)
      : profiles_(config), pods_(pods), budget_(budget), fork_(std::move(fork)) {
    waiters_ =
        sort_waiting(own_pods(pods, profiles_), profiles_, budget, fork_, ForkMemory(ForkMemory::kAny));
  }

  // False: the budget has ended.
  bool run() {
    Places places;
    if (waiters_.not_evaluated > 0 || !place_waiters(waiters_, budget_, places, fork_)) return false;
    std::set<Row> rows;
    std::map<std::string, std::size_t> reasons;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& waiter = waiters_.pods[i];
      auto& outcome = outcomes_[waiter.pod->pod->meta.uid];
      if (places[i]) {
        ++side_.placed;
        rows.insert(*places[i]);
        outcome.node = fork_.node_name(*places[i]);
        continue;
      }
      if (!has_time(budget_)) return false;
      outcome.reason = reason_of(waiter);
      ++reasons[outcome.reason];
    }
    for (const auto& pod : pods_) {
      const auto& scheduler = pod->pod->scheduler_name;
      if (profiles_.find(scheduler)) continue;
      auto& reason = outcomes_[pod->pod->meta.uid].reason;
      reason = fmt::format("no profile has the schedulerName {}", scheduler);
      ++reasons[reason];
    }
    side_.nodes_in_use = rows.size();
    for (auto& [reason, pods] : reasons) side_.waiting.push_back({reason, pods});
    std::ranges::stable_sort(side_.waiting, std::ranges::greater(), &WaitingFor::pods);
    side_.zones = zones_of(fork_);
    fork_ = Snapshot();  // one side at a time
    return true;
  }

  // Empty: the pod was not tried, as its UID is that of a pod that stays.
  Outcome outcome_of(const api::Pod& pod) const {
    const auto found = outcomes_.find(pod.meta.uid);
    return found == outcomes_.end() ? Outcome{} : found->second;
  }
  ComparedSide& side() { return side_; }

 private:
  // Finds the reason once for each kind of pod.
  std::string reason_of(const Waiter& waiter) {
    auto& reason = reasons_[waiter.kind];
    if (reason.empty())
      reason =
          main_reason(project(*waiter.pod, framework::evaluate(*waiter.pod, fork_, *waiter.profile), fork_));
    return reason;
  }

  const QuietProfiles profiles_;
  const std::vector<PodInfoPtr>& pods_;
  const Budget& budget_;
  Snapshot fork_;
  Waiters waiters_;
  std::map<std::size_t, std::string> reasons_;  // by kind
  Outcomes outcomes_;
  ComparedSide side_;
};

}  // namespace

ConfigComparison compare_configs(const config::Config& old_config, const config::Config& new_config,
                                 const std::vector<PodInfoPtr>& waiting, const Budget& budget,
                                 const Snapshot& snapshot, ForkMemory memory) {
  ConfigComparison out{.is_finished = false};
  const auto is_scheduled = [&](const api::Pod& pod) {
    return old_config.profile(pod.scheduler_name) || new_config.profile(pod.scheduler_name);
  };
  std::vector<PodInfoPtr> leaving;
  snapshot.each_pod([&](const PodInfoPtr& pod) {
    if (stays(*pod->pod) || pod->pod->terminating() || !is_scheduled(*pod->pod))
      ++out.staying;
    else
      leaving.push_back(pod);
  });
  auto base = snapshot;
  std::vector<PodInfoPtr> pods;
  for (const auto& pod : leaving) {
    if (!has_time(budget)) return out;
    out.is_too_large = !memory.take(1, kCopies * memory_of(*pod->pod));
    if (out.is_too_large) return out;
    remove_with_devices(*pod->pod, base);
    pods.push_back(unplaced(*pod));
  }
  for (const auto& pod : waiting) {
    if (!pod->pod->scheduling_gates.empty()) {
      ++out.gated;
    } else if (!is_scheduled(*pod->pod)) {
      ++out.other_scheduler;
    } else {
      base.withdraw_nomination(pod->pod->meta.uid);
      pods.push_back(pod);
    }
  }
  out.pods = pods.size();

  Side before(old_config, pods, budget, base), after(new_config, pods, budget, base);
  if (!before.run() || !after.run()) return out;
  out.is_finished = true;
  for (const auto& pod : pods) {
    const auto old_outcome = before.outcome_of(*pod->pod), new_outcome = after.outcome_of(*pod->pod);
    if (old_outcome.node == new_outcome.node) continue;
    ComparedPod compared{pod->pod->meta.namespace_, pod->pod->meta.name, old_outcome.node, new_outcome.node};
    if (compared.new_node.empty()) {
      compared.reason = new_outcome.reason;
      out.lost.push_back(std::move(compared));
    } else if (compared.old_node.empty()) {
      compared.reason = old_outcome.reason;
      out.gained.push_back(std::move(compared));
    } else {
      out.moved.push_back(std::move(compared));
    }
  }
  const auto by_name = [](const ComparedPod& pod) { return std::tie(pod.ns, pod.name); };
  for (auto* list : {&out.moved, &out.lost, &out.gained}) std::ranges::sort(*list, {}, by_name);
  out.old_side = std::move(before.side());
  out.new_side = std::move(after.side());
  return out;
}

}  // namespace podium::explain
