// DisruptionBudgets: whether evicting a node's possible victims violates a PodDisruptionBudget.
//
// Indexed once per dry run, since every node needs it: a pod is compared only with the budgets of its
// namespace that may select it. Budgets × pods × requirements may still be very many, and users write all
// three. So the comparisons of a dry run are bounded, by namespace and in total. A pod that is not compared
// with all of its budgets counts as protected: preemption prefers others, and evicts it if there are none.
// Owner: a dry run; the objects must outlive it. Threads: not thread-safe. Errors: none.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/text_hash.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/shared/selector_index.h"

namespace podium::api {
struct Pod;
struct PodDisruptionBudget;
}  // namespace podium::api
namespace podium::cluster {
class Objects;
}

namespace podium::plugins {

using BudgetPtr = std::shared_ptr<const api::PodDisruptionBudget>;

class DisruptionBudgets {
 public:
  explicit DisruptionBudgets(const cluster::Objects& objects);

  // The evictions from one node, one pod after the other. Refers to the budgets.
  class Eviction {
   public:
    // Takes the eviction from the pod's budgets. Returns the one that it violates; nullptr: none. Points to a
    // null pointer if the pod counts as protected because it was not compared with all of its budgets.
    const BudgetPtr* violates(const api::Pod& pod);

   private:
    friend class DisruptionBudgets;
    explicit Eviction(DisruptionBudgets& budgets) : all_(budgets) {}

    DisruptionBudgets& all_;
    boost::unordered_flat_map<std::size_t, std::int64_t> taken_;  // evictions by budget
  };
  bool empty() const { return budgets_.empty(); }  // none is violated
  Eviction evict() { return Eviction(*this); }

  // Requirements that are compared; one takes about 30 ns.
  static constexpr std::int64_t kMostOfNamespace = 1'000'000, kMost = 4'000'000;

 private:
  struct Budget {
    const BudgetPtr* budget;                  // of the objects
    std::vector<std::string_view> disrupted;  // already counted by the API server; sorted
  };
  struct OfNamespace {
    SelectorIndex index;
    std::int64_t left = kMostOfNamespace;
  };
  bool is_spent(const OfNamespace& of) const { return of.left <= 0 || left_ <= 0; }
  void spend(OfNamespace& of, const api::LabelSelector& selector);

  std::vector<Budget> budgets_;
  boost::unordered_flat_map<std::string_view, OfNamespace, TextHash> by_namespace_;
  std::int64_t left_ = kMost;
};

// Adds a victim with what Eviction::violates() has returned for it.
void add_victim(const cluster::PodInfoPtr& pod, const BudgetPtr* violated,
                framework::PreemptionCandidate& to);

}  // namespace podium::plugins
