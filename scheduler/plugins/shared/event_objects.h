// Typed access to the objects of a ClusterEvent, for queueing hints.
// Threads: pure functions. The pointers are valid as long as the event.
#pragma once

#include <memory>
#include <variant>

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

}  // namespace podium::plugins
