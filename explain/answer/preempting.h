// How many replicas fit if the pods that they would preempt are evicted, which evictions make room, and whose
// names the author of a question may see.
//
// Threads: pure functions on one fork. Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "explain/answer/placing.h"
#include "explain/report/report.h"
#include "explain/report/what_if_parts.h"

namespace podium::explain {

// `placed`: without evictions, from the same fork. nullopt: no more fit with them. Tries kMostPreempting.
std::optional<WithPreemption> count_with_preemption(const Replicas& replicas, Count count,
                                                    const Placed& placed, cluster::Snapshot fork);

// The node on which the decision's evictions make room. nullopt: it evicts no pods, or a static pod is among
// them, as kube-scheduler also chooses these: the kubelet runs it again, and the pod waits and tries again.
std::optional<cluster::Row> node_of_evictions(const framework::Decision& decision,
                                              const cluster::Snapshot& fork);

// Victims and their budgets in other namespaces are not named: the author may not be allowed to see them.
void name_own_victims(const std::string& ns, ReportStatus& status);
std::size_t count_other_victims(const framework::Decision& decision, const std::string& ns);

}  // namespace podium::explain
