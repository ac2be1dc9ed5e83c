#include "scheduler/devices/capacity.h"

#include <algorithm>

#include "cel/quantity.h"

namespace podium::devices {
namespace {

using api::WrittenQuantity;

template <typename T>
const T* find(const api::ByName<T>& entries, const std::string& name) {
  const auto at = std::ranges::lower_bound(entries, name, {}, &std::pair<std::string, T>::first);
  return at != entries.end() && at->first == name ? &at->second : nullptr;
}

// Upstream compares the representation of the amounts, not their values.
bool is_held_alike(const WrittenQuantity& a, const WrittenQuantity& b) {
  const auto left = cel::Quantity::parse(a.text), right = cel::Quantity::parse(b.text);
  return left && right && left->exact && right->exact && left->value == right->value &&
         left->scale == right->scale && left->format == right->format;
}

// In Go, the arithmetic of integers wraps around.
std::int64_t wrapped(std::uint64_t number) { return static_cast<std::int64_t>(number); }

WrittenQuantity binary(std::int64_t units) {
  auto quantity = cel::Quantity::of(units);
  quantity.format = cel::Quantity::Format::binary;
  return {api::Quantity::from_units(units), quantity.text()};
}

WrittenQuantity round_up(const WrittenQuantity& asked, const api::CapacityPolicy::Range& range) {
  if (asked.value < range.min->value) return *range.min;
  if (!range.step) return asked;
  const auto step = range.step->value.value(), least = range.min->value.value();
  if (step == 0) return asked;  // upstream crashes; the API server refuses such a step
  const auto added =
      wrapped(static_cast<std::uint64_t>(asked.value.value()) - static_cast<std::uint64_t>(least));
  const auto count = step == -1 ? -added : added / step + (added % step != 0 ? 1 : 0);
  return binary(wrapped(static_cast<std::uint64_t>(least) +
                        static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(count)));
}

WrittenQuantity round_up(const WrittenQuantity& asked, const std::vector<WrittenQuantity>& valid) {
  const auto at = std::ranges::find_if(valid, [&](const auto& each) { return asked.value <= each.value; });
  return at == valid.end() ? asked : *at;
}

// The amount taken of one capacity; `asked` is null if the request does not name it.
WrittenQuantity consumed_of(const WrittenQuantity* asked, const api::DeviceCapacity& capacity) {
  const auto& policy = capacity.policy;
  if (!asked) return policy && policy->fallback ? *policy->fallback : capacity.value;
  if (!policy) return *asked;
  if (policy->valid_range && policy->valid_range->min) return round_up(*asked, *policy->valid_range);
  return round_up(*asked, policy->valid_values);
}

bool violates(const WrittenQuantity& amount, const api::CapacityPolicy::Range& range) {
  if (range.max && amount.value > range.max->value) return true;
  if (!range.step) return false;
  const auto step = range.step->value.value(), least = range.min ? range.min->value.value() : 0;
  if (step == 0) return true;
  const auto added =
      wrapped(static_cast<std::uint64_t>(amount.value.value()) - static_cast<std::uint64_t>(least));
  return step != -1 && added % step != 0;
}

bool violates(const WrittenQuantity& amount, const std::optional<api::CapacityPolicy>& policy) {
  if (!policy || (policy->fallback && is_held_alike(amount, *policy->fallback))) return false;
  if (policy->valid_range) return violates(amount, *policy->valid_range);
  return !policy->valid_values.empty() && std::ranges::none_of(policy->valid_values, [&](const auto& each) {
    return each.value == amount.value;
  });
}

}  // namespace

bool fits_capacity(const api::ByName<WrittenQuantity>& request, const api::Device& device,
                   const cluster::DeviceAmounts* consumed, const cluster::DeviceAmounts* allocating) {
  for (const auto& [name, amount] : request) {
    if (!find(device.capacity, name)) return false;
  }
  for (const auto& [name, capacity] : device.capacity) {
    const auto taken = consumed_of(find(request, name), capacity);
    if (violates(taken, capacity.policy)) return false;
    auto sum = taken.value;
    if (const auto* more = consumed ? find(*consumed, name) : nullptr) sum = sum + *more;
    if (const auto* more = allocating ? find(*allocating, name) : nullptr) sum = sum + *more;
    if (sum > capacity.value.value) return false;
  }
  return true;
}

api::ByName<WrittenQuantity> consumed_capacity(const api::ByName<WrittenQuantity>& request,
                                               const api::Device& device) {
  api::ByName<WrittenQuantity> consumed;
  for (const auto& [name, capacity] : device.capacity) {
    auto taken = consumed_of(find(request, name), capacity);
    // As the API server would write it.
    if (const auto quantity = cel::Quantity::parse(taken.text)) taken.text = quantity->text();
    consumed.emplace_back(name, std::move(taken));
  }
  return consumed;
}

}  // namespace podium::devices
