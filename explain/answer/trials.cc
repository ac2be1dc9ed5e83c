#include "explain/answer/trials.h"

#include <algorithm>
#include <memory>
#include <ranges>
#include <utility>

#include "api/admission/limit_range.h"
#include "api/admission/quota.h"
#include "api/values/objects.h"
#include "api/values/static_pod.h"
#include "explain/answer/new_volumes.h"
#include "scheduler/framework/filters.h"

namespace podium::explain {
namespace {

using cluster::Row;
using framework::kFits;

cluster::PodInfoPtr info_of(api::Pod pod, const framework::Profile& profile) {
  return cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(pod)), profile.request_rules);
}

void change(api::Pod& pod, Trials::Remedies remedies) {
  for (const auto* remedy : std::views::reverse(remedies)) {
    if (remedy->change_pod) remedy->change_pod(pod);
  }
}

// The node of the replica.
void set_place(const ReplicaSeen& seen, Trials::Landing& landing) {
  if (!seen.decision.choice) {
    if (seen.decision.preemption) landing.node_name = seen.decision.preemption->node;
    return;
  }
  landing.node_name = seen.fork.node_name(*seen.decision.choice);
  if (!seen.decision.total.empty()) landing.score = seen.decision.total[*seen.decision.choice];
}

}  // namespace

Trials::Trials(const FixQuestion& question) : question_(question), quiet_(question.replicas.profile) {
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

bool Trials::fits_on(const cluster::Snapshot& changed) const {
  return has_time() && framework::evaluate(question_.pod, changed, quiet_).fits();
}

std::optional<Trials::Landing> Trials::place(const api::Pod& pod, cluster::Snapshot fork,
                                             const framework::Profile& profile, bool evicts) const {
  if (!has_time()) return std::nullopt;
  const auto& [subject, _, of_question, budget, claim_templates] = question_.replicas;
  const auto& before = question_.placed;
  const auto bound = evicts ? kMostPreempting : kMostTried;
  const Count count{.asked = before.asked,
                    .most = std::min(question_.most, std::max(before.fitting() + 1, bound)),
                    .room = question_.most,
                    .seen = question_.index,
                    .evicts = evicts};
  Landing landing;
  const auto placed = place_replicas({subject, pod, profile, budget, claim_templates}, count, fork,
                                     [&landing](const ReplicaSeen& seen) { set_place(seen, landing); }, {});
  if (placed.ended == Placed::Ended::out_of_time) return std::nullopt;
  // A pod that its kubelet rejects is not one that runs.
  const auto run = std::ranges::count_if(
      placed.rows, [&](Row row) { return !has_other_system(subject, *fork.entry(row).node); });
  landing.fitting = static_cast<std::int32_t>(run);
  landing.missing = placed.asked - landing.fitting;
  landing.may_be_more = placed.ended == Placed::Ended::out_of_memory;
  landing.all = landing.missing == 0 || landing.may_be_more;
  landing.evicted = placed.evicted;
  landing.evicted_from = placed.evicted_from;
  return landing;
}

// A DaemonSet gets one more pod on a new node, which does not help the others.
bool Trials::helps(const Landing& landing) const {
  const auto& before = question_.placed;
  return landing.fitting > before.fitting() && landing.missing < before.asked - before.fitting();
}

std::optional<Trials::Landing> Trials::on_node(const api::Pod& replica, const cluster::Snapshot& fork) const {
  const auto decision = framework::evaluate(*info_of(replica, quiet_), fork, quiet_);
  const auto row = fork.find_row(question_.fork.node_name(*question_.node));
  if (!row || !decision.fits() || !decision.feasible.test(*row)) return std::nullopt;
  if (has_other_system(question_.replicas.subject, *fork.entry(*row).node)) return std::nullopt;
  Landing landing{.node_name = std::string(fork.node_name(*row))};
  landing.feasible = decision.feasible.count();
  if (decision.total.empty()) return landing;
  landing.score = decision.total[*row];
  std::size_t better = 0;
  decision.feasible.each([&](Row other) { better += decision.total[other] > *landing.score ? 1 : 0; });
  landing.rank = better + 1;
  landing.best_node = fork.node_name(*decision.choice);
  landing.best_score = decision.total[*decision.choice];
  return landing;
}

std::optional<Trials::Landing> Trials::with(Remedies remedies) const {
  if (!has_time()) return std::nullopt;
  auto fork = question_.start;
  for (const auto* remedy : remedies) {
    if (remedy->change_cluster) remedy->change_cluster(fork);
  }
  std::optional<Landing> there;
  if (question_.node) {
    auto replica = *question_.pod.pod;
    change(replica, remedies);
    there = on_node(replica, fork);
    if (there) ask_quotas(replica, *there);
    if (!there || question_.placed.asked == 1) return there;
  }
  auto changed = pod();
  change(changed, remedies);
  return of_all(changed, std::move(there), place(changed, std::move(fork), quiet_, false));
}

std::optional<Trials::Landing> Trials::of_all(const api::Pod& changed, std::optional<Landing> there,
                                              std::optional<Landing> all) const {
  if (!all || (!there && !helps(*all))) return std::nullopt;
  if (there) {
    there->fitting = all->fitting;
    there->may_be_more = all->may_be_more;
  } else {
    there = std::move(all);
  }
  ask_quotas(changed, *there);
  return there;
}

std::optional<QuotaAnswer> Trials::least_quota(const api::Pod& changed) const {
  const auto& [subject, _, profile, budget, claim_templates] = question_.replicas;
  const NewPods pods{.subject = subject,
                     .pod = changed,
                     .claim_templates = claim_templates,
                     .fork = question_.start,
                     .existing = question_.existing};
  auto answers = question_.quotas_now.answers(pods, question_.placed.asked);
  if (answers.empty() || !has_time()) return std::nullopt;
  return std::move(answers.front());
}

void Trials::ask_quotas(const api::Pod& changed, Landing& landing) const {
  const auto least = least_quota(changed);
  if (!least || least->allowed >= static_cast<std::size_t>(landing.fitting)) return;
  landing.quota = least->name;
  landing.quota_allows = least->allowed;
}

std::size_t Trials::allowed(Remedies remedies) const {
  auto changed = pod();
  change(changed, remedies);
  const auto least = least_quota(changed);
  const auto asked = static_cast<std::size_t>(question_.placed.asked);
  return least ? std::min(least->allowed, asked) : asked;
}

std::optional<Trials::Landing> Trials::with_more_allowed(const Remedy& remedy) const {
  auto changed = pod();
  change(changed, {&remedy});
  auto landing = place(changed, question_.start, quiet_, false);
  if (!landing) return std::nullopt;
  ask_quotas(changed, *landing);
  const auto runs = [](std::int32_t fitting, std::size_t allowed) {
    return std::min(static_cast<std::size_t>(fitting), allowed);
  };
  const auto now = runs(question_.placed.fitting(), allowed({}));
  const bool helps = runs(landing->fitting, allowed({&remedy})) > now;
  return helps && has_time() ? landing : std::nullopt;
}

bool Trials::are_admitted(Remedies remedies) const {
  if (!question_.limit_ranges) return true;
  auto changed = pod();
  change(changed, remedies);
  if (!api::too_many_comparisons(*question_.limit_ranges, changed).empty()) return false;
  return std::ranges::all_of(*question_.limit_ranges, [&](const api::LimitRange& range) {
    return api::limit_range_refusal(range, changed).empty();
  });
}

bool Trials::has_quota_of(const api::PriorityClass& priority_class) const {
  if (!question_.quotas) return true;
  auto changed = pod();
  changed.priority_class_name = priority_class.meta.name;
  changed.priority = priority_class.value;
  const auto usage = api::quota_usage(changed);
  return std::ranges::none_of(*question_.quotas, [&](const api::ResourceQuota& quota) {
    if (api::is_counted(quota, {pod(), false}) || !api::is_counted(quota, {changed, false})) return false;
    return !api::quota_refusal(quota, changed).empty() || std::ranges::any_of(usage, [&](const auto& entry) {
      const auto* hard = api::find_resource(quota.hard, entry.first);
      const auto* used = api::find_resource(quota.used, entry.first);
      return hard && used && *used + entry.second > *hard;
    });
  });
}

bool Trials::is_sibling(const api::Pod& other) const {
  const auto *own = pod().meta.controller(), *its = other.meta.controller();
  return own && its && !own->uid.empty() && own->uid == its->uid &&
         other.meta.namespace_ == pod().meta.namespace_;
}

cluster::Snapshot Trials::with_siblings_at(std::int32_t priority) const {
  auto fork = question_.start;
  if (!pod().meta.controller()) return fork;
  std::vector<cluster::PodInfoPtr> lower;
  fork.each_pod([&](const cluster::PodInfoPtr& other) {
    if (other->priority < priority && is_sibling(*other->pod)) lower.push_back(other);
  });
  for (const auto& other : lower) {
    auto raised = std::make_shared<api::Pod>(*other->pod);
    raised->priority = priority;
    fork.remove_pod(raised->meta.uid);
    fork.add_pod(cluster::make_pod_info(std::move(raised), other->rules));
  }
  return fork;
}

// The pod fits on the named node without the pods of lower priority.
std::optional<Trials::Landing> Trials::victims_on_node(api::Pod replica) const {
  if (verdict(*question_.node).code != framework::Code::unschedulable) return std::nullopt;
  std::vector<cluster::PodInfoPtr> lower;
  for (const auto& other : question_.fork.entry(*question_.node).pods) {
    // Preemption may choose a static pod, but its kubelet runs it again.
    if (other->priority < replica.priority_or_zero() && !api::is_static(*other->pod) &&
        !is_sibling(*other->pod))
      lower.push_back(other);
  }
  const auto info = info_of(std::move(replica), quiet_);
  const framework::Filters filters(*info, question_.fork, quiet_);
  if (lower.empty() || filters.check(*question_.node, {.added = {}, .removed = lower})) return std::nullopt;
  return Landing{.node_name = std::string(question_.fork.node_name(*question_.node))};
}

std::optional<Trials::Landing> Trials::with_priority(std::int32_t priority) const {
  if (!has_time()) return std::nullopt;
  std::optional<Landing> there;
  if (question_.node) {
    auto replica = *question_.pod.pod;
    replica.priority = priority;
    there = victims_on_node(std::move(replica));
    if (!there || question_.placed.asked == 1) return there;
  }
  auto changed = pod();
  changed.priority = priority;
  auto all = place(changed, with_siblings_at(priority), question_.replicas.profile, true);
  return of_all(changed, std::move(there), std::move(all));
}

std::optional<LeastValue> least_that_helps(
    const Trials& trials, std::int64_t count,
    const std::function<std::optional<Trials::Landing>(std::int64_t)>& try_value) {
  auto best = count > 0 ? try_value(count - 1) : std::nullopt;
  if (!best) return std::nullopt;
  const bool all = best->all;
  std::int64_t too_little = -1, enough = count - 1;
  while (enough - too_little > 1) {
    const auto middle = too_little + (enough - too_little) / 2;
    if (auto landing = try_value(middle); landing && (landing->all || !all)) {
      enough = middle;
      best = std::move(landing);
    } else {
      if (!trials.has_time()) return std::nullopt;
      too_little = middle;
    }
  }
  return LeastValue{enough, std::move(*best)};
}

}  // namespace podium::explain
