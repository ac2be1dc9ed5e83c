// Answers about labels that nodes do not have.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

// The pods fit, and are not kept apart.
TEST(Answer, NotesAConstraintThatDoesNothing) {
  cluster::Snapshot snapshot;
  snapshot.set_node(
      test::node("n1").label("kubernetes.io/hostname", "n1").cap("cpu", "4").cap("pods", "9").ptr());
  const auto notes = [&](test::PodBuilder asked) {
    const auto status = unit::ask(asked.build(), 2, snapshot);
    return status.answer->notes;
  };
  using Notes = std::vector<std::string>;
  const auto apart = [](const char* key) {
    return test::pod("web").label("app", "web").anti_affinity(test::term(key).label("app", "web"));
  };
  EXPECT_EQ(
      notes(apart("kubernetes.io/hostnam")),
      Notes{"no node has the label kubernetes.io/hostnam, so the required anti-affinity over it keeps no "
            "pods apart. Did you mean kubernetes.io/hostname?"});
  EXPECT_EQ(notes(apart("kubernetes.io/hostname")), Notes());
  EXPECT_EQ(notes(test::pod("web")
                      .label("app", "web")
                      .spread(test::spread("rack").label("app", "web").schedule_anyway())),
            Notes{"no node has the label rack, so the soft constraint over it spreads no pods."});
}

TEST(Answer, NotesASchedulerWithAMistypedName) {
  const auto notes = [](const char* scheduler, const cluster::Snapshot& snapshot) {
    const auto status = unit::ask(fmt::format(R"({{"template": {{"spec": {{"schedulerName": "{}",
                                                "containers": [{{"name": "c", "image": "i"}}]}}}}}})",
                                              scheduler),
                                  snapshot);
    return status.answer.value().notes;
  };
  using Notes = std::vector<std::string>;
  auto snapshot = unit::two_nodes();
  EXPECT_EQ(
      notes("defualt-scheduler", snapshot),
      Notes{"no pod on a node has the scheduler defualt-scheduler, and no profile has that name. Did you "
            "mean default-scheduler?"});
  EXPECT_EQ(notes("default-scheduler", snapshot), Notes());
  EXPECT_EQ(notes("volcano", snapshot), Notes());
  unit::run_pod(snapshot, test::pod("a").scheduler("default-scheduler-2").node("n1"));
  EXPECT_EQ(notes("default-scheduler-2", snapshot), Notes()) << "it has placed a pod";
}

TEST(Answer, NotesThatAStatefulSetsNameMayBeTooLong) {
  const auto ask = [](std::size_t characters) {
    return unit::ask(
        fmt::format(
            R"({{"template": {{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {{"name": "{}"}},
                             "spec": {{"serviceName": "s", "selector": {{"matchLabels": {{"app": "x"}}}},
                               "template": {{"metadata": {{"labels": {{"app": "x"}}}},
                                 "spec": {{"containers": [{{"name": "c", "image": "i"}}]}}}}}}}}}})",
            std::string(characters, 'a')),
        unit::two_nodes());
  };
  const auto notes = [&](std::size_t characters) { return ask(characters).answer.value().notes; };
  EXPECT_TRUE(notes(52).empty());
  ASSERT_EQ(notes(53).size(), 1u);
  EXPECT_TRUE(notes(53)[0].starts_with("the StatefulSet's name has 53 characters."));
  EXPECT_EQ(ask(61).outcome, "Fits");
  EXPECT_EQ(ask(62).outcome, "Refused") << "a dash and one digit are more than 63";
}

// The controller of an ordered StatefulSet waits for its pod, whatever template the pod has.
TEST(Answer, SaysThatAnOrderedStatefulSetDoesNotReplaceAPodThatWaits) {
  const auto notes = [](std::string_view policy, std::vector<cluster::PodInfoPtr> waiting) {
    const auto question = unit::read(fmt::format(
        R"({{"template": {{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {{"name": "db"}},
             "spec": {{"serviceName": "s", "podManagementPolicy": "{}", "selector": {{"matchLabels": {{"app": "x"}}}},
               "template": {{"metadata": {{"labels": {{"app": "x"}}}},
                 "spec": {{"containers": [{{"name": "c", "image": "i"}}]}}}}}}}}}})",
        policy));
    EXPECT_TRUE(question && needs_waiting(*question, unit::default_config()) == (policy == "OrderedReady"));
    return answer(*question, unit::two_nodes(), unit::default_config(), {}, {}, waiting).answer.value().notes;
  };
  const auto waits = [](const char* name) {
    return cluster::make_pod_info(
        test::share(test::pod(name).ns("shop").uid(name).owner("StatefulSet", "db").build()));
  };
  EXPECT_THAT(notes("OrderedReady", {waits("db-2"), waits("db-1"), waits("other")}),
              testing::ElementsAre(
                  "a changed template does not replace db-1, which waits: a StatefulSet with "
                  "podManagementPolicy OrderedReady changes no pod until it is ready. After the change, "
                  "delete the pod db-1."));
  EXPECT_TRUE(notes("Parallel", {waits("db-1")}).empty());
  EXPECT_TRUE(notes("OrderedReady", {}).empty());
}

// Authors often select the labels of another workload.
TEST(Answer, NamesAConstraintThatDoesNotCountItsOwnPods) {
  const auto notes = [](test::SpreadBuilder spread) {
    const auto asked =
        test::pod("web").ns("shop").label("app", "web").spread(spread.schedule_anyway()).build();
    return unit::ask(asked, 1, unit::two_nodes()).answer.value().notes;
  };
  const auto over = [] { return test::spread("kubernetes.io/hostname"); };
  const std::string start =
      "the topology spread constraint over kubernetes.io/hostname does not count these pods: ";
  EXPECT_THAT(notes(over().selector(test::select_labels({{"app", "api"}}))),
              testing::Contains(start + "its labelSelector does not match their labels."));
  EXPECT_THAT(notes(over()), testing::Contains(start + "it has no labelSelector."));
  EXPECT_THAT(notes(over().selector(test::select_labels({{"app", "web"}}))),
              testing::Not(testing::Contains(testing::HasSubstr("does not count"))));
}

TEST(Answer, NamesTheNodesThatADaemonSetLeavesOut) {
  auto snapshot = unit::two_nodes();
  const auto notes = [&] {
    return unit::ask(
               R"({"template": {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "log"},
                         "spec": {"selector": {"matchLabels": {"app": "log"}}, "template": {
                           "metadata": {"labels": {"app": "log"}},
                           "spec": {"containers": [{"name": "c", "image": "i"}]}}}}})",
               snapshot)
        .answer.value()
        .notes;
  };
  EXPECT_TRUE(notes().empty());
  snapshot.set_node(
      test::node("n3").cap("cpu", "4").cap("pods", "9").taint("gpu", "a100", "NoSchedule").ptr());
  snapshot.set_node(test::node("n4").cap("cpu", "4").cap("pods", "9").unschedulable().ptr());
  EXPECT_THAT(notes(),
              testing::ElementsAre("its controller creates no pod on 1 node with a taint that the pod "
                                   "does not tolerate: gpu=a100:NoSchedule."));
}

// The StatefulSet's policy is not known of a pod alone.
TEST(Answer, SaysThatAnOrderedStatefulSetDoesNotReplaceThePodAskedAbout) {
  const auto notes = [](const std::string& owner, std::string_view cpu, bool fixes = true,
                        const std::string& node = "") {
    auto pod = test::pod("db-0").ns("shop").uid("0").req("cpu", cpu);
    if (!owner.empty()) pod.owner(owner, "db");
    auto question = unit::about(pod.build(), 1);
    question.subject->was_on = node;
    question.fixes = fixes;
    return answer(question, unit::two_nodes(), unit::default_config(), {}).answer.value().notes;
  };
  EXPECT_THAT(notes("StatefulSet", "99"),
              testing::ElementsAre(
                  "a changed template does not replace db-0 if StatefulSet db has podManagementPolicy "
                  "OrderedReady, which is the default. After the change, delete the pod db-0."));
  EXPECT_TRUE(notes("StatefulSet", "99", false).empty()) << "nothing to change is proposed";
  EXPECT_TRUE(notes("StatefulSet", "1").empty()) << "it fits";
  EXPECT_TRUE(notes("StatefulSet", "99", true, "n1").empty()) << "a placed pod is replaced";
  EXPECT_TRUE(notes("ReplicaSet", "99").empty());
  EXPECT_TRUE(notes("", "99").empty());
}

TEST(Answer, SaysThatPodsKeepTheirTemplate) {
  const auto notes = [](const std::string& kind, const std::string& spec, bool has_pods = true) {
    auto snapshot = unit::two_nodes();
    if (has_pods)
      unit::run_pod(snapshot, test::pod("db-0").ns("shop").uid("0").owner(kind, "db").node("n1").build());
    const auto status = unit::ask(
        fmt::format(R"({{"template": {{"apiVersion": "{}", "kind": "{}", "metadata": {{"name": "db"}},
                        "spec": {{{} "selector": {}, "template": {{"metadata": {{"labels": {{"app": "x"}}}},
                          "spec": {{"containers": [{{"name": "c", "image": "i"}}]}}}}}}}}}})",
                    kind == "ReplicationController" ? "v1" : "apps/v1", kind, spec,
                    kind == "ReplicationController" ? R"({"app": "x"})" : R"({"matchLabels": {"app": "x"}})"),
        snapshot);
    EXPECT_TRUE(status.answer) << status.message;
    return status.answer.value().notes;
  };
  constexpr const char* kAnswer = ". This is the answer with the new template in all of them.";
  const std::string set = R"("serviceName": "s", )";
  const auto strategy = [](const std::string& fields) { return "\"updateStrategy\": {" + fields + "}, "; };
  const auto partition = strategy(R"("type": "RollingUpdate", "rollingUpdate": {"partition": 2})");
  const auto on_delete = strategy(R"("type": "OnDelete")");
  EXPECT_THAT(
      notes("StatefulSet", set + partition),
      testing::ElementsAre(std::string("the partition is 2: pods with a lower ordinal keep their template") +
                           kAnswer));
  for (const auto* kind : {"StatefulSet", "DaemonSet"}) {
    EXPECT_THAT(
        notes(kind, (kind == std::string("StatefulSet") ? set : "") + on_delete),
        testing::ElementsAre(
            std::string("the updateStrategy is OnDelete: a pod keeps its template until it is deleted") +
            kAnswer))
        << kind;
  }
  for (const std::string kind : {"ReplicaSet", "ReplicationController"}) {
    EXPECT_THAT(
        notes(kind, ""),
        testing::ElementsAre("a " + kind + " does not replace its pods: they keep their template" + kAnswer));
  }
  EXPECT_THAT(notes("StatefulSet", set), testing::IsEmpty());
  EXPECT_THAT(notes("StatefulSet", set + partition, false), testing::IsEmpty()) << "it is new";
  const auto ordinals = set + R"("ordinals": {"start": 5}, )";
  EXPECT_THAT(
      notes("StatefulSet", ordinals + partition),
      testing::ElementsAre(
          std::string("the partition is 2: pods with an ordinal below 7 keep their template") + kAnswer));
}

// A stored Deployment whose template was changed while it is paused.
TEST(Answer, SaysThatAPausedDeploymentKeepsItsPods) {
  auto snapshot = unit::two_nodes();
  auto set = test::workload(api::Workload::Kind::replica_set, "shop", "web-a",
                            test::select_labels({{"app", "web"}}));
  set.meta.owners = {
      {.api_version = "apps/v1", .kind = "Deployment", .name = "web", .uid = "d", .controller = true}};
  snapshot.objects().set_workload(test::share(set));
  unit::run_pod(snapshot, test::pod("web-a-1")
                              .ns("shop")
                              .owner("ReplicaSet", "web-a")
                              .label("app", "web")
                              .container("c")
                              .image("i")
                              .req("cpu", "1")
                              .tolerate_exists("node.kubernetes.io/not-ready", "NoExecute")
                              .tolerate_exists("node.kubernetes.io/unreachable", "NoExecute")
                              .node("n1")
                              .phase("Running"));
  const auto notes = [&](const char* cpu, const char* fixes = "false") {
    auto question = unit::read(
        fmt::format(R"({{"workloadRef": {{"kind": "Deployment", "name": "web"}}, "fixes": {}}})", fixes));
    const auto read = read_subject(
        fmt::format(
            R"({{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {{"name": "web", "namespace": "shop"}},
                 "spec": {{"replicas": 1, "paused": true, "selector": {{"matchLabels": {{"app": "web"}}}},
                   "template": {{"metadata": {{"labels": {{"app": "web"}}}},
                     "spec": {{"containers": [{{"name": "c", "image": "i",
                       "resources": {{"requests": {{"cpu": "{}"}}}}}}]}}}}}}, "status": {{"replicas": 1}}}})",
            cpu),
        *question);
    EXPECT_TRUE(read) << read.error().message;
    return answer(*question, snapshot, unit::default_config(), {}).answer.value().notes;
  };
  const auto kept = testing::ElementsAre(
      "the Deployment is paused: until it is resumed, its pods keep their template, and new ones get that "
      "too. "
      "This is the answer with the new template in all of them.");
  EXPECT_THAT(notes("2"), kept);
  EXPECT_THAT(notes("1"), testing::IsEmpty()) << "its pods have the template";
  EXPECT_THAT(notes("1", "true"), kept) << "a fix would change the template";
}

TEST(Answer, SaysWhatTheNamedNodeHasInsteadOfTheLabels) {
  cluster::Snapshot snapshot;
  snapshot.set_node(test::node("n1").label("disk", "hdd").cap("cpu", "4").cap("pods", "9").ptr());
  auto question = unit::about(test::pod("web").node_selector("disk", "ssd").build(), 1);
  question.nodes = {"n1"};
  const auto status = answer(question, snapshot, unit::default_config(), {});
  const auto& checks = status.answer->verdicts.at(0).checks;
  const auto affinity = std::ranges::find(checks, "NodeAffinity", &FilterCheck::plugin);
  ASSERT_NE(affinity, checks.end());
  ASSERT_EQ(affinity->unmet.size(), 1u);
  EXPECT_EQ(affinity->unmet[0].from, "nodeSelector");
  EXPECT_EQ(affinity->unmet[0].requirement, "disk=ssd");
  EXPECT_EQ(affinity->unmet[0].value, "hdd");
}

// A pod cannot help the state of a node, and the nodes of other pods stay as they are.
TEST(Answer, TaintsOfTheStateOfMostNodesComeFirst) {
  constexpr const char* kUnreachable = "node.kubernetes.io/unreachable";
  const auto tainted = [](const char* name, const char* key, const char* value = "") {
    return test::node(name).cap("cpu", "4").cap("pods", "9").taint(key, value, "NoSchedule");
  };
  const auto taints = [&](const test::NodeBuilder& second) {
    cluster::Snapshot snapshot;
    snapshot.set_node(tainted("a", kUnreachable).taint(kUnreachable, "", "NoExecute").ptr());
    snapshot.set_node(second.ptr());
    snapshot.set_node(tainted("c", "pool", "c").ptr());
    return unit::ask(test::pod("web").build(), 1, snapshot).rejections.at(0).taints;
  };
  using Taints = std::vector<std::string>;
  EXPECT_EQ(taints(tainted("b", "pool", "b")),
            (Taints{"pool=b:NoSchedule", "pool=c:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"}));
  EXPECT_EQ(taints(tainted("b", kUnreachable)),
            (Taints{"node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute",
                    "pool=c:NoSchedule"}));
}

}  // namespace
}  // namespace podium::explain
