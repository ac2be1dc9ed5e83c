// Asks podium where the pods of drained nodes would go. The answer has each pod's new place, and the
// obstacles to its eviction.
//
// Threads: the Cluster's. Errors: messages for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "app/render/drain.h"
#include "app/render/rolling.h"

namespace podium::kubectl {

struct DrainQuestion {
  std::string selector = {};  // that has the nodes; may be empty
  std::string profile = {};
  bool fail = false;        // the nodes fail, and none is drained
  std::size_t rolling = 0;  // nodes of a step
  std::size_t spare = 0;    // nodes that are added for the time of the steps
  std::string like = {};    // they are like this one; empty: like the first node
};

// Drains all nodes at the same time.
Result<render::Drain> drain_together(const DrainQuestion& question, const std::vector<std::string>& nodes,
                                     Cluster& cluster);

// Drains the nodes in steps. The nodes of a step return before the next step.
Result<render::Rolling> drain_in_steps(const DrainQuestion& question, const std::vector<std::string>& nodes,
                                       Cluster& cluster);

}  // namespace podium::kubectl
