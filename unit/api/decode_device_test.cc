// Decoding of ResourceSlice, DeviceClass, ResourceClaim and ResourceClaimTemplate.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "api/decode/decode.h"
#include "api/values/device.h"
#include "base/time.h"
#include "unit/support/builders.h"

namespace podium::api::decode_device_test {
namespace {

using boost::json::parse;

template <typename T>
T decode(Result<T> (*decoder)(const boost::json::value&), std::string_view text) {
  const auto object = decoder(parse(text));
  EXPECT_TRUE(object) << object.error().message;
  return object ? *object : T();
}

WrittenQuantity written(const std::string& text) { return {test::quantity(text), text}; }

TEST(DecodeDevice, ASliceWithAllItsFields) {
  const auto slice = decode(decode_resource_slice, R"({
    "metadata": {"name": "s", "uid": "u"},
    "spec": {
      "driver": "gpu.example.com", "nodeName": "n1",
      "pool": {"name": "p", "generation": 3, "resourceSliceCount": 2},
      "sharedCounters": [{"name": "set", "counters": {"memory": {"value": "40Gi"}, "cores": {"value": "8"}}}],
      "devices": [{
        "name": "gpu-0",
        "attributes": {"model": {"string": "a"}, "example.com/index": {"int": 4}, "fast": {"bool": true},
                       "driver": {"version": "1.2.3"}, "ints": {"ints": [1, -2]}, "bools": {"bools": []}, "strings": {"strings": ["a"]},
                       "versions": {"versions": ["1.0.0"]}, "new": {"complex": 1}},
        "capacity": {
          "memory": {"value": "8Gi", "requestPolicy": {"default": "1Gi", "validRange": {"min": "1Gi", "step": "512Mi"}}},
          "engines": {"value": 2, "requestPolicy": {"validValues": ["1", "2000m"]}}},
        "consumesCounters": [{"counterSet": "set", "counters": {"memory": {"value": "10Gi"}},
                              "compatibilityGroups": ["a"]}],
        "taints": [{"key": "broken", "value": "yes", "effect": "NoExecute", "timeAdded": "2026-01-02T03:04:05Z"},
                   {"key": "unknown", "effect": "None"}, {"key": "new", "effect": "Perhaps"}],
        "bindsToNode": true, "bindingConditions": ["ready"], "bindingFailureConditions": ["broken"],
        "allowMultipleAllocations": true}]}})");
  ResourceSlice expected;
  expected.meta.name = "s";
  expected.meta.uid = "u";
  expected.driver = "gpu.example.com";
  expected.pool = {"p", 3, 2};
  expected.nodes.name = "n1";
  expected.shared_counters = {{"set", {{"cores", test::quantity("8")}, {"memory", test::quantity("40Gi")}}}};
  Device device;
  device.name = "gpu-0";
  device.attributes = {{"bools", AttributeList<bool>{}},
                       {"driver", SemanticVersion{"1.2.3"}},
                       {"example.com/index", std::int64_t{4}},
                       {"fast", true},
                       {"ints", AttributeList<std::int64_t>{{1, -2}}},
                       {"model", std::string("a")},
                       {"new", std::monostate()},
                       {"strings", AttributeList<std::string>{{"a"}}},
                       {"versions", AttributeList<SemanticVersion>{{{"1.0.0"}}}}};
  CapacityPolicy of_engines, of_memory;
  of_engines.valid_values = {written("1"), written("2000m")};
  of_memory.fallback = written("1Gi");
  of_memory.valid_range = CapacityPolicy::Range{written("1Gi"), std::nullopt, written("512Mi")};
  device.capacity = {{"engines", {written("2"), of_engines}}, {"memory", {written("8Gi"), of_memory}}};
  device.consumes_counters = {{"set", {{"memory", test::quantity("10Gi")}}}};
  device.has_compatibility_groups = true;
  device.taints = {{"broken", "yes", DeviceTaintEffect::no_execute, parse_time("2026-01-02T03:04:05Z")},
                   {"unknown", "", DeviceTaintEffect::none},
                   {"new", "", DeviceTaintEffect::other}};
  device.binds_to_node = true;
  device.binding_conditions = {"ready"};
  device.binding_failure_conditions = {"broken"};
  device.allow_multiple_allocations = true;
  expected.devices = {device};
  EXPECT_EQ(slice, expected);
}

TEST(DecodeDevice, TheNodesOfASliceAndOfItsDevices) {
  const auto nodes = [](std::string_view fields) {
    return decode(decode_resource_slice, fmt::format(R"({{"spec": {{{}}}}})", fields)).nodes;
  };
  EXPECT_EQ(nodes(""), DeviceNodes());
  EXPECT_TRUE(nodes(R"("allNodes": true)").all);
  const auto selected = nodes(R"("nodeSelector": {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]})");
  EXPECT_EQ(selected.selector, (std::vector{test::node_term({test::in("zone", {"a"})})}));
  const auto slice = decode(decode_resource_slice, R"({"spec": {"perDeviceNodeSelection": true,
    "devices": [{"name": "a", "nodeName": "n1"}, {"name": "b", "allNodes": true}]}})");
  EXPECT_TRUE(slice.per_device_node_selection);
  EXPECT_EQ(slice.devices.at(0).nodes.name, "n1");
  EXPECT_TRUE(slice.devices.at(1).nodes.all);
}

TEST(DecodeDevice, ATaintRule) {
  const auto rule = decode(decode_device_taint_rule, R"({
    "metadata": {"name": "r"},
    "spec": {"deviceSelector": {"driver": "d", "device": "x"},
             "taint": {"key": "k", "value": "v", "effect": "NoSchedule", "timeAdded": "2026-01-02T03:04:05Z"}},
    "status": {"conditions": [{"type": "EvictionInProgress"}]}})");
  DeviceTaintRule expected;
  expected.meta.name = "r";
  expected.selector = DeviceTaintSelector{.driver = "d", .device = "x"};
  expected.taint = {"k", "v", DeviceTaintEffect::no_schedule, parse_time("2026-01-02T03:04:05Z")};
  EXPECT_EQ(rule, expected);
  EXPECT_EQ(decode(decode_device_taint_rule, R"({"spec": {"taint": {}}})").selector, std::nullopt);
  EXPECT_EQ(decode(decode_device_taint_rule, R"({"spec": {"deviceSelector": {}}})").selector,
            DeviceTaintSelector());
  const auto wrong = decode_device_taint_rule(parse(R"({"spec": {"deviceSelector": {"pool": 5}}})"));
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("spec.deviceSelector.pool"), std::string::npos);
}

TEST(DecodeDevice, AClass) {
  const auto kind = decode(decode_device_class, R"({
    "metadata": {"name": "gpu", "creationTimestamp": "2026-01-02T03:04:05Z"},
    "spec": {"selectors": [{"cel": {"expression": "device.driver == 'gpu'"}}, {"cel": {"expression": "true"}}],
             "config": [{"opaque": {"driver": "gpu.example.com", "parameters": {"b": 1, "a": [true]}}}],
             "extendedResourceName": "example.com/gpu"}})");
  EXPECT_EQ(kind.selectors, (std::vector<std::string>{"device.driver == 'gpu'", "true"}));
  EXPECT_EQ(kind.config, (std::vector<DeviceConfiguration>{{"gpu.example.com", R"({"b":1,"a":[true]})"}}));
  EXPECT_EQ(kind.extended_resource_name, "example.com/gpu");
  EXPECT_EQ(kind.meta.created, parse_time("2026-01-02T03:04:05Z"));
}

constexpr std::string_view kSpec = R"({"devices": {
  "requests": [
    {"name": "one", "exactly": {"deviceClassName": "gpu", "selectors": [{"cel": {"expression": "true"}}],
       "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule",
                        "tolerationSeconds": 5}, {"operator": "Exists"}],
       "capacity": {"requests": {"memory": "1Gi", "bandwidth": "1000000000"}}}},
    {"name": "all", "exactly": {"deviceClassName": "nic", "allocationMode": "All", "adminAccess": true}},
    {"name": "other", "firstAvailable": [
       {"name": "big", "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2},
       {"name": "odd", "deviceClassName": "gpu", "allocationMode": "Some"}]}],
  "constraints": [{"requests": ["one", "other/big"], "matchAttribute": "example.com/numa"},
                  {"distinctAttribute": "example.com/card"}],
  "config": [{"requests": ["one"], "opaque": {"driver": "gpu.example.com", "parameters": {"x": 1}}}]}})";

ClaimSpec spec() {
  ExactRequest one, all, big, odd;
  one.device_class = "gpu";
  one.selectors = {"true"};
  one.tolerations = {{"k", "v", DeviceToleration::Op::equal, DeviceTaintEffect::no_schedule, 5},
                     {"", "", DeviceToleration::Op::exists, std::nullopt, std::nullopt}};
  one.capacity = {{"bandwidth", written("1000000000")}, {"memory", written("1Gi")}};
  all.device_class = "nic";
  all.mode = ExactRequest::Mode::all;
  all.admin_access = true;
  big.device_class = odd.device_class = "gpu";
  big.count = 2;
  odd.mode = ExactRequest::Mode::other;
  ClaimSpec out;
  out.requests = {{"one", one, {}}, {"all", all, {}}, {"other", std::nullopt, {{"big", big}, {"odd", odd}}}};
  out.constraints = {{{"one", "other/big"}, "example.com/numa", std::nullopt},
                     {{}, std::nullopt, "example.com/card"}};
  out.config = {{{"one"}, {"gpu.example.com", R"({"x":1})"}}};
  return out;
}

TEST(DecodeDevice, AClaimsSpecWithTheApiServersDefaults) {
  const auto claim = decode(decode_resource_claim, fmt::format(R"({{"spec": {}}})", kSpec));
  EXPECT_EQ(claim.spec, spec());
  EXPECT_EQ(claim.spec.requests.at(0).exactly->count, 1) << "where none is given";
  EXPECT_FALSE(claim.has_finalizer);
}

TEST(DecodeDevice, ATemplateHasTheClaimsLabels) {
  const auto made = decode(decode_resource_claim_template,
                           fmt::format(R"({{"metadata": {{"name": "t", "namespace": "shop"}},
    "spec": {{"metadata": {{"labels": {{"a": "b"}}}}, "spec": {}}}}})",
                                       kSpec));
  EXPECT_EQ(made.meta.name, "t");
  EXPECT_EQ(made.claim_meta.labels, (Labels{{"a", "b"}}));
  EXPECT_EQ(made.spec, spec());
}

TEST(DecodeDevice, AClaimsStatus) {
  const auto claim = decode(decode_resource_claim, R"({
    "metadata": {"name": "c", "namespace": "shop", "finalizers": ["a", "resource.kubernetes.io/delete-protection"]},
    "status": {
      "reservedFor": [{"resource": "pods", "name": "p", "uid": "u-p"},
                      {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g", "uid": "u-g"}],
      "devices": [{"driver": "d", "pool": "p", "device": "x", "shareID": "s",
                   "conditions": [{"type": "ready", "status": "False", "reason": "R", "message": "m",
                                   "lastTransitionTime": "2026-01-02T03:04:05Z"}],
                   "data": {"a": 1}}],
      "allocation": {
        "allocationTimestamp": "2026-01-02T03:04:05Z",
        "nodeSelector": {"nodeSelectorTerms": [
          {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]},
        "devices": {
          "results": [{"request": "r/s", "driver": "d", "pool": "p", "device": "x", "adminAccess": true,
                       "tolerations": [{"operator": "Exists"}], "bindingConditions": ["ready"],
                       "bindingFailureConditions": ["broken"], "shareID": "s",
                       "consumedCapacity": {"memory": "1Gi", "cores": "1"}}],
          "config": [{"source": "FromClass", "requests": ["r"], "opaque": {"driver": "d", "parameters": {}}},
                     {"source": "FromClaim", "opaque": {"driver": "d", "parameters": []}}]}}}})");
  EXPECT_TRUE(claim.has_finalizer);
  EXPECT_EQ(
      claim.status.reserved_for,
      (std::vector<ClaimConsumer>{{"", "pods", "p", "u-p"}, {"scheduling.k8s.io", "podgroups", "g", "u-g"}}));
  AllocatedDeviceStatus status{.driver = "d", .pool = "p", .device = "x", .share_id = "s"};
  status.conditions = {{"ready", "False", "R", "m"}};
  status.rest = R"({"a":1})";
  EXPECT_EQ(claim.status.devices, std::vector{status});
  AllocatedDevice result{.request = "r/s", .driver = "d", .pool = "p", .device = "x", .admin_access = true};
  result.tolerations = {{"", "", DeviceToleration::Op::exists, std::nullopt, std::nullopt}};
  result.binding_conditions = {"ready"};
  result.binding_failure_conditions = {"broken"};
  result.share_id = "s";
  result.consumed_capacity = {{"cores", written("1")}, {"memory", written("1Gi")}};
  Allocation allocation;
  allocation.results = {result};
  allocation.config = {{true, {"r"}, {"d", "{}"}}, {false, {}, {"d", "[]"}}};
  NodeSelectorTerm term;
  term.match_fields = {test::in("metadata.name", {"n1"})};
  allocation.node_selector = std::vector{term};
  allocation.timestamp = parse_time("2026-01-02T03:04:05Z");
  EXPECT_EQ(claim.status.allocation, allocation);
}

TEST(DecodeDevice, AClaimWithoutAStatusIsNotAllocated) {
  EXPECT_EQ(decode(decode_resource_claim, R"({"metadata": {"name": "c"}})").status, ClaimStatus());
}

TEST(DecodeDevice, AWrongTypeIsNamedByItsPath) {
  const struct {
    std::string_view spec, path;
  } cases[] = {
      {R"({"pool": {"generation": "one"}})", "spec.pool.generation"},
      {R"({"devices": [{"name": 5}]})", "spec.devices[0].name"},
      {R"({"devices": [{"attributes": {"a": {"int": "x"}}}]})", "spec.devices[0].attributes"},
      {R"({"devices": [{"capacity": {"memory": {"value": "much"}}}]})", "spec.devices[0].capacity"},
      {R"({"devices": {}})", "spec.devices"},
      {R"({"sharedCounters": [{"counters": {"a": {"value": []}}}]})", "spec.sharedCounters[0].counters"},
  };
  for (const auto& c : cases) {
    const auto slice = decode_resource_slice(parse(fmt::format(R"({{"spec": {}}})", c.spec)));
    ASSERT_FALSE(slice) << c.spec;
    EXPECT_NE(slice.error().message.find(c.path), std::string::npos) << slice.error().message;
  }
  const auto claim =
      decode_resource_claim(parse(R"({"spec": {"devices": {"requests": [{"exactly": {"count": "two"}}]}}})"));
  ASSERT_FALSE(claim);
  EXPECT_NE(claim.error().message.find("spec.devices.requests[0].exactly.count"), std::string::npos)
      << claim.error().message;
}

TEST(DecodeDevice, APodsClaims) {
  const auto pod = decode(decode_pod, R"({"metadata": {"name": "p"},
    "spec": {"resourceClaims": [{"name": "a", "resourceClaimName": "mine"},
                                {"name": "b", "resourceClaimTemplateName": "t"}]},
    "status": {"resourceClaimStatuses": [{"name": "b", "resourceClaimName": "p-b-x"}, {"name": "c"}],
               "extendedResourceClaimStatus": {"resourceClaimName": "e", "requestMappings": [
                 {"containerName": "main", "resourceName": "example.com/gpu", "requestName": "container-0-request-0"}]}}})");
  EXPECT_EQ(pod.resource_claims,
            (std::vector<PodResourceClaim>{{"a", "mine", std::nullopt}, {"b", std::nullopt, "t"}}));
  EXPECT_EQ(pod.resource_claim_statuses,
            (std::vector<PodResourceClaimStatus>{{"b", "p-b-x"}, {"c", std::nullopt}}));
  EXPECT_EQ(pod.extended_resource_claim,
            (PodExtendedResourceClaim{"e", {{"main", "example.com/gpu", "container-0-request-0"}}}));
}

}  // namespace
}  // namespace podium::api::decode_device_test
