#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "base/check.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/nominated_node.h"
#include "scheduler/plugins/preemption/default_preemption.h"
#include "scheduler/plugins/preemption/disruption_budgets.h"

namespace podium::plugins {
namespace {

using namespace framework;

// A pod without a start time counts as the latest.
Wall start_of(const PodInfo& pod) { return pod->start_time.value_or(Wall::max()); }

struct Outcome {
  std::optional<Verdict> failed;
  PreemptionCandidate candidate;
};

// A pod that the preemptor may evict, with its keys, so that sorting does not read the pod.
struct Evictable {
  const PodInfoPtr* pod;
  std::int32_t priority;
  Wall start;
  bool violates = false;

  bool operator<(const Evictable& other) const {  // the more important first
    return priority != other.priority ? priority > other.priority : start < other.start;
  }
};

std::vector<Evictable> lower_pods(const PodInfo& pod, std::span<const PodInfoPtr> pods) {
  std::vector<Evictable> lower;
  lower.reserve(pods.size());
  for (const auto& other : pods)
    if (other->priority < pod.priority) lower.push_back({&other, other->priority, start_of(*other)});
  return lower;
}

// Adds the pod back if the incoming pod still fits; returns whether it did.
bool reprieve(Filters::Node& node, const PodInfoPtr& victim) {
  node.restore(victim);
  if (!node.check()) return true;
  node.remove(victim);
  return false;
}

Outcome select_victims(const PodInfo& pod, const Snapshot& snapshot, const Filters& filters,
                       DisruptionBudgets& budgets, Row row) {
  auto lower = lower_pods(pod, snapshot.entry(row).pods);
  if (lower.empty()) {
    return {.failed = Verdict{
                "", Code::unschedulable_and_unresolvable, {"No preemption victims found for incoming pod"}}};
  }
  Filters::Node node(filters, row);
  for (const auto& other : lower) node.remove(*other.pod);
  if (auto verdict = node.check()) return {.failed = std::move(verdict)};

  std::ranges::stable_sort(lower, std::less<>());
  auto eviction = budgets.evict();
  for (auto& other : lower) other.violates = eviction.violates(*(*other.pod)->pod);
  // Pods whose eviction violates a budget get their room back before the others.
  std::vector<Evictable> victims;
  for (const bool violating : {true, false}) {
    for (const auto& other : lower)
      if (other.violates == violating && !reprieve(node, *other.pod)) victims.push_back(other);
  }
  std::ranges::stable_sort(victims, std::less<>());
  Outcome out;
  out.candidate.row = row;
  out.candidate.budget_violations = std::ranges::count(victims, true, &Evictable::violates);
  out.candidate.victims.reserve(victims.size());
  for (const auto& victim : victims) out.candidate.victims.push_back(*victim.pod);
  if (victims.empty()) {
    out.failed =
        Verdict{"",
                Code::error,
                {fmt::format("expected at least one victim pod on node \"{}\"", snapshot.node_name(row))}};
  }
  return out;
}

// Lower is better. Source: pickOneNodeForPreemption.
auto rank(const PreemptionCandidate& candidate) {
  const auto& victims = candidate.victims;
  // As upstream: compares the priority of the first victim, and the start time of those with the highest
  // priority. These may differ, since an extender may return victims in any order.
  const auto first = victims.front()->priority;
  const auto highest =
      (*std::ranges::max_element(victims, {}, [](const auto& v) { return v->priority; }))->priority;
  std::int64_t sum = 0;
  auto earliest = Wall::max();
  for (const auto& victim : victims) {
    // Shifted to be non-negative, so that more pods of negative priority never rank better than fewer.
    sum += std::int64_t{victim->priority} - std::numeric_limits<std::int32_t>::min();
    if (victim->priority == highest) earliest = std::min(earliest, start_of(*victim));
  }
  return std::tuple(candidate.budget_violations, first, sum, victims.size(),
                    -earliest.time_since_epoch().count());
}

bool is_being_preempted(const PodInfo& pod) {
  if (!pod->terminating()) return false;
  const auto* condition = pod->condition("DisruptionTarget");
  return condition && condition->status == "True" && condition->reason == "PreemptionByScheduler";
}

}  // namespace

std::optional<std::string> not_eligible_to_preempt(const PodInfo& pod, const Snapshot& snapshot,
                                                   const Decision& decision) {
  if (pod->preempt_never) return "not eligible due to preemptionPolicy=Never.";
  const auto name = framework::nominated_node(pod, snapshot);
  const auto row = name.empty() ? std::nullopt : snapshot.find_row(name);
  if (!row) return std::nullopt;
  const auto& verdict = decision.rejections.verdict(decision.rejections.id(*row));
  if (verdict.code == Code::unschedulable_and_unresolvable)
    return std::nullopt;  // the pod cannot fit there, so do not wait for the victims
  for (const auto& other : snapshot.entry(*row).pods) {
    if (other->priority < pod.priority && is_being_preempted(*other)) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return std::nullopt;
}

PreemptionDryRun dry_run_preemption(const PodInfo& pod, const Snapshot& snapshot, const Filters& filters,
                                    const Decision& decision) {
  PreemptionDryRun out;
  DisruptionBudgets budgets(snapshot.objects());
  std::set<std::string, std::less<>> errors;
  for (const Row row : snapshot.rows_by_name()) {
    if (decision.rejections.verdict(decision.rejections.id(row)).code != Code::unschedulable) continue;
    auto [failed, candidate] = select_victims(pod, snapshot, filters, budgets, row);
    if (!failed) {
      out.candidates.push_back(std::move(candidate));
      continue;
    }
    ++out.failed_nodes;
    if (failed->code == Code::error) {
      auto error = message(*failed);
      if (!failed->plugin.empty())
        error = fmt::format("running \"{}\" filter plugin: {}", failed->plugin, error);
      if (errors.insert(error).second) out.errors.push_back(std::move(error));
    }
    for (const auto& reason : failed->reasons) ++out.reasons[reason.text];
  }
  return out;
}

const PreemptionCandidate& best_candidate(std::span<const PreemptionCandidate> candidates) {
  PODIUM_CHECK(!candidates.empty());
  return *std::ranges::min_element(candidates, {}, rank);
}

}  // namespace podium::plugins
