#include "scheduler/devices/capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

using Amount = std::expected<WrittenQuantity, std::string>;

std::string canonical(const WrittenQuantity& quantity) {
  const auto parsed = cel::Quantity::parse(quantity.text);
  return parsed ? parsed->text() : quantity.text;
}

WrittenQuantity in_format_of(const WrittenQuantity& other, std::int64_t units) {
  auto quantity = cel::Quantity::of(units);
  if (const auto parsed = cel::Quantity::parse(other.text)) quantity.format = parsed->format;
  return {api::Quantity::from_units(units), quantity.text()};
}

std::unexpected<std::string> not_representable(std::string_view why) {
  return std::unexpected(
      fmt::format("capacity request cannot be represented in the device's range arithmetic: {}", why));
}

Amount round_up(const WrittenQuantity& asked, const api::CapacityPolicy::Range& range) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (asked.value < range.min->value) return *range.min;
  if (!range.step) return asked;
  if (asked.value > api::Quantity::from_units(kMost)) {
    return not_representable(fmt::format("request {} exceeds MaxInt64", canonical(asked)));
  }
  const auto step = range.step->value.value(), least = range.min->value.value();
  if (step == 0) return asked;  // upstream crashes; the API server refuses such a step
  const auto added =
      wrapped(static_cast<std::uint64_t>(asked.value.value()) - static_cast<std::uint64_t>(least));
  const auto count = step == -1 ? -added : added / step + (added % step != 0 ? 1 : 0);
  if (least >= 0 && step > 0 && count > (kMost - least) / step) {
    return not_representable(
        fmt::format("rounding request {} up to the next step passes MaxInt64", canonical(asked)));
  }
  return in_format_of(*range.step,
                      wrapped(static_cast<std::uint64_t>(least) +
                              static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(count)));
}

WrittenQuantity round_up(const WrittenQuantity& asked, const std::vector<WrittenQuantity>& valid) {
  const auto at = std::ranges::find_if(valid, [&](const auto& each) { return asked.value <= each.value; });
  return at == valid.end() ? asked : *at;
}

// The amount taken of one capacity; `asked` is null if the request does not name it.
Amount consumed_of(const WrittenQuantity* asked, const api::DeviceCapacity& capacity) {
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

std::expected<bool, std::string> fits_capacity(const api::ByName<WrittenQuantity>& request,
                                               const api::Device& device,
                                               const cluster::DeviceAmounts* consumed,
                                               const cluster::DeviceAmounts* allocating) {
  for (const auto& [name, amount] : request) {
    if (!find(device.capacity, name)) return false;
  }
  std::vector<WrittenQuantity> amounts;
  amounts.reserve(device.capacity.size());
  for (const auto& [name, capacity] : device.capacity) {
    auto taken = consumed_of(find(request, name), capacity);
    if (taken && taken->value < api::Quantity())
      taken = std::unexpected(std::string("capacity value is negative"));
    if (!taken) return std::unexpected(fmt::format("capacity \"{}\": {}", name, taken.error()));
    amounts.push_back(std::move(*taken));
  }
  auto taken = amounts.begin();
  for (const auto& [name, capacity] : device.capacity) {
    if (violates(*taken, capacity.policy)) return false;
    auto sum = (taken++)->value;
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
    if (!taken) continue;             // fits_capacity() has reported it
    taken->text = canonical(*taken);  // as the API server would write it
    consumed.emplace_back(name, std::move(*taken));
  }
  return consumed;
}

}  // namespace podium::devices
