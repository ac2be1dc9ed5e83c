#include "scheduler/devices/class_count.h"

#include <utility>

#include "scheduler/devices/pools.h"

namespace podium::devices {
namespace {

// The limit on one node. Upstream has none.
constexpr std::int64_t kSteps = 1'000'000;

// Upstream hides from these expressions that a device may be allocated more than once.
Match match_of_one_use(const Expression& expression, const api::Device& device, std::string_view driver,
                       StepBudget& steps) {
  auto plain = device;
  plain.allow_multiple_allocations = false;
  return expression.evaluate(plain, driver, steps).match;
}

}  // namespace

ClassCount::ClassCount(std::shared_ptr<const Inventory> inventory, Selectors& selectors,
                       const cluster::DevicesInUse& in_use, const api::DeviceClass& of_class)
    : inventory_(std::move(inventory)), in_use_(in_use), class_(of_class) {
  for (const auto& text : class_.selectors) expressions_.push_back(selectors.expression(text));
  for (const auto* slice : inventory_->shared_slices()) {
    if (is_local(slice->slice())) continue;
    shared_.push_back(counted(*slice, {slice->slice().driver, slice->slice().pool.name}));
  }
}

ClassCount::Devices ClassCount::on(const api::Node& node) const {
  Devices found;
  for (const auto& local : inventory_->of_node(node.meta.name)) {
    for (const auto* slice : local.slices) {
      if (!add(counted(*slice, inventory_->pools()[local.pool].id), node, found)) return {};
    }
  }
  for (const auto& slice : shared_) {
    if (!add(slice, node, found)) return {};
  }
  return found;
}

ClassCount::Counted ClassCount::counted(const SliceDevices& slice, const cluster::PoolId& pool) const {
  Counted made{&slice, in_use_.find(pool), {}};
  for (const auto& expression : expressions_) {
    made.matches.push_back(expression->compile_error().empty() ? slice.matches(expression) : nullptr);
  }
  return made;
}

bool ClassCount::add(const Counted& from, const api::Node& node, Devices& to) const {
  const auto& slice = from.slice->slice();
  if (!slice.per_device_node_selection) {
    const auto is_here = node_matches(*from.slice, node);
    if (!is_here) return false;
    if (!*is_here) return true;
  }
  StepBudget steps{kSteps};
  for (std::size_t i = 0; i < slice.devices.size(); ++i) {
    if (slice.per_device_node_selection) {
      const auto is_here = node_matches(*from.slice, i, node);
      if (!is_here) return false;
      if (!*is_here) continue;
    }
    const auto is_counted = is_of_class(from, i, steps);
    if (!is_counted) return false;
    if (!*is_counted) continue;
    ++to.all;
    const auto* use = from.in_use ? from.in_use->find(slice.devices[i].name) : nullptr;
    to.in_use += use && (use->exclusive > 0 || use->shares > 0);
  }
  return true;
}

std::optional<bool> ClassCount::is_of_class(const Counted& from, std::size_t device,
                                            StepBudget& steps) const {
  const auto& slice = from.slice->slice();
  for (std::size_t i = 0; i < expressions_.size(); ++i) {
    if (!from.matches[i]) return std::nullopt;
    const bool reads_uses = slice.devices[device].allow_multiple_allocations &&
                            class_.selectors[i].contains("allowMultipleAllocations");
    const auto match = reads_uses
                           ? match_of_one_use(*expressions_[i], slice.devices[device], slice.driver, steps)
                           : from.matches[i]->of(device, steps);
    if (match == Match::no) return false;
    if (match != Match::yes) return std::nullopt;
  }
  return true;
}

}  // namespace podium::devices
