// podium_device_answers: chooses devices for claims with podium's allocator, for e2e/devices/run.
//
// Reads cases as JSON lines (e2e/oracle/devices says what is in one) and writes for each a line: a list with
// an answer for each node.
#include <boost/json.hpp>
#include <iostream>
#include <map>
#include <string>

#include "api/decode/decode.h"
#include "api/values/node.h"
#include "scheduler/devices/allocator.h"

namespace {

namespace json = boost::json;
using namespace podium;

// The objects of a list; what cannot be read ends the program.
template <typename Decode>
auto read(const json::object& from, std::string_view name, Decode decode) {
  using T = typename decltype(decode(json::value()))::value_type;
  std::vector<std::shared_ptr<const T>> objects;
  const auto* list = from.if_contains(name);
  if (!list || !list->is_array()) return objects;
  for (const auto& each : list->as_array()) {
    auto object = decode(each);
    if (!object) {
      std::cerr << name << ": " << object.error().message << '\n';
      std::exit(2);
    }
    objects.push_back(std::make_shared<const T>(std::move(*object)));
  }
  return objects;
}

json::array texts(const std::vector<std::string>& list) { return json::array(list.begin(), list.end()); }

// As Go writes the API's types: what is empty is left out.
void put(json::object& to, std::string_view name, json::value value) {
  const bool empty = (value.is_string() && value.as_string().empty()) ||
                     (value.is_array() && value.as_array().empty()) ||
                     (value.is_object() && value.as_object().empty());
  if (!empty) to[name] = std::move(value);
}

json::value toleration(const api::DeviceToleration& each) {
  json::object object;
  put(object, "key", json::string(each.key));
  put(object, "operator", each.op == api::DeviceToleration::Op::exists ? "Exists" : "Equal");
  put(object, "value", json::string(each.value));
  if (each.effect) {
    put(object, "effect", *each.effect == api::DeviceTaintEffect::no_execute ? "NoExecute" : "NoSchedule");
  }
  return object;
}

json::value result(const api::AllocatedDevice& each) {
  json::object object{
      {"request", each.request}, {"driver", each.driver}, {"pool", each.pool}, {"device", each.device}};
  if (each.admin_access) object["adminAccess"] = true;
  json::array tolerations;
  for (const auto& one : each.tolerations) tolerations.push_back(toleration(one));
  put(object, "tolerations", tolerations);
  put(object, "bindingConditions", texts(each.binding_conditions));
  put(object, "bindingFailureConditions", texts(each.binding_failure_conditions));
  if (each.share_id) object["shareID"] = *each.share_id;
  json::object consumed;
  for (const auto& [name, amount] : each.consumed_capacity) consumed[name] = amount.text;
  put(object, "consumedCapacity", consumed);
  return object;
}

json::value configuration(const api::AllocatedConfiguration& each) {
  json::object object{{"source", each.from_class ? "FromClass" : "FromClaim"}};
  put(object, "requests", texts(each.requests));
  if (!each.opaque.driver.empty()) {
    const auto& text = each.opaque.parameters;
    object["opaque"] = {{"driver", each.opaque.driver},
                        {"parameters", text.empty() ? json::value() : json::parse(text)}};
  }
  return object;
}

json::array requirements(const std::vector<api::Requirement>& list) {
  static constexpr const char* kOps[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "?"};
  json::array array;
  for (const auto& each : list) {
    json::object object{{"key", each.key}, {"operator", kOps[static_cast<int>(each.op)]}};
    put(object, "values", texts(each.values));
    array.push_back(object);
  }
  return array;
}

json::value allocation(const api::Allocation& each) {
  json::object devices, object;
  json::array results, config, terms;
  for (const auto& one : each.results) results.push_back(result(one));
  for (const auto& one : each.config) config.push_back(configuration(one));
  put(devices, "results", results);
  put(devices, "config", config);
  object["devices"] = devices;
  if (!each.node_selector) return object;
  for (const auto& term : *each.node_selector) {
    json::object one;
    put(one, "matchExpressions", requirements(term.match_expressions));
    put(one, "matchFields", requirements(term.match_fields));
    terms.push_back(one);
  }
  object["nodeSelector"] = {{"nodeSelectorTerms", terms}};
  return object;
}

devices::DeviceFeatures features(const json::object& from) {
  devices::DeviceFeatures gates;
  const std::map<std::string_view, bool*> known = {{"DRAConsumableCapacity", &gates.consumable_capacity},
                                                   {"DRADeviceBindingConditions", &gates.binding_conditions},
                                                   {"DRADeviceTaints", &gates.taints},
                                                   {"DRAPartitionableDevices", &gates.partitionable},
                                                   {"DRAPrioritizedList", &gates.prioritized_list},
                                                   {"DRAAdminAccess", &gates.admin_access}};
  if (const auto* off = from.if_contains("off")) {
    for (const auto& gate : off->as_array()) *known.at(std::string_view(gate.as_string())) = false;
  }
  return gates;
}

struct Answer {
  const devices::Allocator& allocator;
  const std::string& node;
  json::value operator()(const devices::Solution& solution) const {
    json::array all;
    for (const auto& each : allocator.allocations(solution, node, [] { return "share"; })) {
      all.push_back(allocation(each));
    }
    return json::object{{"allocations", all}};
  }
  json::value operator()(const devices::NoFit& none) const {
    return none.invalid_pools ? json::object{{"invalid", true}} : json::object{{"none", true}};
  }
  json::value operator()(const devices::Failure& failure) const {
    return json::object{{"error", failure.message}};
  }
  json::value operator()(devices::OutOfSteps) const { return json::object{{"error", "out of steps"}}; }
};

json::array answer(const json::object& asked, devices::Selectors& selectors) {
  const auto gates = features(asked);
  const auto classes = read(asked, "classes", api::decode_device_class);
  cluster::DevicesInUse allocated;
  for (const auto& claim : read(asked, "allocated", api::decode_resource_claim)) {
    if (claim->status.allocation) allocated.add(*claim->status.allocation);
  }
  const devices::Inventory inventory(read(asked, "slices", api::decode_resource_slice), gates);
  cluster::TaintRules rules;
  for (const auto& rule : read(asked, "rules", api::decode_device_taint_rule))
    rules.changed(nullptr, rule, [](const auto&) {});
  const auto find_class = [&](std::string_view name) -> const api::DeviceClass* {
    const auto at =
        std::ranges::find(classes, name, [](const auto& each) { return std::string_view(each->meta.name); });
    return at == classes.end() ? nullptr : at->get();
  };
  devices::Allocator allocator(read(asked, "claims", api::decode_resource_claim),
                               {inventory, allocated, selectors, find_class, &rules});
  json::array answers;
  for (const auto& node : read(asked, "nodes", api::decode_node)) {
    devices::StepBudget steps{100'000'000};
    answers.push_back(std::visit(Answer{allocator, node->meta.name}, allocator.allocate(*node, steps)));
  }
  return answers;
}

}  // namespace

int main() {
  devices::Selectors selectors;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << json::serialize(answer(json::parse(line).as_object(), selectors)) << '\n';
  }
}
