#include "explain/answer/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "explain/answer/changes.h"
#include "explain/answer/failures.h"
#include "explain/answer/preempting.h"
#include "explain/answer/waiting.h"
#include "explain/report/project.h"
#include "explain/workload/deletion_order.h"
#include "explain/workload/device_claims.h"
#include "explain/workload/eviction_cost.h"
#include "scheduler/framework/evaluation_memo.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;

// Places new pods next to the old ones, as far as the quotas allow.
class Update {
 public:
  Update(const Replicas& replicas, std::int32_t count, UpdateStart start)
      : replicas_(replicas),
        count_(count),
        steps_(replicas.subject.rolling_update->steps(count)),
        fork_(std::move(start.fork)),
        quotas_(std::move(start.quotas)) {
    const auto is_own = own_pods_of(replicas.subject, fork_);
    std::vector<PodInfoPtr> terminating;
    fork_.each_pod([&](const PodInfoPtr& pod) {
      if (is_own(*pod->pod)) (pod->pod->meta.deleted ? terminating : existing_).push_back(pod);
    });
    for (const auto& pod : terminating) remove_with_devices(*pod->pod, fork_);
    // The controller deletes old pods that wait before the others.
    std::vector<std::string> waiting;
    for (const auto& nomination : fork_.nominations()) {
      if (is_own(*nomination.pod->pod)) waiting.push_back(nomination.pod->pod->meta.uid);
    }
    for (const auto& uid : waiting) fork_.withdraw_nomination(uid);
  }

 protected:
  bool has_time() const { return explain::has_time(replicas_.budget); }

  // How many more pods the quotas allow.
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

  // Places the next new pod. `node`: its DaemonSet's choice; empty: any. nullopt: there is no place, and
  // seen_failed() has the reason.
  std::optional<Row> place_next(std::string_view node = {}) {
    const auto pod = make_replica(replicas_, placed_, fork_, node);
    const auto decision = framework::evaluate(*pod, fork_, replicas_.profile, start_);
    start_ = decision.next_start;
    std::string refused;
    if (const auto row = decision.choice ? decision.choice : evict_for(decision)) {
      const auto failure = place_with_devices(pod, *row, replicas_.profile, fork_);
      if (!failure) {
        ++placed_;
        return row;
      }
      refused = failure->message("Reserve");
    }
    see_failed({placed_, pod, decision, fork_, refused});
    return std::nullopt;
  }

  void remove(const PodInfoPtr& pod) {
    remove_with_devices(*pod->pod, fork_);
    quotas_.release({.placed = {pod}, .nominated = {}}, replicas_.subject.has_deadline);
  }

  std::optional<StuckRollout> stuck(std::optional<FirstFailure> failure) const {
    if (!failure) return std::nullopt;
    return StuckRollout{.updated = static_cast<std::size_t>(placed_),
                        .max_surge = static_cast<std::size_t>(steps_.surge),
                        .max_unavailable = static_cast<std::size_t>(steps_.unavailable),
                        .first_failure = std::move(*failure)};
  }
  FirstFailure quota_failure() const {
    const auto words = fmt::format("quota {} allows no more pods", quota_);
    return {.replica = static_cast<std::size_t>(placed_) + 1, .reason = words, .message = words};
  }

  ~Update() = default;
  virtual void see_failed(const ReplicaSeen& seen) = 0;
  virtual void forget(const cluster::PodInfo& evicted) = 0;

  const Replicas& replicas_;
  const std::int32_t count_;
  const RollingUpdate::Steps steps_;
  Snapshot fork_;
  Quotas quotas_;
  std::vector<PodInfoPtr> existing_;  // without those that terminate
  std::int32_t placed_ = 0;           // new pods
  std::string quota_;                 // that allows no more new pods now

 private:
  std::optional<Row> evict_for(const framework::Decision& decision) {
    const auto row = node_of_evictions(decision, fork_);
    if (!row) return std::nullopt;
    for (const auto& victim : decision.preemption->victims) {
      remove_with_devices(*victim->pod, fork_);
      forget(*victim);
    }
    return row;
  }

  std::size_t start_ = 0;  // of the search for nodes
};

class DeploymentUpdate final : Update {
 public:
  DeploymentUpdate(const Replicas& replicas, std::int32_t count, UpdateStart start)
      : Update(replicas, count, std::move(start)), old_(existing_) {}

  std::optional<StuckRollout> run() {
    framework::EvaluationMemo memo;
    const framework::EvaluationMemo::Use use(memo);
    while (has_time()) {
      const bool has_created = create();
      const bool has_deleted = remove_old();
      if (old_.empty() && placed_ == count_) return std::nullopt;
      if (!has_created && !has_deleted)
        return stuck(placed_ == created_ && !quota_.empty() ? quota_failure() : failure_);
    }
    return std::nullopt;
  }

 private:
  std::int32_t old_pods() const { return static_cast<std::int32_t>(old_.size()); }
  std::int32_t least_available() const { return count_ - steps_.unavailable; }

  // Creates new pods up to the surge, and places those that fit. True: one more has a place.
  bool create() {
    const auto wanted = std::clamp(count_ + steps_.surge - old_pods() - created_, 0, count_ - created_);
    if (wanted > 0) created_ += admitted(wanted);
    const auto before = placed_;
    while (placed_ < created_ && has_time()) {
      const auto row = place_next();
      if (!row) break;
      old_.count_related(std::string(fork_.node_name(*row)));
    }
    return placed_ > before;
  }

  // Deletes as many of the old pods as may be missing. True: one or more.
  bool remove_old() {
    const auto most = old_pods() + created_ - least_available() - (created_ - placed_);
    if (most <= 0 || old_.empty()) return false;
    const auto unready = static_cast<std::int32_t>(old_.unready());
    const auto cleaned = std::min(unready, most);
    const auto available = old_pods() - unready + placed_;
    const auto spare = std::clamp(available - least_available(), 0, old_pods() - cleaned);
    for (const auto& pod : old_.take(static_cast<std::size_t>(cleaned + spare))) remove(pod);
    return cleaned + spare > 0;
  }

  void see_failed(const ReplicaSeen& seen) override {
    failure_ = failure_of(seen, project(*seen.pod, seen.decision, seen.fork));
  }
  void forget(const cluster::PodInfo& evicted) override { old_.forget(evicted); }

  DeletionOrder old_;
  std::int32_t created_ = 0;             // new pods
  std::optional<FirstFailure> failure_;  // of the last new pod that had no place
};

// A DaemonSet that surges creates the new pod of a node next to the old one, on as many nodes at a time as
// the surge allows, and deletes the old pod once the new one is available. A new pod without a place keeps
// its part of the surge. The controller's order of the nodes is random; here it is that of their names.
class SurgingUpdate final : Update {
 public:
  SurgingUpdate(const Replicas& replicas, std::int32_t count, UpdateStart start)
      : Update(replicas, count, std::move(start)) {
    for (const auto& pod : existing_) old_[pod->pod->node_name].push_back(pod);
  }

  std::optional<StuckRollout> run() {
    framework::EvaluationMemo memo;
    const framework::EvaluationMemo::Use use(memo);
    std::vector<std::string> nodes;
    for (const auto row : daemon_rows(replicas_.subject.pod, fork_)) nodes.emplace_back(fork_.node_name(row));
    std::int32_t waiting = 0;  // new pods without a place
    for (const auto& node : nodes) {
      if (!has_time()) return std::nullopt;
      if (waiting >= steps_.surge) break;
      replaces_ = !old_[node].empty();
      if (!update(node) && replaces_) ++waiting;
    }
    return stuck(std::move(failure_));
  }

 private:
  // True: the new pod of the node has a place.
  bool update(const std::string& node) {
    auto& old = old_[node];
    if (admitted(1) == 0) {
      if (!replaces_) return false;
      if (!failure_) failure_ = quota_failure();
      failure_->replica = 0;
      return false;
    }
    // An old pod that is not ready goes as soon as the new one is created.
    for (const auto& pod : old) {
      if (!is_ready(*pod->pod)) remove(pod);
    }
    std::erase_if(old, [](const PodInfoPtr& pod) { return !is_ready(*pod->pod); });
    if (!place_next(node)) return false;
    for (const auto& pod : old) remove(pod);
    return true;
  }

  void see_failed(const ReplicaSeen& seen) override {
    if (!replaces_) return;
    auto failed = project(*seen.pod, seen.decision, seen.fork);
    keep_own_node(failed);
    if (failure_) return add_node(failed, *failure_);
    failure_ = failure_of(seen, failed);
    failure_->replica = 0;
  }
  void forget(const cluster::PodInfo& evicted) override {
    std::erase_if(old_[evicted.pod->node_name],
                  [&](const PodInfoPtr& pod) { return pod->pod->meta.uid == evicted.pod->meta.uid; });
  }

  std::map<std::string, std::vector<PodInfoPtr>, std::less<>> old_;  // by node
  std::optional<FirstFailure> failure_;                              // of all nodes without a place
  // The node has an old pod. The update and its surge do not include the missing pods of other nodes.
  bool replaces_ = false;
};

}  // namespace

std::optional<StuckRollout> find_stuck_rollout(const Replicas& replicas, std::int32_t count,
                                               UpdateStart start) {
  if (replicas.subject.kind == Subject::Kind::daemon_set)
    return SurgingUpdate(replicas, count, std::move(start)).run();
  return DeploymentUpdate(replicas, count, std::move(start)).run();
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
