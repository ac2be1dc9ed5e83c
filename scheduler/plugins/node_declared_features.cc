// NodeDeclaredFeatures: a pod that relies on a feature of the kubelet fits only where the node declares it.
// Source: pkg/scheduler/framework/plugins/nodedeclaredfeatures and component-helpers/nodedeclaredfeatures, of whose
// features one can be asked for by a pod: restarting all containers when one exits.
#include <algorithm>

#include "scheduler/plugins/event_objects.h"
#include "scheduler/plugins/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

constexpr std::string_view kRestartAll = "RestartAllContainersOnContainerExits";

bool needs_restart_all(const api::Pod& pod) {
  const auto asks = [](const api::Container& container) {
    return std::ranges::any_of(container.restart_rules,
                               [](const auto& rule) { return rule.action == "RestartAllContainers"; });
  };
  return std::ranges::any_of(pod.containers, asks) || std::ranges::any_of(pod.init_containers, asks);
}

class FeatureFilter final : public NodeFilter {
 public:
  explicit FeatureFilter(const Snapshot& snapshot) : NodeFilter(snapshot) {}

  bool ignores_pods() const override { return true; }
  // Such pods are rare, so the features are no column.
  void filter(NodeMask& nodes, Rejections& out) const override {
    const auto id = out.add({"NodeDeclaredFeatures",
                             Code::unschedulable_and_unresolvable,
                             {"node(s) didn't match Pod's required features"}});
    const auto before = nodes;
    before.each([&](Row row) {
      const auto& features = snapshot_.entry(row).node->declared_features;
      if (std::ranges::find(features, kRestartAll) == features.end()) out.reject(nodes, row, id);
    });
  }
};

class NodeDeclaredFeatures final : public Plugin, public FilterPlugin {
 public:
  std::string_view name() const override { return "NodeDeclaredFeatures"; }
  bool has_pre_filter() const override { return true; }
  std::string error_without_pre_filter() const override {
    return "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found";
  }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    if (!needs_restart_all(*pod)) return {};
    return {.filter = std::make_unique<FeatureFilter>(snapshot)};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints;
    hints.push_back(
        {Resource::node, kAdd | kUpdateNodeDeclaredFeature, [](const PodInfo&, const ClusterEvent& event) {
           const auto* before = object_before<api::Node>(event);
           const auto* after = object_after<api::Node>(event);
           return after && (!before || before->declared_features != after->declared_features);
         }});
    add_pod_hints(hints, kUpdate, [](const PodInfo& rejected, const ClusterEvent& event) {
      const auto* before = object_before<api::Pod>(event);
      const auto* after = object_after<api::Pod>(event);
      return before && after && after->meta.uid == rejected->meta.uid &&
             needs_restart_all(*before) != needs_restart_all(*after);
    });
    return hints;
  }
};

}  // namespace

PluginPtr make_node_declared_features(const boost::json::object&) {
  return std::make_shared<NodeDeclaredFeatures>();
}

}  // namespace podium::plugins
