#include "scheduler/devices/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace podium::devices {
namespace {

std::string fault_of(const WantedDevices& wanted, const std::string& claim, const DeviceFeatures& features) {
  const auto& asked = *wanted.asked;
  const auto fault = [&](std::string_view words) {
    return fmt::format("claim {}, request {}: {}", claim, wanted.name, words);
  };
  if (!features.admin_access && asked.admin_access) {
    return fault("admin access is requested, but the feature is disabled");
  }
  if (asked.device_class.empty()) return fault("missing device class name (unsupported request type?)");
  if (!wanted.device_class) {
    return fault(
        fmt::format("could not retrieve device class {}: deviceclass.resource.k8s.io \"{}\" not found",
                    asked.device_class, asked.device_class));
  }
  if (asked.mode == api::ExactRequest::Mode::other) return fault("unsupported count mode");
  return {};
}

WantedDevices prepare(const api::ExactRequest& asked, std::string_view name, std::string_view parent,
                      const std::string& claim, const Supply& supply) {
  WantedDevices wanted{.asked = &asked, .name = name, .parent = parent};
  wanted.device_class = supply.find_class(asked.device_class);
  wanted.fault = fault_of(wanted, claim, supply.inventory.features());
  if (!wanted.fault.empty()) return wanted;
  std::vector<std::shared_ptr<const Expression>> selectors;
  selectors.reserve(wanted.device_class->selectors.size() + asked.selectors.size());
  for (const auto& text : wanted.device_class->selectors) {
    selectors.push_back(supply.selectors.expression(text));
  }
  for (const auto& text : asked.selectors) selectors.push_back(supply.selectors.expression(text));
  wanted.selectors =
      std::make_shared<const std::vector<std::shared_ptr<const Expression>>>(std::move(selectors));
  if (!wanted.wants_all()) wanted.devices = static_cast<std::size_t>(std::max<std::int64_t>(asked.count, 0));
  return wanted;
}

// Checks for fields of a request that are not allowed while a gate is off.
std::string gate_fault(const api::DeviceRequest& request, const std::string& claim,
                       const DeviceFeatures& features) {
  if (!request.exactly && request.first_available.empty()) {
    return fmt::format("claim {}, request {}: unsupported request type", claim, request.name);
  }
  if (!features.prioritized_list && !request.first_available.empty()) {
    return fmt::format(
        "claim {}, request {}: has subrequests, but the DRAPrioritizedList feature is disabled", claim,
        request.name);
  }
  if (features.consumable_capacity) return {};
  constexpr auto kDisabled = "has capacity requests, but the DRAConsumableCapacity feature is disabled";
  if (request.exactly && !request.exactly->capacity.empty()) {
    return fmt::format("claim {}, request {}: {}", claim, request.name, kDisabled);
  }
  for (const auto& each : request.first_available) {
    if (!each.request.capacity.empty()) {
      return fmt::format("claim {}, subrequest {}: {}", claim, each.name, kDisabled);
    }
  }
  return {};
}

}  // namespace

std::string WantedDevices::full_name() const {
  return parent.empty() ? std::string(name) : fmt::format("{}/{}", parent, name);
}

std::string WantedClaim::text() const {
  const auto& meta = claim->meta;
  return meta.namespace_.empty() ? meta.name : meta.namespace_ + "/" + meta.name;
}

WantedClaim prepare_claim(const api::ResourceClaim& claim, const Supply& supply) {
  WantedClaim wanted{.claim = &claim};
  const auto name = wanted.text();
  for (const auto& request : claim.spec.requests) {
    auto& alternatives = wanted.requests.emplace_back();
    if (auto fault = gate_fault(request, name, supply.inventory.features()); !fault.empty()) {
      static const api::ExactRequest nothing;
      alternatives.push_back({.asked = &nothing, .name = request.name, .fault = std::move(fault)});
      continue;
    }
    for (const auto& each : request.first_available) {
      alternatives.push_back(prepare(each.request, each.name, request.name, name, supply));
    }
    if (request.first_available.empty()) {
      alternatives.push_back(prepare(*request.exactly, request.name, {}, name, supply));
    }
  }
  for (std::size_t i = 0; i < claim.spec.constraints.size(); ++i) {
    const auto& constraint = claim.spec.constraints[i];
    if (constraint.match_attribute || constraint.distinct_attribute) {
      wanted.constraints.emplace_back(constraint);
    } else if (wanted.fault.empty()) {
      wanted.fault =
          fmt::format("claim {}, constraint #{}: empty constraint (unsupported constraint type?)", name, i);
    }
  }
  return wanted;
}

}  // namespace podium::devices
