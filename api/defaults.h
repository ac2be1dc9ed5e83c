// What the API server fills in where a manifest leaves a field out, as far as scheduling depends on it.
//
// Source: pkg/apis/core/v1/defaults.go and its siblings. Idempotent: what an API server sent does not change.
// The defaults that are plain constants are in the structs of api/ and set while decoding. Threads: pure
// functions.
#pragma once

#include "api/node.h"
#include "api/objects.h"
#include "api/pod.h"

namespace podium::api {

// Requests from limits, pod-level requests and limits from what the containers have, host ports of
// hostNetwork pods from container ports; every quantity up to a whole thousandth. In the order of the API
// server, which computes pod-level defaults before it rounds.
void set_defaults(Pod&);
void set_defaults(Node&);  // allocatable from capacity
void set_defaults(Namespace&);
void set_defaults(PriorityClass&);
void set_defaults(PersistentVolume&);
void set_defaults(PersistentVolumeClaim&);
void set_defaults(StorageClass&);

// What the containers of a pod need together, by requests or by limits: the regular ones and the sidecars at
// once, and the init containers one by one. Source: component-helpers resource.AggregateContainerRequests.
ResourceList aggregate_containers(const Pod&, ResourceList Container::* amounts);

bool is_native_resource(std::string_view resource);               // without a domain, or of kubernetes.io
bool is_overcommit_allowed(std::string_view resource);            // native, and no huge pages
bool is_supported_pod_level_resource(std::string_view resource);  // cpu, memory, hugepages-*

}  // namespace podium::api
