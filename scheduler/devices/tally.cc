#include "scheduler/devices/tally.h"

#include <algorithm>

namespace podium::devices {

void Tally::begin(std::string node) {
  node_ = std::move(node);
  std::ranges::fill(free_, 0);
}

void Tally::name(std::size_t request, std::string claim, std::string name, std::size_t wanted) {
  if (request != counts_.size()) return;
  counts_.push_back({.claim = std::move(claim), .request = std::move(name), .wanted = wanted});
  free_.push_back(0);
}

void Tally::count_free(std::size_t request) {
  auto& counts = counts_[request];
  const auto here = ++free_[request];
  if (here < counts.most_free || (here == counts.most_free && counts.most_free_node <= node_)) return;
  counts.most_free = here;
  counts.most_free_node = node_;
}

void Tally::count(std::size_t request, const api::Device& device, bool is_shared, Device state,
                  std::string_view rule) {
  if (state == Device::free) count_free(request);
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
