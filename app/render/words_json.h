// The words of a report as JSON, next to its codes, for programs that show them to people: the page. They
// are those of the terminal.
//
// Threads: pure functions. Errors: none; what a report does not have is left out.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "explain/report/report.h"

namespace podium::render {

// blockedBy, choice, lead, decided, rejections: [{reason, missing}], history, gated, selector, and of a
// question's answer: room, quotas, firstFailure: {rejections}, fixes: [{what, outcome, snippet}], noFix,
// verdicts: [{rejects, passes}], changes: [{pods}], why each pod has no place, and blocked, what the nodes
// have that cannot go. Lists are in the order of the status.
boost::json::object words_json(const explain::ReportStatus& status, const std::string& ns, bool is_question);

// Of a line in a list: reason, and missing if an amount is short.
boost::json::object line_words_json(const explain::ReportStatus& status);

}  // namespace podium::render
