// Static pods: a kubelet runs them from files, and shows the API server a copy, the mirror pod.
//
// A deletion of the mirror pod does not stop the pod: the kubelet creates the mirror again.
// Threads: pure functions. Errors: none.
// Source: pkg/kubelet/types (ConfigMirrorAnnotationKey); pkg/kubelet/pod/mirror_client.go.
#pragma once

#include "api/values/pod.h"

namespace podium::api {

inline bool is_static(const Pod& pod) { return pod.meta.annotations.contains("kubernetes.io/config.mirror"); }

}  // namespace podium::api
