// The pods that wait, placed on a fork in the order in which the scheduling queue would take them.
//
// Threads: pure functions on one fork. Errors: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain/answer/budget.h"
#include "explain/answer/fork_memory.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"
#include "scheduler/framework/profile.h"

namespace podium::explain {

// The profile of the pod's scheduler. If there is none and podium has one profile only, that one: podium may
// run next to the pod's scheduler. Null: none answers.
const framework::Profile* answering_profile(const config::Config& config, std::string_view scheduler_name);

// The profiles without preemption, and without a bound of the nodes that are evaluated.
class QuietProfiles {
 public:
  explicit QuietProfiles(const config::Config& config);
  const framework::Profile* find(const std::string& scheduler_name) const;  // null: none
  // Finds the profile as answering_profile() does.
  const framework::Profile* find_answering(const std::string& scheduler_name) const;

 private:
  std::map<std::string, framework::Profile> profiles_;
};

// The pods that a scheduler tries: not those that are being deleted, which a finalizer may keep for long.
// Source: pkg/scheduler/schedule_one.go: skipPodSchedule
std::vector<cluster::PodInfoPtr> without_deleted(std::vector<cluster::PodInfoPtr> waiting);

// Takes back, on the fork, the allocations that the next attempts of these pods take back of the claims that
// their specs name (explain/workload/device_claims.h).
void free_unused_claims(const std::vector<cluster::PodInfoPtr>& waiting, const config::Config& config,
                        const Budget& budget, cluster::Snapshot& fork);

struct Waiter {
  cluster::PodInfoPtr pod;
  const framework::Profile* profile;
  std::size_t kind = 0;  // pods of one kind fit on the same nodes
};

struct Waiters {
  std::vector<Waiter> pods;  // by priority, then age, then name
  std::size_t kinds = 0;
  std::size_t gated = 0, other_scheduler = 0, evicting = 0, not_evaluated = 0;  // the others
};

// Leaves out pods that are gated, have victims that terminate, or for which no profile answers; and those for
// whose copies there is no memory.
Waiters sort_waiting(const std::vector<cluster::PodInfoPtr>& waiting, const QuietProfiles& profiles,
                     const Budget& budget, const cluster::Snapshot& fork, ForkMemory memory = ForkMemory());

bool has_read_volume(const api::Pod& pod);  // that filters read: it may bind the pod to nodes

// Numbers the kinds of pods.
class PodKinds {
 public:
  std::size_t of(const cluster::PodInfoPtr& pod);
  std::size_t count() const { return count_; }

 private:
  std::map<std::uint64_t, std::vector<std::pair<cluster::PodInfoPtr, std::size_t>>> known_;
  std::size_t count_ = 0;
};

// How many of the pods compete for room with a question's: a profile answers for them, and they are neither
// gated nor nominated to a node nor on the fork.
std::size_t count_competing(const std::vector<cluster::PodInfoPtr>& waiting, const config::Config& config,
                            const cluster::Snapshot& fork);

// The pods that wait while the changes of a question are made, in the order of the queue: those that waited
// before, and behind those of equal priority the ones that a drain leaves without a node.
class WaitingLine {
 public:
  WaitingLine(const std::vector<cluster::PodInfoPtr>& waiting, const config::Config& config,
              const Budget& budget, const cluster::Snapshot& fork);

  // Removes pods that no longer wait.
  void remove_if(const std::function<bool(const api::Pod&)>& is_gone);
  void add(const std::vector<cluster::PodInfoPtr>& pods);
  // True: the pod waited before the question, was placed since take_placed(), and is preempted now: it waits
  // again. The caller removes it from the fork.
  bool take_back(const api::Pod& pod);

  // Places those that fit, until no more do.
  void place(cluster::Snapshot& fork);
  // Places those that fit between new pods, each of which waits behind all of its priority: start(), then
  // place_until() before each new pod, those of high priority first, then place_rest().
  void start();
  void place_until(std::int32_t priority, cluster::Snapshot& fork);
  void place_rest(cluster::Snapshot& fork);

  std::size_t evicted() const;  // that add() has added, and that have no place

  // Those that waited before the question and were placed since the last call.
  struct Placed {
    cluster::PodInfoPtr pod;
    std::string node;
  };
  std::vector<Placed> take_placed();

 private:
  struct Entry {
    Waiter waiter;
    bool waited_before = false, has_place = false;
  };
  // What take_back() needs of a pod that was placed.
  struct PlacedAt {
    std::size_t index = 0;  // in placed_
    Waiter waiter;
  };
  void place_to(std::size_t end, cluster::Snapshot& fork);
  void note_placed(Entry& entry, cluster::Row row, const cluster::Snapshot& fork);

  const QuietProfiles profiles_;
  const Budget& budget_;
  PodKinds kinds_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;                                    // the entry to try next
  std::vector<bool> has_failed_;                            // by kind, since start()
  std::vector<Placed> placed_;                              // nullptr: taken back
  std::map<std::string, PlacedAt, std::less<>> placed_at_;  // by UID
};

using Places = std::vector<std::optional<cluster::Row>>;  // by the index of the waiter
std::size_t count_placed(const Places& places);

// Places the waiters without a place. Tries a pod that does not fit again after others that may help it are
// placed. False: the budget has ended.
bool place_waiters(const Waiters& waiters, const Budget& budget, Places& places, cluster::Snapshot& fork);

}  // namespace podium::explain
