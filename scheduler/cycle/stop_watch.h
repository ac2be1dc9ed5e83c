// StopWatch: measures what an evaluation does by the scheduler's clock, and counts which plugins it asks, for
// metrics.
//
// A plugin's own duration is taken of one evaluation in ten, as upstream does it: clocks are read more often
// then. Counts are plain numbers until somebody looks. Threads: the scheduling strand.
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

// How often each plugin of a profile was asked: about a pod (unless it had nothing to do), or about a node.
struct PluginCalls {
  explicit PluginCalls(const framework::Profile& profile);
  const framework::Profile& profile;
  std::array<std::vector<std::uint64_t>, framework::kPhases> times;  // by phase and index
  std::uint64_t evaluations = 0;
};

// What metrics call a phase: "PreFilter".
std::string_view point_of(framework::Phase phase);
// The name of the plugin at `index` of the profile's list for this phase.
std::string_view plugin_at(const framework::Profile& profile, framework::Phase phase, std::size_t index);

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
