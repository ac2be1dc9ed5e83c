// What the author of a question may not know and what changes no answer.
//
// Threads: a pure function. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "explain/workload/workload.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// A StatefulSet's name that may be too long for its pods, pods that a change of the template would not
// replace, and constraints over labels that no node has, which therefore reject no node. At most four. `own`:
// the subject's pods, if the question is about a changed template. `has_fixes`: the answer proposes changes
// of the template.
std::vector<std::string> notes_of(const Subject& subject, const api::Pod& pod, const cluster::Snapshot& fork,
                                  const RemovedPods& own, bool has_fixes);

}  // namespace podium::explain
