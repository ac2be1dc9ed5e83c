// Pod: what the binding cycle knows of one pod, and how a failure of it reads. For the files of BindingCycle
// only.
//
// Owner: BindingCycle; does not move in memory.
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

#include "scheduler/cycle/binding_cycle.h"

namespace podium::cycle {

inline constexpr auto kGone = "the pod is gone, or was placed by somebody else";
inline constexpr auto kStopping = "the scheduler is stopping";

struct BindingCycle::Failure {
  std::string message;                  // for the event and the condition
  bool rejected = false;                // a plugin turned the pod down; else something failed
  std::set<std::string> rejected_by{};  // whose hints say when to try again; none: after a backoff
  bool told = true;                     // others have seen the assumption, so its end is news to them
};

struct BindingCycle::Pod {
  // Only in `permitting` and `awaiting` nothing of the pod is under way, and it can end at once.
  enum class Stage : std::uint8_t { reserving, permitting, writing, awaiting, binding };

  queue::QueuedPod queued;
  framework::AssumedPod assumed;
  const framework::Profile* profile = nullptr;
  Steady began{}, sent{};    // the attempt; what is measured as its binding
  std::string_view point{};  // the extension point that it is in, and since when; for metrics
  Steady point_began{};
  Stage stage = Stage::reserving;
  bool gone = false;               // deleted, or seen on a node: the watch has told, and the snapshot knows
  bool in_doubt = false;           // its binding was sent and has no answer
  bool nominated = false;          // status.nominatedNodeName was set for it
  std::optional<Failure> verdict;  // it is to end with this when nothing is under way
  framework::PluginStates states;

  struct Wait {
    std::chrono::milliseconds timeout{0};
    Steady until{};
  };
  std::map<std::string, Wait, std::less<>> pending;  // the plugins whose permit is outstanding

  std::vector<const framework::Profile::Entry<framework::PreBindPlugin>*> pre_binds;  // that have something
                                                                                      // to do
  std::size_t plugin = 0, write = 0;  // the one whose turn it is, and its write
  framework::PreBindPlan plan;

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
