#include "explain/report/state_taints.h"

#include <algorithm>
#include <array>

#include "api/values/taint.h"

namespace podium::explain {
namespace {

struct State {
  std::string_view key;  // a prefix, if it ends with a slash
  std::string_view words;
};

// Node controller, cloud providers, cluster-autoscaler, Karpenter and Cluster API.
constexpr std::array kStates = {
    State{"node.kubernetes.io/not-ready", "the node is not ready"},
    State{"node.kubernetes.io/unreachable", "the kubelet does not answer"},
    State{"node.kubernetes.io/unschedulable", "the node is cordoned"},
    State{"node.kubernetes.io/network-unavailable", "the network is not set up"},
    State{"node.kubernetes.io/memory-pressure", "the node is short of memory"},
    State{"node.kubernetes.io/disk-pressure", "the node is short of disk space"},
    State{"node.kubernetes.io/pid-pressure", "the node is short of process IDs"},
    State{"node.kubernetes.io/out-of-service", "the node is out of service"},
    State{"node.cloudprovider.kubernetes.io/uninitialized",
          "the cloud provider has not initialized the node yet"},
    State{"node.cloudprovider.kubernetes.io/shutdown", "the node is shut down"},
    State{"node.cloudprovider.kubernetes.io/", "the cloud provider sets it"},
    State{"node.cluster.x-k8s.io/uninitialized", "Cluster API has not initialized the node yet"},
    State{"ToBeDeletedByClusterAutoscaler", "cluster-autoscaler is removing the node"},
    State{"DeletionCandidateOfClusterAutoscaler", "cluster-autoscaler may remove the node"},
    State{"startup-taint.cluster-autoscaler.kubernetes.io/", "the node is still starting"},
    State{"ignore-taint.cluster-autoscaler.kubernetes.io/", "the node is still starting"},
    State{"status-taint.cluster-autoscaler.kubernetes.io/", "the node's state keeps pods away"},
    State{"karpenter.sh/disrupted", "Karpenter is removing the node"},
    State{"karpenter.sh/disruption", "Karpenter is removing the node"},
    State{"karpenter.sh/unregistered", "the node has not registered with Karpenter yet"},
    State{"aws-node-termination-handler/", "the cloud provider is about to stop the node"},
    State{"cloud.google.com/impending-node-termination", "the cloud provider is about to stop the node"},
};
// Networks and drivers set such taints until their agent runs on the node: node.cilium.io/agent-not-ready.
constexpr State kNoAgent{"/agent-not-ready", "an agent on the node is not ready yet"};

}  // namespace

std::string_view state_of_taint(std::string_view key) {
  const auto found = std::ranges::find_if(kStates, [key](const State& state) {
    return state.key.ends_with('/') ? key.starts_with(state.key) : key == state.key;
  });
  if (found != kStates.end()) return found->words;
  return key.ends_with(kNoAgent.key) ? kNoAgent.words : std::string_view();
}

bool is_of_state(const api::Taint& taint) { return !state_of_taint(taint.key).empty(); }

std::string_view state_of_taint_text(std::string_view taint) {
  return state_of_taint(taint.substr(0, taint.find_first_of("=:")));
}

}  // namespace podium::explain
