// The disruption budgets that do not allow the evictions of a drain.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "explain/answer/changes.h"
#include "explain/report/change_result.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// True if an answer may name objects of the namespace.
bool may_see(const std::string& ns, const ChangeContext& context);

using PodTexts = std::map<std::string_view, std::string>;  // by UID

// The budgets of the namespace that have a selector, by name.
std::vector<const api::PodDisruptionBudget*> budgets_of(std::string_view ns, const cluster::Objects& objects);

// Counts in `done` the budgets that the evictions exceed, and names those that the asker may see; also
// counts the pods that several budgets select, which the eviction API refuses. Returns what the budgets have
// against each pod; the keys are of `evicted`.
PodTexts find_broken_budgets(const std::vector<cluster::PodInfoPtr>& evicted, const ChangeContext& context,
                             const cluster::Snapshot& fork, ChangeResult& done);

}  // namespace podium::explain
