// PodDevices: the devices that one pod needs on each node, for its claims and its extended resources.
//
// Owner: one evaluation, or one Reserve. Threads: one at a time. Errors: upstream's texts; the pod does not
// fit on the node.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/plugins/dynamic_resources/device_search.h"
#include "scheduler/plugins/dynamic_resources/extended_resources.h"

namespace podium::plugins {

class PodDevices {
 public:
  // `claims`: the pod's own. `extended`: may be null.
  PodDevices(std::vector<ClaimPtr> claims, std::shared_ptr<const ExtendedResources> extended,
             const cluster::Snapshot& snapshot, const StartSearch& start_search);

  // The claims to allocate on a node: the pod's claims without allocation, then the extended one.
  struct Here {
    const DeviceSearch* search = nullptr;     // null: nothing to allocate
    const ExtendedClaim* extended = nullptr;  // null: none
  };
  std::expected<Here, framework::Reason> at(cluster::Row row) const;

  const std::vector<ClaimPtr>& claims() const { return claims_; }
  const std::shared_ptr<const ExtendedResources>& extended() const { return extended_; }

 private:
  struct Variant {
    ExtendedClaim extended;
    std::unique_ptr<DeviceSearch> search;
  };

  const std::vector<ClaimPtr> claims_;
  const std::shared_ptr<const ExtendedResources> extended_;
  const cluster::Snapshot& snapshot_;
  const StartSearch& start_search_;
  std::unique_ptr<DeviceSearch> search_;  // without extended resources; null: all claims are allocated
  // By the resources that devices serve on a node. Created when the first node needs it.
  mutable std::map<std::vector<std::string>, Variant> variants_;
};

}  // namespace podium::plugins
