// Phases: who wants to know when the extension points of an evaluation end, for metrics. Its clock is its
// own, for the core has none.
//
// Threads: called where the evaluation runs.
#pragma once

#include <cstdint>
#include <string_view>

namespace podium::framework {

// Plugins prepare once for filtering, which is PreFilter, and once for scoring, which counts with Score.
enum class Phase : std::uint8_t { pre_filter, filter, post_filter, score };

class Phases {
 public:
  virtual ~Phases() = default;
  // What has run since the last call, or since the evaluation began, was this; status as upstream's codes
  // have it.
  virtual void ended(Phase phase, std::string_view status) = 0;
};

}  // namespace podium::framework
