// FilterOpinion and ScoreOpinion: what an HTTP extender says about nodes, as an Evaluation takes it.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace podium::framework {

// One extender's verdicts on the nodes that were feasible when it was asked. Nodes by name.
struct FilterOpinion {
  using Reasons = std::vector<std::pair<std::string, std::string>>;
  std::string extender;               // its name in reports
  std::vector<std::string> feasible;  // all others are rejected, with a reason below if it gave one
  Reasons failed, unresolvable;       // unresolvable wins for a node in both
};

// One extender's scores, before the weight, scaled as plugins' scores (an extender's 10 is 100 here). Not
// limited to 0..100.
struct ScoreOpinion {
  std::string extender;
  std::int64_t weight = 1;
  std::vector<std::pair<std::string, std::int64_t>> scores;  // a node named twice gets the sum
};

}  // namespace podium::framework
