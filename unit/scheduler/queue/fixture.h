// For queue tests: a profile of plugins that only have hints, and builders of pods and events.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/queue/queue.h"
#include "unit/support/builders.h"

namespace podium::queue::test {

using framework::ClusterEvent;
using framework::EventHint;
using framework::EventResource;

// Rejects nothing; the queue uses its hints only.
class HintPlugin final : public framework::Plugin, public framework::FilterPlugin {
 public:
  HintPlugin(std::string name, std::vector<EventHint> hints)
      : name_(std::move(name)), hints_(std::move(hints)) {}
  std::string_view name() const override { return name_; }
  bool has_pre_filter() const override { return false; }
  framework::PreparedFilter prepare_filter(const cluster::PodInfo&, const cluster::Snapshot&) const override {
    return {};
  }
  std::vector<EventHint> hints() const override { return hints_; }

 private:
  std::string name_;
  std::vector<EventHint> hints_;
};

// Rejects pods with scheduling gates, as SchedulingGates does.
class GatePlugin final : public framework::Plugin, public framework::PreEnqueuePlugin {
 public:
  std::string_view name() const override { return "Gates"; }
  std::optional<framework::Verdict> pre_enqueue(const cluster::PodInfo& pod,
                                                const cluster::Snapshot&) const override {
    if (pod->scheduling_gates.empty()) return std::nullopt;
    return framework::Verdict{"Gates", framework::Code::unschedulable_and_unresolvable, {}};
  }
};

// The label "hint" of a node event's node is the name of the only pod that the event helps. Without it, the
// event helps all pods.
inline bool named_pod(const cluster::PodInfo& pod, const ClusterEvent& event) {
  const auto* node = std::get_if<std::shared_ptr<const api::Node>>(&event.after);
  const auto* name = node && *node ? (*node)->meta.labels.find("hint") : nullptr;
  return !name || *name == pod->meta.name;
}

// "Fit" listens to nodes, "Affinity" to placed pods, "Taints" to the pod's tolerations, "Deaf" to nothing.
inline framework::Profile make_profile() {
  framework::Profile profile;
  const auto add = [&](std::string name, std::vector<EventHint> hints) {
    auto plugin = std::make_shared<HintPlugin>(name, std::move(hints));
    profile.filters.push_back({name, plugin.get()});
    profile.plugins.push_back(std::move(plugin));
  };
  add("Fit", {{EventResource::node, framework::kAdd | framework::kUpdateNodeAllocatable, named_pod}});
  add("Affinity", {{EventResource::assigned_pod, framework::kAll, nullptr}});
  add("Taints", {{EventResource::target_pod, framework::kUpdatePodTolerations, nullptr}});
  add("Deaf", {});
  auto gate = std::make_shared<GatePlugin>();
  profile.pre_enqueue.push_back(gate.get());
  profile.plugins.push_back(std::move(gate));
  return profile;
}

inline cluster::PodInfoPtr info(const api::Pod& pod) {
  return cluster::make_pod_info(std::make_shared<const api::Pod>(pod));
}

inline ClusterEvent node_added(const std::string& helped = "") {
  auto node = podium::test::node("n");
  if (!helped.empty()) node.label("hint", helped);
  return {EventResource::node, framework::kAdd, {}, node.ptr()};
}
inline ClusterEvent pod_placed() {
  return {EventResource::assigned_pod, framework::kAdd, {}, podium::test::pod("x").ptr()};
}

}  // namespace podium::queue::test
