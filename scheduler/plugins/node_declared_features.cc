// NodeDeclaredFeatures: a pod that needs a kubelet feature fits only on nodes that declare the feature.
//
// Pods can need two of the features in component-helpers.
// Source: pkg/scheduler/framework/plugins/nodedeclaredfeatures and
// component-helpers/nodedeclaredfeatures/features.
#include <algorithm>
#include <utility>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

bool restarts_all(const api::Pod& pod) {
  const auto asks = [](const api::Container& container) {
    return std::ranges::any_of(container.restart_rules,
                               [](const auto& rule) { return rule.action == "RestartAllContainers"; });
  };
  return std::ranges::any_of(pod.containers, asks) || std::ranges::any_of(pod.init_containers, asks);
}

bool maps_users_on_the_hosts_network(const api::Pod& pod) { return pod.host_network && !pod.host_users; }

// The features that the pod needs, in the order of upstream's list.
std::vector<std::string_view> needed_features(const api::Pod& pod) {
  std::vector<std::string_view> needed;
  if (restarts_all(pod)) needed.push_back("RestartAllContainersOnContainerExits");
  if (maps_users_on_the_hosts_network(pod)) needed.push_back("UserNamespacesHostNetworkSupport");
  return needed;
}

class FeatureFilter final : public NodeFilter {
 public:
  FeatureFilter(const Snapshot& snapshot, std::vector<std::string_view> needed)
      : NodeFilter(snapshot), needed_(std::move(needed)) {}

  bool ignores_pods() const override { return true; }
  // Such pods are rare, so declared features have no column.
  void filter(NodeMask& nodes, Rejections& out) const override {
    const auto id = out.add({framework::names::kNodeDeclaredFeatures,
                             Code::unschedulable_and_unresolvable,
                             {Reason(ReasonCode::node_feature_missing)}});
    const auto before = nodes;
    before.each([&](Row row) {
      const auto& declared = snapshot_.entry(row).node->declared_features;
      const bool all = std::ranges::all_of(
          needed_, [&](auto feature) { return std::ranges::find(declared, feature) != declared.end(); });
      if (!all) out.reject(nodes, row, id);
    });
  }

 private:
  const std::vector<std::string_view> needed_;
};

class NodeDeclaredFeatures final : public Plugin, public FilterPlugin {
 public:
  std::string_view name() const override { return framework::names::kNodeDeclaredFeatures; }
  bool has_pre_filter() const override { return true; }
  std::string error_without_pre_filter() const override {
    return "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found";
  }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    auto needed = needed_features(*pod);
    if (needed.empty()) return {};
    return {.filter = std::make_unique<FeatureFilter>(snapshot, std::move(needed))};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints;
    hints.push_back({EventResource::node, kAdd | kUpdateNodeDeclaredFeature,
                     [](const PodInfo&, const ClusterEvent& event) {
                       const auto* before = object_before<api::Node>(event);
                       const auto* after = object_after<api::Node>(event);
                       return after && (!before || before->declared_features != after->declared_features);
                     }});
    hints.push_back({EventResource::target_pod, kUpdate, [](const PodInfo&, const ClusterEvent& event) {
                       const auto* before = object_before<api::Pod>(event);
                       const auto* after = object_after<api::Pod>(event);
                       return before && after && needed_features(*before) != needed_features(*after);
                     }});
    return hints;
  }
};

}  // namespace

PluginPtr make_node_declared_features(const boost::json::object&) {
  return std::make_shared<NodeDeclaredFeatures>();
}

}  // namespace podium::plugins
