#include "scheduler/plugins/registry.h"

#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test::registry_test {
namespace {

TEST(Registry, DefaultPluginsInUpstreamsOrderWithTheirWeights) {
  std::vector<std::pair<std::string, int>> listed;
  for (const auto& plugin : in_tree()) {
    if (plugin.by_default) listed.emplace_back(plugin.name, plugin.default_weight);
  }
  const std::vector<std::pair<std::string, int>> want{{"SchedulingGates", 0},
                                                      {"PrioritySort", 0},
                                                      {"NodeName", 0},
                                                      {"NodeUnschedulable", 0},
                                                      {"TaintToleration", 3},
                                                      {"NodeAffinity", 2},
                                                      {"NodePorts", 0},
                                                      {"NodeResourcesFit", 1},
                                                      {"VolumeRestrictions", 0},
                                                      {"NodeVolumeLimits", 0},
                                                      {"VolumeBinding", 0},
                                                      {"VolumeZone", 0},
                                                      {"PodTopologySpread", 2},
                                                      {"InterPodAffinity", 2},
                                                      {"DynamicResources", 2},
                                                      {"DefaultPreemption", 0},
                                                      {"NodeResourcesBalancedAllocation", 1},
                                                      {"ImageLocality", 1},
                                                      {"DefaultBinder", 0},
                                                      {"NodeDeclaredFeatures", 0}};
  EXPECT_EQ(listed, want);
}

// The listed extension points must equal the implemented ones; otherwise a profile silently drops the plugin.
TEST(Registry, PluginsImplementWhatTheyAreListedFor) {
  for (const auto& entry : in_tree()) {
    if (!entry.make) continue;
    const auto plugin = entry.make({});
    ASSERT_TRUE(plugin) << entry.name;
    EXPECT_EQ(plugin->name(), entry.name);
    const auto listed = [&](Point point) {
      return std::find(entry.points.begin(), entry.points.end(), point) != entry.points.end();
    };
    if (const auto* filter = dynamic_cast<const framework::FilterPlugin*>(plugin.get())) {
      EXPECT_TRUE(listed(Point::filter)) << entry.name;
      EXPECT_EQ(filter->has_pre_filter(), listed(Point::pre_filter)) << entry.name;
    }
    const auto* score = dynamic_cast<const framework::ScorePlugin*>(plugin.get());
    EXPECT_EQ(score != nullptr, listed(Point::score)) << entry.name;
    if (score) {
      EXPECT_EQ(score->has_pre_score(), listed(Point::pre_score)) << entry.name;
    }
  }
}

// The table of reasons is below the registry, so it has the plugins by name.
TEST(Registry, HasThePluginsOfTheReasons) {
  for (const auto& row : framework::reason_rows()) {
    for (const auto plugin : framework::plugins_of(row)) {
      const auto* entry = find_in_tree(plugin);
      EXPECT_TRUE(entry && entry->make) << row.name << ": " << plugin;
    }
  }
}

TEST(Registry, Find) {
  EXPECT_EQ(find_in_tree("NodeName")->name, "NodeName");
  EXPECT_EQ(find_in_tree("nodename"), nullptr);
}

class Permits final : public framework::Plugin, public framework::PermitPlugin {
 public:
  std::string_view name() const override { return "Permits"; }
  framework::PermitResult permit(const framework::AssumedPod&, const Snapshot&,
                                 framework::Handle&) const override {
    return framework::PermitResult::approve();
  }
};

TEST(Registry, APluginIsAtTheExtensionPointsThatItImplements) {
  const auto make_permits = [](const boost::json::object&, Problems&) {
    return std::make_shared<const Permits>();
  };
  Registry registry;
  registry.add("Permits", make_permits);
  const auto* permits = registry.find("Permits");
  ASSERT_TRUE(permits);
  EXPECT_EQ(permits->points, std::vector<Point>{Point::permit});
  EXPECT_FALSE(permits->in_tree() || permits->by_default);
  EXPECT_EQ(registry.find("NodeName"), find_in_tree("NodeName"));
  EXPECT_EQ(registry.find("Nope"), nullptr);
  EXPECT_EQ(registry.clash(), "");

  registry.add("Permits", make_permits);
  EXPECT_EQ(registry.clash(), "Permits");
  EXPECT_EQ(Registry().add("NodeName", make_permits).clash(), "NodeName");
}

TEST(VolumeBinding, ScoresEveryPodByDefault) {
  EXPECT_EQ(score(make(make_volume_binding), pod("p"), snapshot_of({node("n")})), (Scores{{"n", 0}}));
}

}  // namespace
}  // namespace podium::plugins::test::registry_test
