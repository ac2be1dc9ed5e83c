// Features: the feature gates that decisions depend on, as plugin factories and the queue get them.
//
// Made by scheduler/config from --feature-gates; the values here are the defaults of Kubernetes 1.36.
// Upstream's other gates either change nothing here or cannot be changed; scheduler/config/feature_gates.cc
// says which.
// Source: pkg/scheduler/framework/plugins/feature. Threads: a value.
#pragma once

#include "scheduler/cluster/resources.h"

namespace podium::framework {

struct Features {
  bool in_place_pod_level_resize = true;  // InPlacePodLevelResourcesVerticalScaling
  bool match_label_keys_in_pod_topology_spread = true;
  bool node_declared_features = true;
  bool nominated_node_name_for_expectation = true;  // others are told of a node before a long wait for it
  bool pod_level_resources = true;
  bool pop_from_backoff_queue = true;                  // SchedulerPopFromBackoffQ
  bool storage_capacity_scoring = false;               // VolumeBinding scores
  bool taint_toleration_comparison_operators = false;  // tolerations with the operators Lt and Gt
  bool volume_limit_scaling = false;                   // nodes without a CSI driver may be refused
  bool operator==(const Features&) const = default;
};

// How pods' requests are counted where these gates hold.
inline cluster::RequestRules request_rules(const Features& features) {
  return {.pod_level = features.pod_level_resources, .pod_level_resize = features.in_place_pod_level_resize};
}

}  // namespace podium::framework
