// API defaulting, as far as scheduling depends on it.
//
// Idempotent: objects from an API server do not change. Constant defaults are in the structs of api/ and
// set while decoding. Source: pkg/apis/core/v1/defaults.go and its siblings. Threads: pure functions.
#pragma once

#include "api/values/resource_list.h"

namespace podium::api {

struct Container;
struct LimitRange;
struct Namespace;
struct Node;
struct PersistentVolume;
struct PersistentVolumeClaim;
struct Pod;
struct PriorityClass;
struct StorageClass;

// Requests from limits, host ports of hostNetwork pods from container ports. Rounds every quantity up to a
// whole thousandth.
void set_defaults(Pod&);
// Pod-level requests and limits from those of the containers and from each other, for a pod that has some.
// The API server does it once, at the end of the admission of a new pod.
// Source: pkg/api/pod/util.go DefaultPodLevelResources.
void set_pod_level_defaults(Pod&);
void set_defaults(Node&);  // allocatable from capacity
void set_defaults(Namespace&);
void set_defaults(PriorityClass&);
void set_defaults(PersistentVolume&);
void set_defaults(PersistentVolumeClaim&);
void set_defaults(StorageClass&);
void set_defaults(LimitRange&);

// Requests or limits of all containers: the maximum of the sum over containers and sidecars and of each init
// container with the sidecars before it. Source: component-helpers resource.AggregateContainerRequests.
ResourceList aggregate_containers(const Pod&, ResourceList Container::* amounts);

}  // namespace podium::api
