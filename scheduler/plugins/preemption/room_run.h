// RoomRun: the dry run of one node after the other where the verdict depends only on sums of requests.
//
// On most nodes it does: NodeResourcesFit is the only default filter that looks at a node's pods, unless the
// pod has host ports, volumes, topology constraints or affinity. The filters of the last two ignore the pods
// of nodes where no pod counts for them. A run reads no pod: each node's pods are in one array, the more
// important first (NodeEntry::by_importance).
// The results are those of select_victims() in dry_run.cc, and it asks the filters and the budgets in the
// same order.
// Owner: a dry run; keeps references to all arguments. Threads: not thread-safe.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/filters.h"
#include "scheduler/plugins/preemption/disruption_budgets.h"
#include "scheduler/plugins/preemption/rank.h"

namespace podium::plugins {

class RoomRun {
 public:
  // Null: no filter reads sums of requests, or one rejects all nodes.
  static std::unique_ptr<RoomRun> make(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                       const framework::Filters& filters, DisruptionBudgets& budgets);

  // False: on this row a filter's verdict depends on more than sums of requests.
  bool can_select(cluster::Row row) const;

  enum class End : std::uint8_t {
    failed,  // see verdict()
    worse,   // a candidate, and not better than `to_beat`
    found,   // see rank() and candidate()
  };
  // Requires can_select(). `to_beat` may be null. What the functions below return is about the row of the
  // last call.
  End select(cluster::Row row, const Rank* to_beat);
  framework::Verdict verdict() const;
  Rank rank() const;
  framework::PreemptionCandidate candidate() const;

 private:
  struct Victim {
    const cluster::RankedPod* pod;
    const BudgetPtr* violated;
  };
  enum class Failure : std::uint8_t { no_lower_pods, filter, room, no_victims };

  RoomRun(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot, const framework::Filters& filters,
          DisruptionBudgets& budgets)
      : pod_(pod), snapshot_(snapshot), filters_(filters), budgets_(budgets) {}
  End fail(Failure failure) {
    failure_ = failure;
    return End::failed;
  }
  void measure(cluster::Row row);
  bool fits(const framework::Room& room, cluster::Row row, bool others_fit);
  bool fits_without_lower_pods(cluster::Row row);
  void compare_with_budgets();
  bool reprieve(const cluster::RankedPod& pod);
  bool is_beaten(const Rank& by) const;
  const cluster::PodInfoPtr& pod_of(const cluster::RankedPod& pod) const { return (*pods_)[pod.index]; }

  const cluster::PodInfo& pod_;
  const cluster::Snapshot& snapshot_;
  const framework::Filters& filters_;
  DisruptionBudgets& budgets_;
  std::vector<const framework::NodeFilter*> asked_;       // in Filter order
  const framework::NodeFilter* measured_ = nullptr;       // one of asked_
  std::vector<const framework::NodeFilter*> count_pods_;  // of asked_; the others ignore pods

  // What the last row has.
  cluster::Row row_ = 0;
  const std::vector<cluster::PodInfoPtr>* pods_ = nullptr;
  std::span<const cluster::RankedPod> lower_;
  framework::Room alone_, with_nominated_;
  bool has_nominated_ = false;
  std::vector<const BudgetPtr*> violated_;  // by index in lower_; empty: none
  std::vector<Victim> victims_;
  std::int64_t sum_ = 0, violations_ = 0;  // of victims_
  Failure failure_ = Failure::filter;
  std::optional<framework::Verdict> of_filter_;
  const framework::Room* full_ = nullptr;
};

}  // namespace podium::plugins
