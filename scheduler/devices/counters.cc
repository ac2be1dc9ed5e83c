#include "scheduler/devices/counters.h"

#include <algorithm>
#include <tuple>

namespace podium::devices {

SharedCounters::SharedCounters(const Pool& pool, const cluster::PoolUse* use)
    : pool_(pool), taken_(pool.counters.size()) {
  for (const auto& counter : pool.counters) left_.push_back(counter.value);
  if (!use) return;
  for (const auto* slices : {&pool.slices, &pool.elsewhere}) {
    for (const auto* slice : *slices) {
      if (!slice->consumes_counters()) continue;
      for (const auto& device : slice->devices()) {
        if (!use->find(device.name)) continue;
        each_counter(device, [&](std::size_t i, api::Quantity value) { left_[i] = left_[i] - value; });
      }
    }
  }
}

// f(index, amount) for each counter that the device consumes.
template <typename F>
void SharedCounters::each_counter(const api::Device& device, F&& f) const {
  for (const auto& set : device.consumes_counters) {
    for (const auto& [name, value] : set.counters) {
      const auto at = std::ranges::lower_bound(
          pool_.counters, std::tuple<std::string_view, std::string_view>(set.name, name), {},
          [](const Counter& counter) { return std::tuple(counter.set, counter.name); });
      if (at != pool_.counters.end() && at->set == set.name && at->name == name) {
        f(static_cast<std::size_t>(at - pool_.counters.begin()), value);
      }
    }
  }
}

bool SharedCounters::take(const api::Device& device) {
  each_counter(device, [&](std::size_t i, api::Quantity value) { taken_[i] = taken_[i] + value; });
  for (std::size_t i = 0; i < left_.size(); ++i) {
    if (left_[i] >= taken_[i]) continue;
    give_back(device);
    return false;
  }
  return true;
}

void SharedCounters::give_back(const api::Device& device) {
  each_counter(device, [&](std::size_t i, api::Quantity value) { taken_[i] = taken_[i] - value; });
}

void SharedCounters::clear() { std::ranges::fill(taken_, api::Quantity()); }

}  // namespace podium::devices
