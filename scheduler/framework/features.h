// Features: the feature gates that decisions depend on, as plugin factories and the queue get them.
//
// scheduler/config fills them from --feature-gates. Defaults as in Kubernetes 1.37. Upstream's other gates
// have no effect here or are locked; see scheduler/config/gates/feature_gates.cc.
// Source: pkg/scheduler/framework/plugins/feature. Threads: a value.
#pragma once

#include "scheduler/cluster/request_rules.h"

namespace podium::framework {

struct Features {
  bool in_place_pod_level_resize = true;  // InPlacePodLevelResourcesVerticalScaling
  bool match_label_keys_in_pod_topology_spread = true;
  bool node_declared_features = true;
  bool nominated_node_name_for_expectation = true;  // NominatedNodeNameForExpectation
  bool pod_level_resources = true;
  bool pop_from_backoff_queue = true;                  // SchedulerPopFromBackoffQ
  bool storage_capacity_scoring = true;                // VolumeBinding scores
  bool taint_toleration_comparison_operators = false;  // tolerations with the operators Lt and Gt
  bool volume_limit_scaling = true;                    // nodes without a CSI driver may be rejected
  bool operator==(const Features&) const = default;
};

// The rules for pods' requests with these gates.
inline cluster::RequestRules request_rules(const Features& features) {
  return {.pod_level = features.pod_level_resources, .pod_level_resize = features.in_place_pod_level_resize};
}

}  // namespace podium::framework
