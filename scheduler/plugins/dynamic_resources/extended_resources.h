// ExtendedResources: the resources of a pod that devices may serve, and the claim that requests them.
//
// A pod requests example.com/gpu like any extended resource. On nodes without it in allocatable, the
// DeviceClass of the name serves it, through a claim that exists only in memory until PreBind creates it. The
// requests of the claim depend on the node.
//
// Upstream looks for the claim of an earlier attempt in all namespaces; podium in the pod's namespace.
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
#include "scheduler/plugins/dynamic_resources/pod_claims.h"

namespace podium::plugins {

// Source: k8s.io/api/resource/v1 types.go ExtendedResourceClaimAnnotation.
inline constexpr std::string_view kExtendedClaimAnnotation = "resource.kubernetes.io/extended-resource-claim";

using ExtendedMappings = std::vector<api::PodExtendedResourceClaim::Mapping>;

struct ExtendedClaim {
  ClaimPtr claim;  // is_in_memory()
  ExtendedMappings mappings;
};

// True until PreBind has created it; the API would not admit its name, and no object has its UID.
bool is_in_memory(const api::ResourceClaim& claim);

class ExtendedResources {
 public:
  // Null: no class backs any of the pod's resources. Refers to the snapshot.
  static std::shared_ptr<const ExtendedResources> of(const cluster::PodInfo& pod,
                                                     const cluster::Snapshot& snapshot);

  // The claim of an earlier attempt that could not be bound. It must be deleted first. Null: there is none.
  const ClaimPtr& left_over() const { return left_over_; }

  // The resources that devices serve there, sorted. Nullopt: the node lacks one, and no device serves it.
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
