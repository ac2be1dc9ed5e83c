// StopWatch: measures the phases of one evaluation with the scheduler's clock and counts plugin
// calls, for metrics.
//
// Durations of single plugins are sampled, one evaluation in ten as upstream, because they read
// the clock for each plugin. Call counts are plain integers that Metrics::plugin_calls() copies
// before a collection.
//
// Owner: Scheduler::step(), for one evaluation. Threads: the scheduling strand.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "scheduler/cycle/metrics.h"
#include "scheduler/framework/phases.h"
#include "scheduler/framework/profile.h"

namespace podium::cycle {

// The number of calls of each plugin of a profile: once per pod (PreFilter, PreScore; skips not
// counted), or once per node (Filter, Score).
struct PluginCalls {
  explicit PluginCalls(const framework::Profile& profile);
  const framework::Profile& profile;
  std::array<std::vector<std::uint64_t>, framework::kPhases> times;  // by phase, then plugin index
  std::uint64_t evaluations = 0;
};

// The phase's name in metrics, such as "PreFilter".
std::string_view extension_point_name(framework::Phase phase);
// The name of the plugin at `index` of the profile's list for this phase.
std::string_view plugin_name(const framework::Profile& profile, framework::Phase phase, std::size_t index);

class StopWatch final : public framework::EvaluationObserver {
 public:
  StopWatch(const Clock& clock, Metrics& metrics, PluginCalls& calls);
  void phase_ended(framework::Phase phase, std::string_view status) override;
  void plugin_called(framework::Phase phase, std::size_t index, std::size_t nodes,
                     std::string_view status) override;

 private:
  const Clock& clock_;
  Metrics& metrics_;
  PluginCalls& calls_;
  const bool samples_plugins_;
  Steady phase_began_, plugin_began_;
};

}  // namespace podium::cycle
