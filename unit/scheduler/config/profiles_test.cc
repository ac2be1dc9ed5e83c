// Which plugins run at each extension point, in which order and with which weight. The expected
// lists are those that kube-scheduler logs ("the scheduler starts to work with those plugins") for
// the same configuration.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scheduler/config/load.h"
#include "scheduler/framework/profile.h"

namespace podium::config::profiles_test {
namespace {

// Joins the names of entries: "NodeName,NodePorts".
template <typename List>
std::string names(const List& list) {
  std::string out;
  for (const auto& entry : list) out += (out.empty() ? "" : " ") + entry.name;
  return out;
}

std::string weighted(const framework::Profile& profile) {
  std::string out;
  for (const auto& entry : profile.scores) {
    out += fmt::format("{}{}={}{}", out.empty() ? "" : " ", entry.name, entry.weight,
                       entry.pre_score ? "" : "!");
  }
  return out;
}

constexpr std::string_view kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

framework::ProfilePtr profile_with(std::string_view plugins) {
  const auto config = load(fmt::format("{}profiles: [{{plugins: {}}}]", kHead, plugins), "c.yaml");
  if (!config) {
    ADD_FAILURE() << config.error().message;
    return std::make_shared<framework::Profile>();
  }
  return config->profiles.at(0);
}

constexpr std::string_view kDefaultFilters =
    "NodeName NodeUnschedulable TaintToleration NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions "
    "NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity DynamicResources "
    "NodeDeclaredFeatures";
// A "!" marks a plugin without its PreScore; these two have none.
constexpr std::string_view kDefaultScores =
    "TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=2 "
    "InterPodAffinity=2 "
    "DynamicResources=2! NodeResourcesBalancedAllocation=1 ImageLocality=1!";

TEST(Profiles, TheDefaultOne) {
  const auto config = load("", "c.yaml");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->profiles.size(), 1u);
  const auto& profile = *config->profiles[0];
  EXPECT_EQ(profile.scheduler_name, "default-scheduler");
  EXPECT_EQ(names(profile.pre_filters), kDefaultFilters);
  EXPECT_EQ(names(profile.filters), kDefaultFilters);
  EXPECT_EQ(names(profile.post_filters), "DynamicResources DefaultPreemption");
  EXPECT_EQ(weighted(profile), kDefaultScores);
  EXPECT_EQ(config->warnings, std::vector<std::string>());
  EXPECT_EQ(config->profile("default-scheduler"), &profile);
  EXPECT_EQ(config->profile("other"), nullptr);
}

TEST(Profiles, ScoresByOverrides) {
  struct Case {
    std::string name, plugins, scores;
  };
  const Case cases[] = {
      {"a multiPoint entry replaces the default one in place",
       "{multiPoint: {enabled: [{name: InterPodAffinity, weight: 7}]}}",
       "TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=2 "
       "InterPodAffinity=7 "
       "DynamicResources=2! NodeResourcesBalancedAllocation=1 ImageLocality=1!"},
      {"two of them in another order keep the order of the defaults",
       "{multiPoint: {enabled: [{name: PodTopologySpread, weight: 4}, {name: TaintToleration, weight: 5}]}}",
       "TaintToleration=5 NodeAffinity=2 NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=4 "
       "InterPodAffinity=2 "
       "DynamicResources=2! NodeResourcesBalancedAllocation=1 ImageLocality=1!"},
      {"without a weight it counts as 1", "{multiPoint: {enabled: [{name: TaintToleration}]}}",
       "TaintToleration=1 NodeAffinity=2 NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=2 "
       "InterPodAffinity=2 "
       "DynamicResources=2! NodeResourcesBalancedAllocation=1 ImageLocality=1!"},
      {"score before multiPoint, first those that score names of the multiPoint list",
       "{score: {enabled: [{name: ImageLocality, weight: 9}, {name: NodeAffinity}]}}",
       "ImageLocality=9! NodeAffinity=1 TaintToleration=3 NodeResourcesFit=1 VolumeBinding=1 "
       "PodTopologySpread=2 "
       "InterPodAffinity=2 DynamicResources=2! NodeResourcesBalancedAllocation=1"},
      {"what only score names comes last",
       "{multiPoint: {disabled: [{name: NodeAffinity}]}, score: {enabled: [{name: NodeAffinity, weight: "
       "4}]}}",
       "TaintToleration=3 NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=2 InterPodAffinity=2 "
       "DynamicResources=2! "
       "NodeResourcesBalancedAllocation=1 ImageLocality=1! NodeAffinity=4!"},
      {"disabled at score only", "{score: {disabled: [{name: NodeAffinity}, {name: ImageLocality}]}}",
       "TaintToleration=3 NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=2 InterPodAffinity=2 "
       "DynamicResources=2! "
       "NodeResourcesBalancedAllocation=1"},
      {"disabled and enabled again with another weight",
       "{score: {disabled: [{name: NodeAffinity}], enabled: [{name: NodeAffinity, weight: 6}]}}",
       "TaintToleration=3 NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=2 InterPodAffinity=2 "
       "DynamicResources=2! "
       "NodeResourcesBalancedAllocation=1 ImageLocality=1! NodeAffinity=6"},
      {"a star disables all others",
       "{score: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit, weight: 5}]}}",
       "NodeResourcesFit=5"},
      {"no PreScore at all",
       "{preScore: {disabled: [{name: '*'}]}, score: {disabled: [{name: VolumeBinding}]}}",
       "TaintToleration=3! NodeAffinity=2! NodeResourcesFit=1! PodTopologySpread=2! InterPodAffinity=2! "
       "DynamicResources=2! NodeResourcesBalancedAllocation=1! ImageLocality=1!"},
      {"preScore without score", "{score: {disabled: [{name: '*'}]}}", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(weighted(*profile_with(c.plugins)), c.scores);
  }
}

TEST(Profiles, PreScoresByOverrides) {
  const std::string all =
      "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread InterPodAffinity "
      "NodeResourcesBalancedAllocation";
  const struct {
    const char *name, *plugins;
    std::string want;
  } cases[] = {
      {"the default", "{}", all},
      {"also those without a score", "{score: {disabled: [{name: '*'}]}}", all},
      {"in an order of their own",
       "{preScore: {disabled: [{name: '*'}], enabled: [{name: InterPodAffinity}, "
       "{name: NodeAffinity}]}, score: {disabled: [{name: VolumeBinding}]}}",
       "InterPodAffinity NodeAffinity"},
  };
  for (const auto& c : cases) EXPECT_EQ(names(profile_with(c.plugins)->pre_scores), c.want) << c.name;
}

TEST(Profiles, FiltersByOverrides) {
  const auto reordered = profile_with("{filter: {enabled: [{name: InterPodAffinity}, {name: NodeName}]}}");
  EXPECT_EQ(
      names(reordered->filters),
      "InterPodAffinity NodeName NodeUnschedulable TaintToleration NodeAffinity NodePorts NodeResourcesFit "
      "VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread DynamicResources "
      "NodeDeclaredFeatures");
  EXPECT_EQ(names(reordered->pre_filters), kDefaultFilters);

  const auto bare = profile_with(
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: "
      "NodePorts}, "
      "{name: NodeAffinity}]}, preFilter: {disabled: [{name: NodeAffinity}]}, filter: {disabled: [{name: "
      "NodePorts}]}}");
  EXPECT_EQ(names(bare->pre_filters), "NodePorts");
  EXPECT_EQ(names(bare->filters), "NodeAffinity");
  EXPECT_FALSE(bare->pre_filters.at(0).filter);
  EXPECT_FALSE(bare->filters.at(0).pre_filter);
  EXPECT_EQ(weighted(*bare), "NodeAffinity=1");
  EXPECT_EQ(names(bare->post_filters), "");
  EXPECT_TRUE(bare->pre_enqueue.empty());
}

TEST(Profiles, OneInstanceOfAPluginForAllItsExtensionPoints) {
  const auto profile = profile_with("{}");
  for (const auto& entry : profile->pre_filters) {
    for (const auto& filter : profile->filters) {
      if (filter.name == entry.name) {
        EXPECT_EQ(filter.plugin, entry.plugin) << entry.name;
      }
    }
  }
  const auto is_made = [&](std::string_view name) {
    for (const auto& plugin : profile->plugins) {
      if (plugin->name() == name) return true;
    }
    return false;
  };
  EXPECT_TRUE(is_made("NodeResourcesFit"));
  EXPECT_FALSE(is_made("DefaultBinder"));
}

}  // namespace
}  // namespace podium::config::profiles_test
