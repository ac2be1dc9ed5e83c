// Allocator: chooses devices for the claims of one pod, node by node.
//
// Role: prepared once for a pod, then asked for each node. Its choice is kube-scheduler's: the first solution
// of an exhaustive search in the order of claims, requests, pools, slices and devices.
// Owner: one evaluation of a pod. Threads: used by one thread at a time.
// Errors: values, with upstream's words. A Failure ends the attempt, whatever other nodes say.
// Source: dynamic-resource-allocation/structured/internal/incubating.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/device.h"
#include "scheduler/cluster/devices_in_use.h"
#include "scheduler/devices/inventory.h"
#include "scheduler/devices/selectors.h"
#include "scheduler/devices/steps.h"
#include "scheduler/devices/tally.h"

namespace podium::devices {

// What the search reads; all of it must outlive the Allocator.
struct Supply {
  const Inventory& inventory;
  const cluster::DevicesInUse& allocated;  // of all claims, those in flight too
  Selectors& selectors;
  std::function<const api::DeviceClass*(std::string_view name)> find_class;  // null: no such class
};

// One device for one request of one claim.
struct Pick {
  std::uint32_t claim = 0, request = 0, subrequest = 0;  // subrequest: where the request has some
  std::uint32_t device = 0;                              // index in the slice
  const SliceDevices* slice = nullptr;
};
// In the order in which the devices were found.
using Solution = std::vector<Pick>;

// The claims cannot be allocated on this node.
struct NoFit {
  bool invalid_pools = false;  // upstream says: invalid resource pools were encountered
};
// The attempt fails as a whole; `message` has upstream's words.
struct Failure {
  std::string message;
};
// The search took all the steps that it was given; upstream has a time limit here.
struct OutOfSteps {};

using Outcome = std::variant<Solution, NoFit, Failure, OutOfSteps>;

class Search;

class Allocator {
 public:
  // Claims without an allocation, in the order of the pod.
  Allocator(std::vector<std::shared_ptr<const api::ResourceClaim>> claims, Supply supply);
  ~Allocator();

  Outcome allocate(const api::Node& node, Steps& steps);
  // Adds how the devices that the node can use suit the requests, whatever the search would choose.
  void tally(const api::Node& node, Tally& to);

  // What a solution for `node` writes to the claims, in their order. Without timestamps. `make_share_id` is
  // called for each device that is shared.
  std::vector<api::Allocation> allocations(const Solution& solution, std::string_view node,
                                           const std::function<std::string()>& make_share_id) const;

 private:
  std::unique_ptr<Search> search_;
};

}  // namespace podium::devices
