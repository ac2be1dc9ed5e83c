// The preemptions of earlier processes, which a new leader reads once from the reports of the pods that got
// the room. So the memory of decisions knows why a pod was evicted, also after a restart, and the report of a
// pod that still waits for its room keeps the preemption.
//
// A report names as many victims as its size has room for.
// Threads: as the Api's; the others are pure functions. Errors: none; reports that cannot be read are left
// out, and the log says so.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/api.h"
#include "controller/report/report_requests.h"
#include "explain/report/report.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::controller {

struct PastPreemption {
  ReportOwner pod;  // that preempts
  bool is_placed = false;
  explain::Preempted preempted = {};
};

// The newest first, at most kMostPast. Ends early once `may_continue` returns false.
inline constexpr std::size_t kMostPast = 4'096;
client::Task<std::vector<PastPreemption>> read_past_preemptions(client::Api& api,
                                                                std::function<bool()> may_continue);

// Removes the victims of whose names there is a pod that does not terminate: it is another pod, or nothing
// evicted it.
void remove_living_victims(const std::vector<cluster::PodInfoPtr>& pods, std::vector<PastPreemption>& past);

}  // namespace podium::controller
