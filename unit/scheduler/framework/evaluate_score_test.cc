// The second half of evaluate(): scores, totals, the choice, and the lists for reports.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation.h"
#include "scheduler/framework/score_loops.h"
#include "unit/scheduler/framework/fakes.h"
#include "unit/support/seed.h"

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
  EXPECT_EQ(decision.total[*snapshot.find_row("c")], 0) << "other rows of a scorer are ignored";
}

TEST(EvaluateScores, TotalsAreExactForAnyWeights) {
  const auto snapshot = cluster_of({"a", "b"});
  const FakeScore fit("Fit", {{"a", 100}, {"b", 99}}), images("Images", {{"a", 100}});
  for (const int weight : {1, 326, 327, 654, 655, 1 << 20, std::numeric_limits<int>::max()}) {
    const auto decision =
        evaluate(*info(pod("p")), snapshot, ProfileOf().score(fit, weight).score(images, 1));
    EXPECT_THAT(
        named(top_total(decision, snapshot, 2), snapshot),
        ElementsAre(Pair("a", 100 * std::int64_t{weight} + 100), Pair("b", 99 * std::int64_t{weight})));
  }
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
  const auto snapshot = cluster_of({"a", "b"});
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
  EXPECT_THAT(feasible(decision, snapshot), ElementsAre("a", "b"));
  EXPECT_THAT(decision.strategies, IsEmpty());
}

TEST(EvaluateScores, AFailingPluginFailsTheAttempt) {
  const auto snapshot = cluster_of({"a", "b"});
  FakeScore fit("Fit", {{"a", 7}}), affinity("Affinity", {}), images("Images", {});
  images.with_pre_score = false;
  const ProfileOf profile = ProfileOf().score(fit).score(images).score(affinity);
  affinity.error = "no number";
  auto decision = evaluate(*info(pod("p")), snapshot, profile);
  EXPECT_EQ(decision.error, "running PreScore plugin \"Affinity\": no number");
  EXPECT_FALSE(decision.fits());
  EXPECT_TRUE(decision.withdraw_nomination);
  EXPECT_THAT(decision.strategies, IsEmpty());
  EXPECT_THAT(decision.total, IsEmpty());

  images.error = "no list";
  decision = evaluate(*info(pod("p")), snapshot, profile);
  EXPECT_EQ(decision.error, "running PreScore plugin \"Affinity\": no number") << "PreScore comes first";
  affinity.error = "";
  decision = evaluate(*info(pod("p")), snapshot, profile);
  EXPECT_EQ(decision.error, "running Score plugins: plugin \"Images\" failed with: no list");
}

TEST(EvaluateScores, PreScoreHasAnOrderOfItsOwn) {
  const auto snapshot = cluster_of({"a", "b"});
  FakeScore one("One", {}), two("Two", {}), unscored("Unscored", {});
  one.error = two.error = unscored.error = "x";
  Profile profile = ProfileOf().score(one).score(two);
  std::ranges::reverse(profile.pre_scores);
  EXPECT_EQ(evaluate(*info(pod("p")), snapshot, profile).error, "running PreScore plugin \"Two\": x");
  profile.pre_scores.insert(profile.pre_scores.begin(), {"Unscored", &unscored});
  EXPECT_EQ(evaluate(*info(pod("p")), snapshot, profile).error, "running PreScore plugin \"Unscored\": x");
}

// Upstream runs no Score plugin without a choice of nodes, so the observer must not see any calls.
TEST(EvaluateScores, WithoutAChoiceScoresAreForReadersOnly) {
  const auto snapshot = cluster_of({"a", "b", "c"});
  FakeFilter filter("F");
  filter.reject("c", {"no"});
  FakeFilter only_a = filter;
  only_a.reject("b", {"no"});
  FakeScore prepared("Prepared", {{"a", 7}}), unprepared("Unprepared", {});
  unprepared.unprepared_error = "x";
  const FakeScore wrong("Wrong", {{"a", 101}, {"b", 101}});
  FakeScore failing = prepared;
  failing.error = "x";
  const struct {
    const char* name;
    const FakeFilter& filter;
    const char* nominated;
    ProfileOf scores;
    std::string choice;
    std::vector<std::pair<std::string, std::int64_t>> top;
  } cases[] = {
      {"one node", only_a, "", ProfileOf().score(prepared), "a", {{"a", 7}}},
      {"one node, PreScore fails", only_a, "", ProfileOf().score(prepared).score(failing), "a", {}},
      {"one node, Score fails", only_a, "", ProfileOf().score(unprepared, 1, false), "a", {}},
      {"one node, a wrong score", only_a, "", ProfileOf().score(wrong), "a", {}},
      {"the nominated node", filter, "b", ProfileOf().score(prepared), "b", {{"a", 7}, {"b", 0}}},
      {"the nominated node, PreScore fails", filter, "b", ProfileOf().score(failing), "b", {}},
      {"nominated, but rejected", filter, "c", ProfileOf().score(failing), "", {}},
  };
  for (const auto& c : cases) {
    auto profile = c.scores;
    profile.filter(c.filter);
    EvaluationLog log(profile.profile);
    const auto decision =
        Evaluation(*info(pod("p").nominated(c.nominated)), snapshot, profile, 0, &log).finish();
    EXPECT_EQ(decision.choice ? snapshot.node_name(*decision.choice) : "", c.choice) << c.name;
    EXPECT_EQ(decision.error.empty(), !c.choice.empty()) << c.name;
    EXPECT_EQ(named(top_total(decision, snapshot, 3), snapshot), c.top) << c.name;
    const auto scored = [](const std::string& line) { return line.find("Score") != std::string::npos; };
    EXPECT_EQ(std::ranges::any_of(log.lines, scored), c.choice.empty()) << c.name;
  }
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

TEST(Rank, TheLeadOfTheChoice) {
  struct Case {
    const char* name;
    std::vector<std::int64_t> totals;  // of feasible nodes, by row; -1: not feasible
    std::size_t choice;
    bool wide;
    std::size_t tied;
    std::optional<std::int64_t> margin;
  };
  const Case cases[] = {
      {"ahead", {5, 9, 7}, 1, false, 1, 2},
      {"tied", {9, 9, 7, 9}, 0, false, 3, 2},
      {"all equal", {9, 9}, 1, false, 2, {}},
      {"alone", {-1, 9, -1}, 1, false, 1, {}},
      {"ahead of none", {0, 9, -1}, 1, false, 1, 9},
      {"all none", {0, 0, -1}, 1, false, 2, {}},
      {"a nominated node that is not the best", {5, 9, 7}, 2, false, 1, 2},
      {"a nominated node that is the worst", {5, 9, 7}, 0, false, 1, {}},
      {"extenders", {-50, 20, 30}, 1, true, 1, 70},
  };
  for (const auto& c : cases) {
    const std::vector<std::string> names{"n0", "n1", "n2", "n3"};
    const auto snapshot = cluster_of({"n0", "n1", "n2", "n3"});
    auto decision = evaluate(*info(pod("p")), snapshot, Profile());
    decision.strategies.clear();
    decision.total = Totals(snapshot.chunks());
    if (c.wide) decision.strategies.push_back({"E", 1, {}, std::vector<std::int64_t>(decision.total.size())});
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto row = *snapshot.find_row(names[i]);
      const bool is_feasible = i < c.totals.size() && (c.wide || c.totals[i] >= 0);
      if (!is_feasible) decision.feasible.clear(row);
      if (is_feasible) decision.total.write_chunk(0)[row] = c.totals[i];
    }
    decision.total.set_summary(0, summary_of(decision.total.own_chunk(0)));
    decision.choice = snapshot.find_row(names[c.choice]);
    const auto lead = lead_of(decision);
    ASSERT_TRUE(lead) << c.name;
    EXPECT_EQ(lead->tied, c.tied) << c.name;
    EXPECT_EQ(lead->margin, c.margin) << c.name;
    const auto all = lead_of(decision, top_total(decision, snapshot, 10));
    EXPECT_EQ(std::pair(all->tied, all->margin), std::pair(lead->tied, lead->margin)) << c.name;
  }
  EXPECT_FALSE(lead_of(Decision()));
}

TEST(Rank, WhoWouldWinWithoutAStrategy) {
  const auto snapshot = cluster_of({"d", "b", "a", "c"});
  const FakeScore one("One", {{"a", 50}, {"b", 40}, {"c", 40}, {"d", 50}});
  const FakeScore two("Two", {{"a", 9}, {"b", 12}, {"c", 12}, {"d", 0}});
  const FakeScore same("Same", {{"a", 7}, {"b", 7}, {"c", 7}, {"d", 7}});
  auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().score(one).score(two, 2).score(same, 3));
  ASSERT_EQ(snapshot.node_name(*decision.choice), "a");
  const auto without = [&](std::size_t strategy) {
    const auto winner = winner_without(strategy, decision, snapshot);
    return winner ? std::pair(std::string(snapshot.node_name(winner->row)), winner->score)
                  : std::pair(std::string(), std::int64_t{0});
  };
  EXPECT_EQ(without(0), std::pair(std::string("b"), std::int64_t{6})) << "the first by name of two";
  EXPECT_EQ(without(1).first, "") << "a is as good as d";
  EXPECT_EQ(without(2).first, "");
  decision.feasible.clear(*snapshot.find_row("b"));
  EXPECT_EQ(without(0).first, "c");
  decision.strategies.push_back({"E", 1, {}, std::vector<std::int64_t>(decision.total.size())});
  decision.strategies.back().wide[*snapshot.find_row("a")] = -70;
  decision.strategies.back().wide[*snapshot.find_row("d")] = 90;
  EXPECT_EQ(without(0).first, "c") << "extenders score any value";
  decision.nominated_node = "a";
  EXPECT_EQ(without(0).first, "") << "the nomination decided";
  EXPECT_FALSE(winner_without(0, Decision(), snapshot));
}

// Against the definition, on drawn scores.
TEST(Rank, WhoWouldWinWithoutAStrategyOnManyNodes) {
  std::vector<std::string> names;
  for (int i = 0; i < 1500; ++i) names.push_back(fmt::format("n{:04}", i));
  const auto snapshot = cluster_of(names);
  const auto seed = podium::test::given_seed().value_or(1);
  SCOPED_SEED(seed);
  std::mt19937 draw(static_cast<std::mt19937::result_type>(seed));
  for (int round = 0; round < 20; ++round) {
    std::map<std::string, std::uint8_t> first, second;
    for (const auto& name : names) {
      first[name] = draw() % 101;
      second[name] = draw() % 101;
    }
    const FakeScore one("One", first), two("Two", second);
    const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().score(one, 2).score(two, 3));
    const std::string choice(snapshot.node_name(*decision.choice));
    const auto best = std::ranges::max_element(names, {}, [&](const auto& name) { return second.at(name); });
    const auto winner = winner_without(0, decision, snapshot);
    const auto lead = 3 * (second.at(*best) - second.at(choice));
    ASSERT_EQ(winner.has_value(), lead > 0);
    if (!winner) continue;
    EXPECT_EQ(winner->score, lead);
    EXPECT_EQ(snapshot.node_name(winner->row), *best);
  }
}

// Against the definition: on few and on many different scores, with few and with many equals.
TEST(Rank, TheBestOfManyNodes) {
  std::vector<std::string> names;
  for (int i = 0; i < 2100; ++i) names.push_back(fmt::format("n{:04}", i));
  const auto snapshot = cluster_of(names);
  std::mt19937 draw(7);
  for (const unsigned outliers : {0u, 3u, 12u, 200u}) {
    for (const unsigned values : {1u, 2u, 7u, 101u}) {
      std::map<std::string, std::uint8_t> scores;
      for (const auto& name : names) scores[name] = static_cast<std::uint8_t>(draw() % values);
      for (unsigned i = 0; i < outliers; ++i) scores[names[draw() % names.size()]] = 90 + draw() % 11;
      const FakeScore score("S", scores), same("Same", [&] {
        auto all = scores;
        for (auto& [_, each] : all) each = 5;
        return all;
      }());
      const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().score(score).score(same, 2));
      auto sorted = names;
      std::ranges::stable_sort(sorted, std::greater(), [&](const auto& name) { return scores.at(name); });
      std::vector<std::pair<std::string, std::int64_t>> best, totals;
      for (const auto& name : sorted) {
        if (best.size() == 10) break;
        best.emplace_back(name, scores.at(name));
        totals.emplace_back(name, scores.at(name) + 10);
      }
      EXPECT_EQ(named(top_of(decision.strategies[0], decision, snapshot, 10), snapshot), best);
      EXPECT_EQ(named(top_total(decision, snapshot, 10), snapshot), totals);
      // Without "S" all are equal; "Same" decides nothing.
      for (std::size_t i = 0; i < decision.strategies.size(); ++i)
        EXPECT_FALSE(winner_without(i, decision, snapshot)) << decision.strategies[i].name;
      for (const std::int64_t limit : {0, 1, 10, 11, 15, 60, 100, 101, 111, 200}) {
        const auto next =
            std::ranges::find_if(sorted, [&](const auto& name) { return scores.at(name) + 10 < limit; });
        const auto below = best_below(limit, decision, snapshot);
        ASSERT_EQ(below.has_value(), next != sorted.end()) << limit;
        if (!below) continue;
        EXPECT_EQ(below->score, scores.at(*next) + 10) << limit;
        EXPECT_EQ(snapshot.node_name(below->row), *next) << limit;
      }
      const auto lead = lead_of(decision);
      const auto high = scores.at(sorted.front());
      EXPECT_EQ(lead->tied,
                std::ranges::count_if(scores, [&](const auto& one) { return one.second == high; }));
    }
  }
}

TEST(Rank, TheFirstByNameOfManyWinnersWithoutAStrategy) {
  std::vector<std::string> names;
  for (int i = 0; i < 1500; ++i) names.push_back(fmt::format("n{:04}", 1499 - i));
  const auto snapshot = cluster_of(names);
  for (const int winners : {1, 64, 65, 1400}) {
    std::map<std::string, std::uint8_t> first, second;
    for (int i = 0; i < 1500; ++i) {
      const bool wins = i >= 50 && i < 50 + winners;
      first[fmt::format("n{:04}", i)] = wins ? 0 : 50;
      second[fmt::format("n{:04}", i)] = wins ? 9 : 3;
    }
    const FakeScore one("One", first), two("Two", second);
    const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().score(one).score(two));
    const auto winner = winner_without(0, decision, snapshot);
    ASSERT_TRUE(winner) << winners;
    EXPECT_EQ(snapshot.node_name(winner->row), "n0050") << winners;
    EXPECT_EQ(winner->score, 6) << winners;
  }
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
