// The first half of evaluate(): PreEnqueue, PreFilter, filters, nominated pods, messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/cluster/snapshot.h"
#include "unit/scheduler/framework/fakes.h"

namespace podium::framework::test {
namespace {

using podium::test::pod;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(EvaluateFilters, TheFirstFilterThatFailsGivesTheVerdict) {
  const auto snapshot = cluster_of({"a", "b", "c"});
  FakeFilter one("One"), two("Two");
  one.reject("a", {"too small"});
  two.reject("a", {"tainted"}).reject("b", {"tainted"}, Code::unschedulable_and_unresolvable);
  const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(one).filter(two));
  EXPECT_THAT(rejected(decision, snapshot),
              ElementsAre(Pair("a", "One/Unschedulable: too small"),
                          Pair("b", "Two/UnschedulableAndUnresolvable: tainted")));
  EXPECT_THAT(feasible(decision, snapshot), ElementsAre("c"));
  EXPECT_EQ(decision.message, "");
}

TEST(EvaluateFilters, SkippedFiltersAreNotAsked) {
  const auto snapshot = cluster_of({"a"});
  FakeFilter filter("F");
  filter.reject("a", {"no"}).skips = true;
  EXPECT_TRUE(evaluate(*info(pod("p")), snapshot, ProfileOf().filter(filter)).fits());
}

TEST(EvaluatePreFilter, AnUnresolvableVerdictEndsTheSearchAndAResolvableOneIsRemembered) {
  const auto snapshot = cluster_of({"a", "b"});
  struct Case {
    std::string name;
    std::vector<std::optional<Verdict>> plugins;
    std::string message;
    std::vector<std::string> unschedulable_plugins;
  };
  const Verdict resolvable{"", Code::unschedulable, {"in use"}};
  const Verdict other{"", Code::unschedulable, {"busy", "locked"}};
  const Verdict unresolvable{"", Code::unschedulable_and_unresolvable, {"no such claim"}};
  const std::vector<Case> cases{
      {"one", {resolvable}, "0/2 nodes are available: in use.", {"P0"}},
      {"the last resolvable one counts",
       {resolvable, other},
       "0/2 nodes are available: busy, locked.",
       {"P1"}},
      {"an unresolvable one after it wins",
       {resolvable, unresolvable},
       "0/2 nodes are available: no such claim.",
       {"P1"}},
      {"nothing runs after an unresolvable one",
       {unresolvable, other},
       "0/2 nodes are available: no such claim.",
       {"P0"}},
      {"plugins that pass do not matter",
       {resolvable, std::nullopt},
       "0/2 nodes are available: in use.",
       {"P0"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<FakeFilter> plugins;
    for (std::size_t i = 0; i < c.plugins.size(); ++i) {
      plugins.emplace_back("P" + std::to_string(i)).pre_filter_rejects = c.plugins[i];
    }
    ProfileOf profile;
    for (const auto& plugin : plugins) profile.filter(plugin);
    const auto decision = evaluate(*info(pod("p")), snapshot, profile);
    EXPECT_EQ(decision.message, c.message);
    EXPECT_EQ(decision.unschedulable_plugins, c.unschedulable_plugins);
    ASSERT_TRUE(decision.pre_filter);
    EXPECT_EQ(rejected(decision, snapshot).size(), 2u) << "every node has the verdict";
  }
}

TEST(EvaluatePreFilter, NodesThatItLeavesOutAreNotFiltered) {
  const auto snapshot = cluster_of({"a", "b", "c"});
  FakeFilter affinity("Affinity"), size("Size");
  affinity.only_nodes = {{"a", "b", "unknown"}};
  size.reject("b", {"too small"}).reject("c", {"too small"});
  const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(affinity).filter(size));
  EXPECT_THAT(
      rejected(decision, snapshot),
      ElementsAre(Pair("b", "Size/Unschedulable: too small"),
                  Pair("c", "/UnschedulableAndUnresolvable: node(s) didn't satisfy plugin(s) [Affinity]")));
}

TEST(EvaluatePreFilter, NodeSetsAreIntersected) {
  const auto snapshot = cluster_of({"a", "b", "c"});
  FakeFilter zone("Zone"), affinity("Affinity");
  zone.only_nodes = {{"a", "b"}};
  affinity.only_nodes = {{"b", "c"}};
  auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(zone).filter(affinity));
  EXPECT_THAT(feasible(decision, snapshot), ElementsAre("b"));
  EXPECT_EQ(rejected(decision, snapshot)["a"],
            "/UnschedulableAndUnresolvable: node(s) didn't satisfy plugin(s) [Affinity Zone]");

  affinity.only_nodes = {{"c"}};
  decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(zone).filter(affinity));
  EXPECT_EQ(decision.message,
            "0/3 nodes are available: node(s) didn't satisfy plugin(s) [Affinity Zone] simultaneously.");
  EXPECT_THAT(decision.unschedulable_plugins, ElementsAre("Affinity", "Zone"));
}

// An unresolvable verdict has no company: only its plugin's events wake the pod.
TEST(EvaluatePreFilter, WhoLeftOutNodesBeforeDoesNotCount) {
  const auto snapshot = cluster_of({"a", "b"});
  FakeFilter affinity("Affinity"), volumes("Volumes");
  affinity.only_nodes = {{"a"}};
  volumes.pre_filter_rejects = Verdict{"Volumes", Code::unschedulable_and_unresolvable, {"no claim"}};
  const auto profile = ProfileOf().filter(affinity).filter(volumes);
  EXPECT_THAT(evaluate(*info(pod("p")), snapshot, profile).unschedulable_plugins, ElementsAre("Volumes"));
  volumes.pre_filter_rejects->code = Code::unschedulable;
  EXPECT_THAT(evaluate(*info(pod("p")), snapshot, profile).unschedulable_plugins,
              ElementsAre("Affinity", "Volumes"));
}

TEST(EvaluatePreFilter, APluginThatNamesNoNodeTurnsThePodDown) {
  const auto snapshot = cluster_of({"a", "b"});
  FakeFilter affinity("Affinity"), never("Never");
  affinity.only_nodes.emplace();
  never.pre_filter_rejects = Verdict{"Never", Code::unschedulable, {"is not asked"}};
  const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(affinity).filter(never));
  EXPECT_EQ(decision.message, "0/2 nodes are available: node(s) didn't satisfy plugin Affinity.");
  EXPECT_THAT(decision.unschedulable_plugins, ElementsAre("Affinity"));
}

TEST(EvaluatePreFilter, TwoPluginsMayAgreeOnANodeThatIsNotThere) {
  const auto snapshot = cluster_of({"a"});
  FakeFilter one("One"), two("Two");
  one.only_nodes = {"a", "unknown"};
  two.only_nodes = {"b", "unknown"};
  const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(one).filter(two));
  EXPECT_FALSE(decision.pre_filter);
  EXPECT_EQ(decision.message, "0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [One Two].");
}

TEST(EvaluatePreFilter, ASetOfUnknownNodesLeavesAllNodesOut) {
  const auto snapshot = cluster_of({"a", "b"});
  FakeFilter affinity("NodeAffinity");
  affinity.only_nodes = {{"unknown"}};
  const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(affinity));
  EXPECT_FALSE(decision.pre_filter);
  EXPECT_EQ(decision.message, "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity].");
  const auto reason_of = [](const Decision& of) { return of.rejections.verdicts().front().reasons.front(); };
  EXPECT_EQ(reason_of(decision).code, ReasonCode::node_not_found);
  EXPECT_EQ(reason_of(decision).about, (Topics{{Topic::node, "unknown"}}));
  affinity.only_nodes = {"a", "unknown"};
  FakeFilter full("Full");
  full.reject("a", {"full"});
  const auto named = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(affinity).filter(full));
  EXPECT_EQ(reason_of(named).code, ReasonCode::excluded_by_name) << "one of them exists";
}

TEST(EvaluatePreFilter, FiltersWithoutTheirPreFilterFailOrDoWithout) {
  const auto snapshot = cluster_of({"a", "b"});
  FakeFilter filter("Ports");
  filter.reject("a", {"taken"});
  auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(filter, false));
  EXPECT_THAT(feasible(decision, snapshot), ElementsAre("b"));

  filter.pre_filter_rejects = Verdict{"", Code::unschedulable_and_unresolvable, {"terms conflict"}};
  decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(filter, false));
  EXPECT_THAT(rejected(decision, snapshot), ElementsAre(Pair("a", "Ports/Unschedulable: taken")))
      << "PreFilter does not run";
  EXPECT_FALSE(decision.pre_filter);

  filter.unprepared_error = "reading \"PreFilterPorts\" from cycleState: not found";
  decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(filter, false));
  EXPECT_EQ(decision.error,
            "running \"Ports\" filter plugin: reading \"PreFilterPorts\" from cycleState: not found");
  EXPECT_THAT(rejected(decision, snapshot), IsEmpty());
}

TEST(EvaluateErrors, APreFilterThatFailsEndsTheAttempt) {
  const auto snapshot = cluster_of({"a"});
  FakeFilter rejects("R"), fails("P"), never("N");
  rejects.pre_filter_rejects = Verdict{"", Code::unschedulable, {"in use"}};
  fails.pre_filter_rejects = Verdict{"", Code::error, {"no answer"}};
  never.pre_filter_rejects = Verdict{"", Code::error, {"not asked"}};
  const auto decision =
      evaluate(*info(pod("p")), snapshot, ProfileOf().filter(rejects).filter(fails).filter(never));
  EXPECT_EQ(decision.error, "running PreFilter plugin \"P\": no answer");
  EXPECT_FALSE(decision.fits());
  EXPECT_EQ(decision.message, "");
  EXPECT_THAT(decision.unschedulable_plugins, IsEmpty());
}

TEST(EvaluateErrors, TheFirstNodeByNameSpeaks) {
  const auto snapshot = cluster_of({"c", "a", "b"});
  FakeFilter filter("F");
  filter.reject("c", {"bad c"}, Code::error).reject("b", {"bad b"}, Code::error).reject("a", {"small"});
  const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(filter));
  EXPECT_EQ(decision.error, "running \"F\" filter plugin: bad b");
  EXPECT_FALSE(decision.fits());
  EXPECT_EQ(decision.message, "");
}

TEST(EvaluateNominated, ThePodHasToFitWithNominatedPodsAndWithout) {
  struct Case {
    std::string name;
    int nominated_priority;
    std::string uid;
    bool fits;
  };
  for (const auto& c :
       {Case{"more important", 10, "other", false}, Case{"as important", 5, "other", false},
        Case{"less important", 4, "other", true}, Case{"the pod itself", 10, "p-uid", true}}) {
    SCOPED_TRACE(c.name);
    auto snapshot = cluster_of({"a"});
    snapshot.nominate(info(pod("n").uid(c.uid).priority(c.nominated_priority)), "a");
    FakeFilter filter("Fit");
    filter.capacity = 0;
    const auto decision =
        evaluate(*info(pod("p").uid("p-uid").priority(5)), snapshot, ProfileOf().filter(filter));
    EXPECT_EQ(decision.fits(), c.fits);
    if (!c.fits) {
      EXPECT_THAT(rejected(decision, snapshot), ElementsAre(Pair("a", "Fit/Unschedulable: no room")));
    }
  }
}

TEST(EvaluateNominated, EveryNodeCountsItsOwn) {
  auto snapshot = cluster_of({"a", "b", "c", "d"});
  const auto nominate = [&](const char* uid, int priority, const char* node) {
    snapshot.nominate(info(pod(uid).uid(uid).priority(priority)), node);
  };
  nominate("less important", 4, "b");  // first, so that its node comes first
  nominate("a1", 10, "a");
  nominate("b1", 10, "b");
  nominate("c1", 10, "c");
  nominate("p-uid", 10, "c");
  nominate("on no node", 10, "gone");
  nominate("a2", 5, "a");
  FakeFilter filter("Fit");
  filter.capacity = 1;
  const ProfileOf profile = ProfileOf().filter(filter);
  const auto incoming = info(pod("p").uid("p-uid").priority(5));
  const auto decision = evaluate(*incoming, snapshot, profile);
  EXPECT_THAT(rejected(decision, snapshot), ElementsAre(Pair("a", "Fit/Unschedulable: no room")));
  const Filters filters(*incoming, snapshot, profile);
  EXPECT_NE(filters.check(*snapshot.find_row("a"), {}), std::nullopt);
  for (const auto* node : {"b", "c", "d"})
    EXPECT_EQ(filters.check(*snapshot.find_row(node), {}), std::nullopt);
}

TEST(EvaluateNominated, NodesThatPreFilterLeftOutStayOut) {
  auto snapshot = cluster_of({"a", "b"});
  snapshot.nominate(info(pod("n").priority(10)), "a");
  FakeFilter filter("Fit");
  filter.only_nodes = {{"b"}};
  filter.capacity = 0;
  const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(filter));
  EXPECT_THAT(
      rejected(decision, snapshot),
      ElementsAre(Pair("a", "/UnschedulableAndUnresolvable: node(s) didn't satisfy plugin(s) [Fit]")));
}

TEST(FiltersCheck, RemovedPodsMakeRoomAndNominatedPodsTakeIt) {
  auto snapshot = cluster_of({"a"});
  const auto nominated = info(pod("n").priority(10)), victim = info(pod("v"));
  snapshot.nominate(nominated, "a");
  FakeFilter filter("Fit");
  filter.capacity = 0;
  const ProfileOf profile = ProfileOf().filter(filter);
  const auto preemptor = info(pod("p"));
  const Filters filters(*preemptor, snapshot, profile);
  const Row row = *snapshot.find_row("a");
  EXPECT_EQ(filters.check(row, {}), (Verdict{"Fit", Code::unschedulable, {"no room"}}));
  const std::vector<PodInfoPtr> removed{victim};
  EXPECT_EQ(filters.check(row, {.removed = removed}), std::nullopt);
}

TEST(EvaluateMessage, ReasonsAreCountedAndSortedAsText) {
  auto snapshot = Snapshot();
  FakeFilter filter("F");
  for (int i = 0; i < 12; ++i) {
    const auto name = "n" + std::to_string(i);
    snapshot.set_node(podium::test::node(name).ptr());
    if (i < 2)
      filter.reject(name, {"Insufficient cpu", "Insufficient memory"});
    else
      filter.reject(name, {"Insufficient cpu"});
  }
  const auto decision = evaluate(*info(pod("p")), snapshot, ProfileOf().filter(filter));
  EXPECT_EQ(decision.message, "0/12 nodes are available: 12 Insufficient cpu, 2 Insufficient memory.");
  EXPECT_THAT(decision.unschedulable_plugins, ElementsAre("F"));
}

// A nomination is withdrawn or stays, depending on whether its node may still fit.
TEST(EvaluateNominated, TheNominationIsWithdrawnWhereNothingIsToBeWaitedFor) {
  const auto empty = cluster_of({}), one = cluster_of({"a"});
  FakeFilter full("Full"), broken("Broken"), roomy("Roomy");
  full.reject("a", {"full"});
  broken.reject("a", {"no answer"}, Code::error);
  const Verdict no{"", Code::unschedulable, {}};
  const FakePostFilter keeps("Keeps", {.failed = no, .preemption = {}}),
      gives_up("GivesUp", {.failed = no, .preemption = {}, .withdraw_nomination = true}),
      helps("Helps", {.failed = {}, .preemption = Preemption{"a", {}}});
  const struct {
    const char* name;
    const Snapshot& snapshot;
    ProfileOf profile;
    bool withdrawn;
  } cases[] = {
      {"no nodes", empty, ProfileOf().filter(full).post_filter(keeps), true},
      {"an error", one, ProfileOf().filter(broken).post_filter(keeps), true},
      {"nobody to look for another way", one, ProfileOf().filter(full), true},
      {"one that leaves it", one, ProfileOf().filter(full).post_filter(keeps), false},
      {"one that gives up", one, ProfileOf().filter(full).post_filter(gives_up), true},
      {"one that leaves it and one that gives up", one,
       ProfileOf().filter(full).post_filter(keeps).post_filter(gives_up), true},
      {"another place is found", one, ProfileOf().filter(full).post_filter(gives_up).post_filter(helps),
       false},
      {"it fits", one, ProfileOf().filter(roomy), false},
  };
  for (const auto& c : cases) {
    const auto decision = evaluate(*info(pod("p").nominated("a")), c.snapshot, c.profile);
    EXPECT_EQ(decision.withdraw_nomination, c.withdrawn) << c.name;
  }
}

TEST(EvaluateMessage, PostFilterPluginsAddTheirs) {
  const auto snapshot = cluster_of({"a"});
  FakeFilter filter("F");
  filter.reject("a", {"no"});
  const auto says = [](Code code, Reasons reasons) {
    return PostFilterResult{Verdict{"", code, std::move(reasons)}, {}};
  };
  const PostFilterResult helps{std::nullopt, Preemption{"a", {}}};
  auto speaks = helps;
  speaks.success = "preemption: found it";
  struct Case {
    std::string name;
    std::vector<PostFilterResult> plugins;
    std::string message;
    bool preempts;
  };
  const std::vector<Case> cases{
      {"none", {}, "0/1 nodes are available: 1 no.", false},
      {"joined",
       {says(Code::unschedulable, {"deallocation of ResourceClaim completed"}), says(Code::unschedulable, {}),
        says(Code::unschedulable, {"preemption: nobody"})},
       "0/1 nodes are available: 1 no. deallocation of ResourceClaim completed, preemption: nobody",
       false},
      {"one that has nothing to say",
       {says(Code::unschedulable, {})},
       "0/1 nodes are available: 1 no.",
       false},
      {"one that helps silences the others",
       {says(Code::unschedulable, {"x"}), helps},
       "0/1 nodes are available: 1 no.",
       true},
      {"and may speak itself",
       {says(Code::unschedulable, {"x"}), speaks},
       "0/1 nodes are available: 1 no. preemption: found it",
       true},
      {"an error ends the chain and speaks alone",
       {says(Code::unschedulable, {"x"}), says(Code::error, {"not found"}), helps},
       "0/1 nodes are available: 1 no. not found",
       false},
      {"so does an unresolvable verdict",
       {says(Code::unschedulable, {"x"}), says(Code::unschedulable_and_unresolvable, {"hopeless"}), helps},
       "0/1 nodes are available: 1 no. hopeless",
       false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<FakePostFilter> plugins;
    for (const auto& result : c.plugins) plugins.emplace_back("P", result);
    auto profile = ProfileOf().filter(filter);
    for (const auto& plugin : plugins) profile.post_filter(plugin);
    const auto decision = evaluate(*info(pod("p")), snapshot, profile);
    EXPECT_EQ(decision.message, c.message);
    EXPECT_EQ(decision.preemption.has_value(), c.preempts);
  }
}

TEST(Evaluate, PodsThatAreNotEvenTried) {
  class Gate : public PreEnqueuePlugin {
    std::optional<Verdict> pre_enqueue(const PodInfo&, const Snapshot&) const override {
      return Verdict{
          "SchedulingGates", Code::unschedulable_and_unresolvable, {"waiting for scheduling gates: [a]"}};
    }
  } gate;
  Profile gated;
  gated.pre_enqueue = {&gate};
  EXPECT_EQ(evaluate(*info(pod("p")), cluster_of({"a"}), gated).message, "waiting for scheduling gates: [a]");
  EXPECT_EQ(evaluate(*info(pod("p")), cluster_of({}), Profile()).message,
            "no nodes available to schedule pods");
  EXPECT_EQ(evaluate(*info(pod("p").ns("shop").terminating()), cluster_of({"a"}), Profile()).message,
            "skip schedule deleting pod: shop/p");
}

}  // namespace
}  // namespace podium::framework::test
