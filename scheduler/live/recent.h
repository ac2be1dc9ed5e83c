// Recent: lists of recent objects, for those that arrive. Threads: one at a time. Errors: none.
#pragma once

#include "scheduler/live/recent_nodes.h"
#include "scheduler/live/recent_pods.h"

namespace podium::live {

struct Recent {
  RecentNodes nodes;
  RecentPods pods;
};

}  // namespace podium::live
