// Preemption on small clusters with the filters of the default profile. Nodes have 4 CPUs and no practical
// limit on pods; the default priority is 0.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/values/objects.h"
#include "scheduler/framework/decision.h"
#include "scheduler/plugins/preemption/default_preemption.h"
#include "scheduler/plugins/registry.h"
#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test {

using framework::Decision;
using podium::test::PodBuilder;
using podium::test::share;
using Budgets = std::vector<api::PodDisruptionBudget>;

// The default profile's filters and PostFilter plugins, in upstream's order.
inline framework::Profile default_profile() {
  framework::Profile profile;
  for (const auto& entry : in_tree()) {
    if (!entry.make || !entry.by_default) continue;
    auto plugin = entry.make({});
    const std::string name(entry.name);
    if (const auto* filter = dynamic_cast<const framework::FilterPlugin*>(plugin.get())) {
      profile.filters.push_back({name, filter});
      if (filter->has_pre_filter()) profile.pre_filters.push_back({name, filter});
    }
    if (const auto* post_filter = dynamic_cast<const framework::PostFilterPlugin*>(plugin.get())) {
      profile.post_filters.push_back({name, post_filter});
    }
    profile.plugins.push_back(std::move(plugin));
  }
  return profile;
}

inline std::shared_ptr<const framework::Plugin> in_tree_plugin(std::string_view name) {
  const auto entries = in_tree();
  return std::ranges::find(entries, name, &PluginEntry::name)->make({});
}

inline api::Node machine(const std::string& name, const std::string& zone = "") {
  auto made = node(name).cap("cpu", "4").cap("memory", "8Gi").cap("pods", "20");
  if (!zone.empty()) made.zone(zone);
  return made;
}

inline PodBuilder runs(const std::string& name, const std::string& node, int priority,
                       std::string_view cpu = "2") {
  return pod(name).node(node).priority(priority).req("cpu", cpu).started("2026-01-01T00:00:00Z");
}

inline PodBuilder wants(std::string_view cpu, int priority = 100) {
  return pod("preemptor").priority(priority).req("cpu", cpu);
}

struct Case {
  std::string name;
  api::Pod pod;
  Pods placed;
  std::string want;  // "node: victim victim(violated budget)", or the message of the plugin
  Nodes nodes = {machine("a"), machine("b")};
  Budgets budgets;
  Pods nominated;
};

inline Decision decide(const Case& c) {
  auto snapshot = snapshot_of(c.nodes, c.placed);
  for (const auto& budget : c.budgets) snapshot.objects().set(share(budget));
  for (const auto& other : c.nominated) snapshot.nominate(info(other), other.nominated_node);
  static const auto profile = default_profile();
  return framework::evaluate(*info(c.pod), snapshot, profile);
}

inline std::string answer(const Decision& decision) {
  EXPECT_TRUE(decision.tried_preemption);
  if (decision.preemption) {
    auto text = decision.preemption->node + ":";
    for (const auto& victim : decision.preemption->victims) {
      text += " " + victim->pod->meta.name;
      for (const auto& [pod, budget] : decision.preemption->violated)
        if (pod == victim) text += "(" + budget->meta.name + ")";
    }
    return text;
  }
  const auto words = decision.message.find("preemption: ");
  return words == std::string::npos ? "no word of preemption: " + decision.message
                                    : decision.message.substr(words);
}

inline void check(const std::vector<Case>& cases) {
  for (const auto& c : cases) EXPECT_EQ(answer(decide(c)), c.want) << c.name;
}

}  // namespace podium::plugins::test
