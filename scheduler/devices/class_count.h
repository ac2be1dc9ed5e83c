// ClassCount: the number of devices of a class on a node, and the number of these in use.
//
// Role: the amounts that NodeResources scores if devices serve an extended resource. Coarser than the search,
// as upstream: slices of every generation count, and devices with taints. A node has none if an expression
// fails on one of its devices.
// Owner: one evaluation. Threads: one at a time. Errors: none.
// Source: plugins/noderesources resource_allocation.go calculateDRAResourceTotals.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/values/node.h"
#include "scheduler/cluster/devices_in_use.h"
#include "scheduler/devices/inventory.h"

namespace podium::devices {

class ClassCount {
 public:
  // Keeps references to `in_use` and the class.
  ClassCount(std::shared_ptr<const Inventory> inventory, Selectors& selectors,
             const cluster::DevicesInUse& in_use, const api::DeviceClass& counted);

  struct Devices {
    std::int64_t all = 0, in_use = 0;
  };
  Devices on(const api::Node& node) const;

 private:
  // A slice with the results of the class's expressions.
  struct Counted {
    const SliceDevices* slice;
    const cluster::PoolUse* in_use;  // null: none of the pool
    std::vector<std::shared_ptr<Matches>> matches;
  };
  Counted counted(const SliceDevices& slice, const cluster::PoolId& pool) const;
  // False: an expression or a node selector fails.
  bool add(const Counted& from, const api::Node& node, Devices& to) const;
  // nullopt: an expression fails.
  std::optional<bool> is_of_class(const Counted& from, std::size_t device, StepBudget& steps) const;

  const std::shared_ptr<const Inventory> inventory_;
  const cluster::DevicesInUse& in_use_;
  const api::DeviceClass& class_;
  std::vector<std::shared_ptr<const Expression>> expressions_;
  std::vector<Counted> shared_;  // slices without a nodeName
};

}  // namespace podium::devices
