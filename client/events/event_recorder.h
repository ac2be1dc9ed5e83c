// EventRecorder: writes events.k8s.io/v1 events from a bounded queue. Other requests go first.
//
// An event that repeats (same regarding, related, reason, action, type, note) within six minutes becomes a
// series on the first one, updated in place. The queue is bounded; the oldest is dropped and counted. Notes
// are cut at 1024 bytes with " ..." as kube-scheduler's are. Several new events are sent at the same time.
// They yield to bindings (Precedence). An event that the server refuses (a terminating namespace,
// a missing right) is dropped. After other failures it is tried five times. An unreachable server delays all.
//
// Owner: Engine. The gate is empty before the recorder is destroyed. Threads: all functions from any thread;
// writes run on `io`. Errors: none; losses are counted, and logged once a minute.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "async/fair_queue_options.h"
#include "async/gate.h"
#include "client/api.h"
#include "client/precedence.h"

namespace podium::client {

struct EventRegarding {
  std::string api_version = "v1", kind = "Pod", namespace_, name, uid, resource_version;
};

struct EventRecorderOptions {
  std::string controller;  // the scheduler's name
  std::string instance;    // of this process; cut at 128 bytes
  std::size_t capacity = 20'000;
  unsigned writers = 2;
};

class EventRecorder {
 public:
  EventRecorder(Api& api, const Precedence& precedence, async::Gate& gate, boost::asio::any_io_executor io,
                EventRecorderOptions options);
  ~EventRecorder();
  void record(EventRegarding regarding, std::string type, std::string reason, std::string action,
              std::string note, std::optional<EventRegarding> related = std::nullopt);
  // Writes the counts of series in time, until the gate is cancelled. Call once.
  void start();
  // Writes the queued events and the counts of all series until the limit; warnings and counts until the
  // minor one. Then stops.
  Task<void> drain(async::DrainLimits limits);
  std::uint64_t dropped() const;  // evicted, refused, or given up
  std::uint64_t written() const;  // creates and series updates
  std::size_t waiting() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::client
