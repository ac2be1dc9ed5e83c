// DeviceFeatures: the feature gates that the choice of devices depends on. Defaults as in Kubernetes 1.37.
//
// Source: dynamic-resource-allocation/structured. Threads: a value.
#pragma once

namespace podium::devices {

struct DeviceFeatures {
  bool admin_access = true;         // DRAAdminAccess
  bool binding_conditions = true;   // DRADeviceBindingConditions and DRAResourceClaimDeviceStatus
  bool consumable_capacity = true;  // DRAConsumableCapacity
  bool partitionable = true;        // DRAPartitionableDevices
  bool prioritized_list = true;     // DRAPrioritizedList
  bool taints = true;               // DRADeviceTaints
  bool operator==(const DeviceFeatures&) const = default;
};

}  // namespace podium::devices
