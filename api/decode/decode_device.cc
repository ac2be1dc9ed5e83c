// Decodes ResourceSlice, DeviceClass, DeviceTaintRule, ResourceClaim and ResourceClaimTemplate.
#include <algorithm>

#include "api/decode/decode.h"
#include "api/decode/decode_parts.h"
#include "api/decode/decode_reader.h"
#include "api/values/device.h"

namespace podium::api {
namespace {

using detail::Annotations;
using detail::Field;

WrittenQuantity read_quantity(Field field) {
  WrittenQuantity quantity;
  field.into(quantity.value);
  quantity.text = field.json();
  return quantity;
}

std::optional<WrittenQuantity> read_optional_quantity(Field field) {
  return field ? std::optional(read_quantity(field)) : std::nullopt;
}

// The entries of an object, by name.
template <typename T, typename Read>
void read_by_name(Field field, ByName<T>& target, Read read) {
  field.members([&](std::string_view name, Field item) { target.emplace_back(name, read(item)); });
  std::ranges::sort(target, {}, &std::pair<std::string, T>::first);
}

DeviceTaintEffect read_effect(Field field) {
  const auto text = field.text();
  if (text.empty() || text == "None") return DeviceTaintEffect::none;
  if (text == "NoSchedule") return DeviceTaintEffect::no_schedule;
  if (text == "NoExecute") return DeviceTaintEffect::no_execute;
  return DeviceTaintEffect::other;
}

DeviceTaint read_device_taint(Field field) {
  DeviceTaint taint;
  field["key"].into(taint.key);
  field["value"].into(taint.value);
  taint.effect = read_effect(field["effect"]);
  field["timeAdded"].into(taint.added);
  return taint;
}

DeviceToleration read_device_toleration(Field field) {
  DeviceToleration toleration;
  field["key"].into(toleration.key);
  field["value"].into(toleration.value);
  if (const auto effect = field["effect"]; !effect.text().empty()) toleration.effect = read_effect(effect);
  const auto op = field["operator"].text();
  if (op == "Exists") {
    toleration.op = DeviceToleration::Op::exists;
  } else if (!op.empty() && op != "Equal") {
    toleration.op = DeviceToleration::Op::other;
  }
  field["tolerationSeconds"].into(toleration.seconds);
  return toleration;
}

DeviceConfiguration read_configuration(Field field) {
  DeviceConfiguration configuration;
  field["opaque"]["driver"].into(configuration.driver);
  configuration.parameters = field["opaque"]["parameters"].json();
  return configuration;
}

void read_selectors(Field field, std::vector<std::string>& selectors) {
  field.list(selectors, [](Field item) { return std::string(item["cel"]["expression"].text()); });
}

// --- slices ---

std::int64_t read_number(Field field) {
  std::int64_t value = 0;
  field.into(value);
  return value;
}

bool read_flag(Field field) {
  bool value = false;
  field.into(value);
  return value;
}

std::string read_string(Field field) { return std::string(field.text()); }
SemanticVersion read_version(Field field) { return {read_string(field)}; }

template <typename Read>
auto read_values(Field field, Read read) {
  AttributeList<decltype(read(field))> list;
  field.list(list.values, read);
  return list;
}

// In upstream's order, if the API server lets more than one value pass. Source:
// dynamic-resource-allocation/cel compile.go getAttributeValue.
DeviceAttribute read_attribute(Field field) {
  if (const auto numbers = field["ints"]) return read_values(numbers, read_number);
  if (const auto flags = field["bools"]) return read_values(flags, read_flag);
  if (const auto texts = field["strings"]) return read_values(texts, read_string);
  if (const auto versions = field["versions"]) return read_values(versions, read_version);
  if (const auto number = field["int"]) return read_number(number);
  if (const auto flag = field["bool"]) return read_flag(flag);
  if (const auto text = field["string"]) return read_string(text);
  if (const auto version = field["version"]) return read_version(version);
  return {};
}

CapacityPolicy read_policy(Field field) {
  CapacityPolicy policy;
  policy.fallback = read_optional_quantity(field["default"]);
  field["validValues"].list(policy.valid_values, read_quantity);
  if (const auto range = field["validRange"]) {
    policy.valid_range = CapacityPolicy::Range{.min = read_optional_quantity(range["min"]),
                                               .max = read_optional_quantity(range["max"]),
                                               .step = read_optional_quantity(range["step"])};
  }
  return policy;
}

DeviceCapacity read_capacity(Field field) {
  DeviceCapacity capacity;
  capacity.value = read_quantity(field["value"]);
  if (const auto policy = field["requestPolicy"]) capacity.policy = read_policy(policy);
  return capacity;
}

void read_counters(Field field, ByName<Quantity>& counters) {
  read_by_name(field, counters, [](Field item) {
    Quantity value;
    item["value"].into(value);
    return value;
  });
}

CounterSet read_counter_set(Field field, std::string_view name) {
  CounterSet set;
  field[name].into(set.name);
  read_counters(field["counters"], set.counters);
  return set;
}

DeviceNodes read_nodes(Field field) {
  DeviceNodes nodes;
  field["nodeName"].into(nodes.name);
  if (const auto selector = field["nodeSelector"]) nodes.selector = detail::read_node_selector(selector);
  field["allNodes"].into(nodes.all);
  return nodes;
}

Device read_device(Field field) {
  Device device;
  field["name"].into(device.name);
  read_by_name(field["attributes"], device.attributes, read_attribute);
  read_by_name(field["capacity"], device.capacity, read_capacity);
  field["consumesCounters"].list(device.consumes_counters, [&](Field item) {
    device.has_compatibility_groups |= item["compatibilityGroups"].size() > 0;
    return read_counter_set(item, "counterSet");
  });
  device.nodes = read_nodes(field);
  field["taints"].list(device.taints, read_device_taint);
  field["bindsToNode"].into(device.binds_to_node);
  field["bindingConditions"].into(device.binding_conditions);
  field["bindingFailureConditions"].into(device.binding_failure_conditions);
  field["allowMultipleAllocations"].into(device.allow_multiple_allocations);
  return device;
}

// --- claims ---

ExactRequest read_exact(Field field) {
  ExactRequest request;
  field["deviceClassName"].into(request.device_class);
  read_selectors(field["selectors"], request.selectors);
  const auto mode = field["allocationMode"].text();
  if (mode == "All") {
    request.mode = ExactRequest::Mode::all;
  } else if (!mode.empty() && mode != "ExactCount") {
    request.mode = ExactRequest::Mode::other;
  }
  field["count"].into(request.count);
  if (request.count == 0) request.count = 1;  // as the API server's default
  field["adminAccess"].into(request.admin_access);
  field["tolerations"].list(request.tolerations, read_device_toleration);
  read_by_name(field["capacity"]["requests"], request.capacity, read_quantity);
  return request;
}

DeviceRequest read_request(Field field) {
  DeviceRequest request;
  field["name"].into(request.name);
  if (const auto exactly = field["exactly"]) request.exactly = read_exact(exactly);
  field["firstAvailable"].list(request.first_available, [](Field item) {
    return DeviceSubRequest{.name = std::string(item["name"].text()), .request = read_exact(item)};
  });
  return request;
}

ClaimSpec read_claim_spec(Field field) {
  ClaimSpec spec;
  const auto devices = field["devices"];
  devices["requests"].list(spec.requests, read_request);
  devices["constraints"].list(spec.constraints, [](Field item) {
    DeviceConstraint constraint;
    item["requests"].into(constraint.requests);
    item["matchAttribute"].into(constraint.match_attribute);
    item["distinctAttribute"].into(constraint.distinct_attribute);
    return constraint;
  });
  devices["config"].list(spec.config, [](Field item) {
    ClaimConfiguration config{.requests = {}, .opaque = read_configuration(item)};
    item["requests"].into(config.requests);
    return config;
  });
  return spec;
}

AllocatedDevice read_allocated_device(Field field) {
  AllocatedDevice device;
  field["request"].into(device.request);
  field["driver"].into(device.driver);
  field["pool"].into(device.pool);
  field["device"].into(device.device);
  field["adminAccess"].into(device.admin_access);
  field["tolerations"].list(device.tolerations, read_device_toleration);
  field["bindingConditions"].into(device.binding_conditions);
  field["bindingFailureConditions"].into(device.binding_failure_conditions);
  field["shareID"].into(device.share_id);
  read_by_name(field["consumedCapacity"], device.consumed_capacity, read_quantity);
  device.skips_node_operations = field["skipNodeOperations"].size() > 0;
  return device;
}

Allocation read_allocation(Field field) {
  Allocation allocation;
  const auto devices = field["devices"];
  devices["results"].list(allocation.results, read_allocated_device);
  devices["config"].list(allocation.config, [](Field item) {
    AllocatedConfiguration config{.from_class = item["source"].text() == "FromClass",
                                  .requests = {},
                                  .opaque = read_configuration(item)};
    item["requests"].into(config.requests);
    return config;
  });
  if (const auto selector = field["nodeSelector"]) {
    allocation.node_selector = detail::read_node_selector(selector);
  }
  field["allocationTimestamp"].into(allocation.timestamp);
  return allocation;
}

ClaimStatus read_claim_status(Field field) {
  ClaimStatus status;
  if (const auto allocation = field["allocation"]) status.allocation = read_allocation(allocation);
  field["reservedFor"].list(status.reserved_for, [](Field item) {
    ClaimConsumer consumer;
    item["apiGroup"].into(consumer.api_group);
    item["resource"].into(consumer.resource);
    item["name"].into(consumer.name);
    item["uid"].into(consumer.uid);
    return consumer;
  });
  field["devices"].list(status.devices, [](Field item) {
    AllocatedDeviceStatus device;
    item["driver"].into(device.driver);
    item["pool"].into(device.pool);
    item["device"].into(device.device);
    item["shareID"].into(device.share_id);
    item["conditions"].list(device.conditions, detail::read_condition);
    device.rest = item["data"].json() + item["networkData"].json();
    return device;
  });
  return status;
}

}  // namespace

Result<ResourceSlice> decode_resource_slice(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  ResourceSlice slice;
  slice.meta = detail::read_meta(root["metadata"], Annotations::left_out);
  const auto spec = root["spec"];
  spec["driver"].into(slice.driver);
  spec["pool"]["name"].into(slice.pool.name);
  spec["pool"]["generation"].into(slice.pool.generation);
  spec["pool"]["resourceSliceCount"].into(slice.pool.slice_count);
  slice.nodes = read_nodes(spec);
  spec["perDeviceNodeSelection"].into(slice.per_device_node_selection);
  spec["devices"].list(slice.devices, read_device);
  spec["sharedCounters"].list(slice.shared_counters,
                              [](Field item) { return read_counter_set(item, "name"); });
  return reader.finish(std::move(slice));
}

Result<DeviceTaintRule> decode_device_taint_rule(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  DeviceTaintRule rule;
  rule.meta = detail::read_meta(root["metadata"], Annotations::left_out);
  const auto spec = root["spec"];
  if (const auto selector = spec["deviceSelector"]) {
    auto& selects = rule.selector.emplace();
    selector["driver"].into(selects.driver);
    selector["pool"].into(selects.pool);
    selector["device"].into(selects.device);
  }
  rule.taint = read_device_taint(spec["taint"]);
  return reader.finish(std::move(rule));
}

Result<DeviceClass> decode_device_class(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  DeviceClass device_class;
  device_class.meta = detail::read_meta(root["metadata"], Annotations::left_out);
  const auto spec = root["spec"];
  read_selectors(spec["selectors"], device_class.selectors);
  spec["config"].list(device_class.config, read_configuration);
  spec["extendedResourceName"].into(device_class.extended_resource_name);
  return reader.finish(std::move(device_class));
}

Result<ResourceClaim> decode_resource_claim(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  ResourceClaim claim;
  claim.meta = detail::read_meta(root["metadata"], Annotations::kept);
  root["metadata"]["finalizers"].each(
      [&](Field item) { claim.has_finalizer |= item.text() == kClaimFinalizer; });
  claim.spec = read_claim_spec(root["spec"]);
  claim.status = read_claim_status(root["status"]);
  return reader.finish(std::move(claim));
}

Result<ResourceClaimTemplate> decode_resource_claim_template(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  ResourceClaimTemplate made;
  made.meta = detail::read_meta(root["metadata"], Annotations::left_out);
  made.claim_meta = detail::read_meta(root["spec"]["metadata"], Annotations::kept);
  made.spec = read_claim_spec(root["spec"]["spec"]);
  return reader.finish(std::move(made));
}

}  // namespace podium::api
