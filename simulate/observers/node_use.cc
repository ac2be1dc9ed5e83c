#include "simulate/observers/node_use.h"

#include "simulate/cluster/cluster.h"
#include "simulate/server/cpu_requests.h"

namespace podium::simulate {

NodeUse use_of(const Store& store, const std::string& node, std::int64_t least_priority) {
  NodeUse use;
  for (const auto& pod : store.all("pods")) {
    if (text_at(pod->value, "/spec/nodeName") != node || is_finished(pod->value)) continue;
    if (number_at(pod->value, "/spec/priority") < least_priority) continue;
    use.cpu += counted_cpu(pod->value);
    ++use.pods;
  }
  return use;
}

bool fits(const Store& store, const json::value& pod, const json::value& node, std::int64_t least_priority) {
  const auto zone = text_at(pod, "/spec/nodeSelector/zone");
  if (find_at(node, "/spec/unschedulable")) return false;
  if (!zone.empty() && zone != text_at(node, "/metadata/labels/zone")) return false;
  const auto use = use_of(store, text_at(node, "/metadata/name"), least_priority);
  return use.cpu + requested_cpu(pod) <= allocatable_cpu(node) && use.pods < allocatable_pods(node);
}

}  // namespace podium::simulate
