#include "scheduler/plugins/dynamic_resources/claim_json.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <string_view>

#include "base/time.h"

namespace podium::plugins {
namespace {

namespace json = boost::json;

void put_list(json::object& target, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  json::array list;
  for (const auto& text : texts) list.emplace_back(text);
  target[name] = std::move(list);
}

std::string_view text_of(api::DeviceTaintEffect effect) {
  switch (effect) {
    case api::DeviceTaintEffect::no_schedule:
      return "NoSchedule";
    case api::DeviceTaintEffect::no_execute:
      return "NoExecute";
    default:
      return "None";
  }
}

json::object to_json(const api::DeviceToleration& toleration) {
  json::object out;
  if (!toleration.key.empty()) out["key"] = toleration.key;
  out["operator"] = toleration.op == api::DeviceToleration::Op::exists ? "Exists" : "Equal";
  if (!toleration.value.empty()) out["value"] = toleration.value;
  if (toleration.effect) out["effect"] = text_of(*toleration.effect);
  if (toleration.seconds) out["tolerationSeconds"] = *toleration.seconds;
  return out;
}

json::object to_json(const api::AllocatedDevice& device) {
  json::object out{{"request", device.request},
                   {"driver", device.driver},
                   {"pool", device.pool},
                   {"device", device.device}};
  if (device.admin_access) out["adminAccess"] = true;
  if (!device.tolerations.empty()) {
    json::array tolerations;
    for (const auto& toleration : device.tolerations) tolerations.push_back(to_json(toleration));
    out["tolerations"] = std::move(tolerations);
  }
  put_list(out, "bindingConditions", device.binding_conditions);
  put_list(out, "bindingFailureConditions", device.binding_failure_conditions);
  if (device.share_id) out["shareID"] = *device.share_id;
  if (!device.consumed_capacity.empty()) {
    json::object consumed;
    for (const auto& [name, amount] : device.consumed_capacity) consumed[name] = amount.text;
    out["consumedCapacity"] = std::move(consumed);
  }
  return out;
}

// Parameters were read from JSON, so they can be parsed; free text would be a string.
json::value parameters_of(const std::string& text) {
  boost::system::error_code failed;
  auto value = json::parse(text, failed);
  return failed ? json::value(text) : std::move(value);
}

json::object to_json(const api::AllocatedConfiguration& config) {
  json::object out{{"source", config.from_class ? "FromClass" : "FromClaim"}};
  put_list(out, "requests", config.requests);
  out["opaque"] =
      json::object{{"driver", config.opaque.driver}, {"parameters", parameters_of(config.opaque.parameters)}};
  return out;
}

void put_requirements(json::object& term, std::string_view name,
                      const std::vector<api::Requirement>& requirements) {
  if (requirements.empty()) return;
  json::array out;
  for (const auto& requirement : requirements) {
    json::object one{{"key", requirement.key}, {"operator", requirement.op_text()}};
    put_list(one, "values", requirement.values);
    out.push_back(std::move(one));
  }
  term[name] = std::move(out);
}

json::object to_json(const std::vector<api::NodeSelectorTerm>& terms) {
  json::array out;
  for (const auto& term : terms) {
    json::object one;
    put_requirements(one, "matchExpressions", term.match_expressions);
    put_requirements(one, "matchFields", term.match_fields);
    out.push_back(std::move(one));
  }
  return {{"nodeSelectorTerms", std::move(out)}};
}

}  // namespace

json::object allocation_json(const api::Allocation& allocation) {
  json::object devices;
  json::array results, configs;
  for (const auto& device : allocation.results) results.push_back(to_json(device));
  for (const auto& config : allocation.config) configs.push_back(to_json(config));
  if (!results.empty()) devices["results"] = std::move(results);
  if (!configs.empty()) devices["config"] = std::move(configs);
  json::object out{{"devices", std::move(devices)}};
  if (allocation.node_selector) out["nodeSelector"] = to_json(*allocation.node_selector);
  if (allocation.timestamp) out["allocationTimestamp"] = format_time(*allocation.timestamp);
  return out;
}

framework::ObjectWrite write_to(const api::ResourceClaim& claim) {
  framework::ObjectWrite write;
  write.group = "resource.k8s.io";
  write.resource = "resourceclaims";
  write.namespace_ = claim.meta.namespace_;
  write.name = claim.meta.name;
  write.uid = claim.meta.uid;
  return write;
}

framework::ObjectWrite removal_of(const api::ResourceClaim& claim) {
  auto write = write_to(claim);
  write.verb = framework::ObjectWrite::Verb::remove;
  json::object metadata{{"$deleteFromPrimitiveList/finalizers", json::array{api::kClaimFinalizer}}};
  write.patch = json::object{{"metadata", std::move(metadata)}};
  return write;
}

framework::ObjectWrite creation_of(const api::ResourceClaim& claim, const api::Pod& pod) {
  auto write = write_to(claim);
  write.verb = framework::ObjectWrite::Verb::create;
  write.name.clear();
  write.uid.clear();
  json::object owner{{"apiVersion", "v1"},
                     {"kind", "Pod"},
                     {"name", pod.meta.name},
                     {"uid", pod.meta.uid},
                     {"controller", true}};
  json::object metadata{{"namespace", pod.meta.namespace_},
                        {"generateName", pod.meta.name + "-extended-resources-"},
                        {"annotations", json::object{{kExtendedClaimAnnotation, "true"}}},
                        {"ownerReferences", json::array{std::move(owner)}}};
  json::array requests;
  for (const auto& request : claim.spec.requests) {
    json::object exactly{{"deviceClassName", request.exactly->device_class},
                         {"allocationMode", "ExactCount"},
                         {"count", request.exactly->count}};
    requests.push_back(json::object{{"name", request.name}, {"exactly", std::move(exactly)}});
  }
  json::object devices;
  if (!requests.empty()) devices["requests"] = std::move(requests);
  write.patch = json::object{{"apiVersion", "resource.k8s.io/v1"},
                             {"kind", "ResourceClaim"},
                             {"metadata", std::move(metadata)},
                             {"spec", json::object{{"devices", std::move(devices)}}}};
  return write;
}

framework::ObjectWrite status_with_claim(const api::ResourceClaim& claim, const ExtendedMappings& mappings,
                                         const api::Pod& pod) {
  framework::ObjectWrite write;
  write.verb = framework::ObjectWrite::Verb::strategic;
  write.resource = "pods";
  write.subresource = "status";
  write.namespace_ = pod.meta.namespace_;
  write.name = pod.meta.name;
  write.uid = pod.meta.uid;
  json::array list;
  for (const auto& [container, resource, request] : mappings) {
    list.push_back(
        json::object{{"containerName", container}, {"resourceName", resource}, {"requestName", request}});
  }
  json::object mention{{"requestMappings", std::move(list)}, {"resourceClaimName", claim.meta.name}};
  json::object status{{"extendedResourceClaimStatus", std::move(mention)}};
  write.patch = json::object{{"status", std::move(status)}};
  return write;
}

}  // namespace podium::plugins
