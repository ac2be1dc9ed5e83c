// A SchedulingReport as people read it: made printable, since reports contain what others wrote.
//
// Threads: pure functions. Errors: none; what is absent is empty.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "explain/report/report.h"

namespace podium::render {

using explain::Report;

Report read_report(const boost::json::value& object);
// Removes what a terminal would obey from all texts.
void make_printable(Report& report);

// The answer of a question; of a decision, one replica.
const explain::ReportAnswer& answer_of(const Report& report);
const explain::ReportAnswer& answer_of(Report&&) = delete;  // the answer would dangle

// A value on one line, as YAML: {key: gpu, operator: Exists}.
std::string flow(const boost::json::value& value);

}  // namespace podium::render
