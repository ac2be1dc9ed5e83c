// PodTopologySpread: spreads matching pods evenly over the domains of a topology key.
//
// DoNotSchedule constraints filter, ScheduleAnyway constraints score. A pod without constraints gets the
// profile's default constraints, with the selectors of its services and its controller.
// Source: pkg/scheduler/framework/plugins/podtopologyspread.
// Threads: the plugin is immutable; a filter or scorer belongs to one evaluation.
#pragma once

#include <array>
#include <boost/json/object.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "scheduler/framework/features.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/selector_match.h"

namespace podium::plugins {

// One constraint as it applies to one pod; holds views of the pod, the plugin and the snapshot.
struct SpreadConstraint {
  std::int32_t max_skew = 1, min_domains = 1;
  std::string_view topology_key;
  Selector selector;
  bool honor_node_affinity = true, honor_node_taints = false;
  bool comparison = false;  // true: tolerations may use the operators Lt and Gt
};

class PodTopologySpread final : public framework::Plugin,
                                public framework::FilterPlugin,
                                public framework::ScorePlugin {
 public:
  // `system_defaults`: `defaults` are upstream's built-in constraints, which do not require nodes to
  // have every key.
  PodTopologySpread(std::vector<api::TopologySpreadConstraint> defaults, bool system_defaults,
                    const framework::Features& features = {})
      : defaults_(std::move(defaults)), system_defaults_(system_defaults), features_(features) {}

  static constexpr std::string_view kName = framework::names::kPodTopologySpread;
  std::string_view name() const override { return kName; }
  bool has_pre_filter() const override { return true; }
  bool has_pre_score() const override { return true; }
  std::string error_without_pre_filter() const override {
    return "reading \"PreFilterPodTopologySpread\" from cycleState: not found";
  }
  std::string error_without_pre_score() const override {
    return "error reading \"PreScorePodTopologySpread\" from cycleState: not found";
  }
  framework::PreparedFilter prepare_filter(const cluster::PodInfo& pod,
                                           const cluster::Snapshot&) const override;
  framework::PreparedScore prepare_score(const cluster::PodInfo& pod, const cluster::Snapshot&,
                                         const cluster::NodeMask& feasible) const override;
  std::vector<framework::EventHint> hints() const override;

 private:
  std::vector<SpreadConstraint> select(const std::vector<api::TopologySpreadConstraint>& from,
                                       const api::Labels& pod_labels, bool do_not_schedule) const;
  std::vector<SpreadConstraint> constraints(const api::Pod& pod, const cluster::Snapshot&,
                                            bool do_not_schedule) const;
  bool helps_after_pod_change(const api::Pod& rejected, const api::Pod* before, const api::Pod* after,
                              const cluster::Snapshot&) const;
  bool helps_after_own_change(const api::Pod& rejected, const api::Pod& before, const api::Pod& after,
                              const cluster::Snapshot&) const;
  bool helps_after_node_change(const api::Pod& rejected, const api::Node* before, const api::Node* after,
                               const cluster::Snapshot&) const;

  std::vector<api::TopologySpreadConstraint> defaults_;
  bool system_defaults_;
  const framework::Features features_;
};

inline constexpr bool kWithoutTerminating = false;  // of KeptCounts::Rule

// The selector of default constraints; matches everything if no service or controller selects the pod.
// Source: plugins/helper/spread.go DefaultSelector.
Selector default_spread_selector(const api::Pod& pod, const cluster::Snapshot& snapshot);

// The nodes whose pods a constraint counts, by its node inclusion policies. They are found once for each
// combination of policies: a pod may have thousands of constraints, of affinity terms and of tolerations.
// Pod and snapshot outlive it.
class IncludedNodes {
 public:
  IncludedNodes(const api::Pod& pod, const cluster::Snapshot& snapshot) : pod_(pod), snapshot_(snapshot) {}
  // nullopt: all nodes.
  const std::optional<cluster::NodeMask>& of(const SpreadConstraint& constraint);

 private:
  const api::Pod& pod_;
  const cluster::Snapshot& snapshot_;
  std::array<std::optional<std::optional<cluster::NodeMask>>, 4> known_;  // by policies
};

// The classes of placed pods that the constraint counts for a pod in this namespace. A selector that matches
// everything counts no placed pods, although it matches the pod itself.
std::vector<const cluster::PodClass*> counted_classes(const SpreadConstraint& constraint, std::string_view ns,
                                                      const cluster::Snapshot& snapshot);

}  // namespace podium::plugins
