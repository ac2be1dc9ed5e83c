// BindingCycle::Pod: the state of one pod in the binding cycle. Private to the files of BindingCycle.
//
// Owner: BindingCycle; a Pod keeps its address while it is in the cycle. Threads: the scheduling strand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/pod.h"
#include "scheduler/cycle/binding_cycle.h"

namespace podium::cycle {

inline constexpr auto kGone = "the pod is gone, or was bound by another scheduler";
inline constexpr auto kPendingAgain = "the API server no longer shows the pod on a node";

struct BindingCycle::Failure {
  std::string message;    // for the event and the condition
  bool rejected = false;  // a plugin rejected the pod; false: an error
  std::set<std::string>
      rejected_by{};               // plugins whose queueing hints wake the pod; empty: retry after backoff
  bool assumption_visible = true;  // others have seen the assumption, so its end is news to them
};

struct BindingCycle::Pod {
  // In `permitting` and `awaiting` no request of the pod is in flight, so it can end immediately.
  enum class Stage : std::uint8_t { reserving, permitting, writing, awaiting, binding };

  queue::QueuedPod queued;
  framework::AssumedPod assumed;
  const framework::Profile* profile = nullptr;
  Steady began{}, sent{};    // start of the attempt; start of the binding cycle
  std::string_view point{};  // current extension point, and since when; for metrics
  Steady point_began{};
  Stage stage = Stage::reserving;
  // The watch shows the pod on a node, terminating or deleted. The code that sets this updates the snapshot.
  bool gone = false;
  bool deleted = false;            // implies gone; the recorder forgets it once its attempt is recorded
  bool in_doubt = false;           // the binding was sent and has no answer
  bool nominated = false;          // this cycle set status.nominatedNodeName
  std::optional<Failure> verdict;  // how the pod fails as soon as no request is in flight
  framework::PluginStates states;

  struct Wait {
    std::chrono::milliseconds timeout{0};
    Steady until{};
  };
  std::map<std::string, Wait, std::less<>> pending;  // by plugin: outstanding permits

  // The PreBind plugins that have work for this pod.
  std::vector<const framework::Profile::Entry<framework::PreBindPlugin>*> pre_binds;
  std::size_t plugin = 0, write = 0;  // indexes: current plugin in pre_binds, its current write in the plan
  framework::PreBindPlan plan;
  Steady wait_began{};          // of the plan
  framework::Reason waits_for;  // as the recorder knows it

  std::optional<Steady> deadline;

  const std::string& uid() const { return assumed.pod->pod->meta.uid; }
  Steady first_timeout() const {
    return std::ranges::min(pending | std::views::values | std::views::transform(&Wait::until));
  }
  bool waits() const { return stage == Stage::permitting || stage == Stage::awaiting; }
  framework::PluginState* state(std::string_view plugin_name) const {
    return framework::find_state(states, plugin_name);
  }
};

}  // namespace podium::cycle
