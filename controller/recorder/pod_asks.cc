#include "controller/recorder/pod_asks.h"

#include <algorithm>
#include <map>

namespace podium::controller {
namespace {

constexpr std::size_t kRequests = 8, kClaims = 4, kLabels = 4;

}  // namespace

PodAsksPtr asks_of(const api::Pod& pod) {
  auto out = std::make_shared<PodAsks>();
  out->created = pod.meta.created;
  std::map<std::string, api::Quantity> sum;
  for (const auto& container : pod.containers) {
    for (const auto& [resource, quantity] : container.requests) {
      auto& so_far = sum[resource];
      so_far = so_far + quantity;
    }
  }
  for (const auto& [resource, quantity] : sum) {
    if (out->requests.size() < kRequests) out->requests.emplace_back(resource, quantity.text());
  }
  for (const auto& claim : pod.resource_claims) {
    if (out->claims.size() < kClaims) out->claims.push_back(claim.name);
  }
  for (const auto& [key, value] : pod.node_selector) {
    if (out->selector.size() < kLabels) out->selector.emplace_back(key, value);
  }
  return out;
}

}  // namespace podium::controller
