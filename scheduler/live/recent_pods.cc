#include "scheduler/live/recent_pods.h"

#include "base/text_hash.h"
#include "scheduler/cluster/pod_class.h"
#include "scheduler/live/recent_list.h"

namespace podium::live {
namespace {

void share_lists(api::Pod& pod, api::Pod& recent) {
  share_list(pod.meta.labels, recent.meta.labels);
  share_list(pod.meta.annotations, recent.meta.annotations);
  share_list(pod.meta.owners, recent.meta.owners);
  share_list(pod.node_selector, recent.node_selector);
  share_list(pod.node_affinity.preferred, recent.node_affinity.preferred);
  share_list(pod.pod_affinity.required, recent.pod_affinity.required);
  share_list(pod.pod_affinity.preferred, recent.pod_affinity.preferred);
  share_list(pod.pod_anti_affinity.required, recent.pod_anti_affinity.required);
  share_list(pod.pod_anti_affinity.preferred, recent.pod_anti_affinity.preferred);
  share_list(pod.tolerations, recent.tolerations);
  share_list(pod.topology_spread, recent.topology_spread);
  share_list(pod.containers, recent.containers);
  share_list(pod.init_containers, recent.init_containers);
  share_list(pod.volumes, recent.volumes);
  share_list(pod.conditions, recent.conditions);
  share_list(pod.container_statuses, recent.container_statuses);
  share_list(pod.init_container_statuses, recent.init_container_statuses);
}

}  // namespace

void RecentPods::share(api::Pod& pod) {
  share_lists(pod, by_class_[cluster::pod_class_hash(pod) % kMost]);
  if (const auto* owner = pod.meta.controller()) share_lists(pod, by_owner_[stable_hash(owner->uid) % kMost]);
}

}  // namespace podium::live
