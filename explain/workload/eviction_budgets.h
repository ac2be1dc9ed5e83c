// Finds the disruption budgets that do not allow the evictions of pods, as the eviction API checks them.
//
// Threads: a value. Errors: none.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explain/workload/eviction_cost.h"

namespace podium::explain {

class EvictionBudgets {
 public:
  // A budget that allows fewer evictions than these pods need.
  struct Exceeded {
    std::size_t allowed = 0;
    std::vector<const api::Pod*> pods = {};
  };
  // `pods`: those that are evicted, of the budget's namespace; they outlive this. An empty selector matches
  // them all. nullopt: the budget allows the evictions. Ends early if may_continue() returns false.
  std::optional<Exceeded> check(const api::PodDisruptionBudget& budget,
                                const std::vector<const api::Pod*>& pods,
                                const std::function<bool()>& may_continue = {});

  struct Obstacle {
    const api::Pod* pod;
    MatchingBudgets budgets;  // several: the eviction API refuses the eviction
    std::string words;
  };
  // What the checked budgets have against the evictions.
  std::vector<Obstacle> obstacles() const;

 private:
  struct OfPod {
    MatchingBudgets budgets = {};
    std::string words = {};  // of one that is exceeded
  };
  std::map<const api::Pod*, OfPod> by_pod_;
};

}  // namespace podium::explain
