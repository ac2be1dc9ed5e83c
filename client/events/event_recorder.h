// EventRecorder: events.k8s.io/v1 events, bounded and behind everything else.
//
// An event that repeats (same regarding, related, reason, action, type, note) within six minutes becomes a
// series on the first one, updated in place. The queue is bounded; the oldest is dropped and counted rather
// than wait. Notes are cut at 1024 bytes with " ..." as kube-scheduler's are. New events go out several at
// once, and give way to what comes first (Precedence). What the server refuses (a namespace that is
// terminating, no right) is dropped; what may pass is tried five times.
// Threads: record() from any thread; run() on one executor.
// Errors: none; what is lost is counted, and logged once a minute.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "client/api.h"
#include "client/precedence.h"

namespace podium::client {

struct EventRegarding {
  std::string api_version = "v1", kind = "Pod", namespace_, name, uid, resource_version;
};

class EventRecorder {
 public:
  // `drain` is how long a stop may take to write what is queued.
  EventRecorder(Api& api, const Precedence& precedence, std::string controller, std::string instance,
                std::size_t capacity = 20'000, std::size_t writers = 2,
                std::chrono::milliseconds drain = std::chrono::milliseconds(2'000));
  ~EventRecorder();
  void record(EventRegarding regarding, std::string type, std::string reason, std::string action,
              std::string note, std::optional<EventRegarding> related = std::nullopt);
  Task<void> run();               // until drained after stop
  void stop();                    // thread-safe: writes what is queued, at most until the deadline
  std::uint64_t dropped() const;  // thread-safe; of the queue, or refused, or given up
  std::uint64_t written() const;  // thread-safe; creates and series updates

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::client
