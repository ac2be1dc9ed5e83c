// Typed access to the objects of a ClusterEvent, for queueing hints.
// Threads: pure functions. The pointers are valid as long as the event.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "scheduler/framework/events.h"

namespace podium::plugins {

// Null if the event has no such object or an object of another kind.
template <typename T>
const T* object_before(const framework::ClusterEvent& event) {
  const auto* held = std::get_if<std::shared_ptr<const T>>(&event.before);
  return held ? held->get() : nullptr;
}
template <typename T>
const T* object_after(const framework::ClusterEvent& event) {
  const auto* held = std::get_if<std::shared_ptr<const T>>(&event.after);
  return held ? held->get() : nullptr;
}

// Upstream's Pod resource covers both pods with a node and pods without one.
template <typename Helps>
void add_pod_hints(std::vector<framework::EventHint>& hints, std::uint32_t actions, Helps helps) {
  hints.push_back({framework::Resource::assigned_pod, actions, helps});
  hints.push_back({framework::Resource::unscheduled_pod, actions, helps});
}

}  // namespace podium::plugins
