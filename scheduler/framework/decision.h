// evaluate(): the one function that decides where a pod may go, and Decision: all that it found.
//
// The live cycle binds a Decision, the report writer projects it, a what-if asks for one on a fork, `podium
// evaluate` prints it, tests and benchmarks compare it with kube-scheduler's. There is no other scheduling
// logic, and nothing records beside it: what is reported is what was decided. Where HTTP extenders have a say
// it is made in parts; see evaluation.h.
//
// Pure: the same pod, snapshot and profile give the same Decision, whatever the thread or the time; and the
// same start, where the profile has a part of the nodes searched.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/rejections.h"
#include "scheduler/framework/verdict.h"

namespace podium::framework {

// One scoring plugin's answer, or an extender's. 0 for rows that are not feasible.
struct Strategy {
  std::string name;
  std::int64_t weight = 1;
  std::vector<std::uint8_t> score;      // by row, 0..100 before the weight; empty for an extender
  std::vector<std::int64_t> wide = {};  // by row: an extender's, which is not bound to that range

  std::int64_t at(Row row) const { return wide.empty() ? score[row] : wide[row]; }
};

struct Decision {
  std::size_t node_count = 0;
  std::size_t evaluated = 0;   // nodes that were looked at: all of them, unless the profile has a NodeSearch
  std::size_t next_start = 0;  // where the search for the next pod starts
  std::optional<Verdict> pre_enqueue;  // kept out of the queue; nothing else was evaluated
  std::optional<Verdict> pre_filter;   // turned down as a whole
  std::string error;  // a plugin failed; kube-scheduler would retry with reason SchedulerError
  std::vector<std::string> unschedulable_plugins;  // those that turned nodes or the pod down, sorted: whose
                                                   // hints count
  Rejections rejections{0};  // every node that was looked at and is not feasible has a verdict here
  NodeMask feasible;
  // Scores decide where there is a choice. One node, or the nominated one, has them for people to read, and
  // none where a plugin fails: upstream does not ask the plugins then.
  std::vector<Strategy> strategies;             // in Score order; those that were skipped are not here
  std::vector<std::string> skipped_strategies;  // sorted by name
  std::vector<std::int64_t> total;  // by row: the sum of weight * score; 1 where no strategy is configured
  std::optional<Row> choice;        // the best node; among equals the one that hashes best with the pod's UID
  std::string nominated_node;       // status.nominatedNodeName, where that node passed and so was taken
  std::string message;              // "0/60 nodes are available: …"; empty where some node is feasible
  std::optional<Preemption> preemption;
  bool withdraw_nomination = false;  // status.nominatedNodeName is of no use any more
  bool tried_preemption = false;     // a PostFilter plugin looked for pods to evict

  bool fits() const { return choice.has_value(); }
  // Then totals may have any value; without them they are never negative, and 0 for rows that are not
  // feasible.
  bool scored_by_extenders() const { return !strategies.empty() && !strategies.back().wide.empty(); }
};

// `start` is the next_start of the decision before, or 0.
Decision evaluate(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile,
                  std::size_t start = 0);

// The best `limit` feasible rows by `score_of(row)`, ties by node name.
struct Ranked {
  Row row;
  std::int64_t score;
};
std::vector<Ranked> top_total(const Decision&, const Snapshot&, std::size_t limit);
std::vector<Ranked> top_of(const Strategy&, const Decision&, const Snapshot&, std::size_t limit);

// Verdicts grouped by plugin and reason, most nodes first, with the first few nodes by name as examples.
struct RejectionGroup {
  std::string plugin, reason;
  std::size_t nodes = 0;
  std::vector<std::string> examples;
};
std::vector<RejectionGroup> group_rejections(const Decision&, const Snapshot&, std::size_t examples);

// "0/N nodes are available: 3 Insufficient cpu, 2 node(s) had untolerated taint(s)." plus what PostFilter
// says.
// Source: pkg/scheduler/framework/types.go FitError.Error.
std::string fit_error(const Decision&, const Snapshot&, std::string_view post_filter_message);
// The same without a PostFilter's message, from how many nodes gave each reason.
std::string fit_error(std::size_t nodes, const std::map<std::string_view, std::size_t>& nodes_with);

}  // namespace podium::framework
