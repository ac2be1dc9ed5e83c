// A report's status as a few hundred bytes: numbers by their size, each text once.
//
// Visits structs field by field (Boost.PFR), so that no field is forgotten.
// Threads: pure functions. Errors: none; unpack() gets what pack() made in this process.
#pragma once

#include <string>
#include <string_view>

#include "explain/report/report.h"

namespace podium::controller {

// The status of a decision: it has no answer.
std::string pack(const explain::ReportStatus& status);
explain::ReportStatus unpack(std::string_view packed);

}  // namespace podium::controller
