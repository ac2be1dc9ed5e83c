#include "scheduler/devices/tally.h"

namespace podium::devices {

void Tally::name(std::size_t request, std::string claim, std::string name) {
  if (request == counts_.size()) counts_.push_back({.claim = std::move(claim), .request = std::move(name)});
}

void Tally::count(std::size_t request, const api::Device& device, bool is_shared, Device state) {
  if (is_shared && !shared_.emplace(request, &device).second) return;
  auto& counts = counts_[request];
  ++counts.matched;
  if (state == Device::in_use) ++counts.in_use;
  if (state == Device::tainted) ++counts.tainted;
  if (state == Device::too_small) ++counts.too_small;
}

}  // namespace podium::devices
