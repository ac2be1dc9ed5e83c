// NodeUnschedulable: cordoned nodes (spec.unschedulable) fit only pods that tolerate
// the taint node.kubernetes.io/unschedulable.
// Source: pkg/scheduler/framework/plugins/nodeunschedulable.
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/column_scan.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;

bool tolerates_unschedulable(const api::Pod& pod) {
  static const api::Taint taint{"node.kubernetes.io/unschedulable", "", api::TaintEffect::no_schedule};
  for (const auto& toleration : pod.tolerations) {
    if (toleration.tolerates(taint)) return true;
  }
  return false;
}

class UnschedulableFilter final : public NodeFilter {
 public:
  UnschedulableFilter(const Snapshot& snapshot, IdSet cordoned)
      : NodeFilter(snapshot), cordoned_(std::move(cordoned)) {}

  bool ignores_pods() const override { return true; }
  bool declare(RowInputs& inputs) const override {
    declare_taints(snapshot_.taint_set, cordoned_, inputs);
    return true;
  }
  void filter(NodeMask& nodes, Rejections& out) const override {
    const auto id = out.add({framework::names::kNodeUnschedulable,
                             Code::unschedulable_and_unresolvable,
                             {Reason(ReasonCode::node_unschedulable)}});
    for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
      if (!chunk_is_empty(nodes, chunk)) {
        reject_chunk(nodes, chunk, cordoned_.match(snapshot_.taint_set.chunk(chunk)), id, out);
      }
    }
  }

 private:
  IdSet cordoned_;
};

class NodeUnschedulable final : public Plugin, public FilterPlugin {
 public:
  std::string_view name() const override { return framework::names::kNodeUnschedulable; }
  bool has_pre_filter() const override { return true; }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    const auto sets = snapshot.taint_sets();
    IdSet cordoned(sets.size());
    for (std::size_t id = 0; id < sets.size(); ++id) {
      if (sets[id].unschedulable && sets[id].nodes > 0) cordoned.insert(static_cast<std::uint32_t>(id));
    }
    if (cordoned.empty() || tolerates_unschedulable(*pod)) return {.never_skips = true};
    return {.filter = std::make_unique<UnschedulableFilter>(snapshot, std::move(cordoned))};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints;
    hints.push_back(
        {EventResource::node, kAdd | kUpdateNodeTaint, [](const PodInfo&, const ClusterEvent& event) {
           const auto* before = object_before<api::Node>(event);
           const auto* after = object_after<api::Node>(event);
           return after && !after->unschedulable && (!before || before->unschedulable);
         }});
    hints.push_back(
        {EventResource::target_pod, kUpdatePodTolerations, [](const PodInfo&, const ClusterEvent& event) {
           const auto* after = object_after<api::Pod>(event);
           return after && tolerates_unschedulable(*after);
         }});
    return hints;
  }
};

}  // namespace

PluginPtr make_node_unschedulable(const boost::json::object&) {
  return std::make_shared<NodeUnschedulable>();
}

}  // namespace podium::plugins
