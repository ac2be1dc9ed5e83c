// Filters: the filters of a profile, prepared for one pod. The constructor runs PreFilter; run() filters all
// nodes, and check() filters one node with pods added or removed.
//
// Owner: one evaluation; PostFilter plugins borrow it. Threads: not thread-safe; filters keep state.
// Sources: pkg/scheduler/framework/runtime RunPreFilterPlugins, RunFilterPluginsWithNominatedPods.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/framework/evaluation_memo.h"
#include "scheduler/framework/phases.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/profile.h"

namespace podium::framework {

class Filters {
 public:
  // Keeps references to all arguments. `observer` may be null; check() does not notify it.
  Filters(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile,
          EvaluationObserver* observer = nullptr);

  // The verdict of PreFilter on all nodes; its code is `error` if a plugin failed.
  const std::optional<Verdict>& rejected() const { return rejected_; }
  // The plugins that restricted the nodes, sorted.
  const std::vector<std::string>& narrowed_by() const { return narrowed_by_; }
  // The verdict on the nodes that these plugins leave out.
  Verdict not_named() const;
  // The nodes that PreFilter restricted the search to; nullopt: all.
  const std::optional<NodeMask>& only() const { return only_; }
  // True if the plugin's PreFilter ran, whatever its result.
  bool ran_pre_filter(std::string_view plugin) const;

  // Returns the nodes that fit, and adds a verdict on each other node to `out`. A verdict with the code
  // `error` means that a plugin failed on that node. Not if rejected().
  NodeMask run(Rejections& out) const;

  // Repeated checks of one node while pods come and go. Keeps references to the Filters and to the pods.
  // Threads: not safe.
  class Node {
   public:
    Node(const Filters& filters, Row row);
    void add(const PodInfoPtr& pod) { changes_.push_back({Change::add, &pod}); }        // a hypothetical pod
    void remove(const PodInfoPtr& pod) { changes_.push_back({Change::remove, &pod}); }  // a pod of the node
    void restore(const PodInfoPtr& pod) { changes_.push_back({Change::restore, &pod}); }  // a removed one
    std::optional<Verdict> check();

   private:
    struct Change {
      enum Kind { add, remove, restore } kind;
      const PodInfoPtr* pod;
    };
    // A filter's trial. It gets the changes when the filter runs: often an earlier filter rejects.
    struct Trial {
      std::unique_ptr<NodeTrial> trial;  // null: not run yet
      std::size_t seen = 0;              // changes that it has seen
    };
    using Trials = std::vector<Trial>;  // by filter

    std::optional<Verdict> check(Trials& trials, std::span<const PodInfoPtr> nominated);
    void catch_up(Trial& trial, const NodeFilter& filter, std::span<const PodInfoPtr> nominated) const;

    const Filters& filters_;
    const Row row_;
    const std::span<const PodInfoPtr> nominated_;
    std::vector<Change> changes_;
    Trials with_nominated_, alone_;
    // By filter: the verdict of filters that ignore pods; empty: not run.
    std::vector<std::optional<std::optional<Verdict>>> known_;
  };
  // The verdict on one node with `delta` applied; nullopt: the pod fits. It must fit with and without the
  // pods nominated to the node that have at least its priority. Returns rejected() if that is set.
  std::optional<Verdict> check(Row row, const PodDelta& delta) const;
  // What the filters add to the report of a decision.
  ReportFacts facts_of(const Decision& decision) const;

  struct Entry {
    const FilterPlugin* plugin = nullptr;
    std::unique_ptr<NodeFilter> filter;  // null: rejects no node
    std::optional<Verdict> always;       // the verdict on every node, instead of `filter`
    std::size_t index = 0;               // in Profile::filters
  };
  std::span<const Entry> entries() const { return filters_; }  // in Filter order
  // The nominated pods that count for the pod on this node.
  std::span<const PodInfoPtr> nominated_to(Row row) const;

 private:
  void run_pre_filters(const Profile& profile);
  void prepare(const Profile& profile);
  void group_nominations();
  void notify_called(const Entry& entry, std::size_t nodes, bool all_rejected) const;
  // Runs the filters from the first on that declare their inputs, if the thread has an EvaluationMemo.
  // Returns how many have run: all, if they leave no node. `out` must be empty.
  std::size_t run_with_memo(NodeMask& nodes, Rejections& out) const;
  void notify_known(std::span<const EvaluationMemo::Verdicts::Left> left, std::size_t nodes,
                    std::size_t filters) const;

  const PodInfo& pod_;
  const Snapshot& snapshot_;
  EvaluationObserver* const observer_;
  std::vector<std::pair<const FilterPlugin*, PreparedFilter>> pre_filtered_;
  std::vector<std::string_view> pre_filters_run_;  // the profile has them
  std::vector<Entry> filters_;                     // in Filter order
  std::optional<Verdict> rejected_;
  std::optional<NodeMask> only_;
  std::string missing_node_;  // the first of their names, if none of them exists
  std::vector<std::string> narrowed_by_;
  // The nominated pods that count for this pod, by node, in the order of the nominations.
  std::vector<std::pair<Row, boost::container::small_vector<PodInfoPtr, 1>>> nominated_;
  std::vector<std::uint32_t> index_in_nominated_;  // by row: the index plus one; empty if nominated_ is
};

}  // namespace podium::framework
