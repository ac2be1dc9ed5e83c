// ApiAnnouncer: tells people through the API server: events under kube-scheduler's names and words, and the
// PodScheduled condition. Both are written behind the bindings, bounded.
//
// Threads: as Announcer: the strand. Errors: none; what cannot be written is counted by the writers.
#pragma once

#include <functional>
#include <string_view>

#include "client/events/event_recorder.h"
#include "scheduler/cycle/pod_status_writer.h"
#include "scheduler/cycle/seams.h"

namespace podium::cycle {

class ApiAnnouncer final : public Announcer {
 public:
  // Each profile reports under its own name; `recorder_of` never returns null for a profile's scheduler name.
  using RecorderOf = std::function<client::EventRecorder*(std::string_view scheduler_name)>;

  ApiAnnouncer(RecorderOf recorder_of, PodStatusWriter& statuses, bool events)
      : recorder_of_(std::move(recorder_of)), statuses_(statuses), events_(events) {}

  void scheduled(const cluster::PodInfo& pod, std::string_view node) override;
  void failed(const cluster::PodInfo& pod, std::string_view reason, std::string_view message,
              const std::optional<std::string>& nominated_node) override;
  void preempted(const cluster::PodInfo& victim, const cluster::PodInfo& preemptor, std::string_view node,
                 bool deleted) override;
  void skipped(const cluster::PodInfo& pod) override;
  void event(const cluster::PodInfo& pod, std::string type, std::string reason, std::string action,
             std::string note);

 private:
  RecorderOf recorder_of_;
  PodStatusWriter& statuses_;
  const bool events_;
};

}  // namespace podium::cycle
