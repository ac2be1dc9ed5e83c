// Takes nodes away from a fork: places their pods again, with the code of drains, or says what blocks that.
//
// Threads: the owner's. Errors: none; a node that cannot be removed is data. The budget may end at any time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/answer/node_search.h"
#include "explain/answer/waiting.h"
#include "explain/report/what_if_parts.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// Why a node cannot be removed.
struct Blocked {
  std::string code;
  std::string reason;
  bool is_unnamed = false;  // it is about an object that the answer must not name
};

using Moves = std::vector<std::pair<cluster::PodInfoPtr, std::string>>;  // pods and their new nodes

class NodeRemoval {
 public:
  // Places the pods that wait first: they take room. `search` stays.
  NodeRemoval(const NodeSearch& search, cluster::Snapshot fork);

  // False: the budget ended before all pods that wait were tried.
  bool is_ready() const { return is_ready_; }
  const cluster::Snapshot& base() const { return base_; }  // with the pods that wait and fit
  bool has_time() const { return explain::has_time(search_.budget); }
  std::size_t taken() const { return taken_; }  // how often a node was tried

  // What blocks the node whatever the room on other nodes.
  std::optional<Blocked> blocked_by_itself(cluster::Row row, const cluster::Snapshot& fork) const;

  // Places the node's pods on other nodes and removes it. Returns what blocks that, which spoils the fork.
  // `with_waiting`: also a pod that waits and fits there.
  std::optional<Blocked> take(cluster::Row row, bool with_waiting, Moves& moves, cluster::Snapshot& fork);

 private:
  // Whether the pod waits, and is on the fork only since the waiting pods are placed first.
  bool is_waiting(const cluster::PodInfo& pod) const;
  bool is_named(const api::ObjectMeta& meta) const;
  bool is_own(const api::ObjectMeta& meta) const;
  std::string named(const char* kind, const api::ObjectMeta& meta) const;
  Blocked blocked_by(const char* code, const cluster::PodInfo& pod, std::string_view because) const;
  std::optional<Blocked> blocked_by_node(cluster::Row row, const api::Node& node) const;
  std::optional<Blocked> blocked_by_pod(const cluster::PodInfo& pod) const;
  std::optional<Blocked> blocked_by_budgets(const std::vector<cluster::PodInfoPtr>& evicted) const;
  std::optional<Blocked> blocked_by_budget(const api::PodDisruptionBudget& budget, std::int32_t hits) const;
  std::optional<Blocked> blocked_by_itself(cluster::Row row, const std::vector<cluster::PodInfoPtr>& evicted,
                                           const cluster::Snapshot& fork) const;
  std::vector<cluster::PodInfoPtr> without_waiting(std::vector<cluster::PodInfoPtr> pods) const;
  Blocked no_room(const cluster::PodInfo& pod, const DrainedPod& entry) const;
  std::optional<Blocked> blocked_by_volume(cluster::Row row) const;
  std::optional<Blocked> wanted_by_waiting(cluster::Row row, const cluster::Snapshot& fork) const;
  std::optional<Blocked> wanted_by(std::size_t index, cluster::Row row, const cluster::Snapshot& empty,
                                   std::string_view once) const;
  void find_wanted_cordoned(Places places);
  void find_wanted_unready(Places places);
  void find_gainers(const Places& places);
  void place_gainers(std::int32_t priority, std::size_t& next, cluster::Snapshot& fork) const;

  const NodeSearch& search_;
  const QuietProfiles profiles_;
  cluster::Snapshot base_;
  Waiters waiters_;
  std::vector<std::size_t> still_waiting_;      // indices of waiters without a place, one of each kind
  std::vector<std::size_t> no_cordoned_helps_;  // those of them that no cordoned node takes as it is
  // By kind: indices of waiters without a place that other pods keep away, so that evictions may help them.
  std::vector<std::vector<std::size_t>> gainers_;
  std::set<std::string, std::less<>> waiting_;           // UIDs of the waiters
  std::set<std::string, std::less<>> nominated_;         // nodes
  std::map<cluster::Row, cluster::ObjectKey> claim_of_;  // by node: one whose volume is there only
  std::map<cluster::Row, std::size_t> waiter_of_;  // by cordoned node: one that it takes once uncordoned
  std::map<cluster::Row, std::size_t> waiter_of_unready_;  // one that the node takes once it is ready
  std::size_t taken_ = 0;
  bool is_ready_ = false;
};

}  // namespace podium::explain
