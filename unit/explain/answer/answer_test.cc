// answer(): where a what-if's replicas go, placed one by one on a fork.
#include "explain/answer/answer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "base/steps.h"
#include "explain/report/json.h"
#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::node;
using test::pod;
using unit::ask;
using unit::condition;
using unit::Counts;
using unit::placements;
using unit::two_nodes;
using unit::web;
using Names = std::vector<std::string>;

TEST(Answer, AsManyReplicasAsFit) {
  struct Case {
    const char* cpu;
    int replicas;
    const char* outcome;
    Counts placed;
    std::size_t feasible;  // of the first replica
    std::size_t failed;    // the first replica that does not fit; 0: none
  };
  const char* const full = "0/2 nodes are available: 2 Insufficient cpu.";
  const Case cases[] = {
      {"3", 1, "Fits", {{"n1", 1}}, 1, 0},
      {"2", 3, "Fits", {{"n1", 2}, {"n2", 1}}, 2, 0},
      {"2", 4, "PartlyFits", {{"n1", 2}, {"n2", 1}}, 2, 4},
      {"3", 2, "PartlyFits", {{"n1", 1}}, 1, 2},
      {"8", 1, "DoesNotFit", {}, 0, 1},
      {"8", 3, "DoesNotFit", {}, 0, 1},
  };
  const auto snapshot = two_nodes();
  for (const auto& c : cases) {
    SCOPED_TRACE(fmt::format("{} of {} CPUs", c.replicas, c.cpu));
    const auto status = ask(pod("web").req("cpu", c.cpu), c.replicas, snapshot);
    EXPECT_EQ(status.outcome, c.outcome);
    EXPECT_EQ(status.profile, "default-scheduler");
    EXPECT_EQ(placements(status), c.placed);
    EXPECT_EQ(status.answer->asked, static_cast<std::size_t>(c.replicas));
    EXPECT_EQ(status.answer->placements_total, c.placed.size());
    EXPECT_EQ(status.node_counts.feasible, c.feasible);
    EXPECT_EQ(status.choice.has_value(), !c.placed.empty());
    EXPECT_EQ(condition(status, "Accepted"), "true Accepted: request is valid");
    const auto& failure = status.answer->first_failure;
    ASSERT_EQ(failure.has_value(), c.failed > 0);
    if (!failure) continue;
    EXPECT_EQ(failure->replica, c.failed);
    EXPECT_TRUE(failure->message.starts_with(full)) << failure->message;
    EXPECT_EQ(failure->reason, "Insufficient cpu");
    EXPECT_EQ(failure->node_counts.feasible, 0u);
    EXPECT_EQ(failure->rejections.size(), 1u);
  }
}

TEST(Answer, SaysHowManyMoreFitWhereItIsAsked) {
  struct Case {
    const char *name, *cpu, *more;
    std::size_t asked, count;
    bool may_be_more;
  };
  // The two nodes have 4 and 2 CPUs.
  const Case cases[] = {
      {"some", "1", R"("replicas": 2)", 2, 4, false},
      {"none", "1", R"("replicas": 6)", 6, 0, false},
      {"after one", "2", R"("replicas": 1)", 1, 2, false},
      {"as many as are asked about at all", "0", R"("replicas": 9999)", 9999, 1, true},
      {"with a change", "1", R"("replicas": 2, "changes": [{"type": "CordonNode", "nodeName": "n1"}])", 2, 0,
       false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto question =
        fmt::format(R"({{"room": true, {}, "template": {{"spec": {{"containers": [{{"name": "c",
        "image": "i", "resources": {{"requests": {{"cpu": "{}"}}}}}}]}}}}}})",
                    c.more, c.cpu);
    auto snapshot = two_nodes();
    snapshot.set_node(node("n1").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "20000").ptr());
    const auto status = ask(question, snapshot);
    EXPECT_EQ(status.outcome, "Fits");
    const auto& answer = *status.answer;
    EXPECT_EQ(answer.asked, c.asked);
    EXPECT_EQ(answer.fitting, c.asked) << "those are not counted twice";
    EXPECT_FALSE(answer.first_failure) << "all that were asked for fit";
    ASSERT_TRUE(answer.room);
    EXPECT_EQ(answer.room->count, c.count);
    EXPECT_EQ(answer.room->may_be_more, c.may_be_more);
    ASSERT_EQ(answer.room->first_failure.has_value(), !c.may_be_more);
    if (!c.may_be_more) {
      EXPECT_EQ(answer.room->first_failure->replica, c.asked + c.count + 1);
      EXPECT_EQ(answer.room->first_failure->reason, "Insufficient cpu");
    }
    EXPECT_FALSE(status.preemption);
    EXPECT_EQ(status.message, "");
  }
}

TEST(Answer, HasNoRoomIfNotAllFitOrItIsNotAskedFor) {
  EXPECT_FALSE(ask(web(R"("replicas": 7, "room": true)"), two_nodes()).answer->room);
  EXPECT_FALSE(ask(web(R"("replicas": 2)"), two_nodes()).answer->room);
}

TEST(Answer, ADeadlineAfterAllThatWereAskedForEndsTheCountAlone) {
  int looks = 0;
  auto question = unit::about(pod("web").req("cpu", "1"), 2);
  question.room = true;
  const auto status = answer(question, two_nodes(), unit::default_config(), [&] { return looks++ < 4; });
  EXPECT_EQ(condition(status, "Complete"), "true Fits: all 2 replicas fit");
  EXPECT_EQ(status.answer->room->count, 2u);
  EXPECT_TRUE(status.answer->room->may_be_more);
  EXPECT_FALSE(status.answer->room->first_failure);
}

TEST(Answer, SaysWhatItFoundInOneLine) {
  const auto snapshot = two_nodes();
  const auto complete = [&](std::string_view cpu, int replicas) {
    auto text = condition(ask(pod("web").req("cpu", cpu), replicas, snapshot), "Complete");
    return text.substr(0, text.find('.'));
  };
  EXPECT_EQ(complete("3", 1), "true Fits: would be placed on n1");
  EXPECT_EQ(complete("2", 3), "true Fits: all 3 replicas fit");
  EXPECT_EQ(complete("2", 4),
            "true PartlyFits: 3 of 4 replicas fit: 0/2 nodes are available: 2 Insufficient cpu");
  EXPECT_EQ(complete("8", 1),
            "true DoesNotFit: 0 of 1 replicas fit: 0/2 nodes are available: 2 Insufficient cpu");
}

TEST(Answer, ReplicasSeeTheOnesBefore) {
  const auto apart = test::term("kubernetes.io/hostname").label("app", "web");
  const auto status = ask(pod("web").label("app", "web").anti_affinity(apart), 3, two_nodes());
  EXPECT_EQ(status.outcome, "PartlyFits");
  EXPECT_EQ(placements(status), (Counts{{"n1", 1}, {"n2", 1}}));
  ASSERT_EQ(status.answer->first_failure->rejections.size(), 1u);
  EXPECT_EQ(status.answer->first_failure->rejections[0].plugin, "InterPodAffinity");
}

TEST(Answer, NoOtherSnapshotHasTheReplicasOrTheChanges) {
  const auto snapshot = two_nodes();
  const auto generation = snapshot.generation();
  const auto asked = web(R"("replicas": 3, "changes": [{"type": "RemoveNode", "nodeName": "n2"},
                            {"type": "AddNodes", "like": "n1", "count": 2}])");
  EXPECT_EQ(ask(asked, snapshot).outcome, "Fits");
  EXPECT_EQ(snapshot.generation(), generation);
  EXPECT_EQ(snapshot.pod_total(), 0u);
  EXPECT_EQ(snapshot.node_count(), 2u);
  for (const auto row : snapshot.rows_by_name()) EXPECT_EQ(snapshot.requested_milli_cpu[row], 0);
  EXPECT_EQ(ask(asked, snapshot).outcome, "Fits") << "the second asker finds the same room";
}

TEST(Answer, APlacedPodIsAskedAboutAsIfItWereNotThere) {
  auto snapshot = two_nodes();
  unit::run_pod(snapshot, pod("web").req("cpu", "3").node("n1"));
  auto question = unit::about(pod("web").req("cpu", "3"), 1);
  question.subject->was_on = "n1";
  const auto status = answer(question, snapshot, unit::default_config());
  EXPECT_EQ(status.outcome, "Fits") << "its own request is not in its way";
  EXPECT_EQ(condition(status, "Complete"), "true Fits: would be placed on n1 (as if it were not on n1)");
  EXPECT_EQ(snapshot.pod_total(), 1u);
}

// 64 KiB of JSON that take half a megabyte as a pod.
std::string large_pod() {
  std::string annotations;
  for (int i = 0; i < 5000; ++i) annotations += fmt::format(R"({}"{:x}": "")", i == 0 ? "" : ",", i);
  return fmt::format(R"("template": {{"metadata": {{"annotations": {{{}}}}},
      "spec": {{"containers": [{{"name": "c", "image": "i"}}]}}}})",
                     annotations);
}

// Each reference has a copy of its template. So a small what-if may ask for a pod of gigabytes.
TEST(Answer, RefusesAPodWhoseClaimsTakeTooMuchMemory) {
  api::AdmissionObjects objects;
  auto& large = objects.claim_templates["large"];
  for (int i = 0; i < 10'000; ++i) large.claim_meta.labels.set(fmt::format("k{}", i), "v");
  std::string claims;
  for (int i = 0; i < 1'000; ++i) {
    claims += fmt::format(R"({}{{"name": "c{}", "resourceClaimTemplateName": "large"}})", i ? ", " : "", i);
  }
  const auto question = unit::read(fmt::format(R"({{"template": {{"spec": {{"containers": [{{"name": "c",
      "image": "i"}}], "resourceClaims": [{}]}}}}}})",
                                               claims));
  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(condition(answer(*question, unit::two_nodes(), unit::default_config(), {}, objects), "Accepted"),
            "false Invalid: spec.template: one of these pods with its claims needs more memory than is left "
            "of the 64 MiB that a what-if may use");
}

TEST(Answer, StopsWhereItsPodsTakeTooMuchMemory) {
  const auto snapshot = unit::nodes_of({{"n1", "100"}, {"n2", "100"}});
  const auto stopped = ask("{" + large_pod() + R"(, "replicas": 10000})", snapshot);
  EXPECT_EQ(stopped.outcome, "PartlyFits");
  EXPECT_GT(stopped.answer->fitting, 100u);
  EXPECT_LT(stopped.answer->fitting, 220u) << "of two nodes that take 110 pods each";
  EXPECT_EQ(condition(stopped, "Complete"),
            fmt::format("true MemoryExceeded: at least {} of 10000 replicas fit: a what-if may use no more "
                        "memory",
                        stopped.answer->fitting));
  EXPECT_FALSE(stopped.answer->first_failure) << "the cluster turned none down";
  // Replicas that do not fit take no memory.
  EXPECT_EQ(ask(web(R"("replicas": 10000)"), snapshot).answer->fitting, 200u);

  const auto capacity = ask("{" + large_pod() + R"(, "room": true})", snapshot);
  ASSERT_TRUE(capacity.answer->room);
  EXPECT_TRUE(capacity.answer->room->may_be_more);
  EXPECT_EQ(capacity.answer->room->count + 1, stopped.answer->fitting);

  const auto group = ask("{" + large_pod() + R"(, "minCount": 1000, "topologyKey": "zone"})", snapshot);
  EXPECT_EQ(
      condition(group, "Accepted"),
      fmt::format("false Invalid: spec.minCount: 1000 pods of this size need more memory than a what-if "
                  "may use; at most {} are possible",
                  stopped.answer->fitting / 2));
}

TEST(Answer, StopsWhenTheBudgetEnds) {
  struct Case {
    int looks;  // calls of the budget that return true
    const char* outcome;
    std::size_t fitting;
    const char *accepted, *complete;
  };
  const Case cases[] = {
      {0, "Refused", 0, "false DeadlineExceeded: the deadline passed before a replica was placed",
       "true Refused: the deadline passed before a replica was placed"},
      {2, "PartlyFits", 2, "true Accepted: request is valid",
       "true DeadlineExceeded: at least 2 of 3 replicas fit: the deadline passed"},
      {3, "Fits", 3, "true Accepted: request is valid", "true Fits: all 3 replicas fit"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.looks);
    int looks = 0;
    const auto status = ask(pod("web").req("cpu", "2"), 3, two_nodes(), unit::default_config(),
                            [&] { return looks++ < c.looks; });
    EXPECT_EQ(status.outcome, c.outcome);
    EXPECT_EQ(status.answer ? status.answer->fitting : 0, c.fitting);
    EXPECT_EQ(condition(status, "Accepted"), c.accepted);
    EXPECT_EQ(condition(status, "Complete"), c.complete);
  }
}

// For every question, the budget is checked again before much work is done. So the deadline and a stop of the
// process take effect.
TEST(Answer, AsksTheBudgetOften) {
  struct Case {
    const char* name;
    std::string spec;
  };
  const auto requests = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += fmt::format("{}\"example.com/r{}\": \"3\"", i ? ", " : "", i);
    return list;
  };
  const auto list_of = [](int count, std::string_view first, std::string_view last) {
    std::string list;
    for (int i = 0; i < count; ++i) list += fmt::format("{}{}{}{}", i ? ", " : "", first, i, last);
    return list;
  };
  const auto selector = [&](int count) { return list_of(count, "\"k", "\": \"v\""); };
  const Case cases[] = {
      {"fixes for many resources",
       fmt::format(
           R"({{"fixes": true, "template": {{"spec": {{"containers": [{{"name": "c", "image": "i", "resources":
       {{"requests": {{{0}}}, "limits": {{{0}}}}}}}]}}}}}})",
           requests(600))},
      {"fixes of many named nodes",
       fmt::format(
           R"({{"fixes": true, "nodes": ["n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"], "template": {{"spec":
       {{"containers": [{{"name": "c", "image": "i", "resources": {{"requests": {{{0}}}, "limits": {{{0}}}}}}}]}}}}}})",
           requests(200))},
      {"fixes for many keys of a selector",
       fmt::format(
           R"({{"fixes": true, "template": {{"spec": {{"nodeSelector": {{{}}}, "containers": [{{"name": "c",
       "image": "i"}}]}}}}}})",
           selector(1500))},
      {"many new nodes",
       R"({"changes": [{"type": "AddNodes", "count": 1000, "like": "n1"}, {"type": "AddNodes", "count": 1000,
       "like": "n1"}, {"type": "AddNodes", "count": 1000, "like": "n1"}], )" +
           std::string(unit::kWeb) + "}"},
      {"very many pods that a long selector deletes",
       fmt::format(
           R"({{"changes": [{{"type": "DeletePods", "selector": {{"matchExpressions": [{}]}}}}], {}}})",
           list_of(1200, "{\"key\": \"k", "\", \"operator\": \"DoesNotExist\"}"), unit::kWeb)},
      {"a drain of very many pods that a long budget selects",
       unit::web(R"("changes": [{"type": "DrainNode", "nodeName": "n8"}])")},
      {"very many labels on one node",
       fmt::format(R"({{"changes": [{0}{1}{2}, {0}{3}{2}], {4}}})",
                   R"({"type": "LabelNode", "nodeName": "n1", "labels": {)", selector(2400), "}}",
                   list_of(2400, "\"m", "\": \"v\""), unit::kWeb)},
      {"very many claims of a StatefulSet under a quota",
       fmt::format(
           R"({{"template": {{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {{"name": "db"}}, "spec":
       {{"selector": {{"matchLabels": {{"a": "b"}}}}, "template": {{"metadata": {{"labels": {{"a": "b"}}}}, "spec":
       {{"containers": [{{"name": "c", "image": "i"}}]}}}}, "volumeClaimTemplates": [{}]}}}}}})",
           list_of(
               400, R"({"metadata": {"name": "c)",
               R"("}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}}})"))},
  };
  // About a tenth of a second without sanitizers.
  constexpr std::uint64_t kMost = 60'000'000;
  auto snapshot = unit::nodes_of({{"n1", "5"},
                                  {"n2", "5"},
                                  {"n3", "5"},
                                  {"n4", "5"},
                                  {"n5", "5"},
                                  {"n6", "5"},
                                  {"n7", "5"},
                                  {"n8", "5"}});
  for (int i = 0; i < 4'000; ++i) unit::run_pod(snapshot, pod(fmt::format("p{}", i)).ns("shop").node("n8"));
  auto budget = std::make_shared<api::PodDisruptionBudget>();
  budget->meta.namespace_ = "shop";
  budget->meta.name = "long";
  budget->selector.emplace();
  for (int i = 0; i < 2'000; ++i) {
    budget->selector->match_expressions.push_back(
        {fmt::format("k{}", i), api::Requirement::Op::does_not_exist, {}});
  }
  snapshot.objects().set<api::PodDisruptionBudget>(std::move(budget));
  api::AdmissionObjects objects;
  auto& quota = objects.quotas.emplace().emplace_back();
  quota.meta.name = "claims";
  quota.hard = quota.used = {{"persistentvolumeclaims", api::Quantity::from_units(0)}};
  quota.hard.write().front().second = api::Quantity::from_units(1'000'000'000);
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::uint64_t last = steps_of_thread(), longest = 0;
    int looks = 0;
    const auto look = [&] {
      longest = std::max(longest, steps_of_thread() - last);
      last = steps_of_thread();
      return ++looks <= 300;  // work after the end also counts
    };
    const auto question = unit::read(c.spec);
    ASSERT_TRUE(question) << question.error().message;
    answer(*question, snapshot, unit::default_config(), look, objects);
    look();
    EXPECT_LT(longest, kMost) << looks << " looks";
    EXPECT_GT(looks, 3);
  }
}

// A full node whose pods can be preempted: two in the what-if's namespace, three in others.
TEST(Answer, DoesNotNamePodsOfOtherNamespaces) {
  auto snapshot = unit::nodes_of({{"n1", "5"}});
  for (const auto& [ns, name] :
       {std::pair{"default", "a"}, {"default", "b"}, {"secret", "c"}, {"secret", "d"}, {"hidden", "e"}}) {
    unit::run_pod(snapshot, pod(name).ns(ns).label("app", "db").req("cpu", "1").priority(0).node("n1"));
  }
  for (const auto* ns : {"default", "secret"})
    snapshot.objects().set(
        test::share(test::disruption_budget(ns, "db", test::select_labels({{"app", "db"}}), 0)));
  auto question = unit::about(pod("web").req("cpu", "5").priority(1000), 1);
  question.fixes = true;
  question.nodes = {"n1"};
  const auto status = answer(question, snapshot, unit::default_config());
  EXPECT_EQ(status.outcome, "DoesNotFit");
  ASSERT_TRUE(status.preemption);
  for (const auto& [ns, name] : status.preemption->victims) EXPECT_EQ(ns, "default") << name;
  EXPECT_EQ(status.preemption->victims.size(), 2u);
  EXPECT_EQ(status.preemption->total, 5u);
  ASSERT_EQ(status.preemption->violated_budgets.size(), 1u);
  EXPECT_EQ(status.preemption->violated_budgets[0].ns, "default");
  EXPECT_EQ(status.preemption->violated_budgets_total, 2u);
  EXPECT_TRUE(condition(status, "Complete").ends_with(" (preemption would evict 3 pods of other namespaces)"))
      << condition(status, "Complete");
  const auto json = boost::json::serialize(to_json(status));
  EXPECT_EQ(json.find("secret"), std::string::npos);
  EXPECT_EQ(json.find("hidden"), std::string::npos);
}

// --- named nodes ---

TEST(Answer, HasTheVerdictOnEachNamedNode) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "2"}, {"n3", "1"}, {"n4", "4"}});
  unit::run_pod(snapshot, pod("other").req("cpu", "1").node("n3"));
  snapshot.set_node(
      node("n4").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").taint("a", "b", "NoSchedule").ptr());
  const auto status = ask(web(R"("nodes": ["n1", "n2", "n3", "n4", "n9"])"), snapshot);
  ASSERT_EQ(status.answer->verdicts.size(), 5u);
  const auto& [n1, n2, n3, n4, n9] =
      std::tie(status.answer->verdicts[0], status.answer->verdicts[1], status.answer->verdicts[2],
               status.answer->verdicts[3], status.answer->verdicts[4]);
  EXPECT_TRUE(n1.fits && n2.fits);
  EXPECT_EQ(n1.rank, 1u) << "the node with more room";
  EXPECT_EQ(n2.rank, 2u);
  EXPECT_EQ(n1.score, status.choice->score);
  ASSERT_EQ(n1.strategy_scores.size(), status.strategies.size());
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < status.strategies.size(); ++i)
    sum += n1.strategy_scores[i] * status.strategies[i].weight;
  EXPECT_EQ(sum, n1.score) << "the sum of weight times score";
  EXPECT_EQ(n3.plugin, "NodeResourcesFit");
  EXPECT_EQ(n3.code, "InsufficientResource");
  EXPECT_EQ(n3.reasons, Names{"Insufficient cpu"});
  EXPECT_EQ(n4.code, "UntoleratedTaint");
  EXPECT_FALSE(n9.fits);
  EXPECT_EQ(n9.code, "UnknownNode");
}

// --- other weights ---

TEST(Answer, OtherWeightsMoveTheChoice) {
  auto snapshot = two_nodes();
  snapshot.set_node(
      node("n2").cap("cpu", "2").cap("memory", "8Gi").cap("pods", "110").label("disk", "ssd").ptr());
  const auto prefers_ssd = [](std::string_view strategies) {
    return fmt::format(R"({{"template": {{"spec": {{"containers": [{{"name": "c", "image": "i",
        "resources": {{"requests": {{"cpu": "1"}}}}}}],
        "affinity": {{"nodeAffinity": {{"preferredDuringSchedulingIgnoredDuringExecution": [{{"weight": 1,
          "preference": {{"matchExpressions": [{{"key": "disk", "operator": "In", "values": ["ssd"]}}]}}}}]}}}}}}}},
        "strategies": {}}})",
                       strategies);
  };
  const auto choice = [&](std::string_view strategies) {
    return ask(prefers_ssd(strategies), snapshot).choice->node;
  };
  EXPECT_EQ(choice(R"([{"name": "NodeAffinity", "weight": 10}])"), "n2");
  EXPECT_EQ(choice(R"([{"name": "NodeAffinity", "weight": 0}])"), "n1");
  const auto off = ask(prefers_ssd(R"([{"name": "NodeAffinity", "weight": 0}])"), snapshot);
  for (const auto& strategy : off.strategies) EXPECT_NE(strategy.name, "NodeAffinity");
  EXPECT_TRUE(
      condition(ask(prefers_ssd(R"([{"name": "NodeName", "weight": 1}])"), snapshot), "Accepted")
          .starts_with("false Invalid: spec.strategies[0].name: unknown strategy \"NodeName\" of profile "
                       "\"default-scheduler\" (known: "));
}

TEST(Refusal, IsNotAccepted) {
  const auto status = refusal(invalid(Finding{.path = "spec", .reason = "required"}).error());
  EXPECT_EQ(status.outcome, "Refused");
  EXPECT_EQ(status.findings, (std::vector<Finding>{{.path = "spec", .reason = "required"}}));
  EXPECT_EQ(status.message, "spec: required");
  EXPECT_EQ(condition(status, "Accepted"), "false Invalid: spec: required");
  EXPECT_EQ(condition(status, "Complete"), "true Refused: spec: required");
}

TEST(Refusal, OfWhatCannotBeAnsweredNow) {
  const auto status = declined(kTooManyQuestions, "ask again");
  EXPECT_EQ(status.outcome, "Refused");
  EXPECT_EQ(condition(status, "Accepted"), "false TooManyQuestions: ask again");
  EXPECT_EQ(condition(status, "Complete"), "true Refused: ask again");
}

TEST(Refusal, IsCutToWhatTheApiServerTakes) {
  const auto long_text = std::string(100'000, 'x');
  const auto report =
      to_json(refusal(invalid(std::vector(25, Finding{.path = long_text, .reason = long_text})).error()));
  const auto& findings = report.at("findings").as_array();
  EXPECT_EQ(findings.size(), 16u);
  EXPECT_EQ(findings[0].at("path").as_string().size(), 256u);
  EXPECT_EQ(findings[0].at("reason").as_string().size(), 512u);
  for (const auto& each : report.at("conditions").as_array())
    EXPECT_EQ(each.at("message").as_string().size(), 8192u) << each.at("type");
}

TEST(AnswerDeathTest, AQuestionHasItsSubject) {
  Question question;
  question.meta.name = "ask";
  EXPECT_DEATH(static_cast<void>(answer(question, unit::two_nodes(), unit::default_config(), {})),
               "check failed at .*question.subject.*ask");
}

}  // namespace
}  // namespace podium::explain
