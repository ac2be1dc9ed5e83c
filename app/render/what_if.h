// The answer to a question (a SchedulingReport with dryRun), and the exit code for scripts.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>

#include "app/render/options.h"
#include "app/render/report.h"

namespace podium::render {

// Renders one replica as why() does. For several it says how many fit and where, what rejected the next one,
// and how many more fit. `next`: other options to try; may be empty.
std::string what_if(const Report& report, const std::string& subject, const Options& options,
                    const std::string& next = {});

// Renders only the first pod of what_if(): its node, or why there is none, and the quotas that count it.
std::string one_pod(const Report& report, const std::string& subject, const Options& options);
// "all 20 fit". If a quota allows fewer: "the nodes have room for all 20, quota q allows 5".
std::string verdict(const explain::ReportAnswer& answer, const Style& style);
// "the nodes have room for all 13, quota q allows 5". Empty: the quotas allow all replicas.
std::string quota_verdict(const explain::ReportAnswer& answer);
// "the nodes have room for 20, quota q allows 5".
std::string room_and_quota(const std::string& room, const std::string& quota, std::size_t allowed);
// "Room for 3 more after that.", and what is short then; empty: not asked.
std::string room_line(const Report& report);
// "3 other pods wait for a node and may take some of this room first."; empty: none waits.
std::string competing_line(std::size_t others_waiting);
// What its author may not know: "Note: …", a line each.
std::string note_lines(const explain::ReportAnswer& answer);
// A rolling update of the pods that exist gets stuck, and why; empty: it ends, or was not asked about.
std::string stuck_rollout_line(const Report& report);
// A line for each quota that counts the pods.
std::string quota_lines(const Report& report);
// Those of the quotas that allow fewer.
std::string exceeded_quota_lines(const Report& report);

// The numbers of fitting and requested replicas.
std::string capacity(const Report& report, const std::string& subject, const Options& options);

// 0: fits, 3: partly, 4: does not fit, 2: refused, 1: no answer.
int exit_code(const Report& report);

}  // namespace podium::render
