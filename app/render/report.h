// A SchedulingReport for people. Makes its texts printable, because reports contain texts of other authors.
//
// Threads: pure functions. Errors: none; an absent field is empty.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "explain/report/report.h"

namespace podium::render {

using explain::Report;

Report read_report(const boost::json::value& object);
// Removes control characters and escape sequences from all texts.
void make_printable(Report& report);

// The answer of a question; for a decision, one replica.
const explain::ReportAnswer& answer_of(const Report& report);
const explain::ReportAnswer& answer_of(Report&&) = delete;  // the answer would dangle

// A value on one line, as YAML: {key: gpu, operator: Exists}.
std::string flow(const boost::json::value& value);

}  // namespace podium::render
