#include "scheduler/devices/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "scheduler/devices/allocations.h"

namespace podium::devices {
namespace {

constexpr const char* kTooMany = "the pod's claims ask for too many devices";

std::string_view name_of_request(const WantedDevices& wanted) {
  return wanted.parent.empty() ? wanted.name : wanted.parent;
}

// True if fewer than `needed` candidates are left from here on.
bool has_too_few(const WantedDevices& wanted, std::size_t needed, Location from) {
  const auto& candidates = wanted.candidates;
  return wanted.has_candidates &&
         (candidates.size() < needed || candidates[candidates.size() - needed] < from);
}

}  // namespace

Search::Search(std::vector<std::shared_ptr<const api::ResourceClaim>> claims, Supply supply)
    : kept_(std::move(claims)), supply_(std::move(supply)) {
  claims_.reserve(std::min<std::size_t>(kept_.size(), kMaxDepth));
  // A pod may name one claim thousands of times; each time counts, but it is looked up once.
  boost::unordered_flat_map<const api::ResourceClaim*, std::size_t> first;
  std::size_t requests = 0;
  for (const auto& claim : kept_) {
    const auto [known, is_new] = first.emplace(claim.get(), claims_.size());
    claims_.push_back(is_new ? prepare_claim(*claim, supply_) : WantedClaim(claims_[known->second]));
    requests += claim->spec.requests.size();
    if (requests <= kMaxDepth) continue;
    // The search would end there, so the rest is not prepared.
    if (claims_.back().fault.empty()) claims_.back().fault = kTooMany;
    break;
  }
}

AllocationOutcome Search::run(const api::Node& node, StepBudget& steps) {
  if (auto gathered = start(node, steps); !gathered) {
    return Failure{"gather pool information: " + gathered.error().message};
  }
  auto step = validate();
  if (step == Step::found) step = find({}, false, {});
  if (step == Step::found) step = check_node_selectors();
  switch (step) {
    case Step::failed:
      return Failure{std::move(fault_)};
    case Step::out_of_steps:
      return OutOfSteps{};
    // Never happens: validate() has checked the least of all alternatives.
    case Step::too_many:
      return Failure{"allocation max size exceeded"};
    case Step::none:
      return NoFit{.invalid_pools = std::ranges::any_of(node_pools_.pools, &Pool::invalid)};
    case Step::found:
      break;
  }
  Solution solution;
  solution.reserve(taken_.size());
  for (const auto& taken : taken_) solution.push_back(taken.pick);
  return solution;
}

std::vector<const cluster::PoolId*> Search::pools() const {
  std::vector<const cluster::PoolId*> ids;
  for (const auto* pool : node_pools_.pools) ids.push_back(&*pool->id);
  return ids;
}

Result<void> Search::start(const api::Node& node, StepBudget& steps) {
  node_ = &node;
  steps_ = &steps;
  depth_ = 0;
  for (auto* counters : counters_) {
    if (!counters) continue;
    steps.spend(counters->steps());
    counters->clear();
  }
  counters_.clear();
  own_counters_.clear();
  taken_.clear();
  takers_.clear();
  results_.assign(claims_.size(), 0);
  allocating_.clear();
  for (auto& claim : claims_) {
    for (auto& constraint : claim.constraints) constraint.clear();
  }
  if (auto gathered = gather_pools(supply_.inventory, node, node_pools_); !gathered) return gathered;
  uses_.clear();
  for (const auto* pool : node_pools_.pools) uses_.push_back(supply_.allocated.find(*pool->id));
  counters_.assign(node_pools_.pools.size(), nullptr);
  return {};
}

Search::Step Search::fail(std::string message) {
  fault_ = std::move(message);
  return Step::failed;
}

Search::Step Search::validate() {
  for (auto& claim : claims_) {
    std::size_t needed = 0;
    for (auto& alternatives : claim.requests) {
      std::size_t least = std::numeric_limits<std::size_t>::max();
      for (auto& wanted : alternatives) {
        if (!wanted.fault.empty()) return fail(wanted.fault);
        if (wanted.wants_all()) {
          if (const auto step = list_all(claim, wanted); step != Step::found) return step;
        }
        least = std::min(least, wanted.devices);
      }
      if (least > kMaxResults - needed) {
        return fail(
            fmt::format("claim {}, request {}: adding {} devices exceeds the claim limit of {}, with {} "
                        "already accounted for",
                        claim.text(), name_of_request(alternatives.front()), least, kMaxResults, needed));
      }
      needed += least;
    }
    if (!claim.fault.empty()) return fail(claim.fault);
  }
  return Step::found;
}

// Lists the devices that an `All` request must get.
Search::Step Search::list_all(const WantedClaim& claim, WantedDevices& wanted) {
  wanted.all.clear();
  for (std::uint32_t p = 0; p < node_pools_.pools.size(); ++p) {
    const auto& pool = *node_pools_.pools[p];
    if (!pool.is_usable()) {
      return fail(fmt::format(
          "claim {}, request {}: asks for all devices, but resource pool {} is currently {}", claim.text(),
          wanted.name, pool.id->text(), pool.incomplete ? "being updated" : "invalid"));
    }
    for (std::uint32_t s = 0; s < pool.slices.size(); ++s) {
      for (std::uint32_t d = 0; d < pool.slices[s]->devices().size(); ++d) {
        if (!steps_->spend()) return Step::out_of_steps;
        const auto step = is_selectable(claim, wanted, *pool.slices[s], d);
        if (step == Step::none) continue;
        if (step != Step::found) return step;
        // A device whose capacity is taken by others stays one of all devices, so that the request fails.
        const auto fits = has_capacity(wanted, {p, s, d}, false);
        if (!fits) {
          return fail(fmt::format("claim {}, request {}: checking capacity for device {}: {}", claim.text(),
                                  wanted.name, device_at({p, s, d}).name, fits.error()));
        }
        if (*fits) wanted.all.push_back({p, s, d});
      }
    }
  }
  wanted.devices = wanted.all.size();
  return Step::found;
}

Search::Step Search::find(Position position, bool in_subrequest, Location start) {
  if (!steps_->spend()) return Step::out_of_steps;
  if (depth_ == kMaxDepth) return fail(kTooMany);
  ++depth_;
  const auto step = find_inner(position, in_subrequest, start);
  --depth_;
  return step;
}

Search::Step Search::find_inner(Position position, bool in_subrequest, Location start) {
  if (position.claim >= claims_.size()) return Step::found;
  auto& claim = claims_[position.claim];
  if (position.request >= claim.requests.size()) {
    const auto step = find({.claim = position.claim + 1}, false, {});
    // Another choice for this claim may leave devices for the next one.
    return step == Step::too_many ? Step::none : step;
  }
  auto& alternatives = claim.requests[position.request];
  if (!in_subrequest && !alternatives.front().parent.empty()) return find_subrequest(position);
  auto& wanted = alternatives[position.subrequest];
  if (wanted.wants_all() && wanted.all.empty()) return Step::none;
  if (position.device >= wanted.devices) {
    return find({.claim = position.claim, .request = position.request + 1}, false, {});
  }
  if (results_[position.claim] + wanted.devices - position.device > kMaxResults) return Step::too_many;
  return wanted.wants_all() ? find_all(position, wanted, in_subrequest)
                            : find_device(position, wanted, in_subrequest, start);
}

// Takes the first subrequest with which the rest of the search succeeds.
Search::Step Search::find_subrequest(Position position) {
  auto& alternatives = claims_[position.claim].requests[position.request];
  bool all_too_many = true;
  for (std::uint32_t i = 0; i < alternatives.size(); ++i) {
    position.subrequest = i;
    const auto step = find(position, true, {});
    if (step == Step::too_many) continue;
    all_too_many = false;
    if (step != Step::none) return step;
  }
  return all_too_many ? Step::too_many : Step::none;
}

Search::Step Search::find_all(Position position, WantedDevices& wanted, bool in_subrequest) {
  const auto step = take(position, wanted, wanted.all[position.device], true);
  if (step != Step::found) return step;
  ++position.device;
  const auto rest = find(position, in_subrequest, {});
  if (rest != Step::found) give_back();
  return rest;
}

Search::Step Search::find_device(Position position, WantedDevices& wanted, bool in_subrequest,
                                 Location start) {
  if (position.device == 0) wanted.has_candidates = false;
  for (Location at = start; at.pool < node_pools_.pools.size(); at = {at.pool + 1, 0, 0}) {
    const auto& pool = *node_pools_.pools[at.pool];
    if (!pool.is_usable()) continue;
    for (; at.slice < pool.slices.size(); ++at.slice, at.device = 0) {
      const auto count = pool.slices[at.slice]->devices().size();
      for (; at.device < count; ++at.device) {
        if (has_too_few(wanted, wanted.devices - position.device, at)) return Step::none;
        const auto step = try_device(position, wanted, in_subrequest, at);
        if (step != Step::none) return step;
      }
    }
  }
  const bool may_choose_others = position.device > 0;
  return may_choose_others && !wanted.has_candidates ? list_candidates(position, wanted) : Step::none;
}

// Takes this device for the request, and finds the rest.
Search::Step Search::try_device(Position position, WantedDevices& wanted, bool in_subrequest, Location at) {
  if (!steps_->spend()) return Step::out_of_steps;
  if (!is_usable_by(wanted, position.claim, at)) return Step::none;
  const auto selectable = is_selectable(claims_[position.claim], wanted, slice_at(at), at.device);
  if (selectable != Step::found) return selectable;
  const auto fits = has_capacity(wanted, at);
  if (!fits) {
    const auto& slice = slice_at(at).slice();
    return fail(fmt::format("claim {}, request {}: checking capacity for device {}/{}/{}: {}",
                            claims_[position.claim].text(), wanted.name, slice.driver, slice.pool.name,
                            device_at(at).name, fits.error()));
  }
  if (!*fits) return Step::none;
  const auto taken = take(position, wanted, at, false);
  if (taken != Step::found) return taken;
  ++position.device;
  const auto rest = find(position, in_subrequest, {at.pool, at.slice, at.device + 1});
  if (rest != Step::found) give_back();
  return rest;
}

AllocationOutcome Allocator::allocate(const api::Node& node, StepBudget& steps) {
  return search_->run(node, steps);
}

std::vector<const cluster::PoolId*> Allocator::last_pools() const { return search_->pools(); }

void Allocator::tally(const api::Node& node, Tally& to) { search_->tally(node, to); }

Allocator::Allocator(std::vector<std::shared_ptr<const api::ResourceClaim>> claims, Supply supply)
    : search_(std::make_unique<Search>(std::move(claims), std::move(supply))) {}

Allocator::~Allocator() = default;

std::vector<api::Allocation> Allocator::allocations(const Solution& solution, std::string_view node,
                                                    const std::function<std::string()>& make_share_id) const {
  return devices::allocations(search_->claims(), solution, node, search_->features(), make_share_id);
}

}  // namespace podium::devices
