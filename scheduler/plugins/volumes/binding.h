// VolumeBinding: the pod's bound volumes can be reached from the node, and its other claims can get a volume
// there.
//
// The filter finds a volume for each claim, or finds that one can be made. Reserve assumes it in the
// snapshot: volumes get their claim, and claims whose volume has to be made get the node. PreBind writes the
// same to the API server and waits until the volume controller and the provisioners have bound every claim.
// Its score (volume_score.h) is behind the gate StorageCapacityScoring.
// Source: pkg/scheduler/framework/plugins/volumebinding.
// Threads: the plugin is immutable; what it prepares belongs to one evaluation, and its state to one pod.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scheduler/framework/lifecycle.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/volumes/binder.h"

namespace podium::plugins {

class VolumeBinding final : public framework::Plugin,
                            public framework::FilterPlugin,
                            public framework::ScorePlugin,
                            public framework::ReservePlugin,
                            public framework::PreBindPlugin {
 public:
  static constexpr std::string_view kName = "VolumeBinding";
  static constexpr std::chrono::seconds kDefaultTimeout{600};

  // `by_utilization`: see volume_score.h; empty: the plugin does not score.
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
  // Where it scores at all it is never skipped: pods that wait for no volume get 0 everywhere.
  framework::PreparedScore prepare_score(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                         const cluster::NodeMask& feasible) const override;

  // volume_reservation.cc
  framework::ReserveResult reserve(const framework::AssumedPod& pod,
                                   cluster::Snapshot& snapshot) const override;
  void unreserve(const framework::AssumedPod& pod, framework::PluginState* state, cluster::Snapshot& snapshot,
                 framework::Handle& handle) const override;
  std::expected<bool, framework::Verdict> needs_pre_bind(const framework::AssumedPod& pod,
                                                         const framework::PluginState* state) const override;
  framework::PreBindPlan pre_bind(const framework::AssumedPod& pod, framework::PluginState* state,
                                  const cluster::Snapshot& snapshot) const override;
  void written(const framework::AssumedPod& pod, framework::PluginState* state, std::size_t index,
               const boost::json::value& object) const override;
  framework::Progress ready(const framework::AssumedPod& pod, const framework::PluginState* state,
                            const cluster::Snapshot& snapshot) const override;
  bool concerns(const framework::AssumedPod& pod, const framework::PluginState* state,
                const framework::ClusterEvent& event) const override;

 private:
  std::chrono::seconds bind_timeout_;
  std::vector<std::int32_t> by_utilization_;
};

// What binding the pod to this node has to bind and to have provisioned first; nullopt where the pod cannot
// have its volumes there. Empty for pods whose claims are all bound. Holds pointers into the snapshot.
std::optional<VolumePlan> plan_volumes(const api::Pod& pod, const cluster::Snapshot& snapshot,
                                       cluster::Row row);

}  // namespace podium::plugins
