#include "scheduler/cycle/pod_resources.h"

#include <string>
#include <string_view>
#include <utility>

#include "api/values/defaults.h"
#include "api/values/pod.h"
#include "api/values/resource_names.h"
#include "scheduler/cluster/pod_requests.h"

namespace podium::cycle {
namespace {

using api::Quantity;
using api::ResourceList;

std::string_view unit_of(std::string_view resource) {
  if (resource == "cpu") return "cores";
  if (api::is_in_bytes(resource)) return "bytes";
  return resource.starts_with("attachable-volumes-") ? "integer" : "";
}

double amount_of(const Quantity& quantity) {
  const auto units = quantity.value();
  return quantity == Quantity::from_units(units) ? static_cast<double>(units)
                                                 : static_cast<double>(quantity.milli_value()) / 1000;
}

Quantity* find(ResourceList& list, std::string_view name) {
  for (auto& [listed, amount] : list.write())
    if (listed == name) return &amount;
  return nullptr;
}

// Pod-level resources replace the sums of the containers.
void take_pod_level(ResourceList& sums, const ResourceList& of_pod) {
  for (const auto& [name, amount] : of_pod) {
    if (!api::is_supported_pod_level_resource(name)) continue;
    if (auto* sum = find(sums, name))
      *sum = amount;
    else
      sums.emplace_back(name, amount);
  }
}

ResourceList requests_of(const api::Pod& pod) {
  auto sums = api::aggregate_containers(pod, &api::Container::requests);
  take_pod_level(sums, pod.pod_requests);
  for (const auto& [name, amount] : pod.overhead) {
    if (auto* sum = find(sums, name))
      *sum = *sum + amount;
    else
      sums.emplace_back(name, amount);
  }
  return sums;
}

// Overhead is added to existing limits only.
ResourceList limits_of(const api::Pod& pod) {
  auto sums = api::aggregate_containers(pod, &api::Container::limits);
  take_pod_level(sums, pod.pod_limits);
  for (const auto& [name, amount] : pod.overhead) {
    if (auto* sum = find(sums, name); sum && !sum->is_zero()) *sum = *sum + amount;
  }
  return sums;
}

void add(prometheus::MetricFamily& family, const api::Pod& pod, const ResourceList& amounts) {
  for (const auto& [resource, amount] : amounts) {
    if (amount.is_zero()) continue;
    auto& metric = family.metric.emplace_back();
    metric.label = {{"namespace", pod.meta.namespace_},
                    {"pod", pod.meta.name},
                    {"node", pod.node_name},
                    {"scheduler", pod.scheduler_name},
                    {"priority", pod.priority ? std::to_string(*pod.priority) : ""},
                    {"resource", resource},
                    {"unit", std::string(unit_of(resource))}};
    metric.gauge.value = amount_of(amount);
  }
}

}  // namespace

std::vector<prometheus::MetricFamily> pod_resources(std::span<const cluster::PodInfoPtr> pods) {
  constexpr auto kGauge = prometheus::MetricType::Gauge;
  prometheus::MetricFamily requests{"kube_pod_resource_request",
                                    "Requests of pods, by pod and resource, in the resource's unit.",
                                    kGauge,
                                    {}};
  prometheus::MetricFamily limits{
      "kube_pod_resource_limit", "Limits of pods, by pod and resource, in the resource's unit.", kGauge, {}};
  for (const auto& pod : pods) {
    add(requests, **pod, requests_of(**pod));
    add(limits, **pod, limits_of(**pod));
  }
  std::vector<prometheus::MetricFamily> out;
  for (auto* family : {&requests, &limits}) {
    if (!family->metric.empty()) out.push_back(std::move(*family));
  }
  return out;
}

}  // namespace podium::cycle
