// Placement: a decision carried out in a snapshot. The pod is on its node, and what Reserve assumes is
// assumed, so that whatever is decided on this snapshot next sees both.
//
// There is one way to do it. The live cycle does it on its own snapshot, and remembers the plugins' states to
// go on from there or to take it back; what-ifs do it on a fork, where nothing follows.
//
// Threads: whoever owns the snapshot.
// Errors: a PlacementFailure, which is data: the pod does not get this node.
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
PluginState* find_state(const PluginStates& states, std::string_view plugin);           // null: it keeps none

// A plugin that said no, or failed, after the decision.
struct PlacementFailure {
  std::string plugin;
  Verdict verdict;

  bool is_error() const { return verdict.code == Code::error; }
  // As upstream words it; `point` is "Reserve" or "Permit".
  std::string message(std::string_view point) const;
};
// running Permit plugin "A": why
std::string plugin_failed(std::string_view point, std::string_view plugin, std::string_view error);

// The node counts the pod from now on.
void assume(const PodInfo& pod, Row row, Snapshot& snapshot);

// Asks the profile's Reserve plugins until one says no. Taking it back is the caller's: unreserve().
std::optional<PlacementFailure> reserve(const AssumedPod& pod, const Profile& profile, Snapshot& snapshot,
                                        PluginStates& states);
void unreserve(const AssumedPod& pod, const Profile& profile, const PluginStates& states, Snapshot& snapshot,
               Handle& handle);

// Both on a fork. After a failure the fork is as it was, but for a nomination of this pod, which has ended.
std::optional<PlacementFailure> place(const PodInfoPtr& pod, Row row, const Profile& profile, Snapshot& fork);

}  // namespace podium::framework
