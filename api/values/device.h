// ResourceClaim, ResourceSlice, DeviceClass and DeviceTaintRule (resource.k8s.io/v1): the devices that
// drivers offer, and what pods ask for and were given.
//
// Plain values with the fields that scheduling depends on, named like the API's; immutable once shared.
// Source: k8s.io/api/resource/v1 types.go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/values/condition.h"
#include "api/values/meta.h"
#include "api/values/node_selector_term.h"
#include "api/values/quantity.h"

namespace podium::api {

// A quantity and its original text. podium keeps the format of the text in what it writes to a claim.
struct WrittenQuantity {
  Quantity value;
  std::string text;
  bool operator==(const WrittenQuantity&) const = default;
};

// Entries sorted by name, names unique. A name is "domain/id", or an id alone: the driver's own domain.
template <typename T>
using ByName = std::vector<std::pair<std::string, T>>;

enum class DeviceTaintEffect : std::uint8_t { none, no_schedule, no_execute, other };

struct DeviceTaint {
  std::string key, value;
  DeviceTaintEffect effect = DeviceTaintEffect::none;
  std::optional<Wall> added = {};  // timeAdded
  bool operator==(const DeviceTaint&) const = default;
};

struct DeviceToleration {
  enum class Op : std::uint8_t { equal, exists, other };
  std::string key, value;  // no key: every key
  Op op = Op::equal;
  std::optional<DeviceTaintEffect> effect;  // nullopt: every effect
  std::optional<std::int64_t> seconds;      // tolerationSeconds
  bool operator==(const DeviceToleration&) const = default;
};

// An opaque configuration for a driver.
struct DeviceConfiguration {
  std::string driver;
  std::string parameters;  // JSON, as it was written
  bool operator==(const DeviceConfiguration&) const = default;
};

// --- ResourceSlice ---

struct SemanticVersion {  // a semantic version
  std::string text;
  bool operator==(const SemanticVersion&) const = default;
};

template <typename T>
struct AttributeList {
  std::vector<T> values;
  bool operator==(const AttributeList&) const = default;
};

// monostate: a kind of attribute that is not known. The lists belong to the gate DRAListTypeAttributes:
// expressions read them in either position of the gate, constraints match none of them.
using DeviceAttribute = std::variant<std::monostate, std::int64_t, bool, std::string, SemanticVersion,
                                     AttributeList<std::int64_t>, AttributeList<bool>,
                                     AttributeList<std::string>, AttributeList<SemanticVersion>>;

// The amounts of a capacity that a request may ask for.
struct CapacityPolicy {
  struct Range {
    std::optional<WrittenQuantity> min, max, step;
    bool operator==(const Range&) const = default;
  };
  std::optional<WrittenQuantity> fallback;  // "default": if a request does not give it
  std::vector<WrittenQuantity> valid_values;
  std::optional<Range> valid_range;
  bool operator==(const CapacityPolicy&) const = default;
};

struct DeviceCapacity {
  WrittenQuantity value;
  std::optional<CapacityPolicy> policy;
  bool operator==(const DeviceCapacity&) const = default;
};

// Counters that devices of a pool share, and the amounts that one device consumes.
struct CounterSet {
  std::string name;
  ByName<Quantity> counters;
  bool operator==(const CounterSet&) const = default;
};

// The nodes that can use the devices of a slice, or one device. The API server requires exactly one of these.
struct DeviceNodes {
  std::optional<std::string> name;                        // nodeName
  std::optional<std::vector<NodeSelectorTerm>> selector;  // terms are ORed
  bool all = false;                                       // allNodes
  bool operator==(const DeviceNodes&) const = default;
};

struct Device {
  std::string name;
  ByName<DeviceAttribute> attributes;
  ByName<DeviceCapacity> capacity;
  std::vector<CounterSet> consumes_counters;
  // True if an entry of consumesCounters has compatibilityGroups (gate DRADeviceCompatibilityGroups).
  bool has_compatibility_groups = false;
  DeviceNodes nodes;  // if the slice has perDeviceNodeSelection
  std::vector<DeviceTaint> taints;
  bool binds_to_node = false;
  std::vector<std::string> binding_conditions, binding_failure_conditions;
  bool allow_multiple_allocations = false;
  bool operator==(const Device&) const = default;
};

struct ResourceSlice {
  ObjectMeta meta;
  std::string driver;
  struct Pool {
    std::string name;
    std::int64_t generation = 0, slice_count = 0;
    bool operator==(const Pool&) const = default;
  };
  Pool pool;
  DeviceNodes nodes;
  bool per_device_node_selection = false;
  std::vector<Device> devices;
  std::vector<CounterSet> shared_counters;
  bool operator==(const ResourceSlice&) const = default;
};

// --- DeviceTaintRule ---

// The devices that a rule taints. A field that is not given selects all.
struct DeviceTaintSelector {
  std::optional<std::string> driver, pool, device;
  bool operator==(const DeviceTaintSelector&) const = default;
};

struct DeviceTaintRule {
  ObjectMeta meta;
  std::optional<DeviceTaintSelector> selector;  // nullopt: no device
  DeviceTaint taint;
  bool operator==(const DeviceTaintRule&) const = default;
};

// --- DeviceClass ---

struct DeviceClass {
  ObjectMeta meta;
  std::vector<std::string> selectors;  // CEL expressions; all must hold
  std::vector<DeviceConfiguration> config;
  std::optional<std::string> extended_resource_name;
  bool operator==(const DeviceClass&) const = default;
};

// --- ResourceClaim ---

// The requirements on each device of a request: the fields of spec.devices.requests[].exactly, and of a
// subrequest in firstAvailable.
struct ExactRequest {
  enum class Mode : std::uint8_t { exact_count, all, other };
  std::string device_class;
  std::vector<std::string> selectors;  // CEL expressions; all must hold, after those of the class
  Mode mode = Mode::exact_count;
  std::int64_t count = 1;
  bool admin_access = false;
  std::vector<DeviceToleration> tolerations;
  ByName<WrittenQuantity> capacity;  // capacity.requests
  bool operator==(const ExactRequest&) const = default;
};

struct DeviceSubRequest {
  std::string name;
  ExactRequest request;
  bool operator==(const DeviceSubRequest&) const = default;
};

struct DeviceRequest {
  std::string name;
  std::optional<ExactRequest> exactly;            // else:
  std::vector<DeviceSubRequest> first_available;  // the first one that can be allocated
  bool operator==(const DeviceRequest&) const = default;
};

struct DeviceConstraint {
  std::vector<std::string> requests;  // "request" or "request/subrequest"; empty: all
  std::optional<std::string> match_attribute, distinct_attribute;
  bool operator==(const DeviceConstraint&) const = default;
};

struct ClaimConfiguration {
  std::vector<std::string> requests;  // empty: all
  DeviceConfiguration opaque;
  bool operator==(const ClaimConfiguration&) const = default;
};

struct ClaimSpec {
  std::vector<DeviceRequest> requests;
  std::vector<DeviceConstraint> constraints;
  std::vector<ClaimConfiguration> config;
  bool operator==(const ClaimSpec&) const = default;
};

// One device that is allocated to a claim.
struct AllocatedDevice {
  std::string request, driver, pool, device;  // request: "request" or "request/subrequest"
  bool admin_access = false;
  std::vector<DeviceToleration> tolerations;
  std::vector<std::string> binding_conditions, binding_failure_conditions;
  std::optional<std::string> share_id;  // of a device that several claims share
  ByName<WrittenQuantity> consumed_capacity;
  bool skips_node_operations = false;  // skipNodeOperations has entries
  bool operator==(const AllocatedDevice&) const = default;
};

struct AllocatedConfiguration {
  bool from_class = false;  // source: FromClass, else FromClaim
  std::vector<std::string> requests;
  DeviceConfiguration opaque;
  bool operator==(const AllocatedConfiguration&) const = default;
};

struct Allocation {
  std::vector<AllocatedDevice> results;
  std::vector<AllocatedConfiguration> config;
  std::optional<std::vector<NodeSelectorTerm>> node_selector;  // nullopt: everywhere
  std::optional<Wall> timestamp;
  bool operator==(const Allocation&) const = default;
};

struct ClaimConsumer {  // of status.reservedFor
  std::string api_group, resource, name, uid;
  bool operator==(const ClaimConsumer&) const = default;
};

// A driver's status of an allocated device.
struct AllocatedDeviceStatus {
  std::string driver, pool, device;
  std::optional<std::string> share_id;
  std::vector<PodCondition> conditions;
  std::string rest;  // data and networkData as JSON: only compared
  bool operator==(const AllocatedDeviceStatus&) const = default;
};

struct ClaimStatus {
  std::optional<Allocation> allocation;
  std::vector<ClaimConsumer> reserved_for;
  std::vector<AllocatedDeviceStatus> devices;
  bool operator==(const ClaimStatus&) const = default;
};

// Keeps a claim while it is allocated. Source: k8s.io/api/resource/v1 types.go Finalizer.
inline constexpr std::string_view kClaimFinalizer = "resource.kubernetes.io/delete-protection";

struct ResourceClaim {
  ObjectMeta meta;
  bool has_finalizer = false;  // kClaimFinalizer
  ClaimSpec spec;
  ClaimStatus status;
  bool operator==(const ResourceClaim&) const = default;
};

struct ResourceClaimTemplate {
  ObjectMeta meta;
  ObjectMeta claim_meta;  // labels and annotations of the claims
  ClaimSpec spec;
  bool operator==(const ResourceClaimTemplate&) const = default;
};

}  // namespace podium::api
