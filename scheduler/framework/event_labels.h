// What metrics call a cluster event: "AssignedPodAdd", "NodeUpdateNodeTaint", "storage.k8s.io/CSINodeUpdate",
// "*All".
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

// One slot a pair of resource and action, for tables of counts. The actions are the bits, then kAll.
inline constexpr std::size_t kEventActions = std::bit_width(std::uint32_t{kAll}) + 1;
inline constexpr std::size_t kEventSlots =
    (static_cast<std::size_t>(Resource::wild_card) + 1) * kEventActions;

// `action` is one bit, kUpdateOther standing for an update in general, or kAll.
std::size_t event_slot(Resource resource, std::uint32_t action);
// Of an update that changed several things, the first of them.
std::size_t event_slot(const ClusterEvent& event);
std::string_view event_label(std::size_t slot);
inline std::string_view event_label(const ClusterEvent& event) { return event_label(event_slot(event)); }

// Calls `visit` with the slot of everything that the event says has happened.
template <typename Visit>
void each_event_slot(const ClusterEvent& event, Visit visit) {
  if (event.actions == kAll) return visit(event_slot(event.resource, kAll));
  for (auto bits = event.actions; bits; bits &= bits - 1) visit(event_slot(event.resource, bits & -bits));
}

}  // namespace podium::framework
