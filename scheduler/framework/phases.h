// EvaluationObserver: who wants to know what an evaluation does and when, for metrics. Its clock is its own, for the core
// has none.
//
// Threads: called where the evaluation runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace podium::framework {

// What plugins prepare once for a pod is PreFilter and PreScore.
enum class Phase : std::uint8_t { pre_filter, filter, post_filter, pre_score, score };
inline constexpr std::size_t kPhases = 5;

inline constexpr std::string_view kSkip = "Skip";  // the status of a plugin that has nothing to do for the
                                                   // pod

class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;
  // What has run since the last call, or since the evaluation began, was this; status as upstream's codes
  // have it.
  virtual void phase_ended(Phase phase, std::string_view status) = 0;
  // What has run since the last call of either was one plugin of the phase (PostFilter excepted): the one at
  // `place` of the profile's list. It was asked about so many nodes; 1 where it is asked about the pod. A
  // filter's status is what it said of the best of them.
  virtual void plugin_called(Phase phase, std::size_t index, std::size_t nodes, std::string_view status) = 0;
};

}  // namespace podium::framework
