// The claims of a pod, and the reasons for which the pod has to wait for them.
//
// Source: plugins/dynamicresources foreachPodResourceClaim, dynamic-resource-allocation/resourceclaim.
// Threads: pure functions. Errors: upstream's texts; all of them mean that the pod has to wait.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/device.h"
#include "api/values/pod.h"
#include "scheduler/cluster/cluster_objects.h"
#include "scheduler/framework/reason.h"

namespace podium::plugins {

using ClaimPtr = std::shared_ptr<const api::ResourceClaim>;

// In the order of spec.resourceClaims, without entries that need no claim.
std::expected<std::vector<ClaimPtr>, framework::Reason> claims_of(const api::Pod& pod,
                                                                  const cluster::Objects& objects);

// Upstream's error about a claim that does not exist.
std::string claim_missing(std::string_view ns, std::string_view name);

bool is_reserved_for(const api::ResourceClaim& claim, std::string_view pod_uid);
std::string full_name(const api::ResourceClaim& claim);  // "namespace/name"

// A write that removes the pod's reservation may take effect late: after the pod's next attempt has found the
// claim reserved and has bound the pod. So the claim is marked, in the snapshot only, until another version
// of it arrives. The next attempt removes the reservation and reserves again: the write in flight then has an
// old resourceVersion and takes no effect.
ClaimPtr marked_withdrawn(const api::ResourceClaim& claim, std::string_view pod_uid);
bool is_withdrawn(const api::ResourceClaim& claim, std::string_view pod_uid);

}  // namespace podium::plugins
