#include "scheduler/framework/placement.h"

#include <fmt/format.h>

#include <ranges>
#include <utility>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/decision.h"

namespace podium::framework {
namespace {

// Pods on a fork never wait for a permit.
class NoWaitingPods final : public Handle {
 public:
  void each_waiting_pod(const std::function<void(const AssumedPod&)>&) const override {}
  std::vector<std::string> pending_plugins(std::string_view) const override { return {}; }
  void allow(std::string_view, std::string_view) override {}
  bool reject(std::string_view, std::string_view, std::string) override { return false; }
};

}  // namespace

PluginState* find_state(const PluginStates& states, std::string_view plugin) {
  const auto it = states.find(plugin);
  return it == states.end() ? nullptr : it->second.get();
}

std::string plugin_failed(std::string_view point, std::string_view plugin, std::string_view error) {
  return fmt::format("running {} plugin \"{}\": {}", point, plugin, error);
}

std::string PlacementFailure::message(std::string_view point) const {
  if (is_error()) return plugin_failed(point, plugin, framework::message(verdict));
  // Upstream builds a FitError for one node.
  std::map<std::string_view, std::size_t> counts;
  for (const auto& reason : verdict.reasons) ++counts[reason.text];
  return fit_error(1, counts);
}

void assume(const PodInfo& pod, Row row, Snapshot& snapshot) {
  const auto node = snapshot.entry(row).node;
  snapshot.add_pod(cluster::make_placed(pod, node->meta.name, &node->meta.labels));
}

std::optional<PlacementFailure> reserve(const AssumedPod& pod, const Profile& profile, Snapshot& snapshot,
                                        PluginStates& states) {
  for (const auto& [name, plugin] : profile.reserves) {
    auto result = plugin->reserve(pod, snapshot);
    if (result.state) states[name] = std::move(result.state);
    if (result.failed) return PlacementFailure{name, std::move(*result.failed)};
  }
  return std::nullopt;
}

void unreserve(const AssumedPod& pod, const Profile& profile, const PluginStates& states, Snapshot& snapshot,
               Handle& handle) {
  for (const auto& [name, plugin] : profile.reserves | std::views::reverse) {
    plugin->unreserve(pod, find_state(states, name), snapshot, handle);
  }
}

std::optional<PlacementFailure> place(const PodInfoPtr& pod, Row row, const Profile& profile,
                                      Snapshot& fork) {
  const AssumedPod assumed{pod, std::string(fork.node_name(row))};
  PluginStates states;
  assume(*pod, row, fork);
  auto failure = reserve(assumed, profile, fork, states);
  if (failure) {
    NoWaitingPods handle;
    unreserve(assumed, profile, states, fork, handle);
    fork.remove_pod(pod->pod->meta.uid);
  }
  return failure;
}

}  // namespace podium::framework
