// The part of Search that checks and takes one device.
#include <fmt/format.h>

#include <algorithm>

#include "scheduler/devices/allocations.h"
#include "scheduler/devices/capacity.h"
#include "scheduler/devices/search.h"
#include "scheduler/devices/taints.h"

namespace podium::devices {

namespace {

std::string full_name(const SliceDevices& slice, std::size_t device) {
  const auto& of = slice.slice();
  return fmt::format("{}/{}/{}", of.driver, of.pool.name, of.devices[device].name);
}

// As upstream, the text decides: one that quotes such a text of the expression also gets the hint.
// Source: dynamic-resource-allocation/cel EnhanceRuntimeError.
std::string with_hint(std::string error) {
  if (!error.contains("no such key:")) return error;
  return error +
         ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() "
         "for optional fields";
}

}  // namespace

// The class's selectors, then the request's, then the device's node.
Search::Step Search::is_selectable(const WantedClaim& claim, WantedDevices& wanted, const SliceDevices& slice,
                                   std::size_t device) {
  if (!features().binding_conditions && !slice.devices()[device].binding_conditions.empty())
    return Step::none;
  if (wanted.slice != &slice) {
    wanted.slice = &slice;
    wanted.matches.clear();
    for (const auto& selector : *wanted.selectors) wanted.matches.push_back(slice.matches(selector));
  }
  for (std::size_t i = 0; i < wanted.matches.size(); ++i) {
    const auto of_class = wanted.device_class->selectors.size();
    const auto fault = [&](std::string_view where, std::string_view kind, const std::string& error) {
      return fail(i < of_class ? fmt::format("class {}: selector #{}{}: CEL {} error: {}",
                                             wanted.device_class->meta.name, i, where, kind, error)
                               : fmt::format("claim {}: selector #{}{}: CEL {} error: {}", claim.text(),
                                             i - of_class, where, kind, error));
    };
    auto& matches = *wanted.matches[i];
    if (!matches.expression().prepare(*steps_)) return Step::out_of_steps;
    if (!matches.expression().compile_error().empty()) {
      return fault("", "compile", matches.expression().compile_error());
    }
    switch (matches.of(device, *steps_)) {
      case Match::unknown:
        return Step::out_of_steps;
      case Match::error:
        return fault(fmt::format(" on device {}", full_name(slice, device)), "runtime",
                     with_hint(matches.error(device)));
      case Match::no:
        return Step::none;
      case Match::yes:
        break;
    }
  }
  if (!slice.slice().per_device_node_selection) return Step::found;
  const auto match = node_matches(slice, device, *node_);
  if (!match) return fail(match.error().message);
  return *match ? Step::found : Step::none;
}

const cluster::DeviceUse* Search::use_of(Location at) const {
  const auto* use = uses_[at.pool];
  return use ? use->find(device_at(at).name) : nullptr;
}

const cluster::DeviceAmounts* Search::allocating(const api::Device& device) const {
  const auto at = allocating_.find(&device);
  return at == allocating_.end() ? nullptr : &at->second;
}

bool Search::is_given_away(Location at) const {
  const auto* use = use_of(at);
  return use && (use->exclusive > 0 || !features().consumable_capacity);
}

// With admin access, only a second use in the same claim blocks the device.
bool Search::is_taken(const WantedDevices& wanted, std::uint32_t claim, const api::Device& device,
                      std::optional<std::uint32_t> but) const {
  const auto takers = takers_.find(&device);
  if (takers == takers_.end()) return false;
  const auto blocks = [&](const Taken& taken) {
    const bool is_of_claim = taken.pick.claim == claim;
    return (!wanted.asked->admin_access || is_of_claim) && !(is_of_claim && but == taken.pick.request);
  };
  if (takers->second.count == 1) return blocks(taken_[takers->second.last]);
  return std::ranges::any_of(taken_, [&](const Taken& taken) {
    return taken.in_use && &device_at(taken.at) == &device && blocks(taken);
  });
}

// True if the device is free for the request.
bool Search::is_usable_by(const WantedDevices& wanted, std::uint32_t claim, Location at) const {
  if (!wanted.asked->admin_access && is_given_away(at)) return false;
  return !is_taken(wanted, claim, device_at(at));
}

// Whether the device has the requested capacity. `left`: counts only what is not in use.
std::expected<bool, std::string> Search::has_capacity(const WantedDevices& wanted, Location at,
                                                      bool left) const {
  if (!features().consumable_capacity) return true;
  const auto* use = left ? use_of(at) : nullptr;
  const auto& device = device_at(at);
  const auto* mine = left ? allocating(device) : nullptr;
  // The whole of an unshared device always fits; this needs no look at the device.
  const bool all_is_asked = wanted.asked->capacity.empty() && !slice_at(at).divides_capacity();
  if (all_is_asked && !mine && !(use && use->consumed)) return true;
  if (device.capacity.empty()) return wanted.asked->capacity.empty();
  return fits_capacity(wanted.asked->capacity, device, use && use->consumed ? &*use->consumed : nullptr,
                       mine);
}

SharedCounters& Search::counters_of(std::uint32_t pool) {
  auto& counters = counters_[pool];
  if (counters) return *counters;
  const auto* of = node_pools_.pools[pool];
  auto& owner = of->fixed ? fixed_counters_[of] : own_counters_.emplace_back();
  if (!owner) {
    steps_->spend(SharedCounters::steps_of(*of));
    owner = std::make_unique<SharedCounters>(*of, uses_[pool]);
  }
  return *(counters = owner.get());
}

bool Search::owes_counters(Location at) const {
  const auto& device = device_at(at);
  if (device.consumes_counters.empty()) return false;
  const auto* use = use_of(at);
  const bool is_shared = features().consumable_capacity && device.allow_multiple_allocations;
  return !is_shared || (!(use && (use->consumed || use->shares > 0)) && !allocating(device));
}

const api::DeviceTaintRule* Search::first_of(const cluster::TaintRules::Group& group,
                                             const WantedDevices& wanted) {
  const auto at = std::ranges::find_if(
      group, [&](const auto& rule) { return forbids(rule->taint, wanted.asked->tolerations); });
  steps_->spend(at - group.begin() + 1);
  return at == group.end() ? nullptr : at->get();
}

// A rule may select all devices of a driver, and there may be thousands of such rules: the result for a large
// group is kept.
const api::DeviceTaintRule* Search::rule_against(WantedDevices& wanted, Location at) {
  constexpr std::size_t kSmall = 8;
  if (!supply_.taint_rules || supply_.taint_rules->empty()) return nullptr;
  const api::DeviceTaintRule* found = nullptr;
  supply_.taint_rules->each_group(*node_pools_.pools[at.pool]->id, device_at(at).name,
                                  [&](const cluster::TaintRules::Group& group) {
                                    if (found) return;
                                    if (group.size() <= kSmall) {
                                      found = first_of(group, wanted);
                                      return;
                                    }
                                    const auto [known, is_new] = wanted.known_groups.try_emplace(&group);
                                    if (is_new) known->second = first_of(group, wanted);
                                    found = known->second;
                                  });
  return found;
}

// Takes the device if counters, taints, constraints and capacity allow it. `must`: a constraint that does not
// hold is a failure.
Search::Step Search::take(Position position, WantedDevices& wanted, Location at, bool must) {
  const auto& device = device_at(at);
  const auto& slice = slice_at(at);
  auto& claim = claims_[position.claim];
  const bool shared = features().consumable_capacity && device.allow_multiple_allocations;
  if (!is_usable_by(wanted, position.claim, at)) return Step::none;
  Taken taken{.pick = {.claim = position.claim,
                       .request = position.request,
                       .subrequest = position.subrequest,
                       .device = at.device,
                       .slice = &slice},
              .at = at};
  if (!device.consumes_counters.empty() && !features().partitionable) return Step::none;
  if (owes_counters(at)) {
    if (!counters_of(at.pool).take(device)) return Step::none;
    taken.counters = true;
  }
  std::size_t constraints = 0;
  const auto refuse = [&] {
    while (constraints > 0) claim.constraints[--constraints].remove(wanted.request_name());
    if (taken.counters) counters_of(at.pool).give_back(device);
    return Step::none;
  };
  const bool is_kept_away = features().taints && (is_tainted(device, wanted.asked->tolerations) ||
                                                  rule_against(wanted, at) != nullptr);
  if (is_kept_away) return refuse();
  for (auto& constraint : claim.constraints) {
    if (constraint.add(wanted.request_name(), device, slice.slice().driver)) {
      ++constraints;
      continue;
    }
    refuse();
    if (!must) return Step::none;
    return fail(fmt::format(
        "claim {}, request {}: cannot add device {}/{} because a claim constraint would not be satisfied",
        claim.text(), wanted.name, node_pools_.pools[at.pool]->id->text(), device.name));
  }
  const auto fits = has_capacity(wanted, at);
  if (!fits) {
    refuse();
    return fail(fmt::format("claim {}, request {}: rechecking capacity for device {}: {}", claim.text(),
                            wanted.name, full_name(slice, at.device), fits.error()));
  }
  if (!*fits) return refuse();
  taken.in_use = !shared;
  if (shared) {
    for (const auto& [name, amount] : consumed_capacity(wanted.asked->capacity, device)) {
      taken.consumed.emplace_back(name, amount.value);
    }
    const auto [known, is_new] = allocating_.try_emplace(&device);
    taken.capacity = true;
    taken.capacity_was_there = !is_new;
    cluster::add_amounts(known->second, taken.consumed);
  } else {
    auto& takers = takers_[&device];
    takers = {.count = takers.count + 1, .last = taken_.size()};
  }
  taken_.push_back(std::move(taken));
  ++results_[position.claim];
  return Step::found;
}

// Undoes the last take().
void Search::give_back() {
  const auto taken = std::move(taken_.back());
  taken_.pop_back();
  --results_[taken.pick.claim];
  const auto& device = taken.pick.slice->devices()[taken.pick.device];
  if (taken.capacity) {
    const auto known = allocating_.find(&device);
    if (known != allocating_.end()) {
      cluster::subtract_amounts(known->second, taken.consumed);
      // The rest of an earlier share still shows that the device is shared.
      if (cluster::are_zero(known->second) && !taken.capacity_was_there) allocating_.erase(known);
    }
  } else if (const auto takers = takers_.find(&device); --takers->second.count == 0) {
    takers_.erase(takers);
  } else {
    const auto before = std::ranges::find_if(
        taken_, [&](const Taken& each) { return each.in_use && &device_at(each.at) == &device; });
    takers->second.last = static_cast<std::size_t>(before - taken_.begin());
  }
  auto& claim = claims_[taken.pick.claim];
  const auto& wanted = claim.requests[taken.pick.request][taken.pick.subrequest];
  for (auto& constraint : claim.constraints) constraint.remove(wanted.request_name());
  if (taken.counters) counters_of(taken.at.pool).give_back(device);
}

Search::Step Search::check_node_selectors() {
  // The API server rejects such claims, so this does nothing with the solution.
  const auto has_several = [](const Taken& taken) {
    const auto& nodes = nodes_of(taken.pick);
    return nodes.selector && nodes.selector->size() > 1;
  };
  if (std::ranges::none_of(taken_, has_several)) return Step::found;
  Solution solution;
  for (const auto& taken : taken_) solution.push_back(taken.pick);
  for (std::uint32_t i = 0; i < claims_.size(); ++i) {
    const auto selector = node_selector(solution, i, node_->meta.name);
    if (!selector) {
      return fail(
          fmt::format("create NodeSelector for claim {}: {}", claims_[i].claim->meta.name, selector.error()));
    }
  }
  return Step::found;
}

}  // namespace podium::devices
