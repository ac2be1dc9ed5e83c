// Object: an object of any kind that podium reads.
#pragma once

#include <memory>
#include <variant>

#include "api/values/device_fwd.h"

namespace podium::api {

struct CsiDriver;
struct CsiNode;
struct CsiStorageCapacity;
struct LimitRange;
struct Namespace;
struct Node;
struct PersistentVolume;
struct PersistentVolumeClaim;
struct Pod;
struct PodDisruptionBudget;
struct PriorityClass;
struct RuntimeClass;
struct StorageClass;
struct VolumeAttachment;
struct Workload;

using Object =
    std::variant<std::monostate, std::shared_ptr<const Pod>, std::shared_ptr<const Node>,
                 std::shared_ptr<const Namespace>, std::shared_ptr<const Workload>,
                 std::shared_ptr<const PriorityClass>, std::shared_ptr<const PodDisruptionBudget>,
                 std::shared_ptr<const PersistentVolume>, std::shared_ptr<const PersistentVolumeClaim>,
                 std::shared_ptr<const StorageClass>, std::shared_ptr<const CsiNode>,
                 std::shared_ptr<const CsiDriver>, std::shared_ptr<const CsiStorageCapacity>,
                 std::shared_ptr<const VolumeAttachment>, std::shared_ptr<const LimitRange>,
                 std::shared_ptr<const RuntimeClass>, std::shared_ptr<const ResourceSlice>,
                 std::shared_ptr<const DeviceClass>, std::shared_ptr<const ResourceClaim>,
                 std::shared_ptr<const ResourceClaimTemplate>, std::shared_ptr<const DeviceTaintRule>>;

}  // namespace podium::api
