// VolumeBinding: a node fits if it can reach the pod's bound volumes, and if each other claim of the pod can
// get a volume there.
//
// The filter matches each unbound claim with a volume or checks that one can be provisioned. Reserve assumes
// the result in the snapshot: a volume gets its claimRef, and a claim to provision gets the selected node.
// PreBind writes the same to the API server and waits until the volume controller and the provisioners have
// bound every claim. The score (volumes/score.h) is behind the gate StorageCapacityScoring.
// Source: pkg/scheduler/framework/plugins/volumebinding.
// Threads: the plugin is immutable. A filter or scorer belongs to one evaluation, a PluginState to one pod.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "scheduler/framework/lifecycle.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/volumes/binder.h"

namespace podium::plugins {

class VolumeBinding final : public framework::Plugin,
                            public framework::FilterPlugin,
                            public framework::ScorePlugin,
                            public framework::ReservePlugin,
                            public framework::PreBindPlugin {
 public:
  static constexpr std::string_view kName = framework::names::kVolumeBinding;
  static constexpr std::chrono::seconds kDefaultTimeout{600};

  // `by_utilization`: the score at 0..100 percent, see volumes/score.h; empty: the plugin does not score.
  explicit VolumeBinding(std::chrono::seconds bind_timeout = kDefaultTimeout,
                         std::vector<std::int32_t> by_utilization = {})
      : bind_timeout_(bind_timeout), by_utilization_(std::move(by_utilization)) {}
  std::string_view name() const override { return kName; }

  bool has_pre_filter() const override { return true; }
  std::string error_without_pre_filter() const override { return "not found"; }
  framework::PreparedFilter prepare_filter(const cluster::PodInfo& pod,
                                           const cluster::Snapshot&) const override;
  std::vector<framework::EventHint> hints() const override;

  bool has_pre_score() const override { return true; }
  // If it scores at all, it is never skipped: a pod without delayed claims gets 0 on every node.
  framework::PreparedScore prepare_score(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                         const cluster::NodeMask& feasible) const override;

  // Defined in reservation.cc.
  framework::ReserveResult reserve(const framework::AssumedPod& pod,
                                   cluster::Snapshot& snapshot) const override;
  void unreserve(const framework::AssumedPod& pod, framework::PluginState* state, cluster::Snapshot& snapshot,
                 framework::Handle& handle) const override;
  std::expected<bool, framework::Verdict> needs_pre_bind(const framework::AssumedPod& pod,
                                                         const framework::PluginState* state) const override;
  framework::PreBindPlan pre_bind(const framework::AssumedPod& pod, framework::PluginState* state,
                                  const cluster::Snapshot& snapshot) const override;
  std::optional<framework::NextStep> replied(const framework::AssumedPod& pod, framework::PluginState* state,
                                             std::size_t index, const framework::WriteReply& reply,
                                             cluster::Snapshot& snapshot) const override;
  framework::Progress ready(const framework::AssumedPod& pod, const framework::PluginState* state,
                            const cluster::Snapshot& snapshot) const override;
  bool concerns(const framework::AssumedPod& pod, const framework::PluginState* state,
                const framework::ClusterEvent& event) const override;

 private:
  std::chrono::seconds bind_timeout_;
  std::vector<std::int32_t> by_utilization_;
  const std::unique_ptr<AvailableCache> available_ = std::make_unique<AvailableCache>();
};

// The volumes to bind and to provision before the pod is bound to this node. Empty for pods whose claims are
// all bound; nullopt: the pod cannot have its volumes there. Holds pointers into the snapshot.
std::optional<VolumePlan> plan_volumes(const api::Pod& pod, const cluster::Snapshot& snapshot,
                                       cluster::Row row, AvailableCache& cache);

}  // namespace podium::plugins
