// The kinds that a dump lacks and that may change the decision on the evaluated pods.
//
// A dump of kubectl does not say which kinds its author listed: a kind without objects may be missing, or the
// cluster has none. `podium dump` writes an empty list then. Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "api/decode/manifests.h"

namespace podium::offline {

// One line for each consequence, with kubectl's names of the kinds.
std::vector<std::string> missing_kinds(const api::Manifests& dump,
                                       const api::Manifests::List<api::Pod>& pods);

// What the dump's own objects lack of each other: it may have been cut off, or be of two clusters.
void add_doubts(const api::Manifests& dump, std::vector<std::string>& warnings);

}  // namespace podium::offline
