#include "app/config/config_changes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "unit/support/cost.h"

namespace podium::app {
namespace {

std::string changes(const char* before, const char* after) {
  std::string out;
  for (const auto& each : config_changes(boost::json::parse(before), boost::json::parse(after)))
    out +=
        fmt::format("{}: {} → {}\n", each.path, each.old_value.value_or("-"), each.new_value.value_or("-"));
  return out;
}

TEST(ConfigChanges, EqualValuesHaveNone) { EXPECT_EQ(changes(R"({"a": [1]})", R"({"a": [1]})"), ""); }

TEST(ConfigChanges, EntriesOfListsAreComparedByTheirNames) {
  EXPECT_EQ(
      changes(
          R"({"profiles": [{"schedulerName": "x", "pluginConfig": [{"name": "A", "args": {"w": 1}}, {"name": "B"}]}]})",
          R"({"profiles": [{"schedulerName": "x", "pluginConfig": [{"name": "C"}, {"name": "A", "args": {"w": 2}}]}]})"),
      "profiles[x].pluginConfig[A].args.w: 1 → 2\n"
      "profiles[x].pluginConfig[B]: {\"name\":\"B\"} → -\n"
      "profiles[x].pluginConfig[C]: - → {\"name\":\"C\"}\n");
}

TEST(ConfigChanges, TheOrderOfNamedEntriesCounts) {
  EXPECT_EQ(changes(R"({"enabled": [{"name": "A"}, {"name": "B"}]})",
                    R"({"enabled": [{"name": "B"}, {"name": "A"}]})"),
            "enabled (order): A, B → B, A\n");
}

TEST(ConfigChanges, LongListsAreComparedInLinearTime) {
  const auto list = [](std::size_t n, const char* weight) {
    boost::json::array out;
    for (std::size_t i = 0; i < n; ++i)
      out.push_back(boost::json::object{{"schedulerName", fmt::format("p{}", i)}, {"weight", weight}});
    return boost::json::value{{"profiles", std::move(out)}};
  };
  const auto prepare = [&](std::size_t n) -> test::Work {
    return [before = list(n, "1"), after = list(n + 1, "2"), n] {
      EXPECT_EQ(config_changes(before, after).size(), n + 1);
    };
  };
  EXPECT_TRUE(test::is_linear(400, prepare));
}

TEST(ConfigChanges, OtherListsAreValues) {
  EXPECT_EQ(changes(R"({"shape": [{"score": 1}]})", R"({"shape": [{"score": 2}]})"),
            "shape: [{\"score\":1}] → [{\"score\":2}]\n");
  EXPECT_EQ(changes(R"({"l": [{"name": "A"}, {"name": "A"}]})", R"({"l": [{"name": "A"}]})"),
            "l: [{\"name\":\"A\"},{\"name\":\"A\"}] → [{\"name\":\"A\"}]\n")
      << "two entries of one name";
}

TEST(ConfigChanges, FieldsComeAndGo) {
  EXPECT_EQ(changes(R"({"a": "x", "b": null})", R"({"c": {"d": true}})"), "a: x → -\nc: - → {\"d\":true}\n");
}

}  // namespace
}  // namespace podium::app
