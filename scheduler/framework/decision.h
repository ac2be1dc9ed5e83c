// evaluate(): decides where a pod may go. Decision: everything that it found.
//
// All scheduling logic is here. The live cycle binds a Decision, the report recorder projects it, a what-if
// requests one on a fork, `podium evaluate` prints it, and tests and benchmarks compare it with
// kube-scheduler's. HTTP extenders split the evaluation into steps; see evaluation.h.
//
// Pure: equal pod, snapshot, profile and start give an equal Decision, on any thread at any time.
// Threads: any. Errors: Decision::error; a node that does not fit is data.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/framework/object_write.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/rejections.h"
#include "scheduler/framework/report_facts.h"
#include "scheduler/framework/row_values.h"
#include "scheduler/framework/verdict.h"

namespace podium::framework {

struct Profile;

// The scores of one plugin or extender. 0 for rows that are not feasible.
struct Strategy {
  std::string name;
  std::int64_t weight = 1;
  Scores score = {};                    // 0..100 before the weight; empty for an extender
  std::vector<std::int64_t> wide = {};  // by row: an extender's scores, of any value; else empty

  std::int64_t at(Row row) const { return wide.empty() ? score[row] : wide[row]; }
};

struct Decision {
  std::size_t node_count = 0;
  std::size_t evaluated = 0;           // nodes evaluated: all, unless the profile has a NodeSampling
  std::size_t next_start = 0;          // where the next pod's search starts
  std::optional<Verdict> pre_enqueue;  // PreEnqueue rejected the pod; nothing else was evaluated
  std::optional<Verdict> pre_filter;   // PreFilter rejected the pod on all nodes
  std::string error;          // a plugin failed; kube-scheduler would retry with reason SchedulerError
  bool has_filtered = false;  // the filters have run: nodes that are not feasible have verdicts
  // The plugins that rejected nodes or the pod, sorted. The queue asks their hints.
  std::vector<std::string> unschedulable_plugins;
  Rejections rejections{0};  // the verdict on each evaluated node that is not feasible
  NodeMask feasible;
  // With one feasible node, or if the nominated node fits, scores are for reports only, and empty if a plugin
  // fails: upstream does not run the plugins then.
  std::vector<Strategy> strategies;             // in Score order, without skipped ones
  std::vector<std::string> skipped_strategies;  // sorted by name
  // By row: the sum of weight * score. 1 if the profile has neither Score plugins nor extenders.
  // Without extenders' scores, each chunk has its summary.
  Totals total;
  std::optional<Row> choice;   // the best node; ties by hash with the pod's UID
  std::string nominated_node;  // status.nominatedNodeName if that node fits and was chosen
  std::string message;         // "0/60 nodes are available: …"; empty if a node is feasible
  std::optional<Preemption> preemption;
  bool withdraw_nomination = false;                         // clear status.nominatedNodeName
  bool tried_preemption = false;                            // a PostFilter plugin searched for victims
  std::optional<ReasonCode> no_preemption;                  // the pod is not eligible to preempt others
  std::optional<ObjectWrite> write;                         // the write that a PostFilter plugin requests
  std::shared_ptr<const api::ResourceClaim> assumed_claim;  // see PostFilterResult
  ReportFacts facts;                                        // of the filters, for reports

  bool fits() const { return choice.has_value(); }
  // False: a node without a verdict may be unfit all the same.
  bool has_verdicts() const { return has_filtered && error.empty(); }
  // True: totals may have any value. False: they are at least 0, and 0 for rows that are not feasible.
  bool scored_by_extenders() const { return !strategies.empty() && !strategies.back().wide.empty(); }
};

// `start` is next_start of the previous decision, or 0.
Decision evaluate(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile,
                  std::size_t start = 0);

// The best `limit` feasible rows by total or by one strategy; ties by node name.
struct Ranked {
  Row row;
  std::int64_t score;
};
std::vector<Ranked> top_total(const Decision&, const Snapshot&, std::size_t limit);
std::vector<Ranked> top_of(const Strategy&, const Decision&, const Snapshot&, std::size_t limit);

// Compares the choice's total with those of the other feasible nodes. nullopt: no choice or no totals.
// `best`: from top_total(); if it reaches below the choice's total, no other node is read.
struct Lead {
  std::size_t tied = 1;                // nodes with this total, the choice included
  std::optional<std::int64_t> margin;  // to the highest lower total; nullopt: no node has a lower one
};
std::optional<Lead> lead_of(const Decision&, std::span<const Ranked> best = {});

// The best feasible row with a total below `limit`, ties by node name. nullopt: there is none.
std::optional<Ranked> best_below(std::int64_t limit, const Decision&, const Snapshot&);

// The node that would win if the strategy at this index did not count, if that is not the choice: the best by
// the remaining total, ties by name, with its lead over the choice. nullopt: the choice would still be one of
// the best.
std::optional<Ranked> winner_without(std::size_t strategy, const Decision&, const Snapshot&);

// Verdicts grouped by plugin and reason, most nodes first; `examples`: the first nodes by name.
struct RejectionGroup {
  std::string plugin;
  Reason reason;
  std::size_t nodes = 0;
  bool preemption_may_help = false;  // on some of the nodes
  std::vector<std::string> examples;
};
std::vector<RejectionGroup> group_rejections(const Decision&, const Snapshot&, std::size_t examples);

// "0/N nodes are available: 3 Insufficient cpu, 2 node(s) had untolerated taint(s).", followed by
// PostFilter's message. Source: pkg/scheduler/framework/types.go FitError.Error.
std::string fit_error(const Decision&, std::string_view post_filter_message);
// The same without PostFilter's message; `nodes_with` counts the nodes per reason.
std::string fit_error(std::size_t nodes, const std::map<std::string_view, std::size_t>& nodes_with);

}  // namespace podium::framework
