// unschedule(): makes a pod of a node one that waits, as its controller creates it again.
//
// Threads: pure function. Errors: none.
#pragma once

#include "api/values/pod.h"

namespace podium::explain {

// Clears the node and what the scheduler and the kubelet wrote, except for the claims of the pod. A condition
// of a resize would change what the pod requests.
void unschedule(api::Pod& pod);

}  // namespace podium::explain
