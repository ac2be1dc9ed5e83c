#include "scheduler/queue/event_log.h"

#include "base/check.h"

namespace podium::queue {

std::uint64_t EventLog::begin_flight() {
  const auto start = first_ + events_.size();
  flights_.insert(start);
  return start;
}

void EventLog::end_flight(std::uint64_t start) {
  const auto flight = flights_.find(start);
  PODIUM_CHECK(flight != flights_.end(), start);
  flights_.erase(flight);
  const auto needed = flights_.empty() ? first_ + events_.size() : *flights_.begin();
  while (first_ < needed) drop_first();
}

void EventLog::push(const framework::ClusterEvent& event) {
  if (flights_.empty()) return;
  events_.push_back(event);
  const auto slot = framework::event_slot(event);
  ++by_kind_[slot];
  seen_.set(slot);
  if (events_.size() > limit_) drop_first();
}

void EventLog::drop_first() {
  --by_kind_[framework::event_slot(events_.front())];
  events_.pop_front();
  ++first_;
}

}  // namespace podium::queue
