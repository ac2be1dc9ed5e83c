// InterPodAffinity: pods that want to run beside others, or away from them.
//
// Three rules filter: the pod's required affinity, its required anti-affinity, and the required anti-affinity
// of pods that run already. Preferred terms, both ways, score. All count by topology domain.
// Source: pkg/scheduler/framework/plugins/interpodaffinity.
// Threads: the plugin is immutable; what it prepares belongs to one evaluation.
#pragma once

#include <string_view>

#include "scheduler/framework/plugin.h"

namespace podium::plugins {

class InterPodAffinity final : public framework::Plugin,
                               public framework::FilterPlugin,
                               public framework::ScorePlugin {
 public:
  struct Args {
    std::int32_t hard_pod_affinity_weight = 1;  // what another pod's required affinity to this one is worth
    bool ignore_preferred_terms_of_existing_pods = false;  // takes effect for pods without preferred terms
                                                           // only
  };
  explicit InterPodAffinity(Args args) : args_(args) {}

  static constexpr std::string_view kName = "InterPodAffinity";
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

// The queueing hints' predicates; see inter_pod_affinity_hints.cc for where they wake more pods than
// upstream's.
bool affinity_helps_after_pod_change(const api::Pod& rejected, const api::Pod* before, const api::Pod* after);
bool affinity_helps_after_node_change(const api::Pod& rejected, const api::Node* before,
                                      const api::Node* after);

}  // namespace podium::plugins
