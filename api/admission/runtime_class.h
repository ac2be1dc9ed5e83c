// RuntimeClass: what the admission plugin of that name does to a pod.
//
// Source: plugin/pkg/admission/runtimeclass. Keeps one of equal tolerations. Upstream also leaves out those
// that another one covers, which changes no decision.
// Threads: pure functions. Errors: Kind::invalid, in upstream's words.
#pragma once

#include "api/values/objects.h"
#include "api/values/pod.h"
#include "base/result.h"

namespace podium::api {

// Sets the overhead, and adds the node selector and the tolerations. `found`: the pod's class, null if it
// names none or the cluster has none of this name.
Result<void> apply_runtime_class(const RuntimeClass* found, Pod& pod);

}  // namespace podium::api
