// RetentionIndex: the existing reports and their order of deletion.
#include "controller/retention/index.h"

#include <gtest/gtest.h>

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

constexpr Steady kStart{1h};

RetentionIndex::Report report(const std::string& name, std::chrono::seconds due,
                              ReportKind kind = ReportKind::decision) {
  return {.ns = "shop", .name = name, .uid = "uid-of-" + name, .due = kStart + due, .kind = kind};
}

RetentionIndex::Report failed(const std::string& name) {
  auto made = report(name, 1h);
  made.failure = true;
  return made;
}

RetentionIndex::Report in(const std::string& ns, const std::string& name, std::uint32_t bytes = 0) {
  auto made = report(name, 1h);
  made.ns = ns;
  made.bytes = bytes;
  return made;
}

RetentionIndex with_limits(ReportUsage all, ReportUsage of_namespace) {
  RetentionIndex made;
  made.set_limits({all, of_namespace});
  return made;
}

constexpr std::uint64_t kMany = 1u << 30;

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

// Not by address: a simulation repeats a run.
TEST(RetentionIndex, TakesWhatIsDueAtOneTimeByName) {
  RetentionIndex index;
  Names all;
  for (const char name : std::string_view("qcxmbrkahzt")) index.track(report(std::string(1, name), 10s));
  for (const char name : std::string_view("abchkmqrtxz")) all.emplace_back(1, name);
  EXPECT_EQ(names(index.take_due(kStart + 10s, 99)), all);
}

TEST(RetentionIndex, KnowsWhatIsDueLongestUntilItIsGone) {
  RetentionIndex index;
  EXPECT_EQ(index.earliest_due(), std::nullopt);
  index.track(report("a", 10s));
  index.track(report("b", 20s));
  index.take_due(kStart + 15s, 9);
  EXPECT_EQ(index.earliest_due(), kStart + 10s) << "its deletion may fail";
  index.set_limits({{1, kMany}, {1, kMany}});
  EXPECT_EQ(names(index.take_excess(9)), Names()) << "one is to go anyway";
  index.set_limits({{0, kMany}, {1, kMany}});
  EXPECT_EQ(names(index.take_excess(9)), Names{"b"});
  index.forget("shop", "a", "");
  EXPECT_EQ(index.earliest_due(), std::nullopt) << "what goes early is not overdue";
  index.track(report("b", 30s));
  EXPECT_EQ(index.earliest_due(), kStart + 30s);
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
  auto index = with_limits({1, kMany}, {1, kMany});
  index.track(report("a", 10s));
  index.track(report("q", 5s, ReportKind::question));
  EXPECT_EQ(index.size(ReportKind::decision), 1u);
  EXPECT_EQ(index.size(ReportKind::question), 1u);
  EXPECT_FALSE(index.has_excess());
  index.track(report("b", 20s));
  index.track(report("r", 5s, ReportKind::question));
  EXPECT_TRUE(index.has_excess());
  EXPECT_EQ(names(index.take_excess(9)), (Names{"a", "q"}));
  EXPECT_EQ(names(index.take_excess(9)), Names()) << "those are on their way";
  EXPECT_EQ(index.size(), 4u);
}

TEST(RetentionIndex, SuccessesLeaveBeforeFailuresTheOldestFirst) {
  auto index = with_limits({1, kMany}, {9, kMany});
  index.track(failed("f1"));
  for (const char* name : {"s1", "s2"}) index.track(report(name, 1h));
  index.track(failed("f2"));
  index.track(report("s1", 1h));  // written again, so it is younger now
  EXPECT_EQ(names(index.take_excess(9)), (Names{"s2", "s1", "f1"}));
}

// Not the namespace with the oldest ones. Of decisions and of what-ifs.
TEST(RetentionIndex, BeyondTheBudgetOfAllTheLargestNamespaceLosesReports) {
  for (const auto kind : {ReportKind::decision, ReportKind::question}) {
    const auto of = [kind](const std::string& ns, const std::string& name, std::uint32_t bytes) {
      auto made = in(ns, name, bytes);
      made.kind = kind;
      return made;
    };
    auto index = with_limits({4, kMany}, {9, kMany});
    index.track(of("modest", "m1", 100));
    for (const char* name : {"g1", "g2", "g3", "g4", "g5"}) index.track(of("greedy", name, 10));
    EXPECT_EQ(names(index.take_excess(1)), Names{"g1"});
    EXPECT_EQ(names(index.take_excess(9)), Names{"g2"});
    EXPECT_EQ(names(index.take_excess(9)), Names());
    index.forget("greedy", "g1", "");
    EXPECT_EQ(names(index.take_excess(9)), Names()) << "one is still on its way";
    index.set_limits({{9, 100}, {9, kMany}});
    EXPECT_EQ(names(index.take_excess(1)), Names{"m1"}) << "of the bytes, it has the most";
  }
}

// The namespace that fails has the most reports, and none on a placed pod.
TEST(RetentionIndex, TheLargestNamespaceIsOneThatHasReportsOfTheKind) {
  auto index = with_limits({6, kMany}, {9, kMany});
  index.track(in("one", "s1"));
  for (const char* name : {"s2", "s3", "s4"}) index.track(in("two", name));
  for (const char* name : {"f1", "f2", "f3", "f4"}) {
    auto made = in("failing", name);
    made.failure = true;
    index.track(made);
  }
  const auto left = *index.reserve("new", 0);
  EXPECT_EQ(names(left), (Names{"s2", "s3", "f1"}));
}

TEST(RetentionIndex, ANamespaceHasItsOwnBudget) {
  auto index = with_limits({100, kMany}, {2, 5'000});
  index.track(in("other", "o", 4'000));
  for (const char* name : {"a", "b", "c"}) index.track(in("shop", name, 1'000));
  EXPECT_EQ(names(index.take_excess(9)), Names{"a"});
  index.forget("shop", "a", "");
  index.track(in("shop", "b", 4'500));
  EXPECT_EQ(names(index.take_excess(9)), Names{"c"}) << "bytes";
}

TEST(RetentionIndex, BytesAreABudget) {
  auto index = with_limits({100, 10'000}, {100, kMany});
  for (const char* name : {"a", "b", "c", "d"}) index.track(in(name, name, 3'000));
  EXPECT_EQ(index.used(ReportKind::decision), (ReportUsage{4, 12'000}));
  EXPECT_EQ(names(index.take_excess(9)), Names{"a"});
  index.track(in("b", "b", 1'000));
  index.forget("a", "a", "");
  EXPECT_EQ(index.used(ReportKind::decision), (ReportUsage{3, 7'000}));
}

TEST(RetentionIndex, ANewDecisionTakesThePlaceOfOld) {
  struct Case {
    const char* name;
    ReportUsage all, of_namespace;
    std::string ns;
    std::uint32_t bytes;
    std::optional<Names> leave;
  };
  const Case cases[] = {
      {"there is room", {5, kMany}, {5, kMany}, "shop", 1'000, Names{}},
      {"one of all: of the largest namespace", {4, kMany}, {4, kMany}, "new", 1'000, Names{"a"}},
      {"of its own namespace", {9, kMany}, {3, kMany}, "shop", 1'000, Names{"a"}},
      {"another namespace has room", {9, kMany}, {3, kMany}, "new", 1'000, Names{}},
      {"as many as the bytes take", {9, 4'500}, {9, kMany}, "shop", 2'500, Names{"a", "b"}},
      {"more than a new one may", {9, 4'000}, {9, kMany}, "shop", 5'000, std::nullopt},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    auto index = with_limits(c.all, c.of_namespace);
    index.track(in("other", "o", 1'000));
    for (const char* name : {"a", "b", "c"}) index.track(in("shop", name, 1'000));
    const auto left = index.reserve(c.ns, c.bytes);
    ASSERT_EQ(left.has_value(), c.leave.has_value());
    if (!left) {
      EXPECT_EQ(index.used(ReportKind::decision), (ReportUsage{4, 4'000})) << "nothing has changed";
      continue;
    }
    EXPECT_EQ(names(*left), *c.leave);
    EXPECT_EQ(index.used(ReportKind::decision).count, 4 - left->size());
    EXPECT_EQ(index.size(), 4u) << "they exist until they are forgotten";
    index.release(c.ns, c.bytes);
  }
}

TEST(RetentionIndex, ASuccessTakesNoFailuresPlaceWhileOthersAreWritten) {
  auto index = with_limits({9, kMany}, {2, kMany});
  index.track(failed("f"));
  index.track(report("s", 1h));
  EXPECT_EQ(names(*index.reserve("shop", 0)), Names{"s"});
  EXPECT_FALSE(index.reserve("shop", 0));
  EXPECT_EQ(names(*index.reserve("shop", 0, true)), Names{"f"});
  index.release("shop", 0);
  index.release("shop", 0);
  for (const char* name : {"f", "s"}) index.forget("shop", name, "");
  for (const char* name : {"f1", "f2"}) index.track(failed(name));
  EXPECT_EQ(names(*index.reserve("shop", 0)), Names{"f1"}) << "a new pod is always reported";
}

TEST(RetentionIndex, EitherKindHasHalfOfABudget) {
  struct Case {
    const char* name;
    std::vector<RetentionIndex::Report> there;  // the oldest first
    bool failure;
    Names leave;
  };
  const Case cases[] = {
      {"a failure among failures", {failed("f1"), failed("f2"), failed("f3"), failed("f4")}, true, {"f1"}},
      {"a success among failures", {failed("f1"), failed("f2"), failed("f3"), failed("f4")}, false, {"f1"}},
      {"failures that have more than half",
       {report("s1", 1h), failed("f1"), failed("f2"), failed("f3")},
       true,
       {"f1"}},
      {"failures that have their half",
       {report("s1", 1h), failed("f1"), report("s2", 1h), failed("f2")},
       true,
       {"f1"}},
      {"successes that have more than half",
       {failed("f1"), report("s1", 1h), report("s2", 1h), report("s3", 1h)},
       false,
       {"s1"}},
      {"a failure among successes",
       {report("s1", 1h), report("s2", 1h), report("s3", 1h), report("s4", 1h)},
       true,
       {"s1"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    auto index = with_limits({9, kMany}, {4, kMany});
    for (const auto& each : c.there) index.track(each);
    EXPECT_EQ(names(*index.reserve("shop", 0, c.failure)), c.leave);
    index.release("shop", 0, c.failure);
  }
}

TEST(RetentionIndex, TheReportOfAPodThatIsGoneLeavesBeforeOthersOfItsKind) {
  auto index = with_limits({9, kMany}, {3, kMany});
  for (const char* name : {"f1", "f2", "f3"}) index.track(failed(name));
  index.pod_gone("shop", "f3", "another");
  index.pod_gone("shop", "f2", "uid-of-f2");
  const auto left = *index.reserve("shop", 0, true);
  EXPECT_EQ(names(left), Names{"f2"});
  EXPECT_TRUE(left.front().orphan);
  EXPECT_FALSE(index.is_kept("shop", "f2", "uid-of-f2"));
  EXPECT_TRUE(index.is_kept("shop", "f1", "uid-of-f1"));
  const auto next = *index.reserve("shop", 0, true);
  EXPECT_EQ(names(next), Names{"f1"});
  EXPECT_FALSE(next.front().orphan);
}

TEST(RetentionIndex, WithoutRoomItSaysWhetherThereMayBeSome) {
  auto index = with_limits({9, kMany}, {1, kMany});
  ASSERT_TRUE(index.reserve("shop", 0));
  EXPECT_EQ(index.reserve("shop", 0).error(), NoRoom::now)
      << "the report that is being written may be evicted";
  index.release("shop", 0);
  index.track(report("a", 1h));
  const auto left = index.reserve("shop", 0);
  ASSERT_EQ(names(*left), Names{"a"});
  index.restore(left->front());
  index.release("shop", 0);
  EXPECT_EQ(index.reserve("shop", 0).error(), NoRoom::at_all) << "what is there cannot be deleted";
}

TEST(RetentionIndex, WhatIsReservedIsUsed) {
  auto index = with_limits({2, kMany}, {2, kMany});
  EXPECT_TRUE(index.reserve("shop", 1'000));
  EXPECT_TRUE(index.reserve("shop", 1'000));
  EXPECT_FALSE(index.reserve("shop", 1'000)) << "nothing is there that could leave";
  index.release("shop", 1'000);
  EXPECT_TRUE(index.reserve("other", 1'000));
}

TEST(RetentionIndex, WhatIsToBeDeletedAnywayLeavesFirst) {
  auto index = with_limits({3, kMany}, {3, kMany});
  index.track(report("a", 1h));
  index.track(report("b", 10s));
  index.track(report("c", 1h));
  index.take_due(kStart + 10s, 1);
  EXPECT_EQ(names(*index.reserve("shop", 1)), Names{"b"});
  EXPECT_FALSE(index.is_taken("shop", "b", "uid-of-b")) << "it is deleted by the one who makes the new";
}

TEST(RetentionIndex, WhatCannotBeDeletedIsNotChosenAgain) {
  auto index = with_limits({2, kMany}, {2, kMany});
  index.track(report("a", 1h));
  index.track(report("b", 1h));
  const auto left = index.reserve("shop", 0);
  ASSERT_EQ(names(*left), Names{"a"});
  index.restore(left->front());
  EXPECT_TRUE(index.is_taken("shop", "a", "uid-of-a"));
  EXPECT_FALSE(index.reserve("shop", 0)) << "with what is reserved and what stays there would be three";
  index.release("shop", 0);
  EXPECT_EQ(names(*index.reserve("shop", 0)), Names{"b"});
}

TEST(RetentionIndex, WhatIfsThatAreKeptStayAndAreLimited) {
  auto index = with_limits({10, kMany}, {5, kMany});
  const auto kept = [](const std::string& ns, const std::string& name) {
    auto made = in(ns, name, 100);
    made.kind = ReportKind::question;
    made.due = RetentionIndex::kNever;
    return made;
  };
  for (const char* name : {"k1", "k2", "k3"}) index.track(kept("shop", name));
  EXPECT_TRUE(index.may_keep("shop", "new", 100));
  index.track(kept("shop", "k4"));
  EXPECT_FALSE(index.may_keep("shop", "new", 100)) << "four fifths";
  EXPECT_TRUE(index.may_keep("shop", "k4", 100)) << "it is kept already";
  EXPECT_TRUE(index.may_keep("other", "new", 100));
  for (const char* name : {"o1", "o2", "o3", "o4"}) index.track(kept("other", name));
  EXPECT_FALSE(index.may_keep("third", "new", 100)) << "four fifths of all";
  EXPECT_EQ(index.next_due(), std::nullopt);
  for (const char* name : {"q1", "q2"}) index.track(report(name, 1h, ReportKind::question));
  EXPECT_EQ(names(index.take_excess(9)), Names{"q1"});
  index.forget("shop", "k4", "");
  EXPECT_TRUE(index.may_keep("shop", "new", 100));
}

TEST(RetentionIndex, ReportsOfAMinuteAreDueTogether) {
  RetentionIndex index;
  const auto labelled = [](const std::string& name, std::chrono::seconds due) {
    auto made = report(name, due);
    made.minute = 7;
    return made;
  };
  index.track(labelled("a", 60s));
  index.track(labelled("b", 62s));
  index.track(labelled("far", 90s));
  EXPECT_EQ(index.take_due(kStart + 62s, 9).size(), 0u);
  EXPECT_EQ(index.take_due(kStart + 65s, 9).size(), 2u);
  EXPECT_FALSE(index.is_whole("shop", 7)) << "one of them stays";
  index.take_due(kStart + 90s, 9);
  EXPECT_TRUE(index.is_whole("shop", 7));
  EXPECT_FALSE(index.is_whole("other", 7));
  index.track(labelled("a", 500s));
  EXPECT_FALSE(index.is_whole("shop", 7)) << "it was written again";
  for (const char* name : {"a", "b", "far"}) index.forget("shop", name, "");
  EXPECT_FALSE(index.is_whole("shop", 7));
}

TEST(RetentionIndex, AListShowsWhatIsGone) {
  RetentionIndex index;
  index.track(report("a", 9s));
  for (const char* name : {"b", "c"}) index.track(report(name, 10s));
  index.take_due(kStart + 9s, 1);
  index.begin_list();
  EXPECT_TRUE(index.mark_listed("shop", "b", "uid-of-b"));
  EXPECT_FALSE(index.mark_listed("shop", "c", "another"));
  index.track(report("d", 11s));  // created in between
  EXPECT_EQ(index.end_list(), 2u);
  EXPECT_EQ(names(index.take_due(kStart + 11s, 9)), (Names{"b", "d"}));
  EXPECT_EQ(index.size(), 2u);
}

TEST(RetentionIndexDeathTest, AReportHasAUid) {
  RetentionIndex index;
  EXPECT_DEATH(index.track({.ns = "shop", .name = "a"}), "check failed at .*uid.*shop, a");
}

}  // namespace
}  // namespace podium::controller
