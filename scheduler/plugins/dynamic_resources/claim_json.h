// The writes to claims: requests, and their JSON.
//
// Threads: pure functions. Errors: none. Source: k8s.io/api/resource/v1 types.go.
#pragma once

#include <boost/json/object.hpp>

#include "api/values/device.h"
#include "scheduler/framework/object_write.h"
#include "scheduler/plugins/dynamic_resources/extended_resources.h"

namespace podium::plugins {

// status.allocation, without empty fields.
boost::json::object allocation_json(const api::Allocation& allocation);

// A request for this object, without a patch.
framework::ObjectWrite write_to(const api::ResourceClaim& claim);
// Deletes the claim, even if it is allocated.
framework::ObjectWrite removal_of(const api::ResourceClaim& claim);
// Creates the claim for the pod's extended resources.
framework::ObjectWrite creation_of(const api::ResourceClaim& claim, const api::Pod& pod);
// Writes the claim and its requests into the pod's status.
framework::ObjectWrite status_with_claim(const api::ResourceClaim& claim, const ExtendedMappings& mappings,
                                         const api::Pod& pod);

}  // namespace podium::plugins
