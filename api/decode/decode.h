// Decodes JSON into the plain values of api/.
//
// Ignores fields that podium does not keep (the API server may be newer), but checks the types of those that
// it does: a number instead of a string is an Error with the path. Never throws. Quantities out of range
// saturate. Unknown operators, effects and enum values become `unknown` or `other`.
// Threads: pure functions. Errors: Kind::invalid.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

#include "api/values/device_fwd.h"
#include "api/values/object.h"
#include "base/result.h"

namespace podium::api {

struct LabelSelector;
struct NodeAffinity;
struct ObjectMeta;
struct TopologySpreadConstraint;

Result<Pod> decode_pod(const boost::json::value&);
Result<Pod> decode_pod_template(const boost::json::value&);  // metadata and spec of a PodTemplateSpec
Result<Node> decode_node(const boost::json::value&);
Result<Namespace> decode_namespace(const boost::json::value&);
Result<PriorityClass> decode_priority_class(const boost::json::value&);
Result<PodDisruptionBudget> decode_pod_disruption_budget(const boost::json::value&);
Result<LimitRange> decode_limit_range(const boost::json::value&);
Result<RuntimeClass> decode_runtime_class(const boost::json::value&);
Result<PersistentVolume> decode_persistent_volume(const boost::json::value&);
Result<PersistentVolumeClaim> decode_persistent_volume_claim(const boost::json::value&);
Result<StorageClass> decode_storage_class(const boost::json::value&);
Result<CsiNode> decode_csi_node(const boost::json::value&);
Result<CsiDriver> decode_csi_driver(const boost::json::value&);
Result<CsiStorageCapacity> decode_csi_storage_capacity(const boost::json::value&);
Result<VolumeAttachment> decode_volume_attachment(const boost::json::value&);
Result<ResourceSlice> decode_resource_slice(const boost::json::value&);
Result<DeviceClass> decode_device_class(const boost::json::value&);
Result<DeviceTaintRule> decode_device_taint_rule(const boost::json::value&);
Result<ResourceClaim> decode_resource_claim(const boost::json::value&);
Result<ResourceClaimTemplate> decode_resource_claim_template(const boost::json::value&);
Result<ObjectMeta> decode_meta(const boost::json::value& object);  // of any object: its "metadata"

// Parts that configuration files also have.
Result<NodeAffinity> decode_node_affinity(const boost::json::value&, std::string_view path);
Result<TopologySpreadConstraint> decode_topology_spread_constraint(const boost::json::value&,
                                                                   std::string_view path);
Result<LabelSelector> decode_label_selector(const boost::json::value&, std::string_view path);

// monostate: a kind that podium does not read.
Result<Object> decode_object(const boost::json::value&);
// For an object without apiVersion and kind: an item of a typed list.
Result<Object> decode_object(const boost::json::value&, std::string_view api_version, std::string_view kind);

}  // namespace podium::api
