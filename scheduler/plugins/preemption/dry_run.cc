#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <tuple>

#include "scheduler/framework/nominated_node.h"
#include "scheduler/plugins/preemption/default_preemption.h"

namespace podium::plugins {
namespace {

using namespace framework;

Wall start_of(const PodInfo& pod) { return pod->start_time.value_or(Wall::max()); }

bool covers(const api::PodDisruptionBudget& budget, const api::Pod& pod) {
  return budget.meta.namespace_ == pod.meta.namespace_ && budget.selector && !budget.selector->empty() &&
         budget.selector->matches(pod.meta.labels);
}

// One node without the potential victims. reprieve() adds back each victim that fits beside the pod.
class Node {
 public:
  Node(const Filters& filters, Row row) : filters_(filters, row) {}

  std::vector<PodInfoPtr> removed;

  std::optional<Verdict> check() { return filters_.check({.added = {}, .removed = removed}); }

  // Adds the pod back if the incoming pod still fits; returns whether it did.
  bool reprieve(const PodInfoPtr& pod) {
    const auto it = std::find(removed.begin(), removed.end(), pod);
    *it = std::move(removed.back());
    removed.pop_back();
    if (!check()) return true;
    removed.push_back(pod);
    return false;
  }

 private:
  Filters::Node filters_;
};

struct Outcome {
  std::optional<Verdict> failed;
  PreemptionCandidate candidate;
};

Outcome select_victims(const PodInfo& pod, const Snapshot& snapshot, const Filters& filters, Row row) {
  Node node(filters, row);
  std::ranges::copy_if(snapshot.entry(row).pods, std::back_inserter(node.removed),
                       [&](const PodInfoPtr& other) { return other->priority < pod.priority; });
  if (node.removed.empty()) {
    return {.failed = Verdict{
                "", Code::unschedulable_and_unresolvable, {"No preemption victims found for incoming pod"}}};
  }
  if (auto verdict = node.check()) return {.failed = std::move(verdict)};

  auto by_importance = node.removed;
  std::ranges::stable_sort(by_importance, is_more_important);
  const auto [violating, others] = split_by_budget(by_importance, snapshot.objects());
  Outcome out;
  out.candidate.row = row;
  auto& victims = out.candidate.victims;
  for (const auto& victim : violating) {
    if (!node.reprieve(victim)) victims.push_back(victim);
  }
  out.candidate.budget_violations = static_cast<std::int64_t>(victims.size());
  for (const auto& victim : others) {
    if (!node.reprieve(victim)) victims.push_back(victim);
  }
  std::ranges::stable_sort(victims, is_more_important);
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

bool is_more_important(const PodInfoPtr& a, const PodInfoPtr& b) {
  return a->priority != b->priority ? a->priority > b->priority : start_of(*a) < start_of(*b);
}

ByBudget split_by_budget(std::span<const PodInfoPtr> pods, const cluster::Objects& objects) {
  std::vector<std::pair<const api::PodDisruptionBudget*, std::int64_t>> allowed;
  for (const auto& [_, budget] : objects.all<api::PodDisruptionBudget>()) {
    allowed.emplace_back(budget.get(), budget->disruptions_allowed);
  }
  ByBudget out;
  for (const auto& pod : pods) {
    bool violates = false;
    for (auto& [budget, left] : allowed) {
      if ((*pod)->meta.labels.empty() || !covers(*budget, **pod)) continue;
      const auto& counted = budget->disrupted_pods;  // already counted by the API server
      if (std::ranges::find(counted, (*pod)->meta.name) != counted.end()) continue;
      if (--left < 0) violates = true;
    }
    (violates ? out.violating : out.others).push_back(pod);
  }
  return out;
}

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
  for (const Row row : snapshot.rows_by_name()) {
    if (decision.rejections.verdict(decision.rejections.id(row)).code != Code::unschedulable) continue;
    auto [failed, candidate] = select_victims(pod, snapshot, filters, row);
    if (!failed) {
      out.candidates.push_back(std::move(candidate));
      continue;
    }
    ++out.failed_nodes;
    if (failed->code == Code::error) {
      auto error = message(*failed);
      if (!failed->plugin.empty())
        error = fmt::format("running \"{}\" filter plugin: {}", failed->plugin, error);
      if (std::ranges::find(out.errors, error) == out.errors.end()) out.errors.push_back(std::move(error));
    }
    for (const auto& reason : failed->reasons) ++out.reasons[reason];
  }
  return out;
}

const PreemptionCandidate& best_candidate(std::span<const PreemptionCandidate> candidates) {
  return *std::ranges::min_element(candidates, {}, rank);
}

}  // namespace podium::plugins
