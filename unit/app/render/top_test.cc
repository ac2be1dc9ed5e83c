// The live view, and how it is cut to a screen.
#include "app/render/top.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/app/render/fixtures.h"

namespace podium::render {
namespace {

std::vector<Report> two_decisions() {
  auto older = read_report(pending_report());
  older.status.decided_at = *parse_time("2026-11-23T01:00:00Z");
  return {older, read_report(scheduled_report())};
}

std::vector<WaitingGroup> groups_of(std::size_t count) {
  std::vector<WaitingGroup> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back({.pods = "ml/big-0",
                   .count = 1,
                   .first = "big-0",
                   .ns = "ml",
                   .blocked_by = "x",
                   .nearest_miss = "-"});
  return out;
}

TEST(Top, NewestDecisionsFirst) {
  EXPECT_EQ(top({}, two_decisions(), {}, plain()),
            "No pods are pending.\n"
            "\n"
            "AGO  POD          OUTCOME        WHERE OR WHY\n"
            "10m  shop/web-07  Scheduled      general-01, 404 points\n"
            "70m  ml/big-2     Unschedulable  66 of 66 nodes do not have enough free nvidia.com/gpu\n");
  EXPECT_EQ(top({}, {}, {}, plain()), "No pods are pending.\n\nNo decisions yet.\n");
  auto of_shop = plain();
  of_shop.where = " in namespace shop";
  EXPECT_EQ(top({}, {}, {}, of_shop),
            "No pods are pending in namespace shop.\n\nNo decisions yet in namespace shop.\n");
}

TEST(Top, FitsEveryScreen) {
  for (const std::size_t rows : {1u, 2u, 5u, 10u, 24u, 60u}) {
    for (const std::size_t waiting : {0u, 3u, 50u}) {
      const auto text = top(groups_of(waiting), two_decisions(), {rows, 30}, plain());
      EXPECT_LE(static_cast<std::size_t>(std::ranges::count(text, '\n')), rows) << waiting;
      for (std::size_t start = 0; start < text.size();) {
        const auto end = text.find('\n', start);
        EXPECT_LE(width(text.substr(start, end - start)), 30u);
        start = end + 1;
      }
    }
  }
}

TEST(Top, ManyWaitingPodsLeaveRoomForDecisions) {
  const auto text = top(groups_of(50), two_decisions(), {24, 0}, plain());
  EXPECT_NE(text.find("more lines: kubectl podium pending\n"), std::string::npos) << text;
  EXPECT_NE(text.find("shop/web-07  Scheduled"), std::string::npos) << text;
}

TEST(Top, LinesAreCutBetweenCharactersAndColoursEnd) {
  EXPECT_EQ(cut_to("✓✗…ab\n", {0, 3}), "✓✗…\n");
  EXPECT_EQ(cut_to("\033[31mabcdef\033[0m\n", {0, 3}), "\033[31mabc\033[0m\n");
  EXPECT_EQ(cut_to("ab\ncd\n", {1, 0}), "ab\n");
  EXPECT_EQ(cut_to("\033", {1, 5}), "\033\n");
}

}  // namespace
}  // namespace podium::render
