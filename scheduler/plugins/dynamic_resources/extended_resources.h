// ExtendedResources: the resources of a pod that devices may serve, and the claim that stands for them.
//
// A pod asks for example.com/gpu as for any extended resource. On nodes that have none of it in allocatable,
// the DeviceClass behind the name serves it: through a claim that is in memory only until PreBind creates it.
// What the claim asks for depends on the node.
//
// Upstream looks for the claim of an earlier attempt in all namespaces; here it is the pod's own one.
// Source: plugins/dynamicresources extendeddynamicresources.go.
// Owner: one evaluation, or one Reserve. Threads: immutable. Errors: none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/dynamic_resources/claims.h"

namespace podium::plugins {

// Source: k8s.io/api/resource/v1 types.go ExtendedResourceClaimAnnotation.
inline constexpr std::string_view kExtendedClaimAnnotation = "resource.kubernetes.io/extended-resource-claim";

using ExtendedMappings = std::vector<api::PodExtendedResourceClaim::Mapping>;

struct ExtendedClaim {
  ClaimPtr claim;  // is_in_memory()
  ExtendedMappings mappings;
};

// True until PreBind has created it; its name is none that the API admits, its UID that of no object.
bool is_in_memory(const api::ResourceClaim& claim);

class ExtendedResources {
 public:
  // Null: no class stands behind any of the pod's resources. Keeps a reference to the
  // snapshot.
  static std::shared_ptr<const ExtendedResources> of(const cluster::PodInfo& pod,
                                                     const cluster::Snapshot& snapshot);

  // The claim of an earlier attempt that could not be bound. It has to go first. Null: there is none.
  const ClaimPtr& left_over() const { return left_over_; }

  // The resources that devices serve there, sorted. Nullopt: the node lacks one that nothing serves.
  std::optional<std::vector<std::string>> served_at(cluster::Row row) const;
  ExtendedClaim claim_for(const std::vector<std::string>& resources) const;

 private:
  struct Wanted {
    std::string resource;
    bool has_class;
  };
  ExtendedResources(api::PodPtr pod, const cluster::Snapshot& snapshot)
      : pod_(std::move(pod)), snapshot_(snapshot) {}

  const api::PodPtr pod_;
  const cluster::Snapshot& snapshot_;
  std::vector<Wanted> wanted_;
  ClaimPtr left_over_;
};

}  // namespace podium::plugins
