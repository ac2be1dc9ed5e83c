// The plugin contract up to the decision: a plugin is called once per pod and answers for all nodes.
//
// A plugin is an immutable object with its arguments, made once per profile. It derives from one interface
// per extension point. For a pod it *prepares*: it reads the pod and the snapshot, and returns an evaluator
// with typed state, or skips the pod, or rejects it on all nodes. The evaluator walks the columns, and avoids
// strings and virtual calls per node.
//
// Plugins are pure: no clock, no I/O, no randomness; equal pod and snapshot give an equal answer.
// Threads: const plugins are shared by all threads; an evaluator belongs to one evaluation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scheduler/cluster/node_mask.h"
#include "scheduler/cluster/pod_info.h"
#include "scheduler/framework/events.h"
#include "scheduler/framework/object_write.h"
#include "scheduler/framework/rejections.h"
#include "scheduler/framework/report_facts.h"
#include "scheduler/framework/room.h"
#include "scheduler/framework/row_inputs.h"
#include "scheduler/framework/verdict.h"

namespace podium::api {
struct PodDisruptionBudget;
}
namespace podium::cluster {
class Snapshot;
}

namespace podium::framework {

using cluster::NodeMask;
using cluster::PodInfo;
using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;  // as in the configuration: "NodeResourcesFit"
};

// --- PreEnqueue ---
class PreEnqueuePlugin {
 public:
  virtual ~PreEnqueuePlugin() = default;
  // nullopt: admit. `snapshot` is the state at the time the pod would enter the queue.
  virtual std::optional<Verdict> pre_enqueue(const PodInfo& pod, const Snapshot& snapshot) const = 0;
};

// --- Filter (and PreFilter, which prepares it) ---

struct Decision;  // decision.h
// Hypothetical pods on a node, and pods removed from it: nominated pods and victims.
struct PodDelta {
  std::span<const PodInfoPtr> added;
  std::span<const PodInfoPtr> removed;
};

// One node as a filter sees it, while pods are added and removed. The counts that this keeps make a dry run
// with many victims cheap: a change costs one update of the counts. Threads: not thread-safe.
class NodeTrial {
 public:
  virtual ~NodeTrial() = default;
  virtual void add(const PodInfoPtr& pod) = 0;      // a hypothetical pod
  virtual void remove(const PodInfoPtr& pod) = 0;   // a pod of the node
  virtual void restore(const PodInfoPtr& pod) = 0;  // a pod of the node that was removed
  virtual std::optional<Verdict> check() = 0;       // nullopt: fits
};

class NodeFilter {
 public:
  virtual ~NodeFilter() = default;
  // Clears the bit of each node that does not fit and adds its verdict to `out`. Ignores bits that are clear.
  virtual void filter(NodeMask& nodes, Rejections& out) const = 0;
  // True: filter()'s verdict on a node follows from the plugin and `inputs` alone, which this adds to.
  virtual bool declare(RowInputs& inputs) const { return (void)inputs, false; }
  // The verdict on one node with `delta` applied; nullopt: fits. The default runs filter() on that row and
  // ignores `delta`: only for filters that do not depend on a node's pods.
  virtual std::optional<Verdict> check(Row row, const PodDelta& delta) const;
  // Starts a trial on the node. The default keeps lists and calls check(), so that each check goes through
  // all changes before it. The filter must outlive the trial.
  virtual std::unique_ptr<NodeTrial> try_on(Row row) const;
  // True if check() does not depend on `delta`; it is then called once per node.
  virtual bool ignores_pods() const { return false; }
  // True if check() on this row does not depend on which of the node's own pods are removed.
  virtual bool ignores_pods_of(Row) const { return ignores_pods(); }
  // True if the verdict on a node follows from sums of its pods' requests. measure() then writes what the
  // node has now; the pod fits if the room does, and shortage() is the verdict on a room that does not.
  virtual bool measures() const { return false; }
  virtual void measure(Row, Room&) const {}
  virtual Verdict shortage(const Room&) const { return {}; }
  // Adds the facts that reports show next to verdicts. Called once, after the choice or all verdicts.
  virtual void add_facts(const Decision&, ReportFacts&) const {}

 protected:
  explicit NodeFilter(const Snapshot& snapshot) : snapshot_(snapshot) {}
  // check() for filters with a trial of their own.
  std::optional<Verdict> check_on_trial(Row row, const PodDelta& delta) const;
  const Snapshot& snapshot_;

 private:
  mutable int checked_ = 0;         // calls of check(), up to 2
  mutable Rejections verdicts_{0};  // of filter(), for check()
};

struct PreparedFilter {
  std::optional<Verdict> rejected;            // PreFilter rejected the pod on all nodes
  std::optional<std::set<std::string>> only;  // PreFilter restricts the nodes to these; some may be unknown
  std::unique_ptr<NodeFilter> filter;         // null: nothing to do for this pod (Skip)
  bool never_skips = false;                   // upstream's PreFilter succeeds also if there is nothing to do
};

class FilterPlugin {
 public:
  virtual ~FilterPlugin() = default;
  // kube-scheduler's plugin of this name has a PreFilter.
  virtual bool has_pre_filter() const = 0;
  virtual PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const = 0;
  // The error of upstream's Filter if the profile disables its PreFilter; empty: it works without PreFilter.
  virtual std::string error_without_pre_filter() const { return {}; }
  // The cluster events after which a pod that this plugin rejected may fit.
  virtual std::vector<EventHint> hints() const = 0;
};

// --- Score (and PreScore, which prepares it) ---

class NodeScorer {
 public:
  virtual ~NodeScorer() = default;
  // Writes the score of each feasible node: 0..100, normalised, before the weight. More than 100 fails the
  // attempt. `out` has chunks * kChunkRows zeros, by row; other rows are not read.
  virtual void score(const NodeMask& feasible, std::span<std::uint8_t> out) const = 0;
  // Not null: this scorer, if it can score some rows alone.
  virtual const class RowScorer* by_row() const { return nullptr; }
  // Not null: this scorer, if it gives the nodes of a group one score (group_scorer.h).
  virtual const class GroupScorer* by_group() const { return nullptr; }
};

// Rows of a chunk: `count` from `first` on, both multiples of 64.
struct ChunkRows {
  std::size_t chunk, first = 0, count = cluster::kChunkRows;
};

// A scorer whose score of a node follows from the plugin and RowInputs alone, whichever nodes are feasible.
class RowScorer : public NodeScorer {
 public:
  virtual void declare(RowInputs& inputs) const = 0;
  // Writes rows.count scores, of all these rows.
  virtual void score_rows(const ChunkRows& rows, std::uint8_t* out) const = 0;

  void score(const NodeMask& feasible, std::span<std::uint8_t> out) const final {
    for (std::size_t chunk = 0; chunk * cluster::kChunkRows < out.size(); ++chunk) {
      if (!feasible.chunk_is_empty(chunk)) score_rows({.chunk = chunk}, &out[chunk * cluster::kChunkRows]);
    }
  }
  const RowScorer* by_row() const final { return this; }
};

// Every node gets the same score.
class SameScore final : public RowScorer {
 public:
  explicit SameScore(std::uint8_t score) : score_(score) {}
  void declare(RowInputs& inputs) const override { inputs.asks.push_back(score_); }
  void score_rows(const ChunkRows& rows, std::uint8_t* out) const override {
    std::fill_n(out, rows.count, score_);
  }

 private:
  const std::uint8_t score_;
};

struct PreparedScore {
  std::unique_ptr<NodeScorer> scorer;  // null: skipped for this pod
  std::string error = {};              // not empty: the plugin, and so the attempt, fails
};

class ScorePlugin {
 public:
  virtual ~ScorePlugin() = default;
  // `feasible` has at least one node. The scorer may keep references to all arguments.
  virtual PreparedScore prepare_score(const PodInfo& pod, const Snapshot& snapshot,
                                      const NodeMask& feasible) const = 0;
  // kube-scheduler's plugin of this name has a PreScore. If the profile disables it, upstream's Score fails
  // with error_without_pre_score(); if that is empty, it works, is never skipped, and scores every node
  // score_if_skipped() where it would have been skipped.
  virtual bool has_pre_score() const = 0;
  virtual std::string error_without_pre_score() const { return {}; }
  virtual std::uint8_t score_if_skipped() const { return 0; }
};

// --- PostFilter ---

class Filters;  // filters.h

// A PodDisruptionBudget that the eviction of a victim violates.
struct BudgetViolation {
  PodInfoPtr victim;
  std::shared_ptr<const api::PodDisruptionBudget> budget;
};

struct Preemption {
  std::string node;
  std::vector<PodInfoPtr> victims;             // most important first
  std::vector<BudgetViolation> violated = {};  // as in PreemptionCandidate
};

// A node and the victims to evict for the pod to fit there.
struct PreemptionCandidate {
  Row row = 0;
  std::vector<PodInfoPtr> victims;     // at least one; most important first
  std::int64_t budget_violations = 0;  // victims that violate a PodDisruptionBudget
  // Fewer than budget_violations if victims were not compared with all budgets, or an extender has counted.
  std::vector<BudgetViolation> violated = {};
};

struct PostFilterResult {
  std::optional<Verdict> failed;  // nullopt: success, later plugins are skipped
  std::optional<Preemption> preemption;
  std::vector<PreemptionCandidate> candidates = {};  // not empty: choose() is next; other members are ignored
  bool withdraw_nomination = false;                  // clear status.nominatedNodeName
  bool preempts = false;                             // it searched for victims; for the metric
  std::optional<ObjectWrite> write = {};             // sent once the decision counts; no pod waits for it
  // With `write`: the written claim, as later decisions see it until a newer version arrives.
  std::shared_ptr<const api::ResourceClaim> assumed_claim = {};
  std::string success = {};  // the message of a success
};

class PostFilterPlugin {
 public:
  virtual ~PostFilterPlugin() = default;
  // Called if no node is feasible. `filters` can check a node with pods removed; `decision` has the verdicts.
  virtual PostFilterResult post_filter(const PodInfo& pod, const Snapshot& snapshot, const Filters& filters,
                                       const Decision& decision) const = 0;
  // As post_filter(), for a caller that gives the candidates to choose() as they are: those that it would not
  // choose may be left out.
  virtual PostFilterResult post_filter_best(const PodInfo& pod, const Snapshot& snapshot,
                                            const Filters& filters, const Decision& decision) const {
    return post_filter(pod, snapshot, filters, decision);
  }
  // Returns the result for the candidates that extenders left, possibly with other victims, or for the error
  // of the extenders. Only called for plugins that return candidates.
  virtual PostFilterResult choose(const Snapshot&, Result<std::vector<PreemptionCandidate>>) const {
    return {};
  }
};

}  // namespace podium::framework
