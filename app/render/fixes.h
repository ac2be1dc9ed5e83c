// Fixes: what would let a pod or more replicas run, as a list with YAML to paste into the pod's template.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>

#include "app/render/report.h"

namespace podium::render {

// Each fix with how many replicas fit then, below a heading; or that none would help. Empty where podium does
// not know.
std::string tried_fixes(const Report& report);
// The same, those for the nodes that the question names first, and the others below "Elsewhere:".
std::string tried_fixes_of_nodes(const Report& report);

// The fix in a few words: "cpu request 2750m", "tolerate gpu=a100", "5 nodes like general-05".
std::string short_fix(const explain::ReportFix& fix);

}  // namespace podium::render
