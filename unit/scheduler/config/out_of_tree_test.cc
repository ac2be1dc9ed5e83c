// Out-of-tree plugins: named in a configuration, created with unchanged arguments, errors reported with path.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "api/text/yaml.h"
#include "scheduler/config/load.h"
#include "scheduler/config/values/config.h"
#include "scheduler/framework/profile.h"

namespace podium::config {
namespace {

using namespace framework;

class Budget final : public Plugin, public FilterPlugin, public ScorePlugin {
 public:
  explicit Budget(boost::json::object args) : args(std::move(args)) {}
  std::string_view name() const override { return "Budget"; }
  bool has_pre_filter() const override { return true; }
  bool has_pre_score() const override { return false; }
  PreparedFilter prepare_filter(const PodInfo&, const Snapshot&) const override { return {}; }
  PreparedScore prepare_score(const PodInfo&, const Snapshot&, const NodeMask&) const override { return {}; }
  std::vector<EventHint> hints() const override { return {}; }
  const boost::json::object args;
};

std::shared_ptr<const Budget> make_budget(const boost::json::object& args, Problems& errors) {
  const auto* limit = args.if_contains("limit");
  if (!limit || !limit->is_int64()) errors.add("limit", "Required value: a whole number");
  for (const auto& [name, value] : args) {
    if (name != "limit" && name != "note") errors.add(std::string(name), "unknown field");
  }
  if (errors) return nullptr;
  return std::make_shared<const Budget>(args);
}

constexpr std::string_view kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

Result<Config> load_with(const std::string& text) {
  LoadOptions options;
  options.plugins.add("Budget", make_budget);
  return load(std::string(kHead) + text, "c.yaml", options);
}

TEST(OutOfTree, APluginRunsWhereTheConfigurationNamesIt) {
  const auto config = load_with(R"(profiles:
- schedulerName: everywhere
  plugins: {multiPoint: {enabled: [{name: Budget, weight: 7}]}}
  pluginConfig: [{name: Budget, args: {limit: 3, note: {any: [thing]}}}]
- schedulerName: filter-only
  plugins: {filter: {enabled: [{name: Budget}]}}
  pluginConfig: [{name: Budget, args: {limit: 4}}]
- schedulerName: without
)");
  ASSERT_TRUE(config) << config.error().message;
  const auto& everywhere = *config->profile("everywhere");
  EXPECT_EQ(everywhere.filters.back().name, "Budget");
  EXPECT_TRUE(everywhere.filters.back().pre_filter);
  EXPECT_EQ(everywhere.scores.back().name, "Budget");
  EXPECT_EQ(everywhere.scores.back().weight, 7);
  const auto* budget = dynamic_cast<const Budget*>(everywhere.filters.back().plugin);
  ASSERT_TRUE(budget);
  EXPECT_EQ(boost::json::serialize(budget->args), R"({"limit":3,"note":{"any":["thing"]}})");
  EXPECT_EQ(dynamic_cast<const Budget*>(everywhere.scores.back().plugin), budget) << "one object a profile";

  const auto& filter_only = *config->profile("filter-only");
  EXPECT_EQ(filter_only.filters.back().name, "Budget");
  EXPECT_FALSE(filter_only.filters.back().pre_filter);
  EXPECT_NE(filter_only.scores.back().name, "Budget");
  EXPECT_NE(config->profile("without")->filters.back().name, "Budget");
  EXPECT_TRUE(config->warnings.empty()) << config->warnings[0];

  LoadOptions options;
  options.plugins.add("Budget", make_budget);
  const auto viewed = load(api::to_yaml(config->view), "view.yaml", options);
  ASSERT_TRUE(viewed) << viewed.error().message;
  EXPECT_EQ(viewed->view, config->view);
}

TEST(OutOfTree, Findings) {
  const struct {
    const char *name, *text, *want;
  } cases[] = {
      {"wrong arguments",
       "profiles:\n- plugins: {score: {enabled: [{name: Budget}]}}\n  pluginConfig:\n  - name: Budget\n    "
       "args:\n"
       "      limit: many\n      more: 1",
       "c.yaml:8: profiles[0].pluginConfig[0].args.limit: Required value: a whole number\n"
       "c.yaml:9: profiles[0].pluginConfig[0].args.more: unknown field"},
      {"no arguments", "profiles:\n- plugins: {score: {enabled: [{name: Budget}]}}",
       "c.yaml:4: profiles[0].pluginConfig: plugin \"Budget\": limit: Required value: a whole number"},
      {"arguments that are no object",
       "profiles:\n- plugins: {score: {enabled: [{name: Budget}]}}\n  pluginConfig: [{name: Budget, args: "
       "7}]",
       "c.yaml:5: profiles[0].pluginConfig[0].args: Invalid value: expected object"},
      {"an extension point that it has no part in",
       "profiles:\n- plugins: {bind: {enabled: [{name: Budget}]}}",
       "c.yaml:4: profiles[0].plugins.bind.enabled[0]: plugin \"Budget\" does not extend BindPlugin plugin"},
      {"a plugin that nobody added", "profiles:\n- plugins: {score: {enabled: [{name: Budgets}]}}",
       "c.yaml:4: profiles[0].plugins.score.enabled[0]: ScorePlugin \"Budgets\" does not exist"},
  };
  for (const auto& c : cases) {
    const auto got = load_with(c.text);
    ASSERT_FALSE(got) << c.name;
    EXPECT_EQ(got.error().message, c.want) << c.name;
  }
  EXPECT_TRUE(load_with("profiles: [{pluginConfig: [{name: Budget, args: {nonsense: 1}}]}]"))
      << "where it is not enabled it is not made";
}

}  // namespace
}  // namespace podium::config
