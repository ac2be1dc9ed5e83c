// Allocator: chooses devices for the claims of one pod, node by node.
//
// Role: prepared once per pod, then called for each node. Its choice is kube-scheduler's: the first solution
// of an exhaustive search in the order of claims, requests, pools, slices and devices.
// Owner: one evaluation of a pod. Threads: used by one thread at a time.
// Errors: values, with upstream's texts. A Failure ends the attempt, regardless of other nodes.
// Source: dynamic-resource-allocation/structured/internal/incubating.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/values/device.h"
#include "scheduler/cluster/devices_in_use.h"
#include "scheduler/cluster/taint_rules.h"
#include "scheduler/devices/inventory.h"
#include "scheduler/devices/selectors.h"
#include "scheduler/devices/step_budget.h"
#include "scheduler/devices/tally.h"

namespace podium::api {
struct Node;
}

namespace podium::devices {

// The inputs of the search; all must outlive the Allocator.
struct Supply {
  const Inventory& inventory;
  const cluster::DevicesInUse& allocated;  // of all claims, also those in flight
  Selectors& selectors;
  std::function<const api::DeviceClass*(std::string_view name)> find_class;  // null: no such class
  const cluster::TaintRules* taint_rules = nullptr;                          // null: none
};

// One device for one request of one claim.
struct Pick {
  std::uint32_t claim = 0, request = 0, subrequest = 0;  // subrequest: if the request has some
  std::uint32_t device = 0;                              // index in the slice
  const SliceDevices* slice = nullptr;
};
// In the order in which the devices were found.
using Solution = std::vector<Pick>;

// The claims cannot be allocated on this node.
struct NoFit {
  bool invalid_pools = false;  // upstream's text: invalid resource pools were encountered
};
// The whole attempt fails; `message` has upstream's text.
struct Failure {
  std::string message;
};
// The search used up its steps; upstream has a time limit here.
struct OutOfSteps {};

using AllocationOutcome = std::variant<Solution, NoFit, Failure, OutOfSteps>;

class Search;

class Allocator {
 public:
  // Claims without an allocation, in the order of the pod.
  Allocator(std::vector<std::shared_ptr<const api::ResourceClaim>> claims, Supply supply);
  ~Allocator();

  AllocationOutcome allocate(const api::Node& node, StepBudget& steps);
  // The pools that the last node reaches; the ids are the inventory's. Not after a Failure.
  std::vector<const cluster::PoolId*> last_pools() const;
  // Counts how the devices that the node can use match the requests, regardless of the search's choice.
  void tally(const api::Node& node, Tally& to);

  // The allocations of the claims for a solution on `node`, in their order. Without timestamps.
  // `make_share_id` is called for each device that is shared.
  std::vector<api::Allocation> allocations(const Solution& solution, std::string_view node,
                                           const std::function<std::string()>& make_share_id) const;

 private:
  std::unique_ptr<Search> search_;
};

}  // namespace podium::devices
