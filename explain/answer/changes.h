// Applies the changes of a what-if to its fork, in order, and describes the effect of each.
//
// A drained node's pods are placed again with the same placement code as the question's own. Pods of
// namespaces that the asker may not see are counted and never named.
//
// Threads: pure functions on one fork. Errors: Kind::invalid, "path: reason": a node that does not exist, a
// pod that the API server would refuse, or more new nodes or pods than the what-if has memory for.
#pragma once

#include <string>
#include <vector>

#include "api/admission/admission.h"
#include "base/result.h"
#include "explain/answer/budget.h"
#include "explain/answer/fork_memory.h"
#include "explain/answer/quotas.h"
#include "explain/answer/waiting.h"
#include "explain/question/change.h"
#include "explain/question/question.h"
#include "explain/report/what_if_parts.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"

namespace podium::explain {

inline const Namespaces kNoNamespaces{};
inline const std::vector<cluster::PodInfoPtr> kNoPods{};

struct ChangeContext {
  const std::string& ns;  // of the what-if
  const FieldPath& spec;  // what the asker calls its spec
  const config::Config& config;
  const Budget& budget;                                       // may be empty
  const api::AdmissionObjects& objects;                       // of the what-if's namespace
  Quotas& quotas;                                             // of the same; the changes count in them
  WaitingLine& line;                                          // of all namespaces; only drains place them
  const Namespaces& seen_namespaces = kNoNamespaces;          // others whose pods an answer may name
  const std::vector<cluster::PodInfoPtr>& waiting = kNoPods;  // of new nodes' DaemonSets
};

// If the budget ends, the remaining changes are skipped and the result is not usable.
Result<std::vector<ChangeResult>> apply_changes(const std::vector<Change>& changes,
                                                const ChangeContext& context, ForkMemory& memory,
                                                cluster::Snapshot& fork);

// The other namespaces of the pods on the nodes that the question drains or lets fail; of all pods if it asks
// which nodes can be removed, and of those that wait if it asks for nodes for them. In order of name.
std::vector<std::string> namespaces_drained(const Question& question, const cluster::Snapshot& snapshot,
                                            const std::vector<cluster::PodInfoPtr>& waiting = {});

// As `kubectl cordon` and `kubectl uncordon` do.
void cordon(cluster::Row row, cluster::Snapshot& fork);
void uncordon(cluster::Row row, cluster::Snapshot& fork);

}  // namespace podium::explain
