#include "scheduler/cycle/api_announcer.h"

#include <fmt/format.h>

namespace podium::cycle {

void ApiAnnouncer::scheduled(const cluster::PodInfo& pod, std::string_view node) {
  conditions_.forget(pod->meta.uid);
  event(pod, "Normal", "Scheduled", "Binding",
        fmt::format("Successfully assigned {} to {}", pod->full_name(), node));
}

void ApiAnnouncer::failed(const cluster::PodInfo& pod, std::string_view reason, std::string_view message) {
  event(pod, "Warning", "FailedScheduling", "Scheduling", std::string(message));
  conditions_.write(pod, std::string(reason), std::string(message));
}

void ApiAnnouncer::event(const cluster::PodInfo& pod, std::string type, std::string reason, std::string action,
                         std::string note) {
  if (!events_) return;
  const auto& meta = pod->meta;
  recorder_of_(pod->scheduler_name)
      ->record({.namespace_ = meta.namespace_, .name = meta.name, .uid = meta.uid,
                .resource_version = meta.resource_version},
               std::move(type), std::move(reason), std::move(action), std::move(note));
}

}  // namespace podium::cycle
