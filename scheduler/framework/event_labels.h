// Metric labels of cluster events, such as "AssignedPodAdd" and "storage.k8s.io/CSINodeUpdate".
//
// Source: ClusterEvent.Label and ActionType.String of k8s.io/kube-scheduler/framework/types.go.
// Threads: pure functions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "scheduler/framework/events.h"

namespace podium::framework {

// One slot per pair of resource and action, for tables of counts. Actions in bit order, then kAll.
inline constexpr std::size_t kEventActions = std::bit_width(std::uint32_t{kAll}) + 1;
inline constexpr std::size_t kEventSlots =
    (static_cast<std::size_t>(EventResource::wild_card) + 1) * kEventActions;

// `action` is one bit or kAll; kUpdateOther means any update.
std::size_t event_slot(EventResource resource, std::uint32_t action);
// For an update with several actions, the lowest bit.
std::size_t event_slot(const ClusterEvent& event);
std::string_view event_label(std::size_t slot);
inline std::string_view event_label(const ClusterEvent& event) { return event_label(event_slot(event)); }

// Calls `visit` with the slot of each action of the event.
template <typename Visit>
void each_event_slot(const ClusterEvent& event, Visit visit) {
  if (event.actions == kAll) return visit(event_slot(event.resource, kAll));
  for (auto bits = event.actions; bits; bits &= bits - 1) visit(event_slot(event.resource, bits & -bits));
}

}  // namespace podium::framework
