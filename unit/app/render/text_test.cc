// The parts that every view has: tables, ages, lists, and words for people.
#include <gtest/gtest.h>

#include "app/render/text.h"
#include "app/render/words.h"

namespace podium::render {
namespace {

TEST(Text, ATableCountsCodePointsAndTrimsLines) {
  EXPECT_EQ(table({{"a", "3×100"}, {"bcd", "1"}}, {Align::left, Align::right}),
            "  a    3×100\n"
            "  bcd      1\n");
  EXPECT_EQ(table({{"a", ""}, {"b"}}, {Align::left}, 0), "a\nb\n");
}

TEST(Text, WhatATerminalWouldObeyIsRemoved) {
  EXPECT_EQ(printable("a\033[31mb\nc"), "a[31mb c");
  EXPECT_EQ(printable("a\u009b31mb\u0085\u00a0c"), "a31mb\u00a0c") << "C1, too";
  EXPECT_EQ(printable("…"), "…");
  EXPECT_EQ(printable("web\u202e10-\u2066a\u200b\u2028b\ufeff"), "web10-ab") << "what reorders or hides text";
  EXPECT_EQ(printable("a\U000e0069\U000e0067b\ufe0f"), "ab") << "a hidden text";
  EXPECT_EQ(printable("\xe2\u202e\x80\xae"), "\ufffd\ufffd\ufffd") << "not U+202E again";
  EXPECT_EQ(printable("a\x9b\x32J"), "a\ufffd2J");
}

TEST(Text, ColoursOnlyWhereTheyAreOn) {
  EXPECT_EQ(Style{}.good("fits"), "fits");
  EXPECT_EQ(Style{true}.good("fits"), "\033[32mfits\033[0m");
}

TEST(Text, AgesHaveOneUnit) {
  using std::chrono::seconds;
  EXPECT_EQ(age(seconds(-5)), "0s");
  EXPECT_EQ(age(seconds(119)), "119s");
  EXPECT_EQ(age(seconds(19 * 60 + 30)), "19m");
  EXPECT_EQ(age(seconds(5 * 3600)), "5h");
  EXPECT_EQ(age(seconds(72 * 3600)), "3d");
}

TEST(Words, AnUnknownStrategyKeepsItsName) {
  EXPECT_EQ(strategy_words("TaintToleration"), "taints");
  EXPECT_EQ(strategy_words("ZoneBudget"), "ZoneBudget");
}

TEST(Words, OfTaintsThreeAreNamed) {
  explain::ReportRejection rejection{.code = "UntoleratedTaint", .nodes = 1};
  EXPECT_EQ(rejection_words(rejection), "has a taint that the pod does not tolerate");
  rejection.taints = {"a:NoSchedule", "b=1:NoExecute", "c:NoSchedule", "d:NoSchedule"};
  rejection.taints_total = 9;
  EXPECT_EQ(
      rejection_words(rejection),
      "has a taint that the pod does not tolerate: a:NoSchedule, b=1:NoExecute, c:NoSchedule and 6 more");
}

TEST(Words, NodesThatHaveNoneAreNotShort) {
  explain::ReportRejection rejection{
      .code = "InsufficientResource", .reason = "Insufficient example.com/gpu", .nodes = 63};
  rejection.about = {{framework::Topic::resource, "example.com/gpu"}};
  rejection.shortfall = {"example.com/gpu", "1", "gpu-00", 54};
  EXPECT_EQ(rejection_words(rejection), "do not have enough free example.com/gpu (54 have none)");
  rejection.shortfall->nodes_without = 63;
  EXPECT_EQ(rejection_words(rejection), "have no example.com/gpu");
}

TEST(Words, WhatIsMissing) {
  const auto missing = [](const char* resource, const char* least) {
    explain::ReportRejection rejection;
    if (resource) rejection.shortfall = {resource, least};
    return missing_words(rejection);
  };
  EXPECT_EQ(missing("cpu", "54250m"), "54.25 cpu");
  EXPECT_EQ(missing("memory", "2816Mi"), "2.75Gi memory");
  EXPECT_EQ(missing("pods", "1"), "1 pod");
  EXPECT_EQ(missing("pods", "2"), "2 pods");
  EXPECT_EQ(missing("", ""), "");
}

}  // namespace
}  // namespace podium::render
