#include "explain/workload/unscheduled.h"

namespace podium::explain {

void unschedule(api::Pod& pod) {
  pod.meta.deleted.reset();
  pod.node_name.clear();
  pod.nominated_node.clear();
  pod.start_time.reset();
  pod.phase = "Pending";
  pod.conditions.clear();
  pod.container_statuses.clear();
  pod.init_container_statuses.clear();
  pod.status_pod_requests.reset();
  pod.status_pod_allocated.clear();
}

}  // namespace podium::explain
