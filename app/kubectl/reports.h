// Finds podium's report of a pod, or explains why there is none.
//
// Threads: the Cluster's. Errors: as Cluster.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "app/kubectl/cluster.h"
#include "app/render/report.h"
#include "base/result.h"

namespace podium::kubectl {

// The decision on this pod: the report of its name, else the one with a suffix. `uid`: of the pod, since an
// earlier pod may have had its name; empty: the pod no longer exists. Reads one object or two; without a UID
// also the metadata of the namespace's reports.
Result<std::optional<boost::json::value>> find_report(Cluster& cluster, const std::string& ns,
                                                      const std::string& pod, const std::string& uid);

struct NewestDecision {
  boost::json::value report;
  std::string condition;  // what the pod's condition says, if it is not of this decision; else empty
};
// The last decision on a pod that waits: podium may have decided again without rewriting the report, if only
// numbers of nodes changed. Reads podium's own memory if the pod's condition is of another attempt.
NewestDecision newest_decision(Cluster& cluster, const boost::json::value& pod, boost::json::value report);

// "it has succeeded", "it has failed: Evicted: The node was low on resource: memory"; empty: neither.
std::string end_of_pod(const boost::json::value& pod);

// What a pod itself says about where it is or why it waits: it is static, or gated. Empty: a report would
// say it.
std::string said_by_pod(const boost::json::value& pod, const std::string& ns, const std::string& name,
                        const std::string& program, const std::string& hint_flags = {});

// About a pod that has a node which no scheduler has chosen, or one that does not exist. Empty: neither.
std::string said_by_node(Cluster& cluster, const boost::json::value& pod, const std::string& ns,
                         const std::string& name);

// A note on requests that a LimitRange has set, if the report says that they are too large; else empty.
std::string limit_range_line(const boost::json::value& pod, const render::Report& report);

// What the scheduler of a pod without a report says of its last attempt, in its own words; empty: the pod
// does not wait, or no scheduler has tried it.
std::string said_by_scheduler(const boost::json::value& pod, const std::string& ns, const std::string& name);

// Explains why a pod has no report, and names an alternative. `pod`: nullopt if it does not exist.
// `hint_flags`: see Cluster.
std::string no_report(const std::optional<boost::json::value>& pod, const std::string& ns,
                      const std::string& name, const std::string& program,
                      const std::string& hint_flags = {});

}  // namespace podium::kubectl
