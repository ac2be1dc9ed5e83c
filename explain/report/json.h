// Writes and reads the JSON of a report. Both derive from the lists of fields (fields.h).
//
// Writing cuts each text, list and count to what the CRD allows, so that the API server takes every report.
// Reading is tolerant: an absent field, or one of another type, stays empty, and numbers are clamped. So
// podium can read reports of a newer podium or of other authors.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "explain/report/report.h"

namespace podium::explain {

// .status without the fields that are empty.
std::string to_text(const ReportStatus& status);
boost::json::object to_json(const ReportStatus& status);
boost::json::object to_json(const ReportRejection& rejection);
// A merge patch of .status: the same, and null for each field that an earlier status may have.
boost::json::object to_merge_patch(const ReportStatus& status);

ReportStatus read_status(const boost::json::value& status);
// Reads a whole SchedulingReport. A question always has an answer; a missing one gets the
// replicas of the spec.
Report read_report(const boost::json::value& object);

}  // namespace podium::explain
