// Which nodes a profile evaluates: percentageOfNodesToScore, and podium's default of all nodes.
#include "scheduler/config/kube/node_searches.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/text/yaml.h"
#include "scheduler/config/load.h"
#include "scheduler/framework/profile.h"

namespace podium::config {
namespace {

using framework::NodeSampling;
using Searches = std::vector<std::optional<NodeSampling>>;

constexpr auto kKube = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
constexpr auto kPodium = "---\napiVersion: config.podium.dev/v1alpha1\nkind: PodiumConfiguration\n";
constexpr auto kNoScores =
    "plugins: {multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, "
    "{name: DefaultBinder}, {name: NodeName}]}}";

Searches searches_of(const Config& config) {
  Searches out;
  for (const auto& profile : config.profiles) out.push_back(profile->search);
  return out;
}

TEST(NodeSearches, AreChosenByTheConfiguration) {
  const auto all = std::nullopt;
  const struct {
    std::string name, kube, podium;
    Searches want;
  } cases[] = {
      {"podium's default", "", "", {all}},
      {"null is unset", "percentageOfNodesToScore: null\n", "", {all}},
      {"the adaptive rule, as upstream writes it", "percentageOfNodesToScore: 0\n", "", {NodeSampling{0}}},
      {"a share", "percentageOfNodesToScore: 30\n", "", {NodeSampling{30}}},
      {"all", "percentageOfNodesToScore: 100\n", "", {all}},
      {"a profile's own goes first",
       "percentageOfNodesToScore: 30\nprofiles:\n- {schedulerName: a}\n- {schedulerName: b, "
       "percentageOfNodesToScore: 7}\n"
       "- {schedulerName: c, percentageOfNodesToScore: 100}\n",
       "",
       {NodeSampling{30}, NodeSampling{7}, all}},
      {"a share of one profile leaves the others alone",
       "profiles:\n- {schedulerName: a, percentageOfNodesToScore: 5}\n- {schedulerName: b}\n",
       "",
       {NodeSampling{5}, all}},
      {"a 0 of one profile says what a 0 means",
       "profiles:\n- {schedulerName: a, percentageOfNodesToScore: 0}\n- {schedulerName: b}\n",
       "",
       {NodeSampling{0}, NodeSampling{0}}},
      {"unset, with podium's switch", "", "adaptiveSearch: true\n", {NodeSampling{0}}},
      {"a 0, with podium's switch off", "percentageOfNodesToScore: 0\n", "adaptiveSearch: false\n", {all}},
      {"the switch is about the 0 only",
       "percentageOfNodesToScore: 30\n",
       "adaptiveSearch: false\n",
       {NodeSampling{30}}},
      {"one node is enough where none is scored",
       fmt::format("percentageOfNodesToScore: 0\nprofiles: [{{{}}}]\n", kNoScores),
       "",
       {NodeSampling{0, true}}},
      {"but for an extender that filters",
       fmt::format("percentageOfNodesToScore: 0\nextenders: [{{urlPrefix: 'http://e', filterVerb: "
                   "f}}]\nprofiles: [{{{}}}]\n",
                   kNoScores),
       "",
       {NodeSampling{0}}},
      {"or scores",
       fmt::format("percentageOfNodesToScore: 0\nextenders: [{{urlPrefix: 'http://e', prioritizeVerb: p, "
                   "weight: 1}}]\n"
                   "profiles: [{{{}}}]\n",
                   kNoScores),
       "",
       {NodeSampling{0}}},
      {"not for one that binds",
       fmt::format("percentageOfNodesToScore: 0\nextenders: [{{urlPrefix: 'http://e', bindVerb: "
                   "b}}]\nprofiles: [{{{}}}]\n",
                   kNoScores),
       "",
       {NodeSampling{0, true}}},
  };
  for (const auto& c : cases) {
    const auto config = load(kKube + c.kube + kPodium + c.podium, "c.yaml");
    ASSERT_TRUE(config) << c.name << ": " << config.error().message;
    EXPECT_EQ(searches_of(*config), c.want) << c.name;
    EXPECT_TRUE(config->warnings.empty()) << c.name;

    const auto again =
        load(api::to_yaml(config->view) + "---\n" + api::to_yaml(config->podium_view), "view.yaml");
    ASSERT_TRUE(again) << c.name << ": " << again.error().message;
    EXPECT_EQ(searches_of(*again), c.want) << c.name << ": what view prints means the same";
  }
}

TEST(NodeSearchesDeathTest, TheConfigurationHasDefaults) {
  EXPECT_DEATH(static_cast<void>(percentages({{"profiles", boost::json::array()}})),
               "check failed at .*config.contains\\(kField\\)");
}

}  // namespace
}  // namespace podium::config
