// How ReportWriter interprets the API server's replies and its own earlier writes.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <optional>
#include <string>

#include "async/fair_queue_options.h"
#include "base/instant.h"
#include "base/result.h"
#include "controller/recorder/known_reports.h"
#include "explain/report/report.h"

namespace podium::controller {

// True for the report of a decision on this pod.
bool is_of(const boost::json::value& report, const std::string& pod_uid);
// True for podium's own report on a pod of this name.
bool is_of_a_pod_of_this_name(const boost::json::value& report, const std::string& pod);
bool was_decided_after(const boost::json::value& report, std::optional<Wall> decided_at);
// Sets the conditions' times: the time of the last transition, which is one between True and False.
void stamp(WrittenReport& report, explain::ReportStatus& status);
// True if the report's labels must change for this status.
bool needs_labels(const WrittenReport& report, const explain::ReportStatus& status, std::chrono::seconds ttl);
// The report on the API server: podium's last write about this pod, possibly before a restart.
WrittenReport written_before(const boost::json::value& report);

// True if the error is about one report: its name, its size, or its deletion.
bool is_about_this_report(const Error& error);
// The scope of the backoff after the error: the report, its namespace, or everything.
async::Outcome backoff_of(const Error& error);

}  // namespace podium::controller
