#include "scheduler/plugins/preemption/room_run.h"

#include <algorithm>

#include "base/check.h"
#include "scheduler/plugins/preemption/default_preemption.h"

namespace podium::plugins {

using cluster::RankedPod;
using cluster::Row;
using framework::Room;

std::unique_ptr<RoomRun> RoomRun::make(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                       const framework::Filters& filters, DisruptionBudgets& budgets) {
  if (filters.rejected()) return nullptr;
  std::unique_ptr<RoomRun> run(new RoomRun(pod, snapshot, filters, budgets));
  for (const auto& entry : filters.entries()) {
    if (entry.always) return nullptr;
    if (!entry.filter) continue;
    run->asked_.push_back(entry.filter.get());
    if (entry.filter->ignores_pods()) continue;
    if (!run->measured_ && entry.filter->measures()) {
      run->measured_ = entry.filter.get();
    } else {
      run->count_pods_.push_back(entry.filter.get());
    }
  }
  return run->measured_ ? std::move(run) : nullptr;
}

bool RoomRun::can_select(Row row) const {
  if (count_pods_.empty()) return true;
  return filters_.nominated_to(row).empty() &&
         std::ranges::all_of(count_pods_, [row](const auto* filter) { return filter->ignores_pods_of(row); });
}

RoomRun::End RoomRun::select(Row row, const Rank* to_beat) {
  PODIUM_CHECK(can_select(row), row);
  const auto& entry = snapshot_.entry(row);
  row_ = row;
  pods_ = &entry.pods;
  lower_ = entry.by_importance().below(pod_.priority);
  if (lower_.empty()) return fail(Failure::no_lower_pods);
  measure(row);
  if (!fits_without_lower_pods(row)) return End::failed;

  compare_with_budgets();
  victims_.clear();
  sum_ = violations_ = 0;
  // Pods whose eviction violates a budget get their room back before the others.
  for (const bool violating : {true, false}) {
    if (violating && violated_.empty()) continue;
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      const auto* violated = violated_.empty() ? nullptr : violated_[i];
      if ((violated != nullptr) != violating || reprieve(lower_[i])) continue;
      victims_.push_back({&lower_[i], violated});
      sum_ += Rank::weight(lower_[i].priority);
      violations_ += violating;
      if (to_beat && is_beaten(*to_beat)) return End::worse;
    }
  }
  if (victims_.empty()) return fail(Failure::no_victims);
  if (violations_ > 0) {
    std::ranges::stable_sort(victims_, [](const Victim& a, const Victim& b) {
      return cluster::is_more_important(*a.pod, *b.pod);
    });
  }
  return to_beat && rank() >= *to_beat ? End::worse : End::found;
}

void RoomRun::measure(Row row) {
  measured_->measure(row, alone_);
  const auto nominated = filters_.nominated_to(row);
  has_nominated_ = !nominated.empty();
  if (!has_nominated_) {
    for (const auto& pod : lower_) alone_.remove(pod, pod_of(pod));
    return;
  }
  with_nominated_ = alone_;
  for (const auto& pod : nominated) with_nominated_.add(*pod);
  for (const auto& pod : lower_) {
    alone_.remove(pod, pod_of(pod));
    with_nominated_.remove(pod, pod_of(pod));
  }
}

bool RoomRun::fits(const Room& room, Row row, bool others_fit) {
  for (const auto* filter : asked_) {
    if (filter == measured_) {
      if (room.fits()) continue;
      full_ = &room;
      failure_ = Failure::room;
      return false;
    }
    if (others_fit) continue;
    of_filter_ = filter->check(row, {});
    if (!of_filter_) continue;
    failure_ = Failure::filter;
    return false;
  }
  return true;
}

bool RoomRun::fits_without_lower_pods(Row row) {
  if (has_nominated_ && !fits(with_nominated_, row, false)) return false;
  return fits(alone_, row, has_nominated_);
}

void RoomRun::compare_with_budgets() {
  violated_.clear();
  if (budgets_.empty()) return;
  auto eviction = budgets_.evict();
  for (const auto& pod : lower_) violated_.push_back(eviction.violates(*pod_of(pod)->pod));
}

// Adds the pod back if the incoming pod still fits; returns whether it did.
bool RoomRun::reprieve(const RankedPod& pod) {
  const auto& of_entry = pod_of(pod);
  alone_.restore(pod, of_entry);
  if (has_nominated_) with_nominated_.restore(pod, of_entry);
  if (alone_.fits() && (!has_nominated_ || with_nominated_.fits())) return true;
  alone_.remove(pod, of_entry);
  if (has_nominated_) with_nominated_.remove(pod, of_entry);
  return false;
}

// True if the node's candidate cannot be better, whatever victims are still to come: these add to the sum,
// and without violations the first one has come.
bool RoomRun::is_beaten(const Rank& by) const {
  if (by.budget_violations > 0) return false;
  if (violations_ > 0) return true;
  const auto first = victims_.front().pod->priority;
  return first != by.first ? first > by.first : sum_ > by.sum;
}

framework::Verdict RoomRun::verdict() const {
  switch (failure_) {
    case Failure::no_lower_pods:
      return no_lower_pods();
    case Failure::filter:
      return *of_filter_;
    case Failure::room:
      return measured_->shortage(*full_);
    case Failure::no_victims:
      break;
  }
  return no_victims(snapshot_.node_name(row_));
}

// The victims are the most important first, so the first one has the highest priority and of those with it
// the earliest start.
Rank RoomRun::rank() const {
  const auto& first = *victims_.front().pod;
  return {violations_, first.priority, sum_, victims_.size(), Rank::minus(first.start)};
}

framework::PreemptionCandidate RoomRun::candidate() const {
  framework::PreemptionCandidate made{.row = row_};
  made.victims.reserve(victims_.size());
  for (const auto& victim : victims_) add_victim(pod_of(*victim.pod), victim.violated, made);
  return made;
}

}  // namespace podium::plugins
