// EventLog: the events that arrived while pods were in flight, so that a pod that comes back can be asked
// about them.
//
// An event is kept while a pod that took off before it is in flight, and no longer. The log is bounded: where
// it overflows, the oldest events go, and pods that have missed some are told so.
// Owner: SchedulingQueue. Threads: the scheduling strand.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>

#include "scheduler/framework/event_labels.h"

namespace podium::queue {

class EventLog {
 public:
  explicit EventLog(std::size_t limit) : limit_(limit) {}

  // A flight begins now; give the result to the other functions.
  std::uint64_t begin_flight();
  void end_flight(std::uint64_t start);
  // Keeps the event for the pods in flight, if there are any.
  void push(const framework::ClusterEvent& event);

  // Calls `visit` with each event since `start` until one returns true; returns that. True as well where some
  // are lost.
  template <typename Visit>
  bool any_since(std::uint64_t start, Visit visit) const {
    if (start < first_) return true;
    for (auto i = start - first_; i < events_.size(); ++i) {
      if (visit(events_[i])) return true;
    }
    return false;
  }

  std::size_t size() const { return events_.size(); }
  std::size_t flights() const { return flights_.size(); }
  // Calls `visit` with each kind of event that has ever been kept, by framework::event_slot(), and how many
  // are.
  template <typename Visit>
  void each_kind(Visit visit) const {
    for (std::size_t slot = 0; slot < by_kind_.size(); ++slot) {
      if (seen_[slot]) visit(slot, by_kind_[slot]);
    }
  }

 private:
  void drop_first();

  std::size_t limit_;
  std::uint64_t first_ = 0;  // the number of events_.front(); numbers count up for ever
  std::deque<framework::ClusterEvent> events_;
  std::array<std::uint32_t, framework::kEventSlots> by_kind_{};
  std::bitset<framework::kEventSlots> seen_;
  std::multiset<std::uint64_t> flights_;
};

}  // namespace podium::queue
