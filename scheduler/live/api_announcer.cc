#include "scheduler/live/api_announcer.h"

#include <fmt/format.h>

#include "api/values/pod.h"
#include "scheduler/framework/evaluation.h"

namespace podium::live {
namespace {

client::EventRegarding regarding(const cluster::PodInfo& pod) {
  const auto& meta = pod->meta;
  return {.namespace_ = meta.namespace_,
          .name = meta.name,
          .uid = meta.uid,
          .resource_version = meta.resource_version};
}

}  // namespace

void ApiAnnouncer::scheduled(const cluster::PodInfo& pod, std::string_view node) {
  statuses_.forget(pod->meta.uid);
  event(pod, "Normal", "Scheduled", "Binding",
        fmt::format("Successfully assigned {} to {}", pod->full_name(), node));
}

void ApiAnnouncer::failed(const cluster::PodInfo& pod, std::string_view reason, std::string_view message,
                          const std::optional<std::string>& nominated_node) {
  event(pod, "Warning", "FailedScheduling", "Scheduling", std::string(message));
  statuses_.not_scheduled(pod, std::string(reason), std::string(message), nominated_node);
}

// Recorded about the victim, by the preemptor's profile.
// Source: pkg/scheduler/framework/preemption/executor.go.
void ApiAnnouncer::preempted(const cluster::PodInfo& victim, const cluster::PodInfo& preemptor,
                             std::string_view node, bool deleted) {
  if (!events_) return;
  recorder_of_(preemptor->scheduler_name)
      ->record(regarding(victim), "Normal", "Preempted", "Preempting",
               fmt::format("Preempted by pod {} on node {}{}", preemptor->meta.uid, node,
                           deleted ? "" : " (in kube-scheduler memory)."),
               regarding(preemptor));
}

void ApiAnnouncer::noted(const cluster::PodInfo& pod, std::string_view reason, std::string_view note) {
  event(pod, "Normal", std::string(reason), "Scheduling", std::string(note));
}

// Source: schedule_one.go skipPodSchedule.
void ApiAnnouncer::skipped(const cluster::PodInfo& pod) {
  event(pod, "Warning", "FailedScheduling", "Scheduling", framework::skipped_message(pod));
}

void ApiAnnouncer::event(const cluster::PodInfo& pod, std::string type, std::string reason,
                         std::string action, std::string note) {
  if (!events_) return;
  recorder_of_(pod->scheduler_name)
      ->record(regarding(pod), std::move(type), std::move(reason), std::move(action), std::move(note));
}

}  // namespace podium::live
