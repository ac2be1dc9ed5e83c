// VolumeBinding: the pod's bound volumes can be reached from the node, and its other claims can get a volume there.
//
// A filter; upstream's score is behind a gate that is off. What the chosen node means for the claims is plan_volumes().
// Source: pkg/scheduler/framework/plugins/volumebinding.
// Threads: the plugin is immutable; what it prepares belongs to one evaluation.
#pragma once

#include <string_view>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/volume_binder.h"

namespace podium::plugins {

class VolumeBinding final : public framework::Plugin,
                            public framework::FilterPlugin,
                            public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "VolumeBinding";
  std::string_view name() const override { return kName; }
  bool has_pre_filter() const override { return true; }
  std::string error_without_pre_filter() const override { return "not found"; }
  bool has_pre_score() const override { return true; }
  framework::PreparedFilter prepare_filter(const cluster::PodInfo& pod, const cluster::Snapshot&) const override;
  framework::PreparedScore prepare_score(const cluster::PodInfo&, const cluster::Snapshot&,
                                         const cluster::NodeMask&) const override {
    return {};
  }
  std::vector<framework::EventHint> hints() const override;
};

// What binding the pod to this node has to bind and to have provisioned first; nullopt where the pod cannot have its
// volumes there. Empty for pods whose claims are all bound. Holds pointers into the snapshot.
std::optional<VolumePlan> plan_volumes(const api::Pod& pod, const cluster::Snapshot& snapshot, cluster::Row row);

}  // namespace podium::plugins
