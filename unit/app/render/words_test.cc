#include "app/render/words.h"

#include <gtest/gtest.h>
#include <algorithm>

#include "scheduler/plugins/registry.h"

namespace podium::render {
namespace {

using framework::Point;

// A plugin without words would be shown under its own name, which readers of a report need not know.
TEST(Words, EveryPluginThatScoresOrFiltersHasItsOwn) {
  for (const auto& plugin : plugins::in_tree()) {
    if (!plugin.make) continue;
    if (std::ranges::find(plugin.points, Point::score) != plugin.points.end()) {
      EXPECT_NE(strategy_words(plugin.name), plugin.name) << "kStrategies of app/render/words.cc";
    }
    if (std::ranges::find(plugin.points, Point::filter) != plugin.points.end()) {
      EXPECT_NE(filter_words(plugin.name), plugin.name) << "kFilters of app/render/words.cc";
    }
  }
}

TEST(Words, APluginOfAnotherProgramKeepsItsName) {
  EXPECT_EQ(strategy_words("ZoneBudget"), "ZoneBudget");
  EXPECT_EQ(filter_words("ZoneBudget"), "ZoneBudget");
}

explain::ReportRejection short_of(const char* resource, std::size_t nodes, std::size_t without = 0) {
  return {.plugin = "NodeResourcesFit",
          .code = "InsufficientResource",
          .nodes = nodes,
          .about = {{framework::Topic::resource, resource}},
          .shortfall = explain::MissingAmount{resource, "1", "n1", without}};
}

explain::ReportRejection tainted(std::size_t nodes, const char* taint) {
  return {.code = "UntoleratedTaint", .nodes = nodes, .taints = {taint}, .taints_total = 1};
}

explain::ReportRejection not_selected(std::size_t nodes, std::vector<explain::UnmetPart> parts = {}) {
  return {.code = "NodeSelectorMismatch", .nodes = nodes, .parts = std::move(parts)};
}

// What an operator can change: the nodes that are meant for the pod, and have no room.
TEST(Words, TheMainReasonIsThatOfTheNodesForThePod) {
  const explain::UnmetPart met{.from = "nodeSelector", .requirement = "pool=gpu", .nodes = 1};
  const explain::UnmetPart unmet{.from = "nodeSelector", .requirement = "pool=GPU", .nodes = 0};
  struct Case {
    const char* name;
    std::vector<explain::ReportRejection> rejections;
    std::size_t main;
  };
  const Case cases[] = {
      {"other pools are tainted", {tainted(90, "pool=b:NoSchedule"), short_of("cpu", 10)}, 1},
      {"other pools have other labels", {not_selected(90), short_of("cpu", 10)}, 1},
      {"the nodes are not ready",
       {tainted(9, "node.kubernetes.io/not-ready:NoExecute"), short_of("cpu", 1)},
       0},
      {"an older podium does not name the taints",
       {{.code = "UntoleratedTaint", .nodes = 9}, short_of("cpu", 1)},
       0},
      {"no node has the device", {short_of("cpu", 5), short_of("gpu", 5, 5)}, 1},
      {"few nodes lack the device", {short_of("cpu", 5), short_of("gpu", 3, 3)}, 0},
      {"the nodes with the device are tainted", {tainted(2, "gpu=yes:NoSchedule"), short_of("gpu", 1, 1)}, 0},
      {"the selected node is tainted", {not_selected(1, {met}), tainted(1, "pool=gpu:NoSchedule")}, 1},
      {"no node is selected", {not_selected(1, {unmet}), tainted(1, "pool=gpu:NoSchedule")}, 0},
      {"all have other labels", {not_selected(3, {met})}, 0},
      {"no node is selected, and some are cordoned",
       {not_selected(54, {unmet}), {.code = "NodeUnschedulable", .nodes = 3}},
       0},
      {"the selected nodes are cordoned",
       {not_selected(54, {met}), {.code = "NodeUnschedulable", .nodes = 3}},
       1},
  };
  for (const auto& c : cases) EXPECT_EQ(main_rejection(c.rejections), &c.rejections[c.main]) << c.name;
}

}  // namespace
}  // namespace podium::render
