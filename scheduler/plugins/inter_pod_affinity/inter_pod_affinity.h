// InterPodAffinity: places pods in the same topology domain as other pods, or in a different one.
//
// The filter checks three rules: the pod's required affinity, its required anti-affinity, and the required
// anti-affinity of existing pods. The score uses preferred terms of the pod and of existing pods. All rules
// count pods per topology domain.
// Source: pkg/scheduler/framework/plugins/interpodaffinity.
// Threads: the plugin is immutable; a filter or scorer belongs to one evaluation.
#pragma once

#include <string_view>

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::plugins {

class InterPodAffinity final : public framework::Plugin,
                               public framework::FilterPlugin,
                               public framework::ScorePlugin {
 public:
  struct Args {
    std::int32_t hard_pod_affinity_weight = 1;  // score weight of an existing pod's required affinity term
    bool ignore_preferred_terms_of_existing_pods = false;  // only for pods without preferred terms
  };
  explicit InterPodAffinity(Args args) : args_(args) {}

  static constexpr std::string_view kName = framework::names::kInterPodAffinity;
  std::string_view name() const override { return kName; }
  bool has_pre_filter() const override { return true; }
  bool has_pre_score() const override { return true; }
  std::string error_without_pre_filter() const override {
    return "error reading \"PreFilterInterPodAffinity\" from cycleState: not found";
  }
  std::string error_without_pre_score() const override {
    return "failed to read \"PreScoreInterPodAffinity\" from cycleState: not found";
  }
  framework::PreparedFilter prepare_filter(const cluster::PodInfo& pod,
                                           const cluster::Snapshot&) const override;
  framework::PreparedScore prepare_score(const cluster::PodInfo& pod, const cluster::Snapshot&,
                                         const cluster::NodeMask& feasible) const override;
  std::vector<framework::EventHint> hints() const override;

 private:
  Args args_;
};

// The predicates of the queueing hints. They wake the same pods as upstream's; see hints.cc.
bool affinity_helps_after_pod_change(const api::Pod& rejected, const api::Pod* before, const api::Pod* after);
bool affinity_helps_after_node_change(const api::Pod& rejected, const api::Node* before,
                                      const api::Node* after);

}  // namespace podium::plugins
