#include "scheduler/plugins/dynamic_resources/binding_conditions.h"

#include <fmt/format.h>

#include <algorithm>

#include "cel/go_text.h"

namespace podium::plugins {
namespace {

using State = DeviceBinding::State;

// The first condition of the type, as upstream; null if it is not true.
const api::PodCondition* find_true(const api::AllocatedDeviceStatus& status, const std::string& type) {
  const auto it = std::ranges::find(status.conditions, type, &api::PodCondition::type);
  return it != status.conditions.end() && it->status == "True" ? &*it : nullptr;
}

DeviceBinding binding_of_device(const api::ResourceClaim& claim, const api::AllocatedDevice& device) {
  if (device.binding_conditions.empty()) return {};
  const auto status = std::ranges::find_if(claim.status.devices, [&](const api::AllocatedDeviceStatus& one) {
    return one.device == device.device && one.driver == device.driver && one.pool == device.pool;
  });
  if (status == claim.status.devices.end()) return {State::pending};
  for (const auto& type : device.binding_failure_conditions) {
    if (const auto* failed = find_true(*status, type)) {
      return {State::failed, fmt::format("device binding failed: claim={}, reason={}, message={}",
                                         claim.meta.name, failed->reason, cel::go_quoted(failed->message))};
    }
  }
  const auto is_true = [&](const std::string& type) { return find_true(*status, type) != nullptr; };
  return {std::ranges::all_of(device.binding_conditions, is_true) ? State::ready : State::pending};
}

}  // namespace

// The first device that is not ready decides, as upstream.
DeviceBinding device_binding(const api::ResourceClaim& claim) {
  if (!claim.status.allocation) return {State::pending};
  for (const auto& device : claim.status.allocation->results) {
    if (auto binding = binding_of_device(claim, device); binding.state != State::ready) return binding;
  }
  return {};
}

bool has_binding_conditions(const api::Allocation& allocation) {
  return std::ranges::any_of(allocation.results, [](const api::AllocatedDevice& device) {
    return !device.binding_conditions.empty();
  });
}

bool is_binding_overdue(const api::ResourceClaim& claim, Wall now, std::chrono::milliseconds timeout) {
  const auto& allocation = claim.status.allocation;
  return allocation && allocation->timestamp && has_binding_conditions(*allocation) &&
         *allocation->timestamp < now - timeout;
}

bool is_binding_lost(const api::ResourceClaim& claim, Wall now, std::chrono::milliseconds timeout) {
  if (!claim.status.allocation) return false;
  const auto state = device_binding(claim).state;
  return state == State::failed || (state == State::pending && is_binding_overdue(claim, now, timeout));
}

}  // namespace podium::plugins
