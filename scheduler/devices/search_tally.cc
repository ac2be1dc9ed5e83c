// The part of Search that counts devices for reports.
#include <algorithm>

#include "scheduler/devices/search.h"
#include "scheduler/devices/taints.h"

namespace podium::devices {

bool Search::has_counters(Location at) {
  const auto& device = device_at(at);
  if (device.consumes_counters.empty()) return true;
  if (!features().partitionable) return false;
  if (!owes_counters(at)) return true;
  auto& counters = counters_of(at.pool);
  if (!counters.take(device)) return false;
  counters.give_back(device);
  return true;
}

Tally::Device Search::state_of(WantedDevices& wanted, std::uint32_t claim, Location at) {
  if (!is_usable_by(wanted, claim, at)) return Tally::Device::in_use;
  if (features().taints && (is_tainted(device_at(at), wanted.asked->tolerations) || rule_against(wanted, at)))
    return Tally::Device::tainted;
  return has_capacity(wanted, at).value_or(false) && has_counters(at) ? Tally::Device::free
                                                                      : Tally::Device::too_small;
}

// A device whose selector fails counts as not chosen: the search did not reach it, or the attempt has failed.
void Search::tally(std::size_t request, const WantedClaim& claim, WantedDevices& wanted,
                   std::uint32_t claim_index, Tally& to) {
  for (std::uint32_t p = 0; p < node_pools_.pools.size(); ++p) {
    const auto& pool = *node_pools_.pools[p];
    if (!pool.is_usable()) continue;
    for (std::uint32_t s = 0; s < pool.slices.size(); ++s) {
      const auto& slice = *pool.slices[s];
      for (std::uint32_t d = 0; d < slice.devices().size(); ++d) {
        if (!steps_->spend()) return;
        if (is_selectable(claim, wanted, slice, d) != Step::found) continue;
        const auto state = state_of(wanted, claim_index, {p, s, d});
        const bool by_rule =
            state == Tally::Device::tainted && !is_tainted(slice.devices()[d], wanted.asked->tolerations);
        to.count(request, slice.devices()[d], !slice.slice().nodes.name, state,
                 by_rule ? rule_against(wanted, {p, s, d})->meta.name : std::string_view());
      }
    }
  }
}

void Search::tally(const api::Node& node, Tally& to) {
  if (!start(node, to.steps())) return;
  to.begin(node.meta.name);
  std::size_t request = 0;
  for (std::uint32_t i = 0; i < claims_.size(); ++i) {
    auto& claim = claims_[i];
    for (auto& alternatives : claim.requests) {
      for (auto& wanted : alternatives) {
        to.name(request, claim.claim->meta.name, wanted.full_name(),
                wanted.wants_all()
                    ? 0
                    : static_cast<std::size_t>(std::max<std::int64_t>(0, wanted.asked->count)));
        if (wanted.fault.empty()) tally(request, claim, wanted, i, to);
        ++request;
      }
    }
  }
}

}  // namespace podium::devices
