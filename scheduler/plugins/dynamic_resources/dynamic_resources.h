// DynamicResources: gives a pod the devices that its ResourceClaims and its extended resources request.
//
// A pod whose claims do not exist yet is gated. The filter asks a DeviceSearch for each node that earlier
// filters left. An allocated claim restricts the pod to the nodes of its allocation. Reserve puts the chosen
// allocations in flight: their devices count as in use, and other pods of these claims wait. PreBind writes
// finalizer, allocation and reservation to each claim. It first creates the claim of extended resources,
// which Unreserve deletes. PostFilter deallocates an unused claim that keeps the pod from every node.
//
// Source: pkg/scheduler/framework/plugins/dynamicresources.
// Threads: the plugin is immutable. A filter or scorer belongs to one evaluation, a PluginState to one pod.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "scheduler/framework/lifecycle.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/dynamic_resources/pod_devices.h"

namespace podium::plugins {

class DynamicResources final : public framework::Plugin,
                               public framework::PreEnqueuePlugin,
                               public framework::FilterPlugin,
                               public framework::PostFilterPlugin,
                               public framework::ScorePlugin,
                               public framework::ReservePlugin,
                               public framework::PreBindPlugin {
 public:
  static constexpr std::string_view kName = framework::names::kDynamicResources;

  static constexpr std::chrono::milliseconds kDefaultBindingTimeout = std::chrono::minutes(10);

  // `binding_timeout`: how long binding conditions may take to become true.
  explicit DynamicResources(StartSearch start_search,
                            std::chrono::milliseconds binding_timeout = kDefaultBindingTimeout)
      : start_search_(std::move(start_search)), binding_timeout_(binding_timeout) {}
  std::string_view name() const override { return kName; }

  std::optional<framework::Verdict> pre_enqueue(const cluster::PodInfo& pod,
                                                const cluster::Snapshot& snapshot) const override;

  bool has_pre_filter() const override { return true; }
  std::string error_without_pre_filter() const override { return "not found"; }
  framework::PreparedFilter prepare_filter(const cluster::PodInfo& pod,
                                           const cluster::Snapshot& snapshot) const override;
  std::vector<framework::EventHint> hints() const override;

  framework::PostFilterResult post_filter(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                          const framework::Filters& filters,
                                          const framework::Decision& decision) const override;

  // Never skipped: pods without claims get 0 on every node.
  bool has_pre_score() const override { return false; }
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
  void pre_bound(const framework::AssumedPod& pod, framework::PluginState* state,
                 cluster::Snapshot& snapshot) const override;
  framework::Progress ready(const framework::AssumedPod& pod, const framework::PluginState* state,
                            const cluster::Snapshot& snapshot) const override;
  std::vector<framework::AwaitedDevice> awaited(const framework::AssumedPod& pod,
                                                const framework::PluginState* state,
                                                const cluster::Snapshot& snapshot) const override;

 private:
  // The claims that PreFilter accepts; empty: nothing to do. Error: the verdict on the pod.
  struct Accepted {
    std::vector<ClaimPtr> claims;
    std::shared_ptr<const ExtendedResources> extended;
    bool empty() const { return claims.empty() && !extended; }
  };
  std::expected<Accepted, framework::Verdict> accept(const cluster::PodInfo& pod,
                                                     const cluster::Snapshot& snapshot) const;
  std::unique_ptr<const PodDevices> devices_for(Accepted accepted, const cluster::Snapshot& snapshot) const;

  StartSearch start_search_;
  std::chrono::milliseconds binding_timeout_;
};

}  // namespace podium::plugins
