#include "scheduler/devices/tally.h"

#include <algorithm>

namespace podium::devices {

void Tally::name(std::size_t request, std::string claim, std::string name) {
  if (request == counts_.size()) counts_.push_back({.claim = std::move(claim), .request = std::move(name)});
}

void Tally::count(std::size_t request, const api::Device& device, bool is_shared, Device state,
                  std::string_view rule) {
  if (is_shared && !shared_.emplace(request, &device).second) return;
  auto& counts = counts_[request];
  ++counts.matched;
  if (state == Device::in_use) ++counts.in_use;
  if (state == Device::tainted) ++counts.tainted;
  if (state == Device::too_small) ++counts.too_small;
  auto& rules = counts.taint_rules;
  if (!rule.empty() && rules.size() < framework::DeviceTally::kRules &&
      std::ranges::find(rules, rule) == rules.end())
    rules.emplace_back(rule);
}

}  // namespace podium::devices
