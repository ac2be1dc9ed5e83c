#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "base/check.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/nominated_node.h"
#include "scheduler/plugins/preemption/default_preemption.h"
#include "scheduler/plugins/preemption/disruption_budgets.h"
#include "scheduler/plugins/preemption/room_run.h"

namespace podium::plugins {
namespace {

using namespace framework;

using cluster::start_of;

struct Outcome {
  std::optional<Verdict> failed;
  PreemptionCandidate candidate;
};

// A pod that the preemptor may evict, with its keys, so that sorting does not read the pod.
struct Evictable {
  const PodInfoPtr* pod;
  std::int32_t priority;
  Wall start;
  const BudgetPtr* violated = nullptr;  // by its eviction

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
  if (lower.empty()) return {.failed = no_lower_pods()};
  Filters::Node node(filters, row);
  for (const auto& other : lower) node.remove(*other.pod);
  if (auto verdict = node.check()) return {.failed = std::move(verdict)};

  std::ranges::stable_sort(lower, std::less<>());
  auto eviction = budgets.evict();
  for (auto& other : lower) other.violated = eviction.violates(*(*other.pod)->pod);
  // Pods whose eviction violates a budget get their room back before the others.
  std::vector<Evictable> victims;
  for (const bool violating : {true, false}) {
    for (const auto& other : lower)
      if ((other.violated != nullptr) == violating && !reprieve(node, *other.pod)) victims.push_back(other);
  }
  std::ranges::stable_sort(victims, std::less<>());
  Outcome out;
  out.candidate.row = row;
  out.candidate.victims.reserve(victims.size());
  for (const auto& victim : victims) add_victim(*victim.pod, victim.violated, out.candidate);
  if (victims.empty()) out.failed = no_victims(snapshot.node_name(row));
  return out;
}

Rank rank(const PreemptionCandidate& candidate) {
  const auto& victims = candidate.victims;
  Rank rank{.budget_violations = candidate.budget_violations,
            .first = victims.front()->priority,
            .victims = victims.size()};
  const auto highest =
      (*std::ranges::max_element(victims, {}, [](const auto& v) { return v->priority; }))->priority;
  auto earliest = Wall::max();
  for (const auto& victim : victims) {
    rank.sum += Rank::weight(victim->priority);
    if (victim->priority == highest) earliest = std::min(earliest, start_of(*victim));
  }
  rank.minus_earliest = Rank::minus(earliest);
  return rank;
}

// Collects the candidates, and why the other nodes are none.
class Collector {
 public:
  explicit Collector(CandidateChoice wanted) : wanted_(wanted) {}

  const Rank* to_beat() const { return best_ ? &*best_ : nullptr; }
  // False: add_failed() may be left out.
  bool wants_failed() const { return wanted_ == CandidateChoice::all || out_.candidates.empty(); }

  void add(PreemptionCandidate candidate, const Rank& rank) {
    if (wanted_ == CandidateChoice::best) {
      if (best_ && rank >= *best_) return;
      best_ = rank;
      out_.candidates.clear();
    }
    out_.candidates.push_back(std::move(candidate));
  }
  void add_failed(const Verdict& failed) {
    ++out_.failed_nodes;
    if (failed.code == Code::error) {
      auto error = failed.plugin.empty() ? message(failed) : filter_error(failed);
      if (errors_.insert(error).second) out_.errors.push_back(std::move(error));
    }
    for (const auto& reason : failed.reasons) ++out_.reasons[reason.text];
  }
  PreemptionDryRun take() && { return std::move(out_); }

 private:
  const CandidateChoice wanted_;
  std::optional<Rank> best_;
  PreemptionDryRun out_;
  std::set<std::string, std::less<>> errors_;
};

bool is_being_preempted(const PodInfo& pod) {
  if (!pod->terminating()) return false;
  const auto* condition = pod->condition("DisruptionTarget");
  return condition && condition->status == "True" && condition->reason == "PreemptionByScheduler";
}

}  // namespace

std::optional<Reason> not_eligible_to_preempt(const PodInfo& pod, const Snapshot& snapshot,
                                              const Decision& decision) {
  if (pod->preempt_never) return Reason(ReasonCode::preemption_never);
  const auto name = framework::nominated_node(pod, snapshot);
  const auto row = name.empty() ? std::nullopt : snapshot.find_row(name);
  if (!row) return std::nullopt;
  const auto& verdict = decision.rejections.verdict(decision.rejections.id(*row));
  if (verdict.code == Code::unschedulable_and_unresolvable)
    return std::nullopt;  // the pod cannot fit there, so do not wait for the victims
  for (const auto& other : snapshot.entry(*row).pods) {
    if (other->priority < pod.priority && is_being_preempted(*other))
      return Reason(ReasonCode::victims_terminate);
  }
  return std::nullopt;
}

Verdict no_lower_pods() {
  return {"", Code::unschedulable_and_unresolvable, {"No preemption victims found for incoming pod"}};
}

Verdict no_victims(std::string_view node) { return {"", Code::error, {framework::no_victims_error(node)}}; }

PreemptionDryRun dry_run_preemption(const PodInfo& pod, const Snapshot& snapshot, const Filters& filters,
                                    const Decision& decision, CandidateChoice wanted) {
  Collector out(wanted);
  DisruptionBudgets budgets(snapshot.objects());
  const auto quick = RoomRun::make(pod, snapshot, filters, budgets);
  for (const Row row : snapshot.rows_by_name()) {
    if (decision.rejections.verdict(decision.rejections.id(row)).code != Code::unschedulable) continue;
    if (quick && quick->can_select(row)) {
      const auto end = quick->select(row, out.to_beat());
      if (end == RoomRun::End::found) out.add(quick->candidate(), quick->rank());
      if (end == RoomRun::End::failed && out.wants_failed()) out.add_failed(quick->verdict());
      continue;
    }
    auto [failed, candidate] = select_victims(pod, snapshot, filters, budgets, row);
    if (failed) {
      out.add_failed(*failed);
    } else {
      const auto of_candidate = rank(candidate);
      out.add(std::move(candidate), of_candidate);
    }
  }
  return std::move(out).take();
}

const PreemptionCandidate& best_candidate(std::span<const PreemptionCandidate> candidates) {
  PODIUM_CHECK(!candidates.empty());
  return *std::ranges::min_element(candidates, {}, rank);
}

}  // namespace podium::plugins
