#include "explain/answer/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "explain/answer/changes.h"
#include "explain/answer/failures.h"
#include "explain/answer/preempting.h"
#include "explain/answer/waiting.h"
#include "explain/report/project.h"
#include "explain/workload/deletion_order.h"
#include "explain/workload/device_claims.h"
#include "scheduler/framework/evaluation_memo.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;

class Update {
 public:
  Update(const Replicas& replicas, std::int32_t count, UpdateStart start)
      : replicas_(replicas),
        count_(count),
        steps_(replicas.subject.rolling_update->steps(count)),
        fork_(std::move(start.fork)),
        quotas_(std::move(start.quotas)) {
    const auto is_own = own_pods_of(replicas.subject, fork_);
    std::vector<PodInfoPtr> terminating, old;
    fork_.each_pod([&](const PodInfoPtr& pod) {
      if (is_own(*pod->pod)) (pod->pod->meta.deleted ? terminating : old).push_back(pod);
    });
    old_ = DeletionOrder(old);
    for (const auto& pod : terminating) remove_with_devices(*pod->pod, fork_);
    // The controller deletes old pods that wait before the others.
    std::vector<std::string> waiting;
    for (const auto& nomination : fork_.nominations()) {
      if (is_own(*nomination.pod->pod)) waiting.push_back(nomination.pod->pod->meta.uid);
    }
    for (const auto& uid : waiting) fork_.withdraw_nomination(uid);
  }

  std::optional<StuckRollout> run() {
    framework::EvaluationMemo memo;
    const framework::EvaluationMemo::Use use(memo);
    while (has_time()) {
      const bool has_created = create();
      const bool has_deleted = remove_old();
      if (old_.empty() && placed_ == count_) return std::nullopt;
      if (!has_created && !has_deleted) return stuck();
    }
    return std::nullopt;
  }

 private:
  bool has_time() const { return explain::has_time(replicas_.budget); }
  std::int32_t old_pods() const { return static_cast<std::int32_t>(old_.size()); }
  std::int32_t least_available() const { return count_ - steps_.unavailable; }

  std::optional<StuckRollout> stuck() const {
    auto failure = failure_;
    if (placed_ == created_ && !quota_.empty()) {
      const auto words = fmt::format("quota {} allows no more pods", quota_);
      failure =
          FirstFailure{.replica = static_cast<std::size_t>(placed_) + 1, .reason = words, .message = words};
    }
    if (!failure) return std::nullopt;
    return StuckRollout{.updated = static_cast<std::size_t>(placed_),
                        .max_surge = static_cast<std::size_t>(steps_.surge),
                        .max_unavailable = static_cast<std::size_t>(steps_.unavailable),
                        .first_failure = std::move(*failure)};
  }

  // Creates new pods up to the surge, and places those that fit. True: one more has a place.
  bool create() {
    const auto wanted = std::clamp(count_ + steps_.surge - old_pods() - created_, 0, count_ - created_);
    if (wanted > 0) created_ += admitted(wanted);
    const auto before = placed_;
    while (placed_ < created_ && has_time() && place_next()) ++placed_;
    return placed_ > before;
  }

  // How many of them the quotas allow.
  std::int32_t admitted(std::int32_t wanted) {
    const NewPods pods{.subject = replicas_.subject,
                       .pod = replicas_.pod,
                       .claim_templates = replicas_.claim_templates,
                       .fork = fork_};
    const auto admitted = quotas_.take(pods, wanted);
    quota_.clear();
    if (admitted == wanted) return admitted;
    if (const auto answers = quotas_.answers(pods, 1); !answers.empty()) quota_ = answers.front().name;
    return admitted;
  }

  bool place_next() {
    const auto pod = make_replica(replicas_, placed_, fork_);
    const auto decision = framework::evaluate(*pod, fork_, replicas_.profile, start_);
    start_ = decision.next_start;
    std::string refused;
    if (const auto row = decision.choice ? decision.choice : evict_for(decision)) {
      const auto failure = place_with_devices(pod, *row, replicas_.profile, fork_);
      if (!failure) {
        old_.count_related(std::string(fork_.node_name(*row)));
        return true;
      }
      refused = failure->message("Reserve");
    }
    const auto failed = project(*pod, decision, fork_);
    failure_ = failure_of({placed_, pod, decision, fork_, refused}, failed);
    return false;
  }

  std::optional<Row> evict_for(const framework::Decision& decision) {
    const auto row = node_of_evictions(decision, fork_);
    if (!row) return std::nullopt;
    for (const auto& victim : decision.preemption->victims) {
      remove_with_devices(*victim->pod, fork_);
      old_.forget(*victim);
    }
    return row;
  }

  // Deletes as many of the old pods as may be missing. True: one or more.
  bool remove_old() {
    const auto most = old_pods() + created_ - least_available() - (created_ - placed_);
    if (most <= 0 || old_.empty()) return false;
    const auto unready = static_cast<std::int32_t>(old_.unready());
    const auto cleaned = std::min(unready, most);
    const auto available = old_pods() - unready + placed_;
    const auto spare = std::clamp(available - least_available(), 0, old_pods() - cleaned);
    for (const auto& pod : old_.take(static_cast<std::size_t>(cleaned + spare))) {
      remove_with_devices(*pod->pod, fork_);
      quotas_.release({.placed = {pod}, .nominated = {}}, replicas_.subject.has_deadline);
    }
    return cleaned + spare > 0;
  }

  const Replicas& replicas_;
  const std::int32_t count_;
  const RollingUpdate::Steps steps_;
  Snapshot fork_;
  Quotas quotas_;
  DeletionOrder old_;
  std::int32_t created_ = 0, placed_ = 0;  // new pods
  std::size_t start_ = 0;                  // of the search for nodes
  std::string quota_;                      // that allows no more new pods now
  std::optional<FirstFailure> failure_;    // of the last new pod that had no place
};

}  // namespace

std::optional<StuckRollout> find_stuck_rollout(const Replicas& replicas, std::int32_t count,
                                               UpdateStart start) {
  return Update(replicas, count, std::move(start)).run();
}

std::optional<UpdateStart> start_of_update(const Question& question, Snapshot fork,
                                           const config::Config& config, const Budget& budget,
                                           const api::AdmissionObjects& objects,
                                           const std::vector<cluster::PodInfoPtr>& waiting) {
  if (!question.subject->rolling_update) return std::nullopt;
  add_owner(*question.subject, fork);
  Quotas quotas(objects.quotas.value_or(std::vector<api::ResourceQuota>()), budget);
  if (question.changes.empty()) return UpdateStart{std::move(fork), std::move(quotas)};
  ForkMemory memory;
  WaitingLine line(asks_what_waits(question) ? waiting : std::vector<cluster::PodInfoPtr>(), config, budget,
                   fork);
  const auto changes = apply_changes(question.changes,
                                     {question.meta.namespace_, question.paths.spec, config, budget, objects,
                                      quotas, line, question.seen_namespaces, waiting},
                                     memory, fork);
  if (!changes) return std::nullopt;
  return UpdateStart{std::move(fork), std::move(quotas)};
}

}  // namespace podium::explain
