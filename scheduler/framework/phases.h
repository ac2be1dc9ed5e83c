// EvaluationObserver: called as the phases and plugins of an evaluation finish, for metrics. The observer
// measures time itself, since the core has no clock.
//
// Owner: the caller of the evaluation. Threads: the evaluation's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace podium::framework {

// pre_filter and pre_score: the part that plugins prepare once per pod.
enum class Phase : std::uint8_t { pre_filter, filter, post_filter, pre_score, score };
inline constexpr std::size_t kPhases = 5;

// The status of a plugin that has nothing to do for the pod.
inline constexpr std::string_view kSkip = "Skip";

class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;
  // The phase has ended; it began at the previous phase_ended() or at the start of the evaluation.
  // `status` is the text of an upstream code.
  virtual void phase_ended(Phase phase, std::string_view status) = 0;
  // The plugin at `index` of the profile's list for the phase has run since the previous call of either
  // function, on `nodes` nodes (1 if it ran on the pod). Not called for PostFilter. A filter's status is its
  // best verdict over the nodes.
  virtual void plugin_called(Phase phase, std::size_t index, std::size_t nodes, std::string_view status) = 0;
};

}  // namespace podium::framework
