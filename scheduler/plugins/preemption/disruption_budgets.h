// DisruptionBudgets: splits possible victims by whether evicting them violates a PodDisruptionBudget.
//
// Indexed once per dry run, since every node needs it: a pod is compared only with the budgets of its
// namespace that may select it.
// Owner: a dry run; the objects must outlive it. Threads: const members may be called concurrently. Errors:
// none.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/selector_index.h"

namespace podium::plugins {

class DisruptionBudgets {
 public:
  explicit DisruptionBudgets(const cluster::Objects& objects);

  struct Split {
    std::vector<cluster::PodInfoPtr> violating, others;
  };
  // The pods are evicted in the given order.
  Split split(std::span<const cluster::PodInfoPtr> pods) const;

 private:
  struct Budget {
    const api::PodDisruptionBudget* budget;
    std::vector<std::string_view> disrupted;  // already counted by the API server; sorted
  };
  std::vector<Budget> budgets_;
  boost::unordered_flat_map<std::string_view, SelectorIndex> by_namespace_;
};

}  // namespace podium::plugins
