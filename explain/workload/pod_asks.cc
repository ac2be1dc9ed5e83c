#include "explain/workload/pod_asks.h"

#include <string_view>

#include "api/values/pod.h"
#include "api/values/quantity.h"
#include "scheduler/cluster/pod_requests.h"
#include "scheduler/cluster/resources.h"

namespace podium::explain {
namespace {

constexpr std::size_t kRequests = 32, kClaims = 16, kLabels = 16;

}  // namespace

PodAsks asks_of(const api::Pod& pod) {
  PodAsks out{.created = pod.meta.created, .workload = workload_of(pod.meta)};
  const auto add = [&](std::string_view resource, api::Quantity amount) {
    if (!amount.is_zero() && out.requests.size() < kRequests)
      out.requests.emplace_back(resource, amount.text());
  };
  const auto requests = cluster::pod_requests(pod, {});
  add("cpu", api::Quantity::from_milli(requests.milli_cpu));
  add("ephemeral-storage", api::Quantity::from_units(requests.ephemeral_storage));
  add("memory", api::Quantity::from_units(requests.memory));
  for (const auto& [resource, amount] : requests.scalars) add(resource, api::Quantity::from_units(amount));
  for (const auto& claim : pod.resource_claims) {
    if (out.claims.size() < kClaims) out.claims.push_back(claim.name);
  }
  for (const auto& [key, value] : pod.node_selector) {
    if (out.selector.size() < kLabels) out.selector.emplace_back(key, value);
  }
  return out;
}

}  // namespace podium::explain
