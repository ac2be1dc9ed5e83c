// What the rolling updates of all kinds of workloads share: the pods before the update, and how one is
// created, placed and deleted. rollout.cc has the steps of each kind.
//
// Owner: one answer. Threads: none. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "explain/answer/placing.h"
#include "explain/answer/quotas.h"
#include "explain/report/what_if_parts.h"
#include "explain/workload/rolling_update.h"

namespace podium::explain {

// The cluster before the update: with the pods that exist, and what they take of the quotas.
struct UpdateStart {
  cluster::Snapshot fork;
  Quotas quotas;
  std::vector<cluster::PodInfoPtr> waiting = {};  // of all workloads: without a node
};

struct RolloutEnd {
  StuckRollout stuck;
  std::string note;  // the pods that it leaves, old and new
};

// Places new pods next to the old ones, as far as the quotas allow.
class Update {
 protected:
  Update(const Replicas& replicas, Count count, UpdateStart start);
  ~Update() = default;

  // False also if the pods that were added take all the memory that they may.
  bool has_time() const { return left_ > 0 && explain::has_time(replicas_.budget); }
  // How many more pods the quotas allow.
  std::int32_t admitted(std::int32_t wanted);
  // Places the new pod of this index. `node`: its DaemonSet's choice; empty: any. nullopt: there is no place,
  // and see_failed() has the reason.
  std::optional<cluster::Row> place(std::int32_t index, std::string_view node = {});
  // Places the old pods that wait, the oldest first: they get the room of pods that terminate.
  void place_waiting();
  // Creates another pod with the template of the first old one. Without a place it waits. False: a quota
  // allows none.
  bool add_old();
  void remove(const cluster::PodInfoPtr& pod);

  std::optional<RolloutEnd> stuck(std::optional<FirstFailure> failure, std::string note) const;
  FirstFailure quota_failure() const;

  virtual void see_failed(const ReplicaSeen& seen) = 0;
  virtual void forget(const cluster::PodInfo& evicted) = 0;

  const Replicas& replicas_;
  const std::int32_t count_;
  const RollingUpdate::Steps steps_;
  cluster::Snapshot fork_;
  Quotas quotas_;
  std::vector<cluster::PodInfoPtr> existing_;  // with the old template; without those that terminate
  std::vector<cluster::PodInfoPtr> waiting_;   // with the old template, without a node
  std::vector<cluster::PodInfoPtr> updated_;   // with the new one
  std::int32_t placed_ = 0;                    // new pods
  std::string quota_;                          // that allows no more new pods now

 private:
  // Adds the pod to the existing ones. False: it has no place.
  bool place_old(api::Pod old);
  NewPods new_pods(const api::Pod& pod) const;
  cluster::PodInfoPtr info_of(api::Pod pod) const;
  framework::Decision evaluate(const cluster::PodInfo& pod);
  // Places the pod as decided. nullopt: there is no place; `refused` has Reserve's message, if it is why.
  std::optional<cluster::Row> put(const cluster::PodInfoPtr& pod, const framework::Decision& decision,
                                  std::string& refused);
  std::optional<cluster::Row> evict_for(const framework::Decision& decision);

  std::int32_t left_;                     // pods that may still be added, with and without a place
  std::set<std::int32_t> without_place_;  // indices of the new pods that have left their claims
  std::size_t start_ = 0;                 // of the search for nodes
};

}  // namespace podium::explain
