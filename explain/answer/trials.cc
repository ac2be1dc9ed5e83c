#include "explain/answer/trials.h"

#include <algorithm>
#include <utility>

#include "scheduler/framework/filters.h"

namespace podium::explain {

using cluster::Row;
using framework::kFits;

Trials::Trials(const FixQuestion& question) : question_(question), quiet_(question.profile) {
  quiet_.post_filters.clear();
  quiet_.search.reset();
  const auto& rejections = question.decision.rejections;
  if (rejections.verdicts().empty()) return;
  std::vector<bool> seen(rejections.verdicts().size() + 1);
  for (const auto row : question.fork.rows_by_name()) {
    if (question.node && *question.node != row) continue;
    if (rejections.id(row) == kFits) continue;
    rejected_.push_back(row);
    if (seen[rejections.id(row)]) continue;
    seen[rejections.id(row)] = true;
    verdicts_.push_back(rejections.id(row));
    plugins_.insert(verdict(row).plugin);
  }
}

const framework::Verdict& Trials::verdict(Row row) const {
  const auto& rejections = question_.decision.rejections;
  return rejections.verdict(rejections.id(row));
}

std::optional<Trials::Landing> Trials::decide(const cluster::PodInfo& pod,
                                              const cluster::Snapshot& fork) const {
  if (!has_time()) return std::nullopt;
  const auto decision = framework::evaluate(pod, fork, quiet_);
  auto row = decision.choice;
  if (question_.node) {
    const auto named = fork.find_row(question_.fork.node_name(*question_.node));
    row = named && decision.fits() && decision.feasible.test(*named) ? named : std::nullopt;
  }
  if (!row) return std::nullopt;
  Landing landing{std::string(fork.node_name(*row)), {}};
  if (!decision.total.empty()) landing.score = decision.total[*row];
  return landing;
}

std::optional<Trials::Landing> Trials::decide_changed(api::Pod changed) const {
  const auto info =
      cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(changed)), quiet_.request_rules);
  return decide(*info, question_.fork);
}

std::optional<Trials::Landing> Trials::on_fork(const cluster::Snapshot& changed) const {
  return decide(question_.pod, changed);
}

std::optional<Trials::Eviction> Trials::with_priority(std::int32_t priority) const {
  if (!has_time()) return std::nullopt;
  auto changed = pod();
  changed.priority = priority;
  const auto info =
      cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(changed)), quiet_.request_rules);
  if (!question_.node) {
    const auto decision = framework::evaluate(*info, question_.fork, question_.profile);
    if (!decision.preemption) return std::nullopt;
    return Eviction{decision.preemption->node, decision.preemption->victims.size()};
  }
  // On the named node: the pod fits there without the pods of lower priority.
  if (verdict(*question_.node).code != framework::Code::unschedulable) return std::nullopt;
  std::vector<cluster::PodInfoPtr> lower;
  for (const auto& other : question_.fork.entry(*question_.node).pods) {
    if (other->priority < priority) lower.push_back(other);
  }
  const framework::Filters filters(*info, question_.fork, quiet_);
  if (lower.empty() || filters.check(*question_.node, {.added = {}, .removed = lower})) return std::nullopt;
  return Eviction{std::string(question_.fork.node_name(*question_.node)), 0};
}

}  // namespace podium::explain
