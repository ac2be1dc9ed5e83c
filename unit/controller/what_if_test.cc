// answer() and admit_question(): where a what-if's replicas go, placed one by one on a fork.
#include "controller/what_if.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "unit/controller/served_api.h"
#include "unit/support/builders.h"

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
using test::node;
using test::pod;
using Names = std::vector<std::string>;

// n1 has 4 CPUs, n2 has 2.
cluster::Snapshot two_nodes() {
  cluster::Snapshot snapshot;
  for (const auto& [name, cpu] : {std::pair{"n1", "4"}, {"n2", "2"}}) {
    snapshot.set_node(node(name).cap("cpu", cpu).cap("memory", "8Gi").cap("pods", "110").ptr());
  }
  return snapshot;
}

ReportStatus ask(const api::Pod& pod, int replicas, const cluster::Snapshot& snapshot) {
  return answer(pod, replicas, snapshot, *unit::default_config().profiles[0]);
}

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

std::string condition(const ReportStatus& status, std::string_view type) {
  for (const auto& c : status.conditions) {
    if (c.type == type) return fmt::format("{} {}: {}", c.is_true, c.reason, c.message);
  }
  return "";
}

// --- answer ---

TEST(Answer, AsManyReplicasAsFit) {
  struct Case {
    const char* cpu;
    int replicas;
    const char* outcome;
    Names placements;  // sorted; empty for a single replica
    std::size_t feasible;
    const char* message;
  };
  const char* const full = "0/2 nodes are available: 2 Insufficient cpu.";
  const Case cases[] = {
      {"3", 1, "Fits", {}, 1, ""},
      {"2", 3, "Fits", {"n1", "n1", "n2"}, 2, ""},
      {"2", 4, "PartlyFits", {"n1", "n1", "n2"}, 0, full},
      {"3", 2, "PartlyFits", {"n1"}, 0, full},
      {"8", 1, "DoesNotFit", {}, 0, full},
      {"8", 3, "DoesNotFit", {}, 0, full},
  };
  const auto snapshot = two_nodes();
  for (const auto& c : cases) {
    SCOPED_TRACE(fmt::format("{} of {} CPUs", c.replicas, c.cpu));
    const auto status = ask(pod("web").req("cpu", c.cpu), c.replicas, snapshot);
    EXPECT_EQ(status.outcome, c.outcome);
    EXPECT_EQ(status.profile, "default-scheduler");
    EXPECT_EQ(sorted(status.placements), c.placements);
    EXPECT_EQ(status.nodes_feasible, c.feasible);
    EXPECT_EQ(status.message.substr(0, std::string_view(full).size()), c.message);
    EXPECT_EQ(status.placements.empty() ? status.node : status.placements[0], status.node);
    EXPECT_EQ(condition(status, "Accepted"), "true Accepted: request is valid");
  }
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
  EXPECT_EQ(sorted(status.placements), (Names{"n1", "n2"}));
  ASSERT_EQ(status.rejections.size(), 1u);
  EXPECT_EQ(status.rejections[0].plugin, "InterPodAffinity");
}

TEST(Answer, NobodyElseSeesTheReplicas) {
  const auto snapshot = two_nodes();
  const auto generation = snapshot.generation();
  EXPECT_EQ(ask(pod("web").req("cpu", "2"), 3, snapshot).outcome, "Fits");
  EXPECT_EQ(snapshot.generation(), generation);
  EXPECT_EQ(snapshot.pod_total(), 0u);
  for (const auto row : snapshot.rows_by_name()) {
    EXPECT_EQ(snapshot.requested_milli_cpu[row], 0);
    EXPECT_EQ(snapshot.pod_count[row], 0);
  }
  EXPECT_EQ(ask(pod("web").req("cpu", "2"), 3, snapshot).outcome, "Fits")
      << "the second asker finds the same room";
}

TEST(Answer, APodThatRunsAlreadyIsAskedAboutAsAnother) {
  auto snapshot = two_nodes();
  const auto running = pod("web").req("cpu", "3").node("n1").build();
  snapshot.add_pod(cluster::make_pod_info(test::share(running)));
  const auto status = ask(pod("web").req("cpu", "3"), 1, snapshot);
  EXPECT_EQ(status.outcome, "DoesNotFit") << "its replica does not take its place";
}

TEST(Answer, StopsWhenTheBudgetEnds) {
  struct Case {
    int looks;  // calls of the budget that return true
    const char* outcome;
    std::size_t placements;
    const char *accepted, *complete;
  };
  const Case cases[] = {
      {0, "", 0, "false DeadlineExceeded: the deadline passed before a replica was placed",
       "true DeadlineExceeded: the deadline passed before a replica was placed"},
      {2, "PartlyFits", 2, "true Accepted: request is valid",
       "true DeadlineExceeded: at least 2 of 3 replicas fit: the deadline passed"},
      {3, "Fits", 3, "true Accepted: request is valid", "true Fits: all 3 replicas fit"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.looks);
    int looks = 0;
    const auto status = answer(pod("web").req("cpu", "2"), 3, two_nodes(),
                               *unit::default_config().profiles[0], {}, [&] { return looks++ < c.looks; });
    EXPECT_EQ(status.outcome, c.outcome);
    EXPECT_EQ(status.placements.size(), c.placements);
    EXPECT_EQ(condition(status, "Accepted"), c.accepted);
    EXPECT_EQ(condition(status, "Complete"), c.complete);
  }
}

// A full node whose pods can be preempted: two in the what-if's namespace, three in others.
TEST(Answer, DoesNotNamePodsOfOtherNamespaces) {
  cluster::Snapshot snapshot;
  snapshot.set_node(node("n1").cap("cpu", "5").cap("memory", "8Gi").cap("pods", "110").ptr());
  for (const auto& [ns, name] :
       {std::pair{"default", "a"}, {"default", "b"}, {"secret", "c"}, {"secret", "d"}, {"hidden", "e"}}) {
    auto running = pod(name).ns(ns).req("cpu", "1").node("n1").build();
    running.priority = 0;
    snapshot.add_pod(cluster::make_pod_info(test::share(running)));
  }
  auto asked = pod("web").req("cpu", "5").build();
  asked.priority = 1000;
  const auto status = ask(asked, 1, snapshot);
  EXPECT_EQ(status.outcome, "DoesNotFit");
  ASSERT_TRUE(status.preemption);
  for (const auto& [ns, name] : status.preemption->victims) EXPECT_EQ(ns, "default") << name;
  EXPECT_EQ(status.preemption->victims.size(), 2u);
  EXPECT_EQ(status.preemption->other_victims, 3u);
  EXPECT_TRUE(condition(status, "Complete").ends_with(" (preemption would evict 3 pods of other namespaces)"))
      << condition(status, "Complete");
  const auto json = to_json(status);
  EXPECT_EQ(json.at("preemption").at("otherVictims"), 3);
  EXPECT_EQ(boost::json::serialize(json).find("secret"), std::string::npos);
}

// --- admit_question ---

Question question(std::string_view spec, std::string_view profile = "") {
  const auto report = fmt::format(
      R"({{"metadata": {{"name": "ask", "namespace": "shop", "uid": "u1"}},
           "spec": {{"template": {{"spec": {{"containers": [{{"name": "c", "image": "i"}}]{}{}}}}}}}}})",
      spec.empty() ? "" : ", ", spec);
  auto read = read_question(scan_report(report).value(), 600s).value();
  read.profile = profile;
  return read;
}

config::Config with_profiles(std::string_view profiles) {
  return config::load(
             fmt::format("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                         "profiles: {}",
                         profiles),
             "c.yaml")
      .value();
}

TEST(AdmitQuestion, ChoosesTheProfile) {
  const auto only = with_profiles("[{schedulerName: podium}]");
  const auto two = with_profiles("[{schedulerName: default-scheduler}, {schedulerName: batch}]");
  const auto foreign = with_profiles("[{schedulerName: batch}, {schedulerName: podium}]");
  struct Case {
    const char *name, *spec, *profile;
    const config::Config& config;
    std::string chosen, error;
  };
  const Case cases[] = {
      {"the default", "", "", unit::default_config(), "default-scheduler", ""},
      {"the only one", "", "", only, "podium", ""},
      {"the template's", R"("schedulerName": "batch")", "", two, "batch", ""},
      {"the question's goes before the template's", R"("schedulerName": "batch")", "default-scheduler", two,
       "default-scheduler", ""},
      {"an unknown one", "", "batch", unit::default_config(), "",
       "spec.profile: unknown profile \"batch\" (known: default-scheduler)"},
      {"an unknown one in the template", R"("schedulerName": "else")", "", only, "",
       "spec.template.spec.schedulerName: unknown profile \"else\" (known: podium)"},
      {"none that would be the obvious one", "", "", foreign, "",
       "spec.template.spec.schedulerName: unknown profile \"default-scheduler\" (known: batch, podium)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto admitted = admit_question(question(c.spec, c.profile), {}, c.config);
    EXPECT_EQ(admitted ? (*admitted)->scheduler_name : "", c.chosen);
    EXPECT_EQ(admitted ? "" : admitted.error().message, c.error);
  }
}

TEST(AdmitQuestion, ResolvesThePriorityClass) {
  cluster::Snapshot plain, with_default;
  plain.objects().set(test::share(test::priority_class("high", 1000)));
  auto usual = test::priority_class("usual", 7);
  usual.global_default = true;
  with_default.objects().set(test::share(usual));
  struct Case {
    const char *name, *spec;
    const cluster::Snapshot& snapshot;
    std::optional<int> priority;
    std::string priority_class;
  };
  const Case cases[] = {
      {"none", "", plain, 0, ""},
      {"one of the cluster's", R"("priorityClassName": "high")", plain, 1000, "high"},
      {"a built-in one", R"("priorityClassName": "system-node-critical")", plain, 2000001000,
       "system-node-critical"},
      {"the global default", "", with_default, 7, "usual"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto admitted = admit_question(question(c.spec), c.snapshot, unit::default_config());
    ASSERT_TRUE(admitted) << admitted.error().message;
    EXPECT_EQ((*admitted)->priority, c.priority);
    EXPECT_EQ((*admitted)->priority_class_name, c.priority_class);
  }
}

TEST(AdmitQuestion, SaysWhatTheApiServerWouldRefuse) {
  struct Case {
    const char *spec, *starts;
  };
  const Case cases[] = {
      {R"("priority": 2000000000)",
       "spec.template.spec.priority: the integer value of priority (2000000000) must not be provided in pod "
       "spec; "
       "priority admission controller computed 0 from the given PriorityClass name"},
      {R"("priorityClassName": "system-node-critical", "priority": 7)",
       "spec.template.spec.priority: the integer value of priority (7) must not be provided in pod spec; "
       "priority "
       "admission controller computed 2000001000 from the given PriorityClass name"},
      {R"("priorityClassName": "nope")",
       "spec.template: pod shop/ask: no PriorityClass with name nope was found"},
      {R"("tolerations": [{"key": "a", "operator": "Exists", "value": "b"}])",
       "spec.template: pod shop/ask: spec.tolerations[0]"},
  };
  for (const auto& c : cases) {
    const auto admitted = admit_question(question(c.spec), {}, unit::default_config());
    ASSERT_FALSE(admitted) << c.spec;
    EXPECT_TRUE(admitted.error().message.starts_with(c.starts)) << admitted.error().message;
    EXPECT_EQ(admitted.error().kind, Error::Kind::invalid);
  }
}

TEST(AdmitQuestion, APriorityMayBeWrittenWhereItIsTheOneOfItsClass) {
  const auto admitted =
      admit_question(question(R"("priorityClassName": "system-node-critical", "priority": 2000001000)"), {},
                     unit::default_config());
  ASSERT_TRUE(admitted) << admitted.error().message;
  EXPECT_EQ((*admitted)->priority, 2000001000);
}

TEST(AdmitQuestion, OfAPodByReferenceIsToldWithItsPath) {
  Question about;
  about.pod_name = "web-0";
  about.names_scheduler = true;
  about.pod = pod("web-0").build();
  about.pod->meta.created = Wall(1s);
  about.pod->priority = 7;  // which the API server has resolved
  auto admitted = admit_question(about, {}, unit::default_config());
  ASSERT_TRUE(admitted) << admitted.error().message;
  EXPECT_EQ((*admitted)->priority, 7);
  about.pod->scheduler_name = "else";
  admitted = admit_question(about, {}, unit::default_config());
  ASSERT_FALSE(admitted);
  EXPECT_EQ(
      admitted.error().message,
      "spec.podRef.name: spec.schedulerName of the pod: unknown profile \"else\" (known: default-scheduler)");
}

TEST(AdmitQuestion, ATemplateWithACreationTimeIsValidatedLikeAnyOther) {
  const auto text = R"({"metadata": {"name": "ask", "namespace": "shop", "uid": "u1"},
      "spec": {"template": {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"},
                            "spec": {"containers": [{"name": "c", "image": "i"}],
                                     "tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]}}}})";
  const auto read = read_question(scan_report(text).value(), 600s);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(admit_question(*read, {}, unit::default_config()));
}

TEST(AdmitQuestion, ThePodIsPendingAndTheReportsOwn) {
  const auto admitted =
      admit_question(question(R"("schedulingGates": [{"name": "g"}])"), {}, unit::default_config());
  ASSERT_TRUE(admitted) << admitted.error().message;
  EXPECT_EQ((*admitted)->node_name, "");
  EXPECT_TRUE((*admitted)->scheduling_gates.empty()) << "where would it go once it may?";
  EXPECT_EQ((*admitted)->meta.uid, "u1");
  EXPECT_EQ((*admitted)->full_name(), "shop/ask");
}

TEST(Refusal, IsNotAccepted) {
  const auto status = refusal("spec: required");
  EXPECT_EQ(status.outcome, "");
  EXPECT_EQ(status.message, "spec: required");
  EXPECT_EQ(condition(status, "Accepted"), "false Invalid: spec: required");
  EXPECT_EQ(condition(status, "Complete"), "true Refused: spec: required");
}

TEST(Refusal, OfWhatCannotBeAnsweredNow) {
  const auto status = declined(kTooManyQuestions, "ask again");
  EXPECT_EQ(status.outcome, "");
  EXPECT_EQ(condition(status, "Accepted"), "false TooManyQuestions: ask again");
  EXPECT_EQ(condition(status, "Complete"), "true TooManyQuestions: ask again");
}

TEST(Refusal, IsCutToWhatTheApiServerTakes) {
  const auto report = to_json(refusal("spec: " + std::string(100'000, 'x')));
  EXPECT_EQ(report.at("message").as_string().size(), 8192u);
  for (const auto& each : report.at("conditions").as_array()) {
    EXPECT_EQ(each.at("message").as_string().size(), 8192u) << each.at("type");
  }
}

}  // namespace
}  // namespace podium::controller
