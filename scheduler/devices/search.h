// Search: finds devices for the claims on one node, depth first; the first solution counts.
//
// Role: the state of upstream's search, created once per pod and reused for each node.
// Owner: an Allocator. Threads: one. Errors: an AllocationOutcome.
// Source: dynamic-resource-allocation/structured/internal/incubating allocator_incubating.go.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/devices/allocator.h"
#include "scheduler/devices/counters.h"
#include "scheduler/devices/pools.h"
#include "scheduler/devices/requests.h"
#include "scheduler/devices/tally.h"

namespace podium::devices {

class Search {
 public:
  Search(std::vector<std::shared_ptr<const api::ResourceClaim>> claims, Supply supply);
  AllocationOutcome run(const api::Node& node, StepBudget& steps);
  // Counts the devices that the node can use. Defined in search_tally.cc.
  void tally(const api::Node& node, Tally& to);

  std::vector<const cluster::PoolId*> pools() const;  // of the last node
  const std::vector<WantedClaim>& claims() const { return claims_; }
  const DeviceFeatures& features() const { return supply_.inventory.features(); }

 private:
  // Upstream recurses without a bound; a pod with thousands of claims must not take the stack.
  static constexpr int kMaxDepth = 2000;

  enum class Step : std::uint8_t {
    found,
    none,
    too_many,  // more devices than a claim may have, for any further choice
    failed,    // fault_ has the reason
    out_of_steps,
  };
  struct Position {
    std::uint32_t claim = 0, request = 0, subrequest = 0, device = 0;
  };
  // A taken device, and the changes to undo.
  struct Taken {
    Pick pick;
    bool counters = false, in_use = false, capacity = false, capacity_was_there = false;
    Location at;
    cluster::DeviceAmounts consumed;
  };
  // The exclusive takes of a device: several only with admin access.
  struct Takers {
    std::size_t count = 0, last = 0;  // last: in taken_
  };

  // Starts with a new node. The error names the selector that cannot be parsed.
  Result<void> start(const api::Node& node, StepBudget& steps);
  Step fail(std::string message);

  // Runs before the search: computes the number of devices that each request needs.
  Step validate();
  Step list_all(const WantedClaim& claim, WantedDevices& wanted);

  // The search: each of these finds devices from here to the last claim.
  Step find(Position position, bool in_subrequest, Location start);
  Step find_inner(Position position, bool in_subrequest, Location start);
  Step find_subrequest(Position position);
  Step find_all(Position position, WantedDevices& wanted, bool in_subrequest);
  Step find_device(Position position, WantedDevices& wanted, bool in_subrequest, Location start);
  Step try_device(Position position, WantedDevices& wanted, bool in_subrequest, Location at);

  // Prune requests for which too few devices are left. Defined in search_candidates.cc.
  Step list_candidates(Position position, WantedDevices& wanted);
  bool could_take(Position position, const WantedDevices& wanted,
                  const std::vector<std::shared_ptr<Matches>>& matches, Location at) const;

  // One device.
  Step is_selectable(const WantedClaim& claim, WantedDevices& wanted, const SliceDevices& slice,
                     std::size_t device);
  bool is_given_away(Location at) const;  // before the search
  // True if the search has given the device away and cannot give it to this request as well. `but`: a request
  // of the claim that does not count; nullopt: all count.
  bool is_taken(const WantedDevices& wanted, std::uint32_t claim, const api::Device& device,
                std::optional<std::uint32_t> but = std::nullopt) const;
  bool is_usable_by(const WantedDevices& wanted, std::uint32_t claim, Location at) const;
  std::expected<bool, std::string> has_capacity(const WantedDevices& wanted, Location at,
                                                bool left = true) const;
  // True if the taker of the device pays for its counters. A shared device pays once.
  bool owes_counters(Location at) const;
  bool has_counters(Location at);
  void tally(std::size_t request, const WantedClaim& claim, WantedDevices& wanted, std::uint32_t claim_index,
             Tally& to);
  Tally::Device state_of(WantedDevices& wanted, std::uint32_t claim, Location at);
  // The DeviceTaintRule whose taint keeps the device from the request; null: none.
  const api::DeviceTaintRule* rule_against(WantedDevices& wanted, Location at);
  const api::DeviceTaintRule* first_of(const cluster::TaintRules::Group& group, const WantedDevices& wanted);
  Step take(Position position, WantedDevices& wanted, Location at, bool must);
  void give_back();

  const SliceDevices& slice_at(Location at) const { return *node_pools_.pools[at.pool]->slices[at.slice]; }
  const api::Device& device_at(Location at) const { return slice_at(at).devices()[at.device]; }
  const cluster::DeviceUse* use_of(Location at) const;
  const cluster::DeviceAmounts* allocating(const api::Device& device) const;
  SharedCounters& counters_of(std::uint32_t pool);
  Step check_node_selectors();

  std::vector<std::shared_ptr<const api::ResourceClaim>> kept_;
  Supply supply_;
  std::vector<WantedClaim> claims_;

  // The state of the search on the current node.
  const api::Node* node_ = nullptr;
  StepBudget* steps_ = nullptr;
  int depth_ = 0;
  std::string fault_;
  NodePools node_pools_;
  std::vector<const cluster::PoolUse*> uses_;  // by pool
  std::vector<SharedCounters*> counters_;      // by pool; null: not needed yet
  std::vector<std::unique_ptr<SharedCounters>> own_counters_;
  std::vector<Taken> taken_;
  boost::unordered_flat_map<const api::Device*, Takers> takers_;  // of taken_
  std::vector<std::size_t> results_;                              // the number of each claim
  // Shared devices that the search has taken.
  boost::unordered_flat_map<const api::Device*, cluster::DeviceAmounts> allocating_;

  // For pools that are equal on all nodes.
  std::unordered_map<const Pool*, std::unique_ptr<SharedCounters>> fixed_counters_;
};

}  // namespace podium::devices
