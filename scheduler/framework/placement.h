// Placement: carries out a decision in a snapshot. The pod is counted on its node, and Reserve plugins
// assume their objects, so the next decision on this snapshot sees both.
//
// The live cycle does this on the live snapshot and keeps the plugins' states to continue or to revert;
// what-ifs do it on a fork.
//
// Threads: the owner of the snapshot. Errors: PlacementFailure, which is data: the pod does not get the node.
// Source: pkg/scheduler/schedule_one.go assumeAndReserve.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/framework/lifecycle.h"
#include "scheduler/framework/profile.h"

namespace podium::framework {

using PluginStates = std::map<std::string, std::unique_ptr<PluginState>, std::less<>>;  // by plugin
PluginState* find_state(const PluginStates& states, std::string_view plugin);           // null: none

// A plugin rejected the pod, or failed, after the decision.
struct PlacementFailure {
  std::string plugin;
  Verdict verdict;

  bool is_error() const { return verdict.code == Code::error; }
  // Upstream's message; `point` is "Reserve" or "Permit".
  std::string message(std::string_view point) const;
};
// Upstream's text: running Permit plugin "A": why
std::string plugin_failed(std::string_view point, std::string_view plugin, std::string_view error);

// Adds the pod to the node.
void assume(const PodInfo& pod, Row row, Snapshot& snapshot);

// Runs the profile's Reserve plugins until one fails. The caller then calls unreserve().
std::optional<PlacementFailure> reserve(const AssumedPod& pod, const Profile& profile, Snapshot& snapshot,
                                        PluginStates& states);
void unreserve(const AssumedPod& pod, const Profile& profile, const PluginStates& states, Snapshot& snapshot,
               Handle& handle);

// assume() and reserve() on a fork. A failure reverts both; only the pod's nomination stays withdrawn.
std::optional<PlacementFailure> place(const PodInfoPtr& pod, Row row, const Profile& profile, Snapshot& fork);

}  // namespace podium::framework
