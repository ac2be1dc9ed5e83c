#include "explain/answer/state_taints.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "api/values/pod.h"
#include "api/values/taint.h"

namespace podium::explain {
namespace {

using Keys = std::string_view;

// Node controller, cloud providers, cluster-autoscaler and Karpenter.
constexpr std::array kOfState = {
    Keys("node.kubernetes.io/"),
    Keys("node.cloudprovider.kubernetes.io/"),
    Keys("ToBeDeletedByClusterAutoscaler"),
    Keys("DeletionCandidateOfClusterAutoscaler"),
    Keys("startup-taint.cluster-autoscaler.kubernetes.io/"),
    Keys("status-taint.cluster-autoscaler.kubernetes.io/"),
    Keys("ignore-taint.cluster-autoscaler.kubernetes.io/"),
    Keys("karpenter.sh/disrupted"),
    Keys("karpenter.sh/disruption"),
    Keys("karpenter.sh/unregistered"),
};

// With pressure on the disk or on process ids, the kubelet refuses all pods that are not critical. With
// pressure on memory it accepts those that tolerate the taint.
constexpr std::array kNothingRuns = {
    Keys("node.kubernetes.io/not-ready"),      Keys("node.kubernetes.io/unreachable"),
    Keys("node.kubernetes.io/out-of-service"), Keys("node.kubernetes.io/disk-pressure"),
    Keys("node.kubernetes.io/pid-pressure"),   Keys("node.cloudprovider.kubernetes.io/shutdown"),
    Keys("ToBeDeletedByClusterAutoscaler"),    Keys("karpenter.sh/disrupted"),
    Keys("karpenter.sh/disruption"),
};
constexpr std::string_view kNoNetwork = "node.kubernetes.io/network-unavailable";
// Networks and drivers set such taints until their agent runs on the node: node.cilium.io/agent-not-ready.
constexpr std::string_view kNoAgent = "/agent-not-ready";

}  // namespace

bool is_of_state(const api::Taint& taint) {
  return taint.key.ends_with(kNoAgent) || std::ranges::any_of(kOfState, [&taint](std::string_view key) {
           return key.ends_with('/') ? taint.key.starts_with(key) : taint.key == key;
         });
}

bool keeps_pods_from_running(const api::Taint& taint, const api::Pod& pod) {
  if (taint.key == kNoNetwork || taint.key.ends_with(kNoAgent)) return !pod.host_network;
  return std::ranges::find(kNothingRuns, taint.key) != kNothingRuns.end();
}

}  // namespace podium::explain
