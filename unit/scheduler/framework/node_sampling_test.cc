// percentageOfNodesToScore: how many nodes are evaluated, in which order, and the verdict on the others.
#include "scheduler/framework/node_sampling.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation.h"
#include "unit/scheduler/framework/fakes.h"

namespace podium::framework::test {
namespace {

using podium::test::node;
using podium::test::NodeBuilder;
using podium::test::pod;
using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;
using Rejected = std::map<std::string, std::string>;

PodInfoPtr info(const api::Pod& pod) { return cluster::make_pod_info(std::make_shared<const api::Pod>(pod)); }

Names names(const std::vector<Row>& rows, const Snapshot& snapshot) {
  Names out;
  for (const Row row : rows) out.emplace_back(snapshot.node_name(row));
  return out;
}

std::string nth(std::size_t i) { return fmt::format("n{:03}", i); }

Snapshot many(std::size_t nodes) {
  Snapshot snapshot;
  for (std::size_t i = 0; i < nodes; ++i) snapshot.set_node(node(nth(i)).ptr());
  return snapshot;
}

Names range(std::size_t first, std::size_t end) {
  Names out;
  for (; first < end; ++first) out.push_back(nth(first));
  return out;
}

// --- how many ---

TEST(NodeSampling, HowManyNodesAreEnough) {
  const struct {
    NodeSampling search;
    std::size_t nodes, want;
  } cases[] = {
      // Upstream's table.
      {{0}, 10, 10},
      {{40}, 10, 10},
      {{0}, 1000, 420},
      {{40}, 1000, 400},
      {{0}, 6000, 300},
      {{40}, 6000, 2400},
      // Edge cases.
      {{1}, 99, 99},
      {{1}, 100, 100},
      {{1}, 5000, 100},
      {{99}, 101, 100},
      {{99}, 1000, 990},
      {{0}, 100, 100},
      {{0}, 5624, 337},
      {{0}, 5625, 281},
      {{0}, 100'000, 5000},
      {{0, true}, 5000, 1},
      {{30, true}, 7, 1},
      {{0, true}, 0, 0},
      {{0}, 0, 0},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(c.search.nodes_to_find(c.nodes), c.want) << c.search.percentage << "% of " << c.nodes;
  }
}

// --- in which order ---

TEST(NodeSampling, ZonesTakeTurns) {
  constexpr auto kOldZone = "failure-domain.beta.kubernetes.io/zone",
                 kOldRegion = "failure-domain.beta.kubernetes.io/region";
  const struct {
    const char* name;
    std::vector<NodeBuilder> nodes;
    Names want;
  } cases[] = {
      {"no nodes", {}, {}},
      {"no zones: by name, not as they came", {node("c"), node("a"), node("b")}, {"a", "b", "c"}},
      {"zones of different sizes",
       {node("a1").zone("a"), node("a2").zone("a"), node("a3").zone("a"), node("b1").zone("b"),
        node("c1").zone("c"), node("c2").zone("c")},
       {"a1", "b1", "c1", "a2", "c2", "a3"}},
      {"none is a zone too",
       {node("a").zone("z"), node("b"), node("c").zone("z"), node("d")},
       {"a", "b", "c", "d"}},
      {"the same zone of two regions is two",
       {node("a").region("r1").zone("z"), node("b").region("r1").zone("z"), node("c").region("r2").zone("z")},
       {"a", "c", "b"}},
      {"a region alone",
       {node("a").region("r1"), node("b").region("r1"), node("c").region("r2")},
       {"a", "c", "b"}},
      {"the old labels say the same",
       {node("a").region("r").zone("z"), node("b").label(kOldZone, "z").label(kOldRegion, "r"),
        node("c").zone("z")},
       {"a", "c", "b"}},
      {"and go first, also empty ones",
       {node("a").zone("z").label(kOldZone, "y"), node("b").zone("y"),
        node("c").zone("z").label(kOldZone, ""), node("d")},
       {"a", "c", "b", "d"}},
  };
  for (const auto& c : cases) {
    Snapshot snapshot;
    for (const auto& each : c.nodes) snapshot.set_node(each.ptr());
    EXPECT_EQ(names(rows_round_robin(snapshot), snapshot), c.want) << c.name;
  }
}

TEST(NodeSampling, GoesAroundFromTheStartUntilEnoughFit) {
  const auto snapshot = cluster_of({"a", "b", "c", "d", "e"});
  const struct {
    const char* name;
    Names feasible;
    std::size_t start, wanted;
    Names tried, left;
  } cases[] = {
      {"all are wanted", {"a", "b", "c", "d", "e"}, 0, 5, {"a", "b", "c", "d", "e"}, {}},
      {"the first two", {"a", "b", "c", "d", "e"}, 0, 2, {"a", "b"}, {"c", "d", "e"}},
      {"around the end", {"a", "b", "c", "d", "e"}, 4, 2, {"e", "a"}, {"b", "c", "d"}},
      {"up to the next that fits", {"a", "d", "e"}, 0, 1, {"a", "b", "c"}, {"d", "e"}},
      {"too few fit", {"b"}, 2, 2, {"c", "d", "e", "a", "b"}, {}},
      {"none fits", {}, 3, 1, {"d", "e", "a", "b", "c"}, {}},
      {"a start from a larger cluster", {"a", "b", "c", "d", "e"}, 7, 2, {"c", "d"}, {"e", "a", "b"}},
      {"none is wanted", {"b"}, 0, 0, {"a"}, {"b", "c", "d", "e"}},
  };
  for (const auto& c : cases) {
    NodeMask feasible(snapshot.chunks());
    for (const auto& name : c.feasible) feasible.set(*snapshot.find_row(name));
    const auto range = search(rows_round_robin(snapshot), c.start, c.wanted, feasible);
    EXPECT_EQ(names(range.tried, snapshot), c.tried) << c.name;
    EXPECT_EQ(names(range.left, snapshot), c.left) << c.name;
  }
  EXPECT_THAT(search({}, 3, 1, NodeMask()).tried, IsEmpty());
}

// --- decisions ---

TEST(NodeSampling, WithoutOneAllNodesAreEvaluated) {
  FakeFilter fit("Fit");
  const auto decision = evaluate(*info(pod("p")), many(500), ProfileOf().filter(fit), 123);
  EXPECT_EQ(decision.evaluated, 500u);
  EXPECT_EQ(decision.feasible.count(), 500u);
  EXPECT_EQ(decision.next_start, 123u);
}

// Upstream's TestFairEvaluationForNodes.
TEST(NodeSampling, EveryNodeHasItsTurn) {
  FakeFilter fit("Fit");
  FakeScore score("Score", {});
  ProfileOf profile;
  profile.filter(fit).score(score);
  profile.profile.search = NodeSampling{30};
  const auto snapshot = many(500);
  std::size_t start = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const auto decision = evaluate(*info(pod("p")), snapshot, profile, start);
    EXPECT_EQ(decision.evaluated, 150u);
    EXPECT_EQ(decision.feasible.count(), 150u);
    for (std::size_t k = 0; k < 150; ++k) {
      EXPECT_TRUE(decision.feasible.test(*snapshot.find_row(nth((start + k) % 500)))) << start << " + " << k;
    }
    EXPECT_TRUE(decision.feasible.test(*decision.choice));
    EXPECT_EQ(decision.next_start, (i + 1) * 150 % 500);
    start = decision.next_start;
  }
}

class SearchingDecision : public ::testing::Test {
 protected:
  SearchingDecision() { profile_.search = NodeSampling{10}; }
  Decision decide(const api::Pod& incoming, std::size_t start) const {
    return evaluate(*info(incoming), snapshot_, profile_, start);
  }

  Snapshot snapshot_ = many(200);
  FakeFilter fit_{"Fit"};
  FakeScore score_{"Score", {}};
  Profile profile_ = ProfileOf().filter(fit_).score(score_);
};

TEST_F(SearchingDecision, NodesBeyondTheEndHaveNoVerdict) {
  fit_.reject("n001", {"small"}).reject("n150", {"small"}).reject("n160", {"broken"}, Code::error);
  auto decision = decide(pod("p"), 0);
  EXPECT_EQ(decision.node_count, 200u);
  EXPECT_EQ(decision.evaluated, 101u);
  EXPECT_EQ(decision.next_start, 101u);
  EXPECT_EQ(rejected(decision, snapshot_), (Rejected{{"n001", "Fit/Unschedulable: small"}}));
  EXPECT_EQ(decision.error, "") << "n160 was not evaluated";

  decision = decide(pod("p"), 101);
  EXPECT_EQ(decision.error, "running \"Fit\" filter plugin: broken");
  EXPECT_FALSE(decision.fits());
  EXPECT_NE(decision.next_start, 101u) << "the next pod does not start at that node";
}

TEST_F(SearchingDecision, PodsThatFitNowhereHaveSeenAllNodes) {
  for (std::size_t i = 0; i < 200; ++i) fit_.reject(nth(i), {"small"});
  const auto decision = decide(pod("p"), 30);
  EXPECT_EQ(decision.evaluated, 200u);
  EXPECT_EQ(decision.next_start, 30u);
  EXPECT_EQ(decision.message, "0/200 nodes are available: 200 small.");
}

TEST_F(SearchingDecision, OneIsEnoughWhereNothingRanksThem) {
  profile_.search = NodeSampling{0, true};
  profile_.scores.clear();
  fit_.reject("n007", {"small"});
  const auto decision = decide(pod("p"), 7);
  EXPECT_EQ(feasible(decision, snapshot_), Names{"n008"});
  EXPECT_EQ(decision.next_start, 9u);
}

TEST_F(SearchingDecision, OfTheNodesThatPreFilterNamed) {
  FakeFilter narrowing("Narrowing");
  narrowing.only_nodes = range(20, 170);
  fit_.reject("n021", {"small"});
  profile_ = ProfileOf().filter(narrowing).filter(fit_).score(score_);
  profile_.search = NodeSampling{10};
  const auto decision = decide(pod("p"), 151);  // the second of the 150
  EXPECT_EQ(feasible(decision, snapshot_), range(22, 122));
  EXPECT_EQ(decision.evaluated, 151u) << "50 excluded by PreFilter, n021, and the 100";
  EXPECT_EQ(decision.next_start, (151u + 101u) % 200u);
  const auto verdicts = rejected(decision, snapshot_);
  EXPECT_EQ(verdicts.size(), 51u);
  EXPECT_EQ(verdicts.at("n021"), "Fit/Unschedulable: small");
  EXPECT_EQ(verdicts.at("n000"),
            "/UnschedulableAndUnresolvable: node(s) didn't satisfy plugin(s) [Narrowing]");
}

TEST_F(SearchingDecision, TheNominatedNodeIsTriedFirst) {
  fit_.reject("n170", {"small"}).reject("n180", {"broken"}, Code::error);
  const struct {
    const char *name, *nominated, *choice;
    std::size_t evaluated, next_start;
  } cases[] = {
      {"far away", "n150", "n150", 101, 10},   {"on the way", "n050", "n050", 100, 10},
      {"rejected", "n170", nullptr, 101, 111}, {"broken", "n180", nullptr, 100, 110},
      {"gone", "n999", nullptr, 100, 110},
  };
  for (const auto& c : cases) {
    const auto decision = decide(pod("p").nominated(c.nominated), 10);
    ASSERT_TRUE(decision.fits()) << c.name << ": " << decision.error;
    EXPECT_EQ(decision.nominated_node, c.choice ? c.choice : "") << c.name;
    if (c.choice) {
      EXPECT_EQ(snapshot_.node_name(*decision.choice), c.choice) << c.name;
    }
    EXPECT_EQ(decision.evaluated, c.evaluated) << c.name;
    EXPECT_EQ(decision.next_start, c.next_start) << c.name;
  }
}

TEST_F(SearchingDecision, WhereTheNominatedNodeFitsAnErrorElsewhereDoesNotCount) {
  fit_.reject("n020", {"broken"}, Code::error).reject("n170", {"small"});
  profile_.search.reset();
  for (const auto* fits : {"n010", "n150"}) {
    const auto decision = decide(pod("p").nominated(fits), 10);
    ASSERT_TRUE(decision.fits()) << decision.error;
    EXPECT_EQ(decision.nominated_node, fits);
    EXPECT_FALSE(decision.withdraw_nomination);
    EXPECT_EQ(rejected(decision, snapshot_).at("n020"), "Fit/Error: broken");
  }
  for (const auto* other : {"n020", "n170", "n999", ""}) {
    const auto decision = decide(pod("p").nominated(other), 10);
    EXPECT_EQ(decision.error, "running \"Fit\" filter plugin: broken") << other;
    EXPECT_TRUE(decision.withdraw_nomination);
  }
}

TEST_F(SearchingDecision, IfExtendersRejectAllThatWereFoundTheOthersWereNotAsked) {
  FakeFilter narrowing("Narrowing");
  narrowing.only_nodes = range(0, 190);
  const struct {
    const char* name;
    Profile profile;
    std::string message, beyond;
  } cases[] = {
      {"of all nodes", ProfileOf().filter(fit_).score(score_), "0/200 nodes are available: 100 busy.",
       "/UnschedulableAndUnresolvable: "},
      {"of those that PreFilter named", ProfileOf().filter(narrowing).filter(fit_).score(score_),
       "0/200 nodes are available: 100 busy, 100 node(s) didn't satisfy plugin(s) [Narrowing].",
       "/UnschedulableAndUnresolvable: node(s) didn't satisfy plugin(s) [Narrowing]"},
  };
  for (const auto& c : cases) {
    auto profile = c.profile;
    profile.search = NodeSampling{10};
    const auto incoming = info(pod("p"));
    Evaluation evaluation(*incoming, snapshot_, profile, 0);
    FilterOpinion opinion{.extender = "http://ext"};
    for (const auto& name : range(0, 100)) opinion.failed.emplace_back(name, "busy");
    evaluation.narrow(opinion);
    const auto decision = std::move(evaluation).finish();
    EXPECT_EQ(decision.message, c.message) << c.name;
    EXPECT_EQ(rejected(decision, snapshot_).at("n150"), c.beyond) << c.name;
    EXPECT_EQ(decision.next_start, 100u) << c.name;
  }
}

}  // namespace
}  // namespace podium::framework::test
