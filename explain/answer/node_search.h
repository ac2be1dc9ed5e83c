// Answers spec.search of a what-if: the nodes that the pods that wait need, the nodes that can be removed,
// and the pods that other weights would place elsewhere.
//
// All of them search on forks and place each pod with the scheduler's own code. A result is never derived
// from sums of resources. They are part of the budget of the question and say what they did not finish.
//
// Counts pods of other namespaces and never names them: the author may not be allowed to see them.
//
// Threads: pure functions on one fork. Errors: Kind::invalid, "path: reason": a shape like a node that does
// not exist. A pod that fits nowhere, or a node that cannot be removed, is data.
#pragma once

#include <vector>

#include "base/result.h"
#include "explain/answer/budget.h"
#include "explain/answer/pod_groups.h"
#include "explain/question/question.h"
#include "explain/report/report.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"

namespace podium::explain {

struct NodeSearch {
  const Question& question;  // has a search
  const config::Config& config;
  const Budget& budget;  // may be empty
  const std::vector<cluster::PodInfoPtr>& waiting;
  const api::AdmissionObjects& objects;  // with the minimums of groups
};

// nullopt: the budget ended before anything was verified.
struct WantedAnswer {
  std::size_t waiting = 0, placed = 0;  // placed: of those, with the nodes that are added
  NodesWanted nodes;
  bool has_groups_without_minimum = false;  // of pods; they need all of their pods that wait
};
Result<std::optional<WantedAnswer>> find_nodes_wanted(const NodeSearch& search, cluster::Snapshot fork);

// `tried`: nodes.
struct SpareAnswer {
  std::size_t tried = 0;
  NodesSpare nodes;
};
SpareAnswer find_nodes_spare(const NodeSearch& search, cluster::Snapshot fork);

struct ComparedWeights {
  bool is_finished = true;    // false: the budget has ended, and nothing is usable
  bool is_too_large = false;  // the same: the pods of the cluster need more memory than a what-if may use
  std::size_t placed = 0;     // with the weights
  WeightsCompared answer = {};
};
Result<ComparedWeights> compare_weights(const NodeSearch& search, const cluster::Snapshot& fork);

inline constexpr auto kNotAllPlaced = "the deadline passed before all pods were placed";

ReportStatus answer_search(const NodeSearch& search, const cluster::Snapshot& fork);

}  // namespace podium::explain
