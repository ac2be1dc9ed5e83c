// Entry: a pod in the queue and its state there. Internal to scheduler/queue.
//
// Owner: SchedulingQueue; entries have stable addresses. Threads: the scheduling strand.
#pragma once

#include <cstdint>
#include <vector>

#include "base/instant.h"
#include "scheduler/queue/queue.h"

namespace podium::queue {

struct PluginWaiters;

struct Entry {
  enum class State : std::uint8_t { none, active, backoff, error_backoff, unschedulable, gated, in_flight };

  QueuedPod queued;
  State state = State::none;
  std::uint64_t sequence = 0;  // order of arrival; breaks ties of last_queued
  Steady backoff_end = Steady::min();
  Steady flush_at{};                  // while unschedulable or gated
  Steady flushed_at = Steady::min();  // the last flush since it was tried
  std::uint64_t flight_start = 0;     // while in flight: its position in the event log
  bool removed = false;               // while in flight: requeue() drops it
  bool activated = false;             // while in flight: it is retried whatever the result
  bool held = false;                  // not tried until released

  std::size_t heap_index = 0;  // in the heap of its state
  struct Slot {
    PluginWaiters* waiters;
    std::size_t index;
  };
  std::vector<Slot> slots;     // the plugins whose events it waits for
  std::uint64_t woken_by = 0;  // the last event that woke it: two plugins wake it once
};

// Source: pkg/scheduler/framework/plugins/queuesort PrioritySort.Less.
struct MoreUrgent {
  bool operator()(const Entry& a, const Entry& b) const {
    if (a.queued.pod->priority != b.queued.pod->priority)
      return a.queued.pod->priority > b.queued.pod->priority;
    if (a.queued.last_queued != b.queued.last_queued) return a.queued.last_queued < b.queued.last_queued;
    return a.sequence < b.sequence;
  }
};

struct BacksOffLess {
  bool operator()(const Entry& a, const Entry& b) const {
    return a.backoff_end != b.backoff_end ? a.backoff_end < b.backoff_end : MoreUrgent()(a, b);
  }
};

struct FlushedEarlier {
  bool operator()(const Entry& a, const Entry& b) const {
    return a.flush_at != b.flush_at ? a.flush_at < b.flush_at : a.sequence < b.sequence;
  }
};

}  // namespace podium::queue
