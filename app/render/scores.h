// The table of nodes × strategies: each node's points by strategy, which add up to its score.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>

#include "app/render/report.h"

namespace podium::render {

// A column for each of at most `columns` nodes: the chosen one first, the first with a lower score among
// them. Nodes with the same points from each strategy share a column: "general-31* +3", unless `all`. A row
// for each strategy with different scores; strategies on which all nodes are equal share one row, and the
// line below names them. Empty if no node has scores.
std::string score_table(const Report& report, std::size_t columns, bool all);

// "Lead over general-00, the best with fewer points: 9 (image present +9)."
// Empty if no node has fewer.
std::string lead(const Report& report);

// A line for each strategy without which another node would have won.
// "Decided by image present: without it, general-00 would lead by 1."
// "Decided by taints: without it, at least 4 nodes would tie.": nodes with fewer points among them.
std::string decided_by(const Report& report);

}  // namespace podium::render
