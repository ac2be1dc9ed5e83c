#include "scheduler/devices/constraints.h"

#include <algorithm>

namespace podium::devices {
namespace {

const api::DeviceAttribute* find(const api::Device& device, std::string_view name) {
  const auto at = std::ranges::lower_bound(device.attributes, name, {},
                                           [](const auto& entry) { return std::string_view(entry.first); });
  return at != device.attributes.end() && at->first == name ? &at->second : nullptr;
}

// Only the allocator of the gate DRAListTypeAttributes compares lists.
struct IsComparable {
  bool operator()(std::monostate) const { return false; }
  template <typename T>
  bool operator()(const api::AttributeList<T>&) const {
    return false;
  }
  template <typename T>
  bool operator()(const T&) const {
    return true;
  }
};

bool is_comparable(const api::DeviceAttribute& attribute) { return std::visit(IsComparable{}, attribute); }

}  // namespace

const api::DeviceAttribute* find_attribute(const api::Device& device, std::string_view driver,
                                           std::string_view name) {
  if (const auto* attribute = find(device, name)) return attribute;
  const auto slash = name.find('/');
  if (slash == name.npos || name.substr(0, slash) != driver) return nullptr;
  return find(device, name.substr(slash + 1));
}

Constraint::Constraint(const api::DeviceConstraint& constraint)
    : constraint_(constraint),
      distinct_(!constraint.match_attribute),
      attribute_name_(distinct_ ? *constraint.distinct_attribute : *constraint.match_attribute) {}

void Constraint::clear() { taken_.clear(); }

bool Constraint::applies_to(const RequestName& name) const {
  if (constraint_.requests.empty()) return true;
  return std::ranges::any_of(constraint_.requests, [&](std::string_view each) {
    if (each == name.request) return true;
    return !name.subrequest.empty() && each.size() == name.request.size() + 1 + name.subrequest.size() &&
           each.starts_with(name.request) && each[name.request.size()] == '/' &&
           each.ends_with(name.subrequest);
  });
}

bool Constraint::matches(const api::DeviceAttribute& attribute) const {
  return is_comparable(attribute) && attribute == *taken_.front();
}

bool Constraint::is_distinct(const api::DeviceAttribute& attribute) const {
  return std::ranges::all_of(
      taken_, [&](const auto* other) { return is_comparable(attribute) && attribute != *other; });
}

bool Constraint::add(const RequestName& name, const api::Device& device, std::string_view driver) {
  if (!applies_to(name)) return true;
  const auto* attribute = find_attribute(device, driver, attribute_name_);
  if (!attribute) return false;
  if (!taken_.empty() && !(distinct_ ? is_distinct(*attribute) : matches(*attribute))) return false;
  taken_.push_back(attribute);
  return true;
}

void Constraint::remove(const RequestName& name) {
  if (!applies_to(name)) return;
  taken_.pop_back();
}

}  // namespace podium::devices
