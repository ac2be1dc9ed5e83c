// The pods that wait, placed on a fork in the order in which the scheduling queue would take them.
//
// Threads: pure functions on one fork. Errors: none.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explain/answer/budget.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"
#include "scheduler/framework/profile.h"

namespace podium::explain {

// The profiles without preemption, and without a bound of the nodes that are evaluated.
class QuietProfiles {
 public:
  explicit QuietProfiles(const config::Config& config);
  const framework::Profile* find(const std::string& scheduler_name) const;  // null: none

 private:
  std::map<std::string, framework::Profile> profiles_;
};

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

// Leaves out pods that are gated, have victims that terminate, or belong to another scheduler; and those for
// whose copies the question has no memory.
Waiters sort_waiting(const std::vector<cluster::PodInfoPtr>& waiting, const QuietProfiles& profiles,
                     const Budget& budget, const cluster::Snapshot& fork);

using Places = std::vector<std::optional<cluster::Row>>;  // by the index of the waiter

// Places the waiters without a place. A pod that does not fit is tried again after others were placed.
// False: the budget has ended.
bool place_waiters(const Waiters& waiters, const Budget& budget, Places& places, cluster::Snapshot& fork);

}  // namespace podium::explain
