// EventLog: the events since the oldest pod in flight was popped. A pod that is requeued checks the events
// of its flight.
//
// The log is bounded: it drops the oldest events, and any_since() is then true for pods that missed one.
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

  // Begins a flight. The result identifies it in the other functions.
  std::uint64_t begin_flight();
  void end_flight(std::uint64_t start);  // of a flight that has begun and has not ended
  // No effect without pods in flight.
  void push(const framework::ClusterEvent& event);

  // True if `visit` returns true for an event since `start`, or if events since then were dropped.
  template <typename Visit>
  bool any_since(std::uint64_t start, Visit visit) const {
    if (start < first_) return true;
    for (auto i = start - first_; i < events_.size(); ++i) {
      if (visit(events_[i])) return true;
    }
    return false;
  }

  std::size_t size() const { return events_.size(); }
  // Calls `visit(slot, count)` for each kind of event ever stored; `slot` as in framework::event_slot(),
  // `count` of the events stored now.
  template <typename Visit>
  void each_kind(Visit visit) const {
    for (std::size_t slot = 0; slot < by_kind_.size(); ++slot) {
      if (seen_[slot]) visit(slot, by_kind_[slot]);
    }
  }

 private:
  void drop_first();

  std::size_t limit_;
  std::uint64_t first_ = 0;  // the sequence number of events_.front()
  std::deque<framework::ClusterEvent> events_;
  std::array<std::uint32_t, framework::kEventSlots> by_kind_{};
  std::bitset<framework::kEventSlots> seen_;
  std::multiset<std::uint64_t> flights_;
};

}  // namespace podium::queue
