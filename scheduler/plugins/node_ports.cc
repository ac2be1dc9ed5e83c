// NodePorts: a pod with host ports fits on nodes where no pod uses a conflicting host port.
// Source: pkg/scheduler/framework/plugins/nodeports.
#include <algorithm>

#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;
using cluster::HostPort;

Verdict no_free_ports() {
  return {"NodePorts", Code::unschedulable, {"node(s) didn't have free ports for the requested pod ports"}};
}

bool conflict(std::span<const HostPort> wanted, std::span<const HostPort> used) {
  return std::ranges::any_of(used, [&](const HostPort& port) { return cluster::conflicts(wanted, port); });
}

class PortsFilter final : public NodeFilter {
 public:
  PortsFilter(const Snapshot& snapshot, const PodInfo& pod)
      : NodeFilter(snapshot), wanted_(pod.host_ports), priority_(pod.priority) {}

  void filter(NodeMask& nodes, Rejections& out) const override {
    auto suspects = nodes;
    suspects &= snapshot_.with_host_ports();
    const auto id = out.add(no_free_ports());
    suspects.each([&](Row row) {
      if (in_use(row, {})) out.reject(nodes, row, id);
    });
  }

  std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
    const bool added = std::ranges::any_of(
        delta.added, [&](const PodInfoPtr& pod) { return conflict(wanted_, pod->host_ports); });
    if (added || in_use(row, delta.removed)) return no_free_ports();
    return std::nullopt;
  }

 private:
  // Upstream keeps a node's ports as a set. Removing a pod frees its ports, even if another pod of the node
  // has the same port; only pods that bypassed the scheduler can. Preemption removes all lower-priority pods
  // and then adds them back one by one. So a lower-priority pod that is not in `removed` was just added back,
  // and its ports are in the set again.
  // Source: pkg/scheduler/framework/types.go updateUsedPorts.
  bool in_use(Row row, std::span<const PodInfoPtr> removed) const {
    const auto goes = [&](const HostPort& port) {
      return std::ranges::any_of(
          removed, [&](const PodInfoPtr& pod) { return cluster::contains(pod->host_ports, port); });
    };
    return std::ranges::any_of(snapshot_.entry(row).pods, [&](const PodInfoPtr& pod) {
      if (std::ranges::find(removed, pod) != removed.end()) return false;
      const bool is_back = !removed.empty() && pod->priority < priority_;
      return std::ranges::any_of(pod->host_ports, [&](const HostPort& port) {
        return cluster::conflicts(wanted_, port) && (is_back || !goes(port));
      });
    });
  }

  std::span<const HostPort> wanted_;
  std::int32_t priority_;
};

class NodePorts final : public Plugin, public FilterPlugin {
 public:
  std::string_view name() const override { return "NodePorts"; }
  bool has_pre_filter() const override { return true; }
  std::string error_without_pre_filter() const override {
    return "reading \"PreFilterNodePorts\" from cycleState: not found";
  }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    if (pod.host_ports.empty()) return {};
    return {.filter = std::make_unique<PortsFilter>(snapshot, pod)};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints{{Resource::node, kAdd, nullptr}};
    add_pod_hints(hints, kDelete, [](const PodInfo& rejected, const ClusterEvent& event) {
      const auto* deleted = std::get_if<api::PodPtr>(&event.before);
      if (!deleted || !*deleted) return true;
      if ((*deleted)->node_name.empty() && (*deleted)->nominated_node.empty()) return false;
      return conflict(rejected.host_ports, cluster::make_pod_info(*deleted)->host_ports);
    });
    return hints;
  }
};

}  // namespace

PluginPtr make_node_ports(const boost::json::object&) { return std::make_shared<NodePorts>(); }

}  // namespace podium::plugins
