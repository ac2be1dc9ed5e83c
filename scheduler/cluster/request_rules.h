// RequestRules: which parts of a pod count as its requests. Threads: a value.
#pragma once

namespace podium::cluster {

// The rules for a pod's requests, by feature gate. Defaults as upstream.
struct RequestRules {
  bool pod_level = true;         // spec.resources
  bool pod_level_resize = true;  // status.resources and status.allocatedResources of a running pod
  bool operator==(const RequestRules&) const = default;
};

}  // namespace podium::cluster
