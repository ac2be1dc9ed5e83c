// Evaluation in steps: extenders' answers come in as values.
#include "scheduler/framework/evaluation.h"

#include <gmock/gmock.h>

#include "scheduler/cluster/snapshot.h"
#include "unit/scheduler/framework/fakes.h"

namespace podium::framework::test {
namespace {

using podium::test::pod;
using testing::ElementsAre;
using Rejected = std::map<std::string, std::string>;
using Totals = std::map<std::string, std::int64_t>;

Totals totals(const Decision& decision, const Snapshot& snapshot) {
  Totals out;
  decision.feasible.each([&](Row row) { out[std::string(snapshot.node_name(row))] = decision.total[row]; });
  return out;
}

TEST(Evaluation, NarrowMergesAnExtendersVerdicts) {
  FakeFilter fit("Fit");
  fit.reject("x", {"too small"});
  FakeFilter narrowing("Narrowing");
  narrowing.only_nodes = {"a", "b", "c"};
  const std::string unresolvable = "UnschedulableAndUnresolvable";
  const struct {
    const char* name;
    FilterOpinion opinion;
    bool narrowed;  // a PreFilter plugin excluded nodes
    std::vector<std::string> feasible;
    Rejected rejected;
  } cases[] = {
      {"all stay",
       {"ext", {"a", "b", "c"}, {}, {}},
       false,
       {"a", "b", "c"},
       {{"x", "Fit/Unschedulable: too small"}}},
      {"with reasons",
       {"ext", {"a"}, {{"b", "full"}}, {{"c", "no GPU"}}},
       false,
       {"a"},
       {{"b", "ext/Unschedulable: full"},
        {"c", "ext/" + unresolvable + ": no GPU"},
        {"x", "Fit/Unschedulable: too small"}}},
      {"unresolvable goes before failed",
       {"ext", {"a", "c"}, {{"b", "full"}}, {{"b", "never"}}},
       false,
       {"a", "c"},
       {{"b", "ext/" + unresolvable + ": never"}, {"x", "Fit/Unschedulable: too small"}}},
      {"without a reason",
       {"ext", {"a", "c"}, {}, {}},
       false,
       {"a", "c"},
       {{"b", "ext/" + unresolvable + ": "}, {"x", "Fit/Unschedulable: too small"}}},
      {"without a reason, as those that PreFilter left out",
       {"ext", {"a", "c"}, {}, {}},
       true,
       {"a", "c"},
       {{"b", "/" + unresolvable + ": node(s) didn't satisfy plugin(s) [Narrowing]"},
        {"x", "/" + unresolvable + ": node(s) didn't satisfy plugin(s) [Narrowing]"}}},
      {"kept although it is said to fail",
       {"ext", {"a", "b", "c"}, {{"a", "full"}}, {}},
       false,
       {"a", "b", "c"},
       {{"x", "Fit/Unschedulable: too small"}}},
      {"nodes that are not there, or out already",
       {"ext", {"a", "b", "c"}, {{"x", "full"}, {"nowhere", "full"}}, {}},
       false,
       {"a", "b", "c"},
       {{"x", "Fit/Unschedulable: too small"}}},
  };
  const auto snapshot = cluster_of({"a", "b", "c", "x"});
  const auto incoming = info(pod("p"));
  for (const auto& c : cases) {
    ProfileOf profile;
    if (c.narrowed) profile.filter(narrowing);
    profile.filter(fit);
    Evaluation evaluation(*incoming, snapshot, profile);
    ASSERT_TRUE(evaluation.undecided()) << c.name;
    evaluation.narrow(c.opinion);
    const auto decision = std::move(evaluation).finish();
    EXPECT_EQ(feasible(decision, snapshot), c.feasible) << c.name;
    EXPECT_EQ(rejected(decision, snapshot), c.rejected) << c.name;
  }
}

TEST(Evaluation, WhereExtendersLeaveNoNodeThePodWaitsForAnyEvent) {
  FakeFilter fit("Fit"), idle("Idle");
  fit.reject("a", {"too small"});
  const auto snapshot = cluster_of({"a", "b", "c"});
  const auto incoming = info(pod("p"));
  const Profile profile = ProfileOf().filter(fit).filter(idle);
  Evaluation evaluation(*incoming, snapshot, profile);
  evaluation.narrow({"http://ext", {"c"}, {{"b", "busy"}}, {}});
  EXPECT_TRUE(evaluation.undecided());
  evaluation.narrow({"http://other", {}, {{"c", "busy"}}, {}});
  EXPECT_FALSE(evaluation.undecided());
  const auto decision = std::move(evaluation).finish();
  EXPECT_FALSE(decision.fits());
  EXPECT_EQ(decision.message, "0/3 nodes are available: 1 too small, 2 busy.");
  EXPECT_THAT(decision.unschedulable_plugins, ElementsAre("Extender", "Fit"));
}

TEST(Evaluation, AnExtenderThatMustNotFailFailsTheAttempt) {
  FakeFilter fit("Fit");
  const auto snapshot = cluster_of({"a"});
  const auto incoming = info(pod("p"));
  const Profile profile = ProfileOf().filter(fit);
  Evaluation evaluation(*incoming, snapshot, profile);
  evaluation.fail("connection refused");
  EXPECT_FALSE(evaluation.undecided());
  const auto decision = std::move(evaluation).finish();
  EXPECT_EQ(decision.error, "connection refused");
  EXPECT_FALSE(decision.fits());
  EXPECT_TRUE(decision.feasible.none());
}

// The candidates left by extenders, as text: "node: …", or the message.
TEST(Evaluation, CandidatesAreSettledPluginByPlugin) {
  using Candidates = std::vector<PreemptionCandidate>;
  FakeFilter fit("Fit");
  fit.reject("a", {"full"}).reject("b", {"full"});
  const auto snapshot = cluster_of({"a", "b"});
  const auto victim = info(pod("victim"));
  const PreemptionCandidate on_a{*snapshot.find_row("a"), {victim}}, on_b{*snapshot.find_row("b"), {victim}};
  const FakePostFilter one("One", {.candidates = {on_a, on_b}}),
      silent("Silent", {.failed = Verdict{"", {}, {"x"}}}), two("Two", {.candidates = {on_b}});
  const auto profile = ProfileOf().filter(fit).post_filter(silent).post_filter(one).post_filter(two).profile;
  const std::string full = "0/2 nodes are available: 2 full.";
  const struct {
    const char* name;
    std::vector<Result<Candidates>> left;  // per plugin
    std::string want;
  } cases[] = {
      {"nobody asked", {}, "a"},
      {"all stay", {Candidates{on_a, on_b}}, "a"},
      {"one was dropped", {Candidates{on_b}}, "b"},
      {"all were dropped: the next plugin's turn", {Candidates{}, Candidates{on_b}}, "b"},
      {"of all plugins", {Candidates{}, Candidates{}}, full + " x, One: none left, Two: none left"},
      {"an error ends it", {podium::fail(Error::Kind::status, "refused")}, full + " One: refused"},
      {"also of the second",
       {Candidates{}, Result<Candidates>(podium::fail(Error::Kind::status, "refused"))},
       full + " Two: refused"},
  };
  for (const auto& c : cases) {
    const auto incoming = info(pod("p"));
    Evaluation evaluation(*incoming, snapshot, profile);
    for (const auto& left : c.left) {
      ASSERT_TRUE(evaluation.candidates()) << c.name;
      evaluation.settle(left);
    }
    if (!c.left.empty()) {
      EXPECT_FALSE(evaluation.candidates()) << c.name;
    }
    const auto decision = std::move(evaluation).finish();
    EXPECT_EQ(decision.preemption ? decision.preemption->node : decision.message, c.want) << c.name;
    EXPECT_EQ(decision.unschedulable_plugins, std::vector<std::string>{"Fit"}) << c.name;
  }
}

TEST(Evaluation, NoCandidatesWhereANodeIsFeasibleOrTheAttemptFailed) {
  FakeFilter fit("Fit");
  const auto snapshot = cluster_of({"a"});
  const auto incoming = info(pod("p"));
  const FakePostFilter plugin("P", {.candidates = {{*snapshot.find_row("a"), {incoming}}}});
  const auto profile = ProfileOf().filter(fit).post_filter(plugin).profile;
  EXPECT_FALSE(Evaluation(*incoming, snapshot, profile).candidates());
  Evaluation failed(*incoming, snapshot, profile);
  failed.fail("connection refused");
  EXPECT_FALSE(failed.candidates());
  const auto empty = cluster_of({});
  EXPECT_FALSE(Evaluation(*incoming, empty, profile).candidates());
}

TEST(Evaluation, ScoresAreAskedForWhereThereIsAChoice) {
  FakeFilter fit("Fit");
  fit.reject("c", {"too small"});
  const Profile profile = ProfileOf().filter(fit);
  const struct {
    const char* name;
    Snapshot snapshot;
    api::Pod pod;
    bool want;
  } cases[] = {
      {"two nodes", cluster_of({"a", "b"}), pod("p"), true},
      {"one node", cluster_of({"a", "c"}), pod("p"), false},
      {"none", cluster_of({"c"}), pod("p"), false},
      {"no cluster", cluster_of({}), pod("p"), false},
      {"nominated", cluster_of({"a", "b"}), pod("p").nominated("b"), false},
      {"nominated to a node that does not fit", cluster_of({"a", "b", "c"}), pod("p").nominated("c"), true},
  };
  for (const auto& c : cases) {
    const auto incoming = info(c.pod);
    EXPECT_EQ(Evaluation(*incoming, c.snapshot, profile).wants_scores(), c.want) << c.name;
  }
}

TEST(Evaluation, PhasesAreReportedForEachPlugin) {
  FakeFilter narrowing("Narrowing"), skipping("Skipping"), fit("Fit"), idle("Idle"), last("Last"),
      full("Full");
  narrowing.only_nodes = {"a", "b", "c"};
  narrowing.skips = skipping.skips = idle.skips = true;
  idle.with_pre_filter = false;
  fit.reject("a", {"too small"});
  full.reject("b", {"full"}).reject("c", {"full"});
  FakeScore affinity("Affinity", {}), images("Images", {}), spread("Spread", {});
  images.with_pre_score = false;
  spread.skips = true;
  const auto snapshot = cluster_of({"a", "b", "c", "d"});
  const auto profile = ProfileOf()
                           .filter(narrowing)
                           .filter(skipping)
                           .filter(fit)
                           .filter(idle)
                           .filter(last, false)
                           .score(images)
                           .score(affinity)
                           .score(spread);
  const auto log_of = [&](const Profile& profile) {
    EvaluationLog log(profile);
    const auto incoming = info(pod("p"));
    Evaluation(*incoming, snapshot, profile, 0, &log).finish();
    return log.lines;
  };
  const std::vector<std::string> filters{"PreFilter Narrowing 1 Success", "PreFilter Skipping 1 Skip",
                                         "PreFilter Fit 1 Success",       "PreFilter Success",
                                         "Filter Fit 3 Success",          "Filter Idle 2 Success",
                                         "Filter Last 2 Success"};
  auto want = filters;
  for (const auto* line :
       {"Filter Success", "PreScore Affinity 1 Success", "PreScore Spread 1 Skip", "PreScore Success",
        "Score Images 2 Success", "Score Affinity 2 Success", "Score Success"}) {
    want.emplace_back(line);
  }
  EXPECT_EQ(log_of(profile), want);

  want = filters;
  want.insert(want.begin() + 3, "PreFilter Full 1 Success");
  want.insert(want.end(), {"Filter Full 2 Unschedulable", "Filter Success"});
  EXPECT_EQ(log_of(ProfileOf(profile).filter(full)), want);

  affinity.error = "x";
  want = filters;
  want.insert(want.end(), {"Filter Success", "PreScore Affinity 1 Error", "PreScore Error"});
  EXPECT_EQ(log_of(profile), want);

  ProfileOf without_scores;
  without_scores.filter(last);
  EXPECT_EQ(log_of(without_scores), (std::vector<std::string>{"PreFilter Last 1 Success", "PreFilter Success",
                                                              "Filter Last 4 Success", "Filter Success"}))
      << "no scores are asked for";
}

TEST(Evaluation, ExtendersScoresAreStrategiesOfTheirOwn) {
  FakeScore fit("Fit", {{"a", 80}, {"b", 50}});
  FakeFilter filter("Filter");
  const auto snapshot = cluster_of({"a", "b", "c"});
  const auto incoming = info(pod("p"));
  const Profile profile = ProfileOf().filter(filter).score(fit, 2);
  const std::vector<ScoreOpinion> opinions{{"http://one", 3, {{"b", 70}, {"nowhere", 100}}},
                                           {"http://two", 1, {{"c", 20}, {"c", 10}}}};
  const auto decision = Evaluation(*incoming, snapshot, profile).finish(opinions);
  EXPECT_EQ(totals(decision, snapshot), (Totals{{"a", 160}, {"b", 310}, {"c", 30}}));
  ASSERT_EQ(decision.strategies.size(), 3u);
  EXPECT_EQ(decision.strategies[1].name, "http://one");
  EXPECT_EQ(decision.strategies[1].weight, 3);
  EXPECT_EQ(snapshot.node_name(*decision.choice), "b");
  decision.feasible.each([&](Row row) {
    std::int64_t sum = 0;
    for (const auto& strategy : decision.strategies) sum += strategy.weight * strategy.at(row);
    EXPECT_EQ(sum, decision.total[row]) << snapshot.node_name(row);
  });
}

TEST(Evaluation, AnExtendersScoresMayBeAnything) {
  FakeFilter filter("Filter");
  filter.reject("c", {"too small"});
  const auto snapshot = cluster_of({"a", "b", "c"});
  const auto incoming = info(pod("p"));
  ProfileOf profile;
  profile.filter(filter);
  const auto best = [&](std::int64_t a, std::int64_t b) {
    const std::vector<ScoreOpinion> opinions{{"ext", 1, {{"a", a}, {"b", b}, {"c", 100}}}};
    return std::string(snapshot.node_name(*Evaluation(*incoming, snapshot, profile).finish(opinions).choice));
  };
  EXPECT_EQ(best(-20, -10), "b");
  EXPECT_EQ(best(-10, -20), "a");
  EXPECT_EQ(best(1'000'000'000, 0), "a");
}

TEST(Evaluation, WithoutScorePluginsNodesAreWorthOneOrWhatExtendersSay) {
  FakeFilter filter("Filter");
  const auto snapshot = cluster_of({"a", "b"});
  const auto incoming = info(pod("p"));
  ProfileOf profile;
  profile.filter(filter);
  EXPECT_EQ(totals(evaluate(*incoming, snapshot, profile), snapshot), (Totals{{"a", 1}, {"b", 1}}));
  profile.profile.has_extenders = true;
  EXPECT_EQ(totals(evaluate(*incoming, snapshot, profile), snapshot), (Totals{{"a", 0}, {"b", 0}}));
}

TEST(EvaluationDeathTest, StepsHaveAnOrder) {
  const Snapshot snapshot;
  const Profile profile;
  const auto web = cluster::make_pod_info(pod("web").ptr());
  Evaluation evaluation(*web, snapshot, profile);
  EXPECT_DEATH(evaluation.settle({}), "check failed at .*post_filtering_");
  evaluation.fail("out of luck");
  EXPECT_DEATH(evaluation.narrow({.extender = "ext"}), "check failed at .*undecided\\(\\).*ext, out of luck");
}

}  // namespace
}  // namespace podium::framework::test
