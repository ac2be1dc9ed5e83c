#include "scheduler/devices/counters.h"

#include <algorithm>
#include <tuple>

namespace podium::devices {

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

SharedCounters::SharedCounters(const Pool& pool, const cluster::PoolUse* use)
    : pool_(pool), taken_(pool.counters.size()) {
  for (const auto& counter : pool.counters) left_.push_back(counter.value);
  if (use) subtract(*use);
  clear();
}

std::int64_t SharedCounters::steps_of(const Pool& pool) {
  auto steps = std::ssize(pool.counters);
  for (const auto* slices : {&pool.slices, &pool.elsewhere}) {
    for (const auto* slice : *slices) steps += slice->consumes_counters() ? std::ssize(slice->devices()) : 0;
  }
  return steps;
}

void SharedCounters::subtract(const cluster::PoolUse& use) {
  for (const auto* slices : {&pool_.slices, &pool_.elsewhere}) {
    for (const auto* slice : *slices) {
      if (!slice->consumes_counters()) continue;
      for (const auto& device : slice->devices()) {
        if (!use.find(device.name)) continue;
        each_counter(device, [&](std::size_t i, api::Quantity value) { left_[i] = left_[i] - value; });
      }
    }
  }
}

void SharedCounters::set_taken(std::size_t i, api::Quantity amount) {
  const bool was_short = is_short(i);
  taken_[i] = amount;
  if (was_short && !is_short(i)) --short_;
  if (!was_short && is_short(i)) ++short_;
}

bool SharedCounters::take(const api::Device& device) {
  each_counter(device, [&](std::size_t i, api::Quantity value) { set_taken(i, taken_[i] + value); });
  if (short_ == 0) return true;
  give_back(device);
  return false;
}

void SharedCounters::give_back(const api::Device& device) {
  each_counter(device, [&](std::size_t i, api::Quantity value) { set_taken(i, taken_[i] - value); });
}

void SharedCounters::clear() {
  std::ranges::fill(taken_, api::Quantity());
  short_ = 0;
  for (std::size_t i = 0; i < left_.size(); ++i) short_ += is_short(i) ? 1 : 0;
}

}  // namespace podium::devices
