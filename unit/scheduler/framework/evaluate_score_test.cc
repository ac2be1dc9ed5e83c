// The second half of evaluate(): scores, totals, the choice, and the lists that people read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/scheduler/framework/fakes.h"

namespace podium::framework::test {
namespace {

using podium::test::pod;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::pair<std::string, std::int64_t>> named(const std::vector<Ranked>& ranked,
                                                        const Snapshot& snapshot) {
  std::vector<std::pair<std::string, std::int64_t>> out;
  for (const auto& [row, score] : ranked) out.emplace_back(snapshot.node_name(row), score);
  return out;
}

TEST(EvaluateScores, TheTotalIsTheWeightedSumOverFeasibleNodes) {
  const auto snapshot = cluster_of({"a", "b", "c"});
  FakeFilter filter("F");
  filter.reject("c", {"no"});
  const FakeScore fit("Fit", {{"a", 10}, {"b", 100}, {"c", 100}}), images("Images", {{"a", 50}});
  const auto decision =
      evaluate(*info(pod("p")), snapshot, ProfileOf().filter(filter).score(fit, 2).score(images, 3));
  EXPECT_THAT(named(top_total(decision, snapshot, 10), snapshot),
              ElementsAre(Pair("b", 200), Pair("a", 170)));
  ASSERT_EQ(decision.strategies.size(), 2u);
  EXPECT_EQ(decision.strategies[1].weight, 3);
  EXPECT_THAT(named(top_of(decision.strategies[1], decision, snapshot, 1), snapshot),
              ElementsAre(Pair("a", 50)));
  EXPECT_EQ(snapshot.node_name(*decision.choice), "b");
  EXPECT_EQ(decision.total[*snapshot.find_row("c")], 0)
      << "what a scorer leaves for other rows does not show";
}

TEST(EvaluateScores, WithoutStrategiesEveryNodeHasOnePoint) {
  const auto snapshot = cluster_of({"a", "b"});
  const auto decision = evaluate(*info(pod("p")), snapshot, Profile());
  EXPECT_THAT(named(top_total(decision, snapshot, 10), snapshot), ElementsAre(Pair("a", 1), Pair("b", 1)));
}

TEST(EvaluateScores, SkippedStrategiesAreNamed) {
  const auto snapshot = cluster_of({"a"});
  FakeScore volumes("Volumes", {}), affinity("Affinity", {}), fit("Fit", {{"a", 7}});
  volumes.skips = affinity.skips = true;
  const auto decision =
      evaluate(*info(pod("p")), snapshot, ProfileOf().score(volumes).score(affinity).score(fit));
  EXPECT_THAT(decision.skipped_strategies, ElementsAre("Affinity", "Volumes"));
  EXPECT_EQ(decision.strategies.size(), 1u);
}

TEST(EvaluateScores, StrategiesWithoutTheirPreScoreFailOrAreNeverSkipped) {
  const auto snapshot = cluster_of({"a"});
  FakeScore balanced("Balanced", {});
  balanced.skips = true;
  balanced.unprepared_score = 75;
  auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().score(balanced, 2, false));
  EXPECT_THAT(named(top_total(decision, snapshot, 1), snapshot), ElementsAre(Pair("a", 150)));

  balanced.unprepared_error = "failed to read \"PreScoreBalanced\" from cycleState: not found";
  decision = evaluate(*info(pod("p")), snapshot, ProfileOf().score(balanced, 2, false));
  EXPECT_EQ(decision.error,
            "running Score plugins: plugin \"Balanced\" failed with: "
            "failed to read \"PreScoreBalanced\" from cycleState: not found");
  EXPECT_FALSE(decision.fits());
  EXPECT_THAT(feasible(decision, snapshot), ElementsAre("a"));
  EXPECT_THAT(decision.strategies, IsEmpty());
}

TEST(EvaluateScores, ScoresOutsideOfTheRangeAreAnError) {
  const auto snapshot = cluster_of({"a", "b"});
  for (const std::uint8_t wrong : {101, 255}) {
    const FakeScore score("S", {{"b", wrong}});
    const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().score(score));
    EXPECT_EQ(decision.error,
              "applying score defaultWeights on Score plugins: plugin \"S\" returns an invalid score " +
                  std::to_string(wrong) + ", it should in the range of [0, 100] after normalizing");
  }
}

TEST(EvaluateChoice, EqualNodesShareThePodsWhateverTheirRows) {
  const auto one_way = cluster_of({"a", "b", "c", "d"}), other_way = cluster_of({"d", "c", "b", "a"});
  const FakeScore score("S", {{"a", 5}, {"b", 5}, {"c", 5}, {"d", 4}});
  const ProfileOf profile = ProfileOf().score(score);
  std::map<std::string_view, int> chosen;
  for (int i = 0; i < 300; ++i) {
    const auto p = info(pod("p").uid("uid-" + std::to_string(i)));
    const auto here = evaluate(*p, one_way, profile), there = evaluate(*p, other_way, profile);
    const auto name = one_way.node_name(*here.choice);
    EXPECT_EQ(name, other_way.node_name(*there.choice));
    ++chosen[name];
  }
  EXPECT_EQ(chosen.size(), 3u);
  for (const auto& [name, count] : chosen) EXPECT_GT(count, 60) << name;
}

TEST(EvaluateChoice, TheNominatedNodeIsTakenWhereItFits) {
  const auto snapshot = cluster_of({"a", "b"});
  const FakeScore score("S", {{"a", 100}});
  auto decision = evaluate(*info(pod("p").nominated("b")), snapshot, ProfileOf().score(score));
  EXPECT_EQ(decision.nominated_node, "b");
  EXPECT_EQ(snapshot.node_name(*decision.choice), "b");

  FakeFilter filter("F");
  filter.reject("b", {"full"});
  decision = evaluate(*info(pod("p").nominated("b")), snapshot, ProfileOf().filter(filter).score(score));
  EXPECT_EQ(decision.nominated_node, "");
  EXPECT_EQ(snapshot.node_name(*decision.choice), "a");
}

TEST(Rank, TheBestFirstAndEqualsByName) {
  const auto snapshot = cluster_of({"d", "b", "a", "c"});
  const FakeScore score("S", {{"a", 1}, {"b", 9}, {"c", 9}, {"d", 4}});
  const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().score(score));
  EXPECT_THAT(named(top_total(decision, snapshot, 3), snapshot),
              ElementsAre(Pair("b", 9), Pair("c", 9), Pair("d", 4)));
  EXPECT_THAT(named(top_total(decision, snapshot, 9), snapshot),
              ElementsAre(Pair("b", 9), Pair("c", 9), Pair("d", 4), Pair("a", 1)));
  EXPECT_THAT(top_total(decision, snapshot, 0), IsEmpty());
}

TEST(Rank, RejectionsAreGroupedByPluginAndReason) {
  const auto snapshot = cluster_of({"d", "b", "a", "c", "e"});
  FakeFilter fit("Fit"), taints("Taints");
  fit.reject("a", {"cpu", "memory"}).reject("c", {"cpu"}).reject("d", {"cpu"});
  taints.reject("b", {"tainted"});
  const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(fit).filter(taints));
  const auto groups = group_rejections(decision, snapshot, 2);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].reason, "cpu");
  EXPECT_EQ(groups[0].nodes, 3u);
  EXPECT_THAT(groups[0].examples, ElementsAre("a", "c"));
  EXPECT_EQ(groups[1].reason, "memory");
  EXPECT_EQ(groups[2].plugin, "Taints");
}

TEST(Rank, ADecisionWithoutNodesHasEmptyLists) {
  const Snapshot snapshot;
  const auto decision = evaluate(*info(pod("p")), snapshot, Profile());
  EXPECT_THAT(top_total(decision, snapshot, 10), IsEmpty());
  EXPECT_THAT(group_rejections(decision, snapshot, 3), IsEmpty());
}

}  // namespace
}  // namespace podium::framework::test
