// The plugin contract: a plugin is asked once a pod, and answers for all nodes.
//
// A plugin is an object with its arguments in it, made once a profile and never changed; it derives from one
// interface for each extension point that it takes part in. For a pod it *prepares*: it looks at the pod and
// the snapshot and returns an evaluator that holds what it found, typed, or says that it has nothing to do,
// or turns the pod down as a whole. The evaluator then walks the columns. No strings are made for a node, and
// no virtual function is called for one.
//
// Plugins are pure: no clock, no I/O, no randomness; the same pod and snapshot give the same answer.
// Threads: const plugins are shared by all threads; an evaluator belongs to one evaluation.
#pragma once

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
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/events.h"
#include "scheduler/framework/rejections.h"
#include "scheduler/framework/verdict.h"

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
  virtual std::optional<Verdict> pre_enqueue(const PodInfo& pod) const = 0;  // nullopt: let it in
};

// --- Filter (and PreFilter, which is its preparation) ---

// Pods that are thought to be on a node, or gone from it: nominated pods, and preemption's victims.
struct PodDelta {
  std::span<const PodInfoPtr> added;
  std::span<const PodInfoPtr> removed;
};

class NodeFilter {
 public:
  virtual ~NodeFilter() = default;
  // Clears the bits of the nodes that do not fit, and notes why. Bits that are clear already stay untouched.
  virtual void filter(NodeMask& nodes, Rejections& out) const = 0;
  // The verdict on one node as if `delta` were true of that node; nullopt: fits. Filters that do not look at
  // the pods of a node inherit this, which asks filter() about that one row.
  virtual std::optional<Verdict> check(Row row, const PodDelta& delta) const;
  // True for filters that look at no pods: check() says the same whatever the delta, and is asked once a
  // node.
  virtual bool ignores_pods() const { return false; }

 protected:
  explicit NodeFilter(const Snapshot& snapshot) : snapshot_(snapshot) {}
  const Snapshot& snapshot_;
};

struct PreparedFilter {
  std::optional<Verdict> rejected;            // PreFilter turned the pod down as a whole
  std::optional<std::set<std::string>> only;  // PreFilter narrowed the nodes to these names, of which some
                                              // may not be there
  std::unique_ptr<NodeFilter> filter;         // null: nothing to do for this pod (Skip)
};

class FilterPlugin {
 public:
  virtual ~FilterPlugin() = default;
  // kube-scheduler's plugin of this name has a PreFilter: it takes effect only where the profile enables that
  // too.
  virtual bool has_pre_filter() const = 0;
  virtual PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const = 0;
  // What upstream's Filter fails with where the profile runs it without its PreFilter; empty: it works
  // without.
  virtual std::string error_without_pre_filter() const { return {}; }
  // The cluster events after which a pod that this plugin turned down may fit.
  virtual std::vector<EventHint> hints() const = 0;
};

// --- Score (and PreScore, which is its preparation) ---

class NodeScorer {
 public:
  virtual ~NodeScorer() = default;
  // Writes the final score, 0..100 after normalisation and before the weight, of every feasible node; more
  // than 100 is an error of the plugin. Entries of other rows are not read. out.size() is chunks *
  // kChunkRows, and out is all zeros.
  virtual void score(const NodeMask& feasible, std::span<std::uint8_t> out) const = 0;
};

struct PreparedScore {
  std::unique_ptr<NodeScorer> scorer;  // null: skipped for this pod; its weight is not listed
  std::string error = {};              // not empty: it failed, and so does the attempt
};

class ScorePlugin {
 public:
  virtual ~ScorePlugin() = default;
  // `feasible` has at least one node. The evaluator may keep references to all three for its life.
  virtual PreparedScore prepare_score(const PodInfo& pod, const Snapshot& snapshot,
                                      const NodeMask& feasible) const = 0;
  // kube-scheduler's plugin of this name has a PreScore, which prepares; else, and where the profile disables
  // that, its Score does. Where the profile disables it, upstream's Score fails with the error below; plugins
  // without one work all the same, are never skipped, and give every node `score_if_skipped()` where they
  // would have been.
  virtual bool has_pre_score() const = 0;
  virtual std::string error_without_pre_score() const { return {}; }
  virtual std::uint8_t score_if_skipped() const { return 0; }
};

// --- PostFilter ---

class Filters;    // filters.h
struct Decision;  // decision.h

struct Preemption {
  std::string node;
  std::vector<PodInfoPtr> victims;  // most important first
};

// A node and who has to go for the pod to fit there.
struct PreemptionCandidate {
  Row row = 0;
  std::vector<PodInfoPtr> victims;     // at least one; most important first
  std::int64_t budget_violations = 0;  // victims whose PodDisruptionBudget does not allow for it
};

struct PostFilterResult {
  std::optional<Verdict> failed;  // nullopt: it found a way, and no other plugin is asked
  std::optional<Preemption> preemption;
  std::vector<PreemptionCandidate> candidates = {};  // it found several: choose() is asked next, and the rest
                                                     // is not read
  bool withdraw_nomination = false;  // status.nominatedNodeName is not worth waiting for any more
  bool preempts = false;             // it looked for somebody to evict; for the metric
};

class PostFilterPlugin {
 public:
  virtual ~PostFilterPlugin() = default;
  // Asked when no node is feasible. `filters` are the ones that turned the nodes down, and can be asked about
  // a node with pods removed; `decision` has the verdicts.
  virtual PostFilterResult post_filter(const PodInfo& pod, const Snapshot& snapshot, const Filters& filters,
                                       const Decision& decision) const = 0;
  // What comes of the candidates of post_filter() once extenders have seen them: they may have left some out
  // and changed who is to go, or have failed. Only for plugins that give candidates.
  virtual PostFilterResult choose(const Snapshot&, Result<std::vector<PreemptionCandidate>>) const {
    return {};
  }
};

}  // namespace podium::framework
