// Filters: the filters of a profile, prepared for one pod. PreFilter runs once, in the constructor; the nodes
// are then asked all together, and single nodes again with pods added or removed.
//
// Owner: one evaluation; PostFilter plugins borrow it. Threads: const members may be called by several threads.
// Sources: pkg/scheduler/framework/runtime RunPreFilterPlugins, RunFilterPluginsWithNominatedPods.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/framework/phases.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/profile.h"

namespace podium::framework {

class Filters {
 public:
  // Keeps references to all of them. `observer` (or null) is told of each plugin that is asked, but for those
  // that check() asks.
  Filters(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile,
          EvaluationObserver* observer = nullptr);

  // The verdict on the pod as a whole; its code is `error` where a plugin failed.
  const std::optional<Verdict>& rejected() const { return rejected_; }
  // The plugins that narrowed the nodes down, sorted.
  const std::vector<std::string>& narrowed_by() const { return narrowed_by_; }
  // The nodes that the plugins narrowed the search down to; nullopt: all.
  const std::optional<NodeMask>& only() const { return only_; }
  // True where the PreFilter of this plugin was run, whatever it said.
  bool ran_pre_filter(std::string_view plugin) const;

  // Clears every node that does not fit and notes why; the answer is the nodes that do. Not for rejected
  // pods. A verdict with the code `error` means that a plugin failed on that node.
  NodeMask run(Rejections& out) const;

  // One node, to be asked again and again. Keeps a reference to the Filters. Threads: none.
  class Node {
   public:
    Node(const Filters& filters, Row row);
    std::optional<Verdict> check(const PodDelta& delta);

   private:
    std::optional<Verdict> check_once(const PodDelta& delta);

    const Filters& filters_;
    const Row row_;
    const std::span<const PodInfoPtr> nominated_;
    // By filter: what those that ignore pods have said; empty: not asked yet.
    std::vector<std::optional<std::optional<Verdict>>> known_;
  };
  // The verdict on one node as if `removed` were gone from it and `added` ran there. Pods that are nominated
  // to the node and at least as important as the pod have to be allowed for: the pod must fit with them and
  // without. A pod that was turned down as a whole fits nowhere.
  std::optional<Verdict> check(Row row, const PodDelta& delta) const;

 private:
  struct Entry {
    const FilterPlugin* plugin = nullptr;
    std::unique_ptr<NodeFilter> filter;  // null: it has nothing against any node
    std::optional<Verdict> always;       // the verdict on every node: it cannot work without its PreFilter
    std::size_t index = 0;               // in the profile's list
  };
  void run_pre_filters(const Profile& profile);
  void prepare(const Profile& profile);
  void group_nominations();
  std::span<const PodInfoPtr> nominated_to(Row row) const;
  void notify_called(const Entry& entry, std::size_t nodes, bool all_rejected) const;

  const PodInfo& pod_;
  const Snapshot& snapshot_;
  EvaluationObserver* const observer_;
  std::vector<std::pair<const FilterPlugin*, PreparedFilter>> pre_filtered_;
  std::vector<std::string> pre_filters_run_;
  std::vector<Entry> filters_;  // in Filter order
  std::optional<Verdict> rejected_;
  std::optional<NodeMask> only_;
  std::vector<std::string> narrowed_by_;
  // The pods nominated to each node that count for this pod, both in the order of the nominations.
  std::vector<std::pair<Row, std::vector<PodInfoPtr>>> nominated_;
  boost::unordered_flat_map<Row, std::size_t> index_in_nominated_;  // by row, into nominated_
};

}  // namespace podium::framework
