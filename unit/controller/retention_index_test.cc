// RetentionIndex: the existing reports and their order of deletion.
#include "controller/retention_index.h"

#include <gtest/gtest.h>

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

constexpr Steady kStart{1h};

RetentionIndex::Report report(const std::string& name, std::chrono::seconds due,
                              ReportKind kind = ReportKind::decision) {
  return {"shop", name, "uid-of-" + name, kStart + due, kind, false};
}

Names names(const std::vector<RetentionIndex::Report>& reports) {
  Names out;
  for (const auto& each : reports) out.push_back(each.name);
  return out;
}

TEST(RetentionIndex, TakesWhatIsDueEarliestFirst) {
  RetentionIndex index;
  index.track(report("c", 30s));
  index.track(report("a", 20s, ReportKind::question));
  index.track(report("b", 10s));
  EXPECT_EQ(index.next_due(), kStart + 10s);
  EXPECT_EQ(names(index.take_due(kStart + 20s, 9)), (Names{"b", "a"}));
  EXPECT_EQ(names(index.take_due(kStart + 20s, 9)), Names());
  EXPECT_EQ(index.size(), 3u) << "they exist until they are forgotten";
  EXPECT_EQ(names(index.take_due(kStart + 30s, 9)), Names{"c"});
}

TEST(RetentionIndex, OneThatIsWrittenAgainIsNotTaken) {
  RetentionIndex index;
  index.track(report("a", 10s));
  index.take_due(kStart + 10s, 1);
  EXPECT_TRUE(index.is_taken("shop", "a", "uid-of-a"));
  index.track(report("a", 20s));
  EXPECT_FALSE(index.is_taken("shop", "a", "uid-of-a"));
  EXPECT_EQ(index.size(), 1u);
  EXPECT_EQ(names(index.take_due(kStart + 20s, 9)), Names{"a"});
}

TEST(RetentionIndex, ForgetsNoOtherOfTheName) {
  RetentionIndex index;
  index.track(report("a", 10s));
  auto second = report("a", 20s);
  second.uid = "another";
  index.track(second);
  EXPECT_FALSE(index.forget("shop", "a", "uid-of-a"));
  EXPECT_EQ(index.size(ReportKind::decision), 1u);
  EXPECT_TRUE(index.forget("shop", "a", "another"));
  EXPECT_FALSE(index.forget("shop", "a", ""));
  EXPECT_EQ(index.size(ReportKind::decision), 0u);
}

TEST(RetentionIndex, CountsTheKindsApart) {
  RetentionIndex index;
  index.track(report("a", 10s));
  index.track(report("q", 5s, ReportKind::question));
  EXPECT_EQ(index.size(ReportKind::decision), 1u);
  EXPECT_EQ(index.size(ReportKind::question), 1u);
  EXPECT_EQ(names(index.take_earliest_decisions(9)), Names{"a"});
  EXPECT_EQ(index.decisions_kept(), 0u);
  EXPECT_EQ(index.size(), 2u);
}

TEST(RetentionIndex, AListTellsWhatIsGone) {
  RetentionIndex index;
  index.track(report("a", 9s));
  for (const char* name : {"b", "c"}) index.track(report(name, 10s));
  index.take_due(kStart + 9s, 1);
  index.begin_list();
  EXPECT_TRUE(index.saw("shop", "b", "uid-of-b"));
  EXPECT_FALSE(index.saw("shop", "c", "another"));
  index.track(report("d", 11s));  // made meanwhile
  EXPECT_EQ(index.end_list(), 2u);
  EXPECT_EQ(names(index.take_due(kStart + 11s, 9)), (Names{"b", "d"}));
  EXPECT_EQ(index.size(), 2u);
}

}  // namespace
}  // namespace podium::controller
