#include "controller/recorder/scope.h"

#include <algorithm>

#include "api/values/selector.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::controller {

bool is_in_scope(const config::Podium::Reports& reports, const std::string& ns,
                 const cluster::Snapshot& snapshot) {
  if (std::ranges::find(reports.exclude_namespaces, ns) != reports.exclude_namespaces.end()) return false;
  if (!reports.namespace_selector) return true;
  const auto known = snapshot.objects().find<api::Namespace>("", ns);
  return reports.namespace_selector->matches(known ? known->meta.labels : api::Labels());
}

bool is_wanted(const config::Podium::Reports& reports, const cluster::PodInfo& pod, bool fits) {
  if (!reports.enabled || (fits && reports.only_failures)) return false;
  return !fits || static_cast<double>(pod.uid_hash >> 11) * 0x1p-53 < reports.sampling;
}

}  // namespace podium::controller
