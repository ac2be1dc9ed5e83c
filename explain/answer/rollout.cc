#include "explain/answer/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "explain/answer/changes.h"
#include "explain/answer/failures.h"
#include "explain/answer/waiting.h"
#include "explain/question/question_limits.h"
#include "explain/report/project.h"
#include "explain/workload/deletion_order.h"
#include "explain/workload/eviction_cost.h"
#include "explain/workload/template_change.h"
#include "scheduler/framework/evaluation_memo.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;

std::string left_words(std::size_t old, std::int32_t run, std::int32_t wait) {
  const auto news = [](std::int32_t count) {
    return podium::counted(static_cast<std::size_t>(count), "new one");
  };
  return fmt::format(
      "where it gets stuck, the update leaves {}, {} that {}{}.", podium::counted(old, "old pod"), news(run),
      run == 1 ? "runs" : "run",
      wait == 0 ? "" : fmt::format(" and {} that {}", news(wait), wait == 1 ? "waits" : "wait"));
}

class DeploymentUpdate final : Update {
 public:
  DeploymentUpdate(const Replicas& replicas, Count count, UpdateStart start)
      : Update(replicas, count, std::move(start)), created_(placed_), ready_(placed_) {
    framework::EvaluationMemo memo;
    const framework::EvaluationMemo::Use use(memo);
    place_waiting();
    scale_up_old();
    existing_.insert(existing_.end(), waiting_.begin(), waiting_.end());
    old_ = DeletionOrder(existing_, fork_.moment().time);
    for (const auto& pod : updated_) old_.count_related(pod->pod->node_name);
    scale_down_old();
  }

  std::optional<RolloutEnd> run() {
    framework::EvaluationMemo memo;
    const framework::EvaluationMemo::Use use(memo);
    while (has_time()) {
      const bool has_created = create();
      const bool has_deleted = remove_old();
      if (old_.empty() && placed_ == count_) return std::nullopt;
      if (has_created || has_deleted) continue;
      if (ready_ < placed_)
        ++ready_;
      else
        return stuck(placed_ == created_ && !quota_.empty() ? quota_failure() : failure_,
                     left_words(old_.size(), placed_, created_ - placed_));
    }
    return std::nullopt;
  }

 private:
  // The controller scales the old ReplicaSet down to a lower number of replicas before it updates.
  void scale_down_old() {
    const auto count = static_cast<std::size_t>(count_);
    if (!updated_.empty() || old_.size() <= count) return;
    remove_first(old_.size() - count);
  }
  // Stops when the budget ends.
  void remove_first(std::size_t count) {
    for (const auto& pod : old_.take(count)) {
      if (!has_time()) return;
      remove(pod);
    }
  }
  // The controller scales the old ReplicaSet up to the new number of replicas before it updates, and these
  // pods take room. During another update it scales several in proportion, which is not modelled.
  void scale_up_old() {
    const auto count = static_cast<std::size_t>(count_);
    if (existing_.empty() || !updated_.empty()) return;
    // Claims of devices are made for each pod.
    if (!existing_.front()->pod->resource_claims.empty()) return;
    while (existing_.size() + waiting_.size() < count && has_time() && add_old()) {
    }
  }

  std::int32_t old_pods() const { return static_cast<std::int32_t>(old_.size()); }
  std::int32_t least_available() const { return count_ - steps_.unavailable; }

  // Creates new pods up to the surge, and places those that fit. True: one more has a place.
  bool create() {
    const auto wanted = std::clamp(count_ + steps_.surge - old_pods() - created_, 0, count_ - created_);
    if (wanted > 0) created_ += admitted(wanted);
    const auto before = placed_;
    while (placed_ < created_ && may_fit_ && has_time()) {
      const auto row = place(placed_);
      may_fit_ = row.has_value();
      if (!row) break;
      old_.count_related(std::string(fork_.node_name(*row)));
    }
    return placed_ > before;
  }

  // Deletes as many of the old pods as may be missing. True: one or more.
  bool remove_old() {
    const auto most = old_pods() + ready_ - least_available();
    if (most <= 0 || old_.empty()) return false;
    const auto unready = static_cast<std::int32_t>(old_.unready());
    const auto cleaned = std::min(unready, most);
    const auto available = old_pods() - unready + ready_;
    const auto spare = std::clamp(available - least_available(), 0, old_pods() - cleaned);
    const auto removed = static_cast<std::size_t>(cleaned) + static_cast<std::size_t>(spare);
    remove_first(removed);
    may_fit_ = true;
    return removed > 0;
  }

  void see_failed(const ReplicaSeen& seen) override {
    failure_ = failure_of(seen, project(*seen.pod, seen.decision, seen.fork));
  }
  void forget(const cluster::PodInfo& evicted) override { old_.forget(evicted); }

  DeletionOrder old_;
  std::int32_t created_, ready_;         // new pods
  bool may_fit_ = true;                  // an old pod was deleted since a new one did not fit
  std::optional<FirstFailure> failure_;  // of the last new pod that had no place
};

// A DaemonSet that surges creates the new pod of a node next to the old one, on as many nodes at a time as
// the surge allows, and deletes the old pod once the new one is available. A new pod without a place keeps
// its part of the surge. Without a surge the old pod is deleted first, on as many nodes as may be without
// one. The controller's order of the nodes is random; here it is that of their names.
class DaemonUpdate final : Update {
 public:
  DaemonUpdate(const Replicas& replicas, Count count, UpdateStart start)
      : Update(replicas, count, std::move(start)) {
    for (const auto& pod : existing_) old_[pod->pod->node_name].push_back(pod);
    for (const auto& pod : updated_) done_.insert(pod->pod->node_name);
  }

  std::optional<RolloutEnd> run() {
    framework::EvaluationMemo memo;
    const framework::EvaluationMemo::Use use(memo);
    std::vector<std::string> nodes;
    for (const auto row : daemon_rows(replicas_.subject.pod, fork_)) {
      std::string name(fork_.node_name(row));
      if (!done_.contains(name)) nodes.push_back(std::move(name));
    }
    // Without a surge, the missing pods of other nodes are among those that may be missing.
    if (!surges())
      std::ranges::stable_partition(nodes, [this](const auto& node) { return old_[node].empty(); });
    std::int32_t waiting = 0;  // new pods without a place
    for (const auto& node : nodes) {
      if (!has_time()) return std::nullopt;
      if (waiting >= (surges() ? steps_.surge : steps_.unavailable)) break;
      counts_ = !surges() || !old_[node].empty();
      if (!update(node) && counts_) ++waiting;
    }
    std::size_t left = 0;
    for (const auto& [_, pods] : old_) left += pods.size();
    // Without old pods the update has ended.
    if (left == 0 && !surges()) return std::nullopt;
    return stuck(std::move(failure_), left_words(left, placed_, waiting));
  }

 private:
  bool surges() const { return steps_.surge > 0; }

  void remove_old(const std::string& node, const std::function<bool(const api::Pod&)>& goes) {
    auto& old = old_[node];
    for (const auto& pod : old) {
      if (goes(*pod->pod)) remove(pod);
    }
    std::erase_if(old, [&](const PodInfoPtr& pod) { return goes(*pod->pod); });
  }

  // True: the new pod of the node has a place.
  bool update(const std::string& node) {
    const auto all = [](const api::Pod&) { return true; };
    if (!surges()) remove_old(node, all);
    if (admitted(1) == 0) {
      if (!counts_) return false;
      if (!failure_) failure_ = quota_failure();
      failure_->replica = 0;
      return false;
    }
    // An old pod that is not ready goes as soon as the new one is created.
    remove_old(node, [](const api::Pod& pod) { return !is_ready(pod); });
    if (!place(placed_, node)) return false;
    remove_old(node, all);
    return true;
  }

  void see_failed(const ReplicaSeen& seen) override {
    if (!counts_) return;
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
  std::set<std::string> done_;                                       // nodes with a new pod
  std::optional<FirstFailure> failure_;                              // of all nodes without a place
  // The node has an old pod, or it does not matter. An update that surges, and its surge, do not include the
  // missing pods of other nodes.
  bool counts_ = false;
};

// A StatefulSet deletes the pods with the highest ordinals, as many as may be missing, and creates them again
// in ascending order. An ordered one then waits for each of them.
class StatefulUpdate final : Update {
 public:
  StatefulUpdate(const Replicas& replicas, Count count, UpdateStart start)
      : Update(replicas, count, std::move(start)) {
    std::set<std::int32_t> done;
    for (const auto& pod : existing_) {
      if (const auto index = index_of(*pod)) old_.emplace(*index, pod);
    }
    for (const auto& pod : updated_) {
      if (const auto index = index_of(*pod)) done.insert(*index);
    }
    placed_ = static_cast<std::int32_t>(done.size());
    const auto first = first_to_update();
    // A missing one with a lower ordinal gets the old template.
    for (auto index = first; index < count_; ++index) {
      if (!old_.contains(index) && !done.contains(index)) missing_.insert(index);
    }
  }

  std::optional<RolloutEnd> run() {
    if (!replicas_.subject.is_parallel && waits()) return std::nullopt;
    framework::EvaluationMemo memo;
    const framework::EvaluationMemo::Use use(memo);
    do {
      if (!has_time()) return std::nullopt;
      create();
    } while (remove_highest());
    if (missing_.empty()) return std::nullopt;
    const auto& set = replicas_.subject;
    auto note = left_words(old_.size(), placed_, static_cast<std::int32_t>(missing_.size()));
    if (!set.is_parallel)
      note = fmt::format(
          "a StatefulSet's update goes from the highest ordinal down and stops at a pod that does not become "
          "ready, here {}-{}; {}",
          set.name, set.first_ordinal + *missing_.begin(), note);
    return stuck(std::move(failure_), std::move(note));
  }

 private:
  // For a pod that is not ready, as notes.h says.
  bool waits() const {
    return std::ranges::any_of(existing_, [](const PodInfoPtr& pod) { return is_unready(*pod->pod); });
  }

  std::optional<std::int32_t> index_of(const cluster::PodInfo& pod) const {
    const auto& set = replicas_.subject;
    const auto ordinal = ordinal_of(set, pod.pod->meta.name);
    const auto index = ordinal.value_or(0) - set.first_ordinal;
    return ordinal && index >= 0 && index < count_ ? std::optional(index) : std::nullopt;
  }
  // The controller compares the partition with the place among the replicas.
  std::int32_t first_to_update() const { return replicas_.subject.rolling_update->partition; }

  void create() {
    const auto missing = missing_;
    for (const auto index : missing) {
      if (!has_time()) return;
      if (admitted(1) == 0) {
        failure_ = quota_failure();
        failure_->replica = static_cast<std::size_t>(index) + 1;
        return;
      }
      if (place(index))
        missing_.erase(index);
      else if (!replicas_.subject.is_parallel)
        return;
    }
  }

  // Removes old pods from the highest ordinal down. False: all pods have the new template, or maxUnavailable
  // pods are missing.
  bool remove_highest() {
    if (!missing_.empty() && !replicas_.subject.is_parallel) return false;
    auto left = steps_.unavailable - static_cast<std::int32_t>(missing_.size());
    bool has_removed = false;
    for (; left > 0 && !old_.empty() && old_.rbegin()->first >= first_to_update(); --left) {
      const auto [index, pod] = *old_.rbegin();
      remove(pod);
      old_.erase(index);
      missing_.insert(index);
      has_removed = true;
    }
    return has_removed;
  }

  void see_failed(const ReplicaSeen& seen) override {
    failure_ = failure_of(seen, project(*seen.pod, seen.decision, seen.fork));
  }
  void forget(const cluster::PodInfo& evicted) override {
    std::erase_if(old_,
                  [&](const auto& each) { return each.second->pod->meta.uid == evicted.pod->meta.uid; });
  }

  std::map<std::int32_t, PodInfoPtr> old_;  // by index
  std::set<std::int32_t> missing_;          // indices
  std::optional<FirstFailure> failure_;     // of the last new pod that had no place
};

}  // namespace

RemovedPods with_other_template(const Replicas& replicas, const RemovedPods& pods) {
  RemovedPods out;
  const AskedTemplate wanted(replicas.subject, replicas.pod);
  for (auto list : {&RemovedPods::placed, &RemovedPods::waiting}) {
    for (const auto& pod : pods.*list) {
      if (!has_time(replicas.budget)) return out;
      if (!wanted.is_of(*pod->pod)) (out.*list).push_back(pod);
    }
  }
  return out;
}

bool is_update(const Subject& subject, const Placed& placed, const RemovedPods& existing,
               const RemovedPods& others) {
  // Another number than the workload's, if not all fit, asks how many fit.
  const bool has_number = subject.kind != Subject::Kind::daemon_set && placed.asked != subject.replicas;
  if (has_number && placed.fitting() < placed.asked) return false;
  // An ordered StatefulSet waits for its pod, and updates none: notes.h.
  const bool is_ordered = subject.kind == Subject::Kind::stateful_set && !subject.is_parallel;
  if (is_ordered && !others.waiting.empty()) return false;
  if (!others.placed.empty()) return true;
  const bool surges =
      subject.kind == Subject::Kind::daemon_set && subject.rolling_update->max_surge.number > 0;
  const auto count = existing.placed.size() + existing.nominated.size() + existing.waiting.size();
  return surges || (placed.fitting() == placed.asked && count == static_cast<std::size_t>(placed.asked));
}

Overlap overlap_of(const Replicas& replicas, const Count& count, const Placed& placed,
                   const UpdateStart& start, const RemovedPods& others) {
  const auto surge = std::min(replicas.subject.rolling_update->steps(placed.asked).surge, placed.asked);
  if (surge == 0) return {};
  Overlap out{.old = others.placed};
  const auto is_claim = [](const api::Volume& each) { return each.kind == api::Volume::Kind::claim; };
  if (std::ranges::none_of(replicas.pod.volumes, is_claim)) return out;
  auto fork = start.fork;
  const Count first{.asked = surge, .most = count.most, .room = count.room};
  const auto next = place_replicas(replicas, first, fork, {}, {});
  for (const auto row : next.rows) out.nodes.emplace_back(fork.node_name(row));
  return out;
}

std::optional<RolloutEnd> find_stuck_rollout(const Replicas& replicas, Count count, UpdateStart start) {
  switch (replicas.subject.kind) {
    case Subject::Kind::daemon_set:
      return DaemonUpdate(replicas, count, std::move(start)).run();
    case Subject::Kind::stateful_set:
      // It keeps each ordinal, and a question may name any number of replicas.
      if (count.asked > kMostReplicas) return std::nullopt;
      return StatefulUpdate(replicas, count, std::move(start)).run();
    default:
      return DeploymentUpdate(replicas, count, std::move(start)).run();
  }
}

std::optional<UpdateStart> start_of_update(const Question& question, Snapshot fork,
                                           const config::Config& config, const Budget& budget,
                                           const api::AdmissionObjects& objects,
                                           const std::vector<cluster::PodInfoPtr>& waiting) {
  if (!question.subject->rolling_update) return std::nullopt;
  add_owner(*question.subject, fork);
  Quotas quotas(objects.quotas.value_or(std::vector<api::ResourceQuota>()), budget);
  if (question.changes.empty()) return UpdateStart{std::move(fork), std::move(quotas), waiting};
  ForkMemory memory;
  WaitingLine line(asks_what_waits(question) ? waiting : std::vector<cluster::PodInfoPtr>(), config, budget,
                   fork);
  const auto changes = apply_changes(question.changes,
                                     {question.meta.namespace_, question.paths.spec, config, budget, objects,
                                      quotas, line, question.seen_namespaces, waiting},
                                     memory, fork);
  if (!changes) return std::nullopt;
  return UpdateStart{std::move(fork), std::move(quotas), waiting};
}

}  // namespace podium::explain
