// The exact text of the differences between two reports.
#include "app/render/diff.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>

#include "unit/app/render/fixtures.h"

namespace podium::render {
namespace {

TEST(Diff, TheVerdictThenARowForEachDifference) {
  const auto a = read_report(scheduled_report());
  auto b = a;
  b.status.choice = explain::ReportChoice{"general-00", 396, 1, 2};
  b.status.top_nodes = {{"general-00", 396, {100, 96, 0}}, {"general-01", 394, {100, 85, 9}}};
  b.status.strategies[1].weight = 2;
  b.status.node_counts.feasible = 60;
  b.status.rejections = {a.status.rejections[1]};
  b.status.rejections[0].nodes = 6;
  EXPECT_EQ(diff(a, b, "shop/web-07", "shop/web-08", {}),
            "shop/web-07 is on general-01 with 404 points; shop/web-08 is on general-00 with 396 points.\n"
            "                                              shop/web-07  shop/web-08\n"
            "  node                                         general-01   general-00\n"
            "  points                                              404          396\n"
            "    cpu and memory                                     95          192\n"
            "    image present                                       9            0\n"
            "  weight of cpu and memory                              1            2\n"
            "  nodes with that score                                18            1\n"
            "  nodes that fit                                 54 of 66     60 of 66\n"
            "  has a taint that the pod does not tolerate      9 nodes            -\n"
            "  is cordoned                                     3 nodes      6 nodes\n"
            "Equal in both: taints 300.\n"
            "For shop/web-08, general-01 had 2 points fewer than general-00.\n"
            "For shop/web-07, general-00 had 8 points fewer than general-01.\n");
}

TEST(Diff, EqualReportsHaveNoTable) {
  const auto a = read_report(scheduled_report());
  EXPECT_EQ(diff(a, a, "a/x", "a/y", {}),
            "No difference: a/x and a/y each is on general-01 with 404 points.\n");
}

TEST(Diff, APlacedPodAndOneThatWaits) {
  const auto text =
      diff(read_report(scheduled_report()), read_report(pending_report()), "shop/web-07", "ml/big-2", {});
  EXPECT_TRUE(
      text.starts_with("shop/web-07 is on general-01 with 404 points; ml/big-2 is pending: no node fits.\n"))
      << text;
  EXPECT_NE(text.find("  does not have enough free nvidia.com/gpu"), std::string::npos) << text;
  EXPECT_EQ(text.find("Equal in both"), std::string::npos) << text;
}

TEST(Diff, QuestionsCompareTheirReplicas) {
  auto a = read_report(partly_answer()), b = a;
  b.status.answer->fitting = 20;
  b.status.choice->score = 290;
  const auto found = differences(a, b);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].what + found[0].a + found[0].b, "points300290");
  EXPECT_EQ(found[1].what, "replicas that fit");
  EXPECT_EQ(found[1].b, "20 of 20");
  EXPECT_EQ(diff_document(a, b, "a", "b").at("differences").as_array().size(), 2u);
}

TEST(Diff, ARefusedQuestionSaysSo) {
  const auto text = diff(read_report(refused_answer()), read_report(partly_answer()), "a", "b", {});
  EXPECT_TRUE(text.starts_with("a was refused; b would go to n1 with 300 points.\n")) << text;
}

}  // namespace
}  // namespace podium::render
