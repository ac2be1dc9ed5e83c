// ApiAnnouncer: publishes scheduling results through the API server: events with
// kube-scheduler's reasons and texts, and the PodScheduled condition. Both go through bounded
// queues and yield to bindings.
//
// Owner: the Engine. Threads: the scheduling strand; switch_events() any. Calls queue and return immediately.
// Errors: none leave; the writers count what they cannot write.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "client/events/event_recorder.h"
#include "scheduler/cycle/seams.h"
#include "scheduler/live/pod_status_writer.h"

namespace podium::live {

class ApiAnnouncer final : public cycle::Announcer {
 public:
  // Each profile has its own event recorder. `recorder_of` never returns null for a
  // configured scheduler name.
  using RecorderOf = std::function<client::EventRecorder*(std::string_view scheduler_name)>;

  // `events`: false turns events off; conditions are still written.
  ApiAnnouncer(RecorderOf recorder_of, PodStatusWriter& statuses, bool events)
      : recorder_of_(std::move(recorder_of)), statuses_(statuses), events_(events) {}

  void switch_events(bool on) { events_ = on; }  // any thread

  void scheduled(const cluster::PodInfo& pod, std::string_view node) override;
  void failed(const cluster::PodInfo& pod, std::string_view reason, std::string_view message,
              const std::optional<std::string>& nominated_node) override;
  void preempted(const cluster::PodInfo& victim, const cluster::PodInfo& preemptor, std::string_view node,
                 bool deleted) override;
  void noted(const cluster::PodInfo& pod, std::string_view reason, std::string_view note) override;
  void skipped(const cluster::PodInfo& pod) override;
  // Records an event about the pod under its profile's name; no-op if events are off.
  void event(const cluster::PodInfo& pod, std::string type, std::string reason, std::string action,
             std::string note);

 private:
  RecorderOf recorder_of_;
  PodStatusWriter& statuses_;
  std::atomic<bool> events_;
};

}  // namespace podium::live
