// Renders `podium why deploy/hungry`: how many pods of a workload run, what blocks the others,
// and what would help.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "app/render/pending.h"

namespace podium::render {

// `pods`: all pods of the workload. `groups`: groups of those that wait.
std::string workload_why(const std::string& workload, const std::vector<boost::json::value>& pods,
                         const std::vector<WaitingGroup>& groups, const Options& options);

// Of a workload of which no pod waits: where they are, and the next commands. `subject`: "deploy/web".
std::string workload_next(const std::string& subject, const std::string& ns,
                          const std::vector<boost::json::value>& pods, const Options& options);

// "Would help: cpu request 2750m → 1 more runs; …" for a question about the workload.
std::string fixes_in_line(const Report& report, const Options& options);

}  // namespace podium::render
