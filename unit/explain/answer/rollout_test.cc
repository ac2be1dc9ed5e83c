// A Deployment's rolling update next to the pods that it replaces.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "explain/workload/rolling_update.h"
#include "explain/workload/template_change.h"
#include "unit/explain/answer/asking.h"
#include "unit/support/cost.h"

namespace podium::explain {
namespace {

using test::pod;
using testing::ElementsAre;
using testing::IsEmpty;
using unit::ask;
using unit::condition;

// The nodes, and pods of the Deployment web on these. By their UIDs, the last ones are deleted first.
cluster::Snapshot web_on(std::initializer_list<std::pair<const char*, const char*>> nodes,
                         std::initializer_list<const char*> places, const char* cpu,
                         const char* is_ready = "True") {
  auto snapshot = unit::nodes_of(nodes);
  auto set = test::workload(api::Workload::Kind::replica_set, "shop", "web-abc",
                            test::select_labels({{"app", "web"}}));
  set.meta.owners = {
      {.api_version = "apps/v1", .kind = "Deployment", .name = "web", .uid = "d", .controller = true}};
  snapshot.objects().set_workload(test::share(set));
  for (int number = 0; const auto* place : places) {
    auto old =
        pod(fmt::format("web-{}", ++number)).ns("shop").owner("ReplicaSet", "web-abc").label("app", "web");
    old.uid(std::to_string(199 - number));
    unit::run_pod(snapshot, old.req("cpu", cpu).node(place).phase("Running").condition("Ready", is_ready));
  }
  return snapshot;
}

// A pod of web on each of three nodes with 4 CPUs.
cluster::Snapshot three_nodes(const char* cpu, const char* is_ready = "True") {
  return web_on({{"n1", "4"}, {"n2", "4"}, {"n3", "4"}}, {"n1", "n2", "n3"}, cpu, is_ready);
}

// `spec`: fields of the pod's spec. `strategy`: of the Deployment.
std::string deployment(std::string_view cpu, std::string_view strategy, std::string_view spec = "",
                       std::string_view question = "") {
  return fmt::format(
      R"({{"template": {{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {{"name": "web"}},
           "spec": {{"replicas": 3, "strategy": {}, "selector": {{"matchLabels": {{"app": "web"}}}},
             "template": {{"metadata": {{"labels": {{"app": "web"}}}},
               "spec": {{{} "containers": [{{"name": "c", "image": "i",
                 "resources": {{"requests": {{"cpu": "{}"}}}}}}]}}}}}}}}{}}})",
      strategy, spec, cpu, question);
}

std::string rolling(std::string_view surge, std::string_view unavailable) {
  return fmt::format(R"({{"rollingUpdate": {{"maxSurge": {}, "maxUnavailable": {}}}}})", surge, unavailable);
}

constexpr const char* kApart =
    R"("affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
         {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}]}},)";

TEST(RollingUpdate, IsStuckIfANewPodHasNoPlaceNextToTheOldOnes) {
  struct Case {
    const char *name, *old_cpu, *cpu;
    std::string strategy;
    const char* spec;
    int updated;  // -1: the update ends
  };
  const Case cases[] = {
      {"room for the surge", "1", "1", rolling("1", "0"), "", -1},
      {"the surge has no room", "3", "3", rolling("1", "0"), "", 0},
      {"one is deleted first", "3", "3", rolling("0", "1"), "", -1},
      {"the default: 25% of 3 is one more, none less", "3", "3", "{}", "", 0},
      {"percentages", "3", "3", rolling(R"("0%")", R"("34%")"), "", -1},
      {"all are deleted first", "3", "3", R"({"type": "Recreate"})", "", -1},
      {"one pod for each node", "1", "1", rolling("1", "0"), kApart, 0},
      {"one pod for each node, one is deleted first", "1", "1", rolling("0", "1"), kApart, -1},
      {"larger pods", "1", "3", rolling("1", "0"), "", -1},
      {"one of the larger pods needs two nodes' room", "2", "3", rolling("1", "0"), "", 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto status = ask(deployment(c.cpu, c.strategy, c.spec), three_nodes(c.old_cpu));
    EXPECT_EQ(status.outcome, "Fits") << condition(status, "Complete");
    const auto& stuck = status.answer->stuck_rollout;
    ASSERT_EQ(stuck.has_value(), c.updated >= 0);
    if (!stuck) continue;
    EXPECT_EQ(stuck->updated, static_cast<std::size_t>(c.updated));
    EXPECT_EQ(stuck->max_surge, 1u);
    EXPECT_EQ(stuck->max_unavailable, 0u);
    EXPECT_EQ(stuck->first_failure.replica, stuck->updated + 1);
    EXPECT_EQ(stuck->first_failure.rejections.size(), 1u);
  }
}

// web-1 on n1, with a disk that one node at a time can attach.
cluster::Snapshot web_with_disk(std::initializer_list<std::pair<const char*, const char*>> nodes) {
  auto disk = test::persistent_volume("v", "5Gi", "fast");
  disk.csi_driver = "disks.example.com";
  auto data = test::persistent_volume_claim("shop", "data", "5Gi", "fast", {"ReadWriteOnce"});
  test::bind_claim(data, disk);
  auto snapshot = web_on(nodes, {}, "1");
  snapshot.objects().set(test::share(disk));
  snapshot.objects().set(test::share(data));
  auto old = pod("web-1").ns("shop").owner("ReplicaSet", "web-abc").label("app", "web").claim("data");
  unit::run_pod(snapshot, old.req("cpu", "1").node("n1").phase("Running").condition("Ready", "True"));
  return snapshot;
}

// Whether the answer names the disk. `place`: of the new pod.
bool names_disk(const std::string& strategy, const char* place, const cluster::Snapshot& snapshot) {
  const auto* volumes = R"("volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],)";
  const auto status = ask(deployment("1", strategy, volumes, R"(, "replicas": 1)"), snapshot);
  EXPECT_EQ(unit::placements(status), (unit::Counts{{place, 1}}));
  const auto& names = status.answer->not_modelled;
  return std::ranges::find(names,
                           "the ReadWriteOnce claim data (one node at a time can attach it; n1 and n2 "
                           "would use it)") != names.end();
}

// kube-scheduler places the new pod all the same, and it cannot start until the old one is gone.
TEST(RollingUpdate, ADiskThatTheOldPodKeepsIsNamed) {
  const auto snapshot = web_with_disk({{"n1", "4"}, {"n2", "8"}});
  EXPECT_TRUE(names_disk(rolling("1", "0"), "n2", snapshot));
  EXPECT_FALSE(names_disk(rolling("0", "1"), "n2", snapshot)) << "the old pod is deleted first";
  EXPECT_FALSE(names_disk(R"({"type": "Recreate"})", "n2", snapshot));
}

// Without the old pod n1 is the best node. Next to it, the new pod has a place of its own.
TEST(RollingUpdate, ADiskIsNamedByTheNodeThatTheNewPodGetsNextToTheOldOne) {
  EXPECT_TRUE(names_disk(rolling("1", "0"), "n1", web_with_disk({{"n1", "5"}, {"n2", "4"}})));
  EXPECT_FALSE(names_disk(rolling("1", "0"), "n1", web_with_disk({{"n1", "5"}, {"n2", "500m"}})))
      << "it also goes to n1";
}

TEST(RollingUpdate, SaysHowFarItGets) {
  // One new pod fits on n1. The controller then deletes one of the two on n1, but the next needs more room.
  const auto snapshot = web_on({{"n1", "4"}, {"n2", "2"}}, {"n1", "n1", "n2"}, "1");
  const auto status = ask(deployment("2", rolling("1", "0")), snapshot);
  EXPECT_EQ(
      condition(status, "Complete"),
      "true Fits: all 3 replicas fit; a rolling update would get stuck after 1 of 3 pods: 0/2 nodes are "
      "available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for "
      "incoming pod. (as if its 3 placed pods were not there)");
}

TEST(RollingUpdate, ReplacesPodsThatAreNotReady) {
  // Two of three are to be available and none is, so only pods that are not ready may be deleted.
  EXPECT_FALSE(ask(deployment("3", rolling("0", "1")), three_nodes("3", "False")).answer->stuck_rollout);
  EXPECT_TRUE(ask(deployment("3", rolling("1", "0")), three_nodes("3", "False")).answer->stuck_rollout);
}

TEST(RollingUpdate, PodsThatTerminateMakeRoom) {
  auto snapshot = three_nodes("3");
  auto gone = pod("web-0").ns("shop").owner("ReplicaSet", "web-abc").label("app", "web");
  snapshot.set_node(test::node("n4").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
  unit::run_pod(snapshot, gone.req("cpu", "3").node("n4").terminating());
  EXPECT_FALSE(ask(deployment("3", rolling("1", "0")), snapshot).answer->stuck_rollout);
}

TEST(RollingUpdate, SeesTheChangesOfTheQuestion) {
  const auto with = R"(, "changes": [{"type": "AddNodes", "count": 1, "like": "n1"}])";
  EXPECT_TRUE(ask(deployment("3", rolling("1", "0")), three_nodes("3")).answer->stuck_rollout);
  EXPECT_FALSE(ask(deployment("3", rolling("1", "0"), "", with), three_nodes("3")).answer->stuck_rollout);
}

TEST(RollingUpdate, EvictsPodsOfLowerPriority) {
  auto snapshot = three_nodes("2");
  for (const auto* name : {"n1", "n2", "n3"})
    unit::run_pod(snapshot,
                  pod(fmt::format("low-{}", name)).ns("shop").req("cpu", "1").node(name).priority(-5));
  const auto status = ask(deployment("2", rolling("1", "0")), snapshot);
  EXPECT_EQ(status.outcome, "Fits");
  EXPECT_FALSE(status.answer->stuck_rollout);
}

TEST(RollingUpdate, CostsAsMuchAsItsPods) {
  EXPECT_TRUE(test::is_linear(64, [](std::size_t n) -> test::Work {
    auto snapshot = three_nodes("1");
    snapshot.set_node(test::node("large").cap("cpu", "4k").cap("memory", "8Gi").cap("pods", "4k").ptr());
    for (std::size_t i = 0; i < n; ++i)
      unit::run_pod(snapshot, pod(fmt::format("old-{}", i))
                                  .ns("shop")
                                  .owner("ReplicaSet", "web-abc")
                                  .label("app", "web")
                                  .req("cpu", "1")
                                  .node("large")
                                  .phase("Running")
                                  .condition("Ready", "True"));
    const auto question = fmt::format(R"(, "replicas": {})", n);
    return [=] {
      EXPECT_FALSE(ask(deployment("1", rolling("1", "0"), "", question), snapshot).answer->stuck_rollout);
    };
  }));
}

// Its controller scales the old ReplicaSet up first, whose pods then wait.
TEST(RollingUpdate, OldPodsThatWaitHaveABoundOfMemory) {
  auto text = deployment("3", rolling("1", "0"));
  text.replace(text.find(R"("replicas": 3)"), 13, R"("replicas": 1000000000)");
  const auto question = unit::read(text);
  ASSERT_TRUE(question) << question.error().message;
  std::size_t looks = 0;
  const Budget budget = [&] { return ++looks < 200'000; };
  EXPECT_TRUE(answer(*question, three_nodes("1"), unit::default_config(), budget).answer);
  EXPECT_LT(looks, 100'000u);
}

TEST(RollingUpdate, IsStuckIfAQuotaAllowsNoMorePods) {
  const auto asked = [](const char* pods, std::string_view strategy) {
    api::AdmissionObjects objects;
    auto& quota = objects.quotas.emplace().emplace_back();
    quota.meta.name = "q";
    quota.hard = {{"pods", test::quantity(pods)}};
    quota.used = {{"pods", test::quantity("3")}};
    const auto question = unit::read(deployment("1", strategy));
    EXPECT_TRUE(question);
    return answer(*question, three_nodes("1"), unit::default_config(), {}, objects).answer->stuck_rollout;
  };
  EXPECT_FALSE(asked("4", rolling("1", "0")));
  EXPECT_FALSE(asked("3", rolling("0", "1")));
  const auto stuck = asked("3", rolling("1", "0"));
  ASSERT_TRUE(stuck);
  EXPECT_EQ(stuck->updated, 0u);
  EXPECT_EQ(stuck->first_failure.message, "quota q allows no more pods");
}

// A DaemonSet that requests this on each node.
std::string daemon_set(std::string_view strategy, std::string_view spec = "", std::string_view cpu = "1") {
  return fmt::format(
      R"({{"template": {{"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {{"name": "log"}},
           "spec": {{"updateStrategy": {}, "selector": {{"matchLabels": {{"app": "log"}}}},
             "template": {{"metadata": {{"labels": {{"app": "log"}}}},
               "spec": {{{} "containers": [{{"name": "c", "image": "i",
                 "resources": {{"requests": {{"cpu": "{}"}}}}}}]}}}}}}}}}})",
      strategy, spec, cpu);
}

// A pod of log on each node, and `others`: what other pods request there.
cluster::Snapshot log_on(std::initializer_list<std::pair<const char*, const char*>> others,
                         const char* is_ready = "True") {
  cluster::Snapshot snapshot;
  for (const auto& [name, cpu] : others) {
    snapshot.set_node(test::node(name).cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
    unit::run_pod(snapshot, pod(fmt::format("other-{}", name)).ns("shop").req("cpu", cpu).node(name));
    auto old = pod(fmt::format("log-{}", name)).ns("shop").owner("DaemonSet", "log").label("app", "log");
    unit::run_pod(snapshot, old.req("cpu", "1").node(name).phase("Running").condition("Ready", is_ready));
  }
  return snapshot;
}

TEST(RollingUpdate, ADaemonSetThatSurgesNeedsRoomForTwoPods) {
  const auto full = log_on({{"n1", "2"}, {"n2", "3"}, {"n3", "2500m"}, {"n4", "1"}});
  const auto surge = [](int number) {
    return fmt::format(R"({{"rollingUpdate": {{"maxSurge": {}, "maxUnavailable": 0}}}})", number);
  };
  auto status = ask(daemon_set(surge(1)), full);
  EXPECT_EQ(status.outcome, "Fits") << condition(status, "Complete");
  ASSERT_TRUE(status.answer->stuck_rollout);
  auto stuck = *status.answer->stuck_rollout;
  EXPECT_EQ(stuck.updated, 1u) << "n1; n2 has no room for two, so n3 is not tried";
  EXPECT_EQ(stuck.max_surge, 1u);
  EXPECT_EQ(stuck.first_failure.replica, 0u);
  ASSERT_EQ(stuck.first_failure.rejections.size(), 1u);
  EXPECT_EQ(stuck.first_failure.rejections[0].examples, std::vector<std::string>{"n2"});
  stuck = *ask(daemon_set(surge(3)), full).answer->stuck_rollout;
  EXPECT_EQ(stuck.updated, 2u) << "n1 and n4";
  ASSERT_EQ(stuck.first_failure.rejections.size(), 1u);
  EXPECT_EQ(stuck.first_failure.rejections[0].nodes, 2u);
  EXPECT_EQ(stuck.first_failure.rejections[0].shortfall->least, "500m") << "on n3";
  EXPECT_FALSE(ask(daemon_set(surge(1)), log_on({{"n1", "2"}, {"n2", "2"}})).answer->stuck_rollout);
  // n0 has no old pod, and no room for one.
  auto with_small = full;
  with_small.set_node(test::node("n0").cap("cpu", "500m").cap("memory", "8Gi").cap("pods", "110").ptr());
  status = ask(daemon_set(surge(1)), with_small);
  EXPECT_EQ(status.outcome, "PartlyFits");
  ASSERT_TRUE(status.answer->stuck_rollout);
  EXPECT_EQ(status.answer->stuck_rollout->first_failure.rejections.at(0).examples,
            std::vector<std::string>{"n2"})
      << "the update does not include its missing pod";
  EXPECT_FALSE(ask(daemon_set(surge(1)), log_on({{"n1", "3"}}, "False")).answer->stuck_rollout)
      << "an old pod that is not ready goes first";
  constexpr const char* kPort = R"("hostNetwork": true,)";
  EXPECT_FALSE(ask(daemon_set("{}", kPort), full).answer->stuck_rollout) << "the old pod goes first";
  EXPECT_FALSE(ask(daemon_set(R"({"type": "OnDelete"})"), full).answer->stuck_rollout);
}

TEST(RollingUpdate, ADaemonSetStopsWhereNoMoreNodesMayBeWithoutItsPod) {
  // The new pod of n2 has no place, so the controller leaves the old one of n3.
  const auto status = ask(daemon_set("{}", "", "2"), log_on({{"n1", "2"}, {"n2", "3"}, {"n3", "1"}}));
  EXPECT_EQ(status.outcome, "PartlyFits");
  ASSERT_TRUE(status.answer->stuck_rollout);
  EXPECT_EQ(status.answer->stuck_rollout->updated, 1u);
  EXPECT_EQ(status.answer->stuck_rollout->max_surge, 0u);
  EXPECT_EQ(status.answer->stuck_rollout->first_failure.rejections.at(0).examples,
            std::vector<std::string>{"n2"});
  EXPECT_THAT(
      status.answer->notes,
      ElementsAre("where it gets stuck, the update leaves 1 old pod, 1 new one that runs and 1 new one "
                  "that waits."));
  const auto two = R"({"rollingUpdate": {"maxUnavailable": 2}})";
  EXPECT_FALSE(
      ask(daemon_set(two, "", "2"), log_on({{"n1", "2"}, {"n2", "3"}, {"n3", "1"}})).answer->stuck_rollout);
}

// "the update leaves …", or why it does not begin.
std::vector<std::string> left(const ReportStatus& status) {
  EXPECT_TRUE(status.answer) << status.message;
  return status.answer ? status.answer->notes : std::vector<std::string>();
}

TEST(RollingUpdate, OldPodsStayWhereFewNewOnesFit) {
  auto snapshot = three_nodes("2");
  unit::run_pod(snapshot, pod("other").ns("shop").req("cpu", "2").node("n3"));
  auto status = ask(deployment("3", rolling("1", "0")), snapshot);
  EXPECT_EQ(status.outcome, "PartlyFits") << "2 of 3, if the old ones were not there";
  ASSERT_TRUE(status.answer->stuck_rollout);
  EXPECT_EQ(status.answer->stuck_rollout->updated, 0u);
  EXPECT_THAT(left(status),
              ElementsAre("where it gets stuck, the update leaves 3 old pods, 0 new ones that run "
                          "and 1 new one that waits."));
  status = ask(deployment("3", rolling("0", "1")), snapshot);
  EXPECT_THAT(left(status),
              ElementsAre("where it gets stuck, the update leaves 2 old pods, 0 new ones that run "
                          "and 1 new one that waits."));
  EXPECT_THAT(left(ask(deployment("1", rolling("1", "0")), snapshot)), IsEmpty());
}

// A pod as the API server stores one of deployment().
test::PodBuilder as_asked(const std::string& name, const char* cpu) {
  return pod(name)
      .ns("shop")
      .uid(name)
      .owner("ReplicaSet", "web-abc")
      .label("app", "web")
      .container("c")
      .image("i")
      .req("cpu", cpu)
      .tolerate_exists("node.kubernetes.io/not-ready", "NoExecute")
      .tolerate_exists("node.kubernetes.io/unreachable", "NoExecute")
      .phase("Running")
      .condition("Ready", "True");
}

TEST(RollingUpdate, PodsWithTheNewTemplateStay) {
  auto snapshot = web_on({{"n1", "4"}, {"n2", "4"}, {"n3", "4"}}, {"n2", "n3"}, "3");
  unit::run_pod(snapshot, as_asked("new", "3").node("n1"));
  const auto status = ask(deployment("3", rolling("1", "0")), snapshot);
  ASSERT_TRUE(status.answer->stuck_rollout);
  EXPECT_EQ(status.answer->stuck_rollout->updated, 1u);
  EXPECT_THAT(left(status),
              ElementsAre("where it gets stuck, the update leaves 2 old pods, 1 new one that runs "
                          "and 1 new one that waits."));
}

// As a real controller ends: a pod of each node goes after the other, and leaves room for a new one.
TEST(RollingUpdate, NewPodsBecomeReadyOneAfterTheOther) {
  const auto snapshot = web_on({{"n1", "4"}, {"n2", "4"}}, {"n1", "n2", "n1", "n2", "n1", "n2"}, "1");
  auto six = deployment("2", "{}");
  six.replace(six.find(R"("replicas": 3)"), 13, R"("replicas": 6)");
  EXPECT_THAT(left(ask(six, snapshot)),
              ElementsAre("where it gets stuck, the update leaves 3 old pods, 2 new ones that run and 3 new "
                          "ones that wait."));
}

TEST(RollingUpdate, AnOldPodThatWaitsIsPartOfTheSurge) {
  const auto snapshot = web_on({{"n1", "4"}, {"n2", "4"}}, {"n1", "n2"}, "3");
  const auto old = pod("web-3").ns("shop").owner("ReplicaSet", "web-abc").label("app", "web").req("cpu", "3");
  const auto after = [&](const char* cpu) {
    return answer(*unit::read(deployment(cpu, rolling("1", "0"))), snapshot, unit::default_config(), {}, {},
                  {cluster::make_pod_info(test::share(api::Pod(old)))});
  };
  EXPECT_THAT(left(after("3")),
              ElementsAre("where it gets stuck, the update leaves 3 old pods, 0 new ones that "
                          "run and 1 new one that waits."));
  EXPECT_FALSE(after("1").answer->stuck_rollout) << "it is deleted once the first new one is ready";
}

// It is older than the new ones, so it is placed first.
TEST(RollingUpdate, AnOldPodThatWaitsTakesTheRoomOfPodsThatTerminate) {
  auto snapshot = web_on({{"n1", "4"}, {"n2", "4"}, {"n3", "4"}}, {"n1", "n2"}, "3");
  unit::run_pod(snapshot, pod("other").ns("shop").req("cpu", "1").node("n3"));
  auto gone = pod("web-0").ns("shop").owner("ReplicaSet", "web-abc").label("app", "web");
  unit::run_pod(snapshot, gone.req("cpu", "3").node("n3").terminating());
  const auto old = pod("web-3").ns("shop").owner("ReplicaSet", "web-abc").label("app", "web").req("cpu", "3");
  EXPECT_THAT(
      left(answer(*unit::read(deployment("3", rolling("1", "0"))), snapshot, unit::default_config(), {}, {},
                  {cluster::make_pod_info(test::share(api::Pod(old)))})),
      ElementsAre("where it gets stuck, the update leaves 3 old pods, 0 new ones that run and 1 new one "
                  "that waits."));
}

TEST(RollingUpdate, AnOldPodWithoutAPlaceIsCreatedAllTheSame) {
  const auto status = ask(deployment("3", rolling("1", "0")), web_on({{"n1", "4"}}, {"n1"}, "3"));
  EXPECT_THAT(left(status),
              ElementsAre("where it gets stuck, the update leaves 3 old pods, 0 new ones that run "
                          "and 1 new one that waits."));
}

// As `podium capacity` asks.
TEST(RollingUpdate, AQuestionHowManyFitUpdatesNoPod) {
  const auto status = ask(deployment("3", rolling("1", "0"), "", R"(, "replicas": 100)"), three_nodes("1"));
  EXPECT_EQ(status.answer->fitting, 3u);
  EXPECT_FALSE(status.answer->stuck_rollout);
  EXPECT_THAT(left(status), IsEmpty());
}

TEST(RollingUpdate, AnUnchangedTemplateReplacesNoPod) {
  auto snapshot = web_on({{"n1", "4"}, {"n2", "4"}}, {}, "3");
  unit::run_pod(snapshot, as_asked("a", "3").node("n1"));
  unit::run_pod(snapshot, as_asked("b", "3").node("n2"));
  const auto status = ask(deployment("3", rolling("1", "0")), snapshot);
  EXPECT_EQ(status.outcome, "PartlyFits") << "the third one has no place";
  EXPECT_FALSE(status.answer->stuck_rollout);
  EXPECT_THAT(left(status), IsEmpty());
}

TEST(RollingUpdate, TolerationsThatAdmissionAddsAreNotOfATemplate) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  for (const auto* node : {"n1", "n2"}) {
    auto handwritten = as_asked(node, "3").node(node).build();
    handwritten.tolerations = {};
    unit::run_pod(snapshot, handwritten);
  }
  EXPECT_FALSE(ask(deployment("3", rolling("1", "0")), snapshot).answer->stuck_rollout);
}

TEST(RollingUpdate, AnotherNumberOfReplicasUpdatesNoPod) {
  auto snapshot = web_on({{"n1", "4"}, {"n2", "4"}, {"n3", "4"}}, {}, "3");
  for (const auto* node : {"n1", "n2"}) unit::run_pod(snapshot, as_asked(node, "3").node(node));
  const auto status = ask(deployment("3", rolling("1", "0")), snapshot);
  EXPECT_EQ(status.outcome, "Fits") << "one more pod takes n3";
  EXPECT_FALSE(status.answer->stuck_rollout) << "no pod is replaced";
  EXPECT_THAT(left(status), IsEmpty());
}

TEST(RollingUpdate, TheOldReplicaSetIsScaledUpFirst) {
  const auto snapshot = web_on({{"n1", "4"}, {"n2", "4"}, {"n3", "2"}}, {"n1", "n1"}, "2");
  const auto status = ask(deployment("3", rolling("1", "0")), snapshot);
  ASSERT_TRUE(status.answer->stuck_rollout);
  EXPECT_THAT(left(status),
              ElementsAre("where it gets stuck, the update leaves 3 old pods, 0 new ones that run "
                          "and 1 new one that waits."))
      << "the third old pod takes n2, where a new one would fit";
}

// Its nodes would take more of these large pods.
TEST(RollingUpdate, NewPodsTakeNoMoreMemoryThanAWhatIfMay) {
  std::string tolerations;
  for (int i = 0; i < 2'500; ++i) tolerations += fmt::format(R"({}{{"key": "k{}"}})", i > 0 ? ", " : "", i);
  auto question =
      deployment("1", rolling(R"("100%")", "0"), fmt::format(R"("tolerations": [{}],)", tolerations));
  question.replace(question.find(R"("replicas": 3)"), 13, R"("replicas": 10000)");
  const auto snapshot = web_on({{"n1", "999"}, {"n2", "999"}, {"n3", "999"}, {"n4", "999"}}, {"n1"}, "1");
  const auto status = ask(question, snapshot);
  ASSERT_TRUE(status.answer) << status.message;
  EXPECT_LT(status.answer->fitting, 440u);
  EXPECT_FALSE(status.answer->stuck_rollout);
  EXPECT_THAT(condition(status, "Complete"), testing::StartsWith("true MemoryExceeded: "));
}

TEST(RollingUpdate, RoundsAsTheController) {
  struct Case {
    RollingUpdate update;
    int replicas, surge, unavailable;
  };
  const RollingUpdate::Bound none{.number = 0, .is_percent = false}, two{.number = 2, .is_percent = false};
  const Case cases[] = {
      {{}, 3, 1, 0},           {{}, 4, 1, 1},         {{}, 10, 3, 2},
      {{none, none}, 3, 0, 1}, {{two, two}, 1, 2, 1}, {{none, {}}, 3, 0, 1},
  };
  for (const auto& c : cases) {
    const auto steps = c.update.steps(c.replicas);
    EXPECT_EQ(steps.surge, c.surge) << c.replicas;
    EXPECT_EQ(steps.unavailable, c.unavailable) << c.replicas;
  }
}

}  // namespace
}  // namespace podium::explain
