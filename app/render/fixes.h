// Renders fixes: changes that would let a pod or more replicas run, as a list with YAML to paste into the
// pod's template.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>

#include "app/render/report.h"

namespace podium::render {

// Each fix with the number of replicas that then fit, below a heading; or a line that none would help. Empty
// if podium did not search.
std::string tried_fixes(const Report& report);
// The same, with the fixes for the question's nodes first, and the others below "Elsewhere:".
std::string tried_fixes_of_nodes(const Report& report);

// That none would help; empty: one does, or podium did not search.
std::string no_fix_words(const explain::ReportAnswer& answer);

// Says that no fix was tried, because only a quota is in the way. Empty: something else is.
std::string why_no_fixes(const Report& report);

// " → all 3 fit" for several replicas; else " (on n1, 486 points)".
std::string fix_outcome(const explain::ReportFix& fix, std::size_t asked);
// Lines of YAML to paste; empty: the fix removes something, or changes the cluster.
std::string fix_snippet(const explain::ReportFix& fix);

// The fix in a few words: "cpu request 2750m", "tolerate gpu=a100", "5 nodes like general-05".
std::string short_fix(const explain::ReportFix& fix);

}  // namespace podium::render
