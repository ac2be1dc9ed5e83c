// Renders `podium why deploy/hungry`: how many pods of a workload run, what blocks the others,
// and what would help.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/render/pending.h"

namespace podium::render {

// Numbers of a workload: the replicas that its controller wants now, the pods that exist, and those of them
// that have a node.
struct Replicas {
  std::size_t wanted = 0, existing = 0, placed = 0;
  std::string why_none = {};  // why it wants none: "it is suspended"
};
// `workload`: the object, of this kind. nullopt: such workloads create no pods.
std::optional<Replicas> replicas_of(std::string_view kind, const boost::json::value& workload,
                                    const std::vector<boost::json::value>& pods);
// Why the workload's controller creates no more pods, as its conditions and pods say it; empty: they do not.
// `has_waiting`: some of its pods wait.
std::string why_not_created(const boost::json::value& workload, const std::vector<boost::json::value>& pods,
                            bool has_waiting);

// `pods`: all pods of the workload. `groups`: groups of those that wait. `reason`: why replicas are missing.
std::string workload_why(const std::string& workload, const std::vector<boost::json::value>& pods,
                         const std::optional<Replicas>& replicas, const std::string& reason,
                         const std::vector<WaitingGroup>& groups, const Options& options);

// Says where the pods of a workload are, none of which waits, and the next commands. `subject`: "deploy/web".
std::string workload_next(const std::string& subject, const std::string& ns,
                          const std::vector<boost::json::value>& pods, const Options& options);

// "Would help: cpu request 2750m → 1 more runs; …" for a question about the workload.
std::string fixes_in_line(const Report& report, const Options& options, const std::string& before = {});

}  // namespace podium::render
