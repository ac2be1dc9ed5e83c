// Decodes any kind that podium reads, by group and kind.
#include <array>

#include "api/decode/decode.h"
#include "api/decode/decode_reader.h"
#include "api/decode/decode_workload.h"
#include "api/values/device.h"
#include "api/values/node.h"
#include "api/values/objects.h"
#include "api/values/pod.h"

namespace podium::api {
namespace {

using boost::json::value;

template <auto Decode>
Result<Object> shared(const value& object) {
  auto decoded = Decode(object);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  return std::make_shared<const typename decltype(decoded)::value_type>(std::move(*decoded));
}

template <Workload::Kind kind>
Result<Workload> workload(const value& object) {
  return decode_workload(object, kind);
}

struct Entry {
  std::string_view group, kind;
  Result<Object> (*decode)(const value&);
};

constexpr std::array<Entry, 23> kKinds = {{
    {"", "Pod", shared<decode_pod>},
    {"", "Node", shared<decode_node>},
    {"", "Namespace", shared<decode_namespace>},
    {"", "Service", shared<workload<Workload::Kind::service>>},
    {"", "ReplicationController", shared<workload<Workload::Kind::replication_controller>>},
    {"apps", "ReplicaSet", shared<workload<Workload::Kind::replica_set>>},
    {"apps", "StatefulSet", shared<workload<Workload::Kind::stateful_set>>},
    {"scheduling.k8s.io", "PriorityClass", shared<decode_priority_class>},
    {"policy", "PodDisruptionBudget", shared<decode_pod_disruption_budget>},
    {"", "PersistentVolume", shared<decode_persistent_volume>},
    {"", "PersistentVolumeClaim", shared<decode_persistent_volume_claim>},
    {"storage.k8s.io", "StorageClass", shared<decode_storage_class>},
    {"storage.k8s.io", "CSINode", shared<decode_csi_node>},
    {"storage.k8s.io", "CSIDriver", shared<decode_csi_driver>},
    {"storage.k8s.io", "CSIStorageCapacity", shared<decode_csi_storage_capacity>},
    {"storage.k8s.io", "VolumeAttachment", shared<decode_volume_attachment>},
    {"", "LimitRange", shared<decode_limit_range>},
    {"node.k8s.io", "RuntimeClass", shared<decode_runtime_class>},
    {"resource.k8s.io", "ResourceSlice", shared<decode_resource_slice>},
    {"resource.k8s.io", "DeviceClass", shared<decode_device_class>},
    {"resource.k8s.io", "DeviceTaintRule", shared<decode_device_taint_rule>},
    {"resource.k8s.io", "ResourceClaim", shared<decode_resource_claim>},
    {"resource.k8s.io", "ResourceClaimTemplate", shared<decode_resource_claim_template>},
}};

}  // namespace

Result<Object> decode_object(const value& object, std::string_view api_version, std::string_view kind) {
  const auto slash = api_version.find('/');
  const auto group = slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  for (const auto& entry : kKinds) {
    if (entry.kind == kind && entry.group == group) return entry.decode(object);
  }
  return Object();
}

Result<Object> decode_object(const value& object) {
  detail::Reader reader(object);
  const auto api_version = reader.root()["apiVersion"].text();
  const auto kind = reader.root()["kind"].text();
  if (reader.failed()) return std::unexpected(reader.error());
  return decode_object(object, api_version, kind);
}

}  // namespace podium::api
