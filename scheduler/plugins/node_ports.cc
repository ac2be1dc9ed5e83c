// NodePorts: a pod with host ports fits on nodes where no pod uses a conflicting host port.
// Source: pkg/scheduler/framework/plugins/nodeports.
#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <set>
#include <tuple>

#include "base/text_hash.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {
namespace {

using namespace framework;
using cluster::HostPort;

Verdict no_free_ports() {
  return {framework::names::kNodePorts, Code::unschedulable, {Reason(ReasonCode::host_port_in_use)}};
}

// The host ports that a pod requests, by protocol and port: many are looked up, by node and by pod.
class WantedPorts {
 public:
  explicit WantedPorts(std::span<const HostPort> wanted) {
    for (const auto& port : wanted) by_port_[{port.protocol, port.port}].insert(port.ip);
  }

  bool conflicts_with(const HostPort& used) const {
    const auto it = by_port_.find({used.protocol, used.port});
    if (it == by_port_.end()) return false;
    const auto& addresses = it->second;
    return used.ip == kAnyAddress || addresses.contains(kAnyAddress) || addresses.contains(used.ip);
  }
  bool conflicts_with(std::span<const HostPort> used) const {
    return std::ranges::any_of(used, [&](const HostPort& port) { return conflicts_with(port); });
  }

 private:
  static constexpr std::string_view kAnyAddress = "0.0.0.0";

  boost::unordered_flat_map<std::pair<std::string_view, std::int32_t>, std::set<std::string_view>,
                            TextPairHash>
      by_port_;
};

// Upstream keeps a node's ports as a set. Removing a pod frees its ports, even if another pod of the node
// has the same port; only pods that bypassed the scheduler can. Preemption removes all lower-priority pods
// and then adds them back one by one. So a lower-priority pod that stays was just added back, and its ports
// are in the set again.
// Source: pkg/scheduler/framework/types.go updateUsedPorts.
class PortsTrial final : public NodeTrial {
 public:
  PortsTrial(const WantedPorts& wanted, std::span<const PodInfoPtr> pods, std::int32_t priority)
      : wanted_(wanted), priority_(priority) {
    for (const auto& pod : pods) change(pod, 1, 0);
  }

  void add(const PodInfoPtr& pod) override { is_added_ |= wanted_.conflicts_with(pod->host_ports); }
  void remove(const PodInfoPtr& pod) override {
    ++removed_;
    change(pod, -1, 1);
  }
  void restore(const PodInfoPtr& pod) override {
    --removed_;
    change(pod, 1, -1);
  }
  std::optional<Verdict> check() override {
    if (is_added_ || held_ > 0 || (removed_ > 0 && held_by_lower_ > 0)) return no_free_ports();
    return std::nullopt;
  }

 private:
  // Pods of the node that have a port.
  struct Users {
    std::int64_t here = 0, lower = 0, removed = 0;  // lower: those here of lower priority
    bool holds() const { return here > 0 && removed == 0; }
  };
  struct Hash {
    std::size_t operator()(const HostPort& port) const {
      return hash_mix(hash_text(port.ip),
                      TextPairHash()(std::pair(std::string_view(port.protocol), port.port)));
    }
  };

  void change(const PodInfoPtr& pod, std::int64_t here, std::int64_t removed) {
    for (const auto& port : pod->host_ports) {
      if (!wanted_.conflicts_with(port)) continue;
      auto& users = users_[port];
      held_ -= users.holds();
      held_by_lower_ -= users.lower > 0;
      users.here += here;
      users.lower += pod->priority < priority_ ? here : 0;
      users.removed += removed;
      held_ += users.holds();
      held_by_lower_ += users.lower > 0;
    }
  }

  const WantedPorts& wanted_;
  const std::int32_t priority_;
  boost::unordered_flat_map<HostPort, Users, Hash> users_;  // of ports that conflict with a requested one
  std::int64_t held_ = 0, held_by_lower_ = 0;               // ports
  std::int64_t removed_ = 0;                                // pods
  bool is_added_ = false;                                   // an added pod has a conflicting port
};

class PortsFilter final : public NodeFilter {
 public:
  PortsFilter(const Snapshot& snapshot, const PodInfo& pod)
      : NodeFilter(snapshot), wanted_(pod.host_ports), priority_(pod.priority) {}

  void filter(NodeMask& nodes, Rejections& out) const override {
    auto suspects = nodes;
    suspects &= snapshot_.with_host_ports();
    const auto id = out.add(no_free_ports());
    suspects.each([&](Row row) {
      if (has_conflict(row)) out.reject(nodes, row, id);
    });
  }

  std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
    return check_on_trial(row, delta);
  }

  bool ignores_pods_of(Row row) const override {
    return !snapshot_.with_host_ports().test(row) || !has_conflict(row);
  }

  std::unique_ptr<NodeTrial> try_on(Row row) const override {
    return std::make_unique<PortsTrial>(wanted_, snapshot_.entry(row).pods, priority_);
  }

 private:
  bool has_conflict(Row row) const {
    return std::ranges::any_of(snapshot_.entry(row).pods,
                               [this](const auto& pod) { return wanted_.conflicts_with(pod->host_ports); });
  }

  const WantedPorts wanted_;
  const std::int32_t priority_;
};

class NodePorts final : public Plugin, public FilterPlugin {
 public:
  std::string_view name() const override { return framework::names::kNodePorts; }
  bool has_pre_filter() const override { return true; }
  std::string error_without_pre_filter() const override {
    return "reading \"PreFilterNodePorts\" from cycleState: not found";
  }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    if (pod.host_ports.empty()) return {};
    return {.filter = std::make_unique<PortsFilter>(snapshot, pod)};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints{{EventResource::node, kAdd, nullptr}};
    const auto helps = [](const PodInfo& rejected, const ClusterEvent& event) {
      const auto* deleted = std::get_if<api::PodPtr>(&event.before);
      if (!deleted || !*deleted) return true;
      if ((*deleted)->node_name.empty() && (*deleted)->nominated_node.empty()) return false;
      const auto& freed = event.ports.get(
          [&] { return std::make_unique<const std::vector<HostPort>>(cluster::host_ports(**deleted)); });
      return std::ranges::any_of(rejected.host_ports,
                                 [&](const HostPort& port) { return cluster::conflicts(freed, port); });
    };
    hints.push_back({EventResource::assigned_pod, kDelete, helps});
    return hints;
  }
};

}  // namespace

PluginPtr make_node_ports(const boost::json::object&) { return std::make_shared<NodePorts>(); }

}  // namespace podium::plugins
