// Verdicts and their ids, below and above the limit for linear search.
#include "scheduler/framework/rejections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation.h"
#include "unit/scheduler/framework/fakes.h"

namespace podium::framework::test {
namespace {

constexpr std::size_t kMany = 70'000;  // exceeds 16 bits

Verdict verdict_of(std::size_t i) { return {"ext", Code::unschedulable, {"reason " + std::to_string(i)}}; }

TEST(Rejections, TheSameVerdictGetsTheSameIdHoweverManyThereAre) {
  Rejections rejections(0);
  std::set<VerdictId> ids;
  for (std::size_t i = 0; i < kMany; ++i) {
    const auto id = rejections.add(verdict_of(i));
    ASSERT_TRUE(ids.insert(id).second) << i;
    ASSERT_NE(id, kFits);
    ASSERT_EQ(rejections.verdict(id), verdict_of(i));
    ASSERT_EQ(rejections.add(verdict_of(i)), id);
    ASSERT_EQ(rejections.add(verdict_of(i / 2)), i / 2 + 1);
  }
  EXPECT_EQ(rejections.verdicts().size(), kMany);
}

// Every field of a verdict counts, also when they are hashed.
TEST(Rejections, VerdictsThatDifferInOnePartAreKeptApart) {
  for (const std::size_t others : {0, 100}) {
    Rejections rejections(0);
    for (std::size_t i = 0; i < others; ++i) rejections.add(verdict_of(i));
    const Verdict verdicts[] = {{"a", Code::unschedulable, {"x", "y"}},
                                {"b", Code::unschedulable, {"x", "y"}},
                                {"a", Code::unschedulable_and_unresolvable, {"x", "y"}},
                                {"a", Code::unschedulable, {"y", "x"}},
                                {"a", Code::unschedulable, {"x"}},
                                {"a", Code::unschedulable, {}}};
    std::set<VerdictId> ids;
    for (const auto& verdict : verdicts) ids.insert(rejections.add(verdict));
    EXPECT_EQ(ids.size(), std::size(verdicts));
  }
}

// An extender with a different reason for every node.
TEST(Rejections, AnExtenderMayGiveEveryNodeAReasonOfItsOwn) {
  Snapshot snapshot;
  FilterOpinion opinion{.extender = "ext", .feasible = {}, .failed = {}, .unresolvable = {}};
  for (std::size_t i = 0; i < kMany; ++i) {
    const auto name = "n" + std::to_string(i);
    snapshot.set_node(podium::test::node(name).ptr());
    opinion.failed.emplace_back(name, verdict_of(i).reasons.front().text);
  }
  const auto pod = info(podium::test::pod("p"));
  const Profile profile{};
  Evaluation evaluation(*pod, snapshot, profile);
  evaluation.narrow(opinion);
  const auto decision = std::move(evaluation).finish();
  EXPECT_TRUE(decision.feasible.none());
  std::size_t right = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    const auto id = decision.rejections.id(*snapshot.find_row("n" + std::to_string(i)));
    right += id != kFits && decision.rejections.verdict(id) == verdict_of(i);
  }
  EXPECT_EQ(right, kMany);
  const auto groups = group_rejections(decision, snapshot, 1);
  EXPECT_EQ(groups.size(), kMany);
  EXPECT_TRUE(std::ranges::all_of(groups, [](const auto& group) { return group.nodes == 1; }));
}

TEST(RejectionsDeathTest, ANodeThatFitsHasNoVerdict) {
  const Rejections rejections(0);
  EXPECT_DEATH(rejections.verdict(kFits), "check failed at .*id != kFits");
}

}  // namespace
}  // namespace podium::framework::test
