#include "explain/answer/update.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "explain/answer/changes.h"
#include "explain/answer/preempting.h"
#include "explain/workload/device_claims.h"
#include "explain/workload/template_change.h"
#include "explain/workload/unscheduled.h"

namespace podium::explain {

using cluster::PodInfoPtr;
using cluster::Row;

Update::Update(const Replicas& replicas, Count count, UpdateStart start)
    : replicas_(replicas),
      count_(count.asked),
      steps_(replicas.subject.rolling_update->steps(count.asked)),
      fork_(std::move(start.fork)),
      quotas_(std::move(start.quotas)),
      left_(count.most) {
  const auto is_own = own_pods_of(replicas.subject, fork_);
  std::vector<PodInfoPtr> terminating;
  fork_.each_pod([&](const PodInfoPtr& pod) {
    if (is_own(*pod->pod)) (pod->pod->meta.deleted ? terminating : existing_).push_back(pod);
  });
  const AskedTemplate wanted(replicas.subject, replicas.pod);
  const auto has_new = [&](const PodInfoPtr& pod) { return has_time() && wanted.is_of(*pod->pod); };
  const auto updated = std::ranges::stable_partition(existing_, std::not_fn(has_new));
  // If all have it, the update is one that only restarts them.
  const bool is_restart = updated.size() == existing_.size();
  for (const auto& pod : start.waiting) {
    if (is_own(*pod->pod) && !pod->pod->meta.deleted && !fork_.find_pod(pod->pod->meta.uid) &&
        (is_restart || !has_new(pod)))
      waiting_.push_back(pod);
  }
  if (!is_restart) {
    updated_.assign(updated.begin(), updated.end());
    existing_.erase(updated.begin(), updated.end());
    placed_ = std::min(static_cast<std::int32_t>(updated_.size()), count_);
  }
  for (const auto& pod : terminating) remove_with_devices(*pod->pod, fork_);
  // The controller deletes old pods that wait before the others.
  std::vector<std::string> waiting;
  for (const auto& nomination : fork_.nominations()) {
    if (is_own(*nomination.pod->pod)) waiting.push_back(nomination.pod->pod->meta.uid);
  }
  for (const auto& uid : waiting) fork_.withdraw_nomination(uid);
}

std::int32_t Update::admitted(std::int32_t wanted) {
  const auto pods = new_pods(replicas_.pod);
  const auto admitted = quotas_.take(pods, wanted);
  quota_.clear();
  if (admitted == wanted) return admitted;
  if (const auto answers = quotas_.answers(pods, 1); !answers.empty()) quota_ = answers.front().name;
  return admitted;
}

std::optional<Row> Update::place(std::int32_t index, std::string_view node) {
  const auto pod = make_replica(replicas_, index, fork_, node);
  const auto decision = evaluate(*pod);
  std::string refused;
  if (const auto row = put(pod, decision, refused)) {
    ++placed_;
    return row;
  }
  if (leaves_claims(replicas_.subject) && without_place_.insert(index).second) --left_;
  see_failed({index, pod, decision, fork_, refused});
  return std::nullopt;
}

void Update::place_waiting() {
  std::ranges::stable_sort(waiting_, {}, [](const PodInfoPtr& pod) { return pod->pod->meta.created; });
  std::erase_if(waiting_, [&](const PodInfoPtr& pod) { return has_time() && place_old(*pod->pod); });
}

bool Update::add_old() {
  auto old = *existing_.front()->pod;
  const auto number = existing_.size() + waiting_.size();
  old.meta.uid = fmt::format("{}+{}", old.meta.uid, number);
  old.meta.name = fmt::format("{}+{}", old.meta.name, number);
  unschedule(old);
  if (quotas_.take(new_pods(old), 1) == 0) return false;
  // What has no place for one has none for the next.
  const bool may_fit = waiting_.empty();
  if (!may_fit || !place_old(old)) {
    waiting_.push_back(info_of(std::move(old)));
    --left_;
  }
  return true;
}

bool Update::place_old(api::Pod old) {
  if (!old.scheduling_gates.empty()) return false;
  const auto pod = info_of(old);
  std::string refused;
  const auto row = put(pod, evaluate(*pod), refused);
  if (!row) return false;
  old.node_name = fork_.node_name(*row);
  old.phase = "Running";
  old.conditions = {{.type = "Ready", .status = "True"}};
  existing_.push_back(info_of(std::move(old)));
  return true;
}

void Update::remove(const PodInfoPtr& pod) {
  remove_with_devices(*pod->pod, fork_);
  quotas_.release({.placed = {pod}, .nominated = {}}, replicas_.subject.has_deadline);
}

std::optional<RolloutEnd> Update::stuck(std::optional<FirstFailure> failure, std::string note) const {
  if (!failure) return std::nullopt;
  return RolloutEnd{.stuck = {.updated = static_cast<std::size_t>(placed_),
                              .max_surge = static_cast<std::size_t>(steps_.surge),
                              .max_unavailable = static_cast<std::size_t>(steps_.unavailable),
                              .first_failure = std::move(*failure)},
                    .note = std::move(note)};
}

FirstFailure Update::quota_failure() const {
  const auto words = fmt::format("quota {} allows no more pods", quota_);
  return {.replica = static_cast<std::size_t>(placed_) + 1, .reason = words, .message = words};
}

NewPods Update::new_pods(const api::Pod& pod) const {
  return {
      .subject = replicas_.subject, .pod = pod, .claim_templates = replicas_.claim_templates, .fork = fork_};
}

PodInfoPtr Update::info_of(api::Pod pod) const {
  return cluster::make_pod_info(std::make_shared<const api::Pod>(std::move(pod)),
                                replicas_.profile.request_rules);
}

framework::Decision Update::evaluate(const cluster::PodInfo& pod) {
  auto decision = framework::evaluate(pod, fork_, replicas_.profile, start_);
  start_ = decision.next_start;
  return decision;
}

std::optional<Row> Update::put(const PodInfoPtr& pod, const framework::Decision& decision,
                               std::string& refused) {
  const auto row = decision.choice ? decision.choice : evict_for(decision);
  if (!row) return std::nullopt;
  auto failure = place_with_devices(pod, *row, replicas_.profile, fork_);
  if (!failure) {
    --left_;
    return row;
  }
  refused = std::move(*failure);
  return std::nullopt;
}

std::optional<Row> Update::evict_for(const framework::Decision& decision) {
  const auto row = node_of_evictions(decision, fork_);
  if (!row) return std::nullopt;
  for (const auto& victim : decision.preemption->victims) {
    remove_with_devices(*victim->pod, fork_);
    forget(*victim);
  }
  return row;
}

}  // namespace podium::explain
