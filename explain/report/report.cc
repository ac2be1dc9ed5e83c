#include "explain/report/report.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <utility>

#include "base/utf8.h"
#include "explain/report/main_rejection.h"

namespace podium::explain {
namespace {

// The condition of this type, unless it describes an earlier generation.
const ReportCondition* condition_of(const Report& report, std::string_view type) {
  const auto& conditions = report.status.conditions;
  const auto found = std::ranges::find_if(conditions, [&](const ReportCondition& one) {
    return one.type == type && one.observed_generation >= report.generation;
  });
  return found == conditions.end() ? nullptr : &*found;
}

// Hashes all but the numbers of nodes. Different causes may have one text of kube-scheduler.
std::size_t hash_of(const ReportRejection& rejection) {
  std::size_t seed = 0;
  const auto add = [&seed](const auto&... values) { (boost::hash_combine(seed, values), ...); };
  add(rejection.plugin, rejection.code, rejection.reason, rejection.preemption_may_help);
  for (const auto& [topic, name] : rejection.about) add(static_cast<int>(topic), name);
  std::size_t taints = 0;  // ordered by numbers of nodes
  for (const auto& taint : rejection.taints) taints += boost::hash<std::string>()(taint);
  add(taints);
  for (const auto& part : rejection.parts) add(part.requirement, part.nodes > 0);
  return seed;
}

}  // namespace

bool is_complete(const Report& report) {
  const auto* complete = condition_of(report, "Complete");
  const auto* accepted = condition_of(report, "Accepted");
  return (complete && complete->is_true) || (accepted && !accepted->is_true);
}

const std::string* refusal_of(const Report& report) {
  const auto* accepted = condition_of(report, "Accepted");
  if (accepted && !accepted->is_true) return &accepted->message;
  return report.status.outcome == kRefused ? &report.status.message : nullptr;
}

std::string cut(std::string text, std::size_t bytes) {
  text.resize(whole_characters(text, bytes).size());
  return text;
}

std::uint64_t content_hash(const ReportStatus& s) {
  std::size_t seed = 0;
  const auto add = [&seed](const auto&... values) { (boost::hash_combine(seed, values), ...); };
  add(s.outcome, s.profile);
  if (s.choice) add(s.choice->node);
  // The rejections are ordered by numbers of nodes, so the order of those after the main one is a counter.
  std::size_t reasons = 0;
  for (const auto& rejection : s.rejections) reasons += hash_of(rejection);
  if (const auto* main = main_rejection(s.rejections)) add(hash_of(*main));
  add(reasons, s.rejections.size(), s.scheduling_gates);
  if (s.preemption) {
    add(s.preemption->node);
    for (const auto& victim : s.preemption->victims) add(victim.ns, victim.name);
    for (const auto& budget : s.preemption->violated_budgets) add(budget.ns, budget.name);
  }
  add(s.no_preemption);
  if (s.rejections.empty() || s.outcome == kBinding) add(s.message);  // not numbers of nodes
  for (const auto& condition : s.conditions) add(condition.type, condition.is_true.is, condition.reason);
  return seed;
}

}  // namespace podium::explain
