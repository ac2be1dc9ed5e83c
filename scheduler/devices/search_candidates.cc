// The part of Search that prunes branches without a solution.
//
// Upstream tries every choice of devices: a million for a request of 21 with 20 free. But once a request has
// run out of devices, all its candidates were evaluated, so their number is enough to prune.
#include <algorithm>

#include "scheduler/devices/search.h"

namespace podium::devices {

Search::Step Search::list_candidates(Position position, WantedDevices& wanted) {
  wanted.candidates.clear();
  for (std::uint32_t p = 0; p < node_pools_.pools.size(); ++p) {
    const auto& pool = *node_pools_.pools[p];
    if (!pool.is_usable()) continue;
    for (std::uint32_t s = 0; s < pool.slices.size(); ++s) {
      std::vector<std::shared_ptr<Matches>> matches;
      for (const auto& selector : *wanted.selectors) matches.push_back(pool.slices[s]->matches(selector));
      const auto count = static_cast<std::uint32_t>(pool.slices[s]->devices().size());
      for (std::uint32_t d = 0; d < count; ++d) {
        if (!steps_->spend()) return Step::out_of_steps;
        if (could_take(position, wanted, matches, {p, s, d})) wanted.candidates.push_back({p, s, d});
      }
    }
  }
  wanted.has_candidates = true;
  return Step::none;
}

// Given the devices of earlier requests, and none for this one. Evaluates no expression for the first time.
bool Search::could_take(Position position, const WantedDevices& wanted,
                        const std::vector<std::shared_ptr<Matches>>& matches, Location at) const {
  if (is_taken(wanted, position.claim, device_at(at), position.request) ||
      (!wanted.asked->admin_access && is_given_away(at)))
    return false;
  if (std::ranges::any_of(matches, [&](const auto& each) { return each->known(at.device) == Match::no; })) {
    return false;
  }
  const auto& slice = slice_at(at);
  return !slice.slice().per_device_node_selection || node_matches(slice, at.device, *node_).value_or(true);
}

}  // namespace podium::devices
