// DisruptionBudgets: splits possible victims by whether evicting them violates a PodDisruptionBudget.
//
// Indexed once per dry run, since every node needs it: a pod is compared only with the budgets of its
// namespace that may select it. Budgets × pods × requirements may still be very many, and users write all
// three. So the comparisons of a dry run are bounded, by namespace and in total. A pod that is not compared
// with all of its budgets counts as protected: preemption prefers others, and evicts it if there are none.
// Owner: a dry run; the objects must outlive it. Threads: not thread-safe. Errors: none.
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
  Split split(std::span<const cluster::PodInfoPtr> pods);

  // Requirements that are compared; one takes about 30 ns.
  static constexpr std::int64_t kMostOfNamespace = 1'000'000, kMost = 4'000'000;

 private:
  struct Budget {
    const api::PodDisruptionBudget* budget;
    std::vector<std::string_view> disrupted;  // already counted by the API server; sorted
  };
  struct OfNamespace {
    SelectorIndex index;
    std::int64_t left = kMostOfNamespace;
  };
  bool is_spent(const OfNamespace& of) const { return of.left <= 0 || left_ <= 0; }
  void spend(OfNamespace& of, const api::LabelSelector& selector);

  std::vector<Budget> budgets_;
  boost::unordered_flat_map<std::string_view, OfNamespace> by_namespace_;
  std::int64_t left_ = kMost;
};

}  // namespace podium::plugins
