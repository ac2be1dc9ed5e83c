// Projects a decision to a report's status.
//
// Copies every number from the Decision and decides nothing again. Cuts lists at the bounds of the CRD and
// keeps their true totals.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/report/report.h"
#include "scheduler/framework/decision.h"
#include "scheduler/plugins/shared/unmet.h"

namespace podium::explain {

// The fields that derive from the decision on this pod: all except outcome, profile, attempts, times,
// history, answer and conditions. They are the same if the snapshot also has the pod on the chosen node: of
// the columns that a placed pod changes, only rows of nodes that rejected the pod count.
ReportStatus project(const cluster::PodInfo& pod, const framework::Decision& decision,
                     const cluster::Snapshot& snapshot);

// The same for a pod that a PreEnqueue plugin keeps out of the queue.
ReportStatus project_gated(const cluster::PodInfo& pod, const framework::Verdict& gate);

// Makes it the status of a pod that has a node, and whose binding waits for this. `status`: of the decision.
void set_binding(ReportStatus& status, const framework::Reason& wait);

// The toleration of the pod that is nearest to one of the node's taints, except those of its state.
std::optional<NearToleration> near_toleration(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                              cluster::Row row);

// The source of a part, as reports write it: "nodeSelector".
const char* from_text(plugins::SelectorPart::From from);

// The pod's scheduling gates; else the plugin and its reason.
std::vector<std::string> gates_of(const cluster::PodInfo& pod, const framework::Verdict& gate);

}  // namespace podium::explain
