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

}  // namespace
}  // namespace podium::render
