// What an API server does to pods and nodes on their way in, for pods that did not come from one: `podium
// evaluate`, and the templates of what-ifs.
//
// Objects with metadata.creationTimestamp count as read back: only their priority is resolved. Emulated are
// defaulting, the Priority and PodTopologyLabels admission controllers, the merging of label keys, and
// validation; other admission controllers (DefaultTolerationSeconds, LimitRanger, RuntimeClass) are not.
// Source: pkg/registry/core/pod/strategy.go, plugin/pkg/admission/priority,
// plugin/pkg/admission/podtopologylabels. Threads: pure functions; a PodAdmission is immutable. Errors name
// the object and the paths.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/manifests.h"
#include "api/objects.h"
#include "api/pod.h"
#include "base/clock.h"
#include "base/result.h"

namespace podium::api {

class PodAdmission {
 public:
  // The built-in classes are added where they are not given.
  explicit PodAdmission(Manifests::List<PriorityClass> classes);

  // The pod as it would be stored; its namespace and name are set already. Gets a UID made from its name if
  // it has none.
  Result<void> admit(Pod& pod) const;

 private:
  Result<void> resolve_priority(Pod& pod) const;

  std::map<std::string, std::shared_ptr<const PriorityClass>, std::less<>> classes_;
  std::shared_ptr<const PriorityClass> default_;  // for pods that name none; may be null
};

// Admits everything: `manifests` is the cluster, `pending` the pods to be evaluated. Drops terminated pods,
// adds missing namespaces and the built-in priority classes, labels placed pods with the zone and region of
// their node.
Result<void> admit(Manifests& manifests, Manifests::List<Pod>& pending);

// The zone and region labels of the node, which the API server copies onto pods that are placed there.
void copy_topology_labels(const Node& node, Pod& pod);

// The start time of placed pods that have none: kube-scheduler takes the present time, which is later than
// any other.
Wall never_started();

}  // namespace podium::api
