// The changes of a what-if: the effect of each on the fork, and its message.
#include "explain/answer/changes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/explain/answer/after_changes.h"
#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::node;
using test::pod;
using unit::after;
using unit::ask;
using unit::run_pod;
using unit::said;

TEST(Changes, EachDoesWhatItSays) {
  auto snapshot = unit::two_nodes();
  snapshot.set_node(node("n2")
                        .cap("cpu", "2")
                        .cap("memory", "8Gi")
                        .cap("pods", "110")
                        .taint("old", "", "NoSchedule")
                        .ptr());
  run_pod(snapshot, pod("a").ns("shop").label("app", "a").req("cpu", "3").node("n1"));
  struct Case {
    const char *changes, *cpu;
    const char* goes_to;  // nullptr: nowhere
    const char* said;
  };
  const Case cases[] = {
      {R"({"type": "AddNodes", "like": "n1"})", "4", "n1-new-1", "AddNodes: n1-new-1 added\n"},
      {R"({"type": "AddNodes", "count": 3, "template": {"status": {"allocatable": {"cpu": "9", "memory": "1Gi", "pods": "9"}}}})",
       "9", nullptr, "AddNodes: 3 nodes added: what-if-new-1 to what-if-new-3\n"},
      {R"({"type": "RemoveNode", "nodeName": "n1"})", "1", nullptr, "RemoveNode n1: removed with 1 pod\n"},
      {R"({"type": "CordonNode", "nodeName": "n1"})", "1", nullptr, "CordonNode n1: cordoned\n"},
      {R"({"type": "CordonNode", "nodeName": "n1"}, {"type": "UncordonNode", "nodeName": "n1"})", "1", "n1",
       "CordonNode n1: cordoned\nUncordonNode n1: uncordoned\n"},
      {R"({"type": "TaintNode", "nodeName": "n1", "taint": {"key": "a", "value": "b", "effect": "NoSchedule"}})",
       "1", nullptr, "TaintNode n1: tainted with a=b:NoSchedule\n"},
      {R"({"type": "UntaintNode", "nodeName": "n2", "key": "old"})", "2", "n2",
       "UntaintNode n2: 1 taint removed\n"},
      {R"({"type": "UntaintNode", "nodeName": "n1", "key": "old"})", "1", "n1",
       "UntaintNode n1: it has no such taint\n"},
      {R"({"type": "LabelNode", "nodeName": "n1", "labels": {"disk": "ssd"}})", "1", "n1",
       "LabelNode n1: 1 label changed\n"},
      {R"({"type": "DeletePods", "selector": {"matchLabels": {"app": "a"}}})", "4", "n1",
       "DeletePods: 1 pod deleted\n"},
      {R"({"type": "DeletePods", "selector": {"matchLabels": {"app": "b"}}})", "4", nullptr,
       "DeletePods: 0 pods deleted\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.changes);
    const auto status = after(snapshot, c.changes, c.cpu);
    ASSERT_TRUE(status.answer) << status.message;
    EXPECT_EQ(said(status), c.said);
    if (std::string_view(c.cpu) == "9") continue;  // any of three
    EXPECT_EQ(status.choice ? status.choice->node : "", c.goes_to ? c.goes_to : "");
  }
}

TEST(Changes, ADeletedPodThatWaitsForItsNodeKeepsNoRoomThere) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  const auto waiting = pod("waiting").ns("shop").label("app", "a").req("cpu", "3");
  const auto other = pod("other").ns("elsewhere").label("app", "a").req("cpu", "1");
  snapshot.nominate(cluster::make_pod_info(waiting.ptr()), "n1");
  snapshot.nominate(cluster::make_pod_info(other.ptr()), "n1");
  const auto fits = [&](std::string_view changes, std::string_view cpu) {
    return after(snapshot, changes, cpu).outcome == "Fits";
  };
  constexpr std::string_view kDelete = R"({"type": "DeletePods", "selector": {"matchLabels": {"app": "a"}}})";
  EXPECT_FALSE(fits("", "1"));
  EXPECT_EQ(said(after(snapshot, kDelete)), "DeletePods: 1 pod deleted\n");
  EXPECT_TRUE(fits(kDelete, "3"));
  EXPECT_FALSE(fits(kDelete, "4")) << "a pod of another namespace stays";
}

TEST(Changes, ANodeThatIsNotThereIsRefusedWithItsPath) {
  const auto message = [](std::string_view change) { return after(unit::two_nodes(), change).message; };
  EXPECT_EQ(message(R"({"type": "DrainNode", "nodeName": "n9"})"),
            "spec.changes[0].nodeName: there is no node n9");
  EXPECT_EQ(message(R"({"type": "AddNodes", "like": "n9"})"), "spec.changes[0].like: there is no node n9");
  EXPECT_EQ(message(R"({"type": "RemoveNode", "nodeName": "n1"}, {"type": "CordonNode", "nodeName": "n1"})"),
            "spec.changes[1].nodeName: there is no node n1");
}

TEST(Changes, ADrainedNodesPodsArePlacedAgainFirst) {
  auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "4"}});
  const auto owned = [](const char* name, const char* cpu) {
    return pod(name).owner("ReplicaSet", "web").label("app", "web").req("cpu", cpu);
  };
  run_pod(snapshot, owned("small", "1").node("n1"));
  run_pod(snapshot, owned("important", "3").priority(10).node("n1"));
  run_pod(snapshot, owned("large", "2").node("n1"));
  run_pod(snapshot, pod("bare").req("cpu", "1").node("n1"));
  run_pod(snapshot, pod("log").owner("DaemonSet", "log").node("n1"));
  run_pod(snapshot, pod("static").annotation("kubernetes.io/config.mirror", "x").node("n1"));
  snapshot.objects().set(
      test::share(test::disruption_budget("default", "web", test::select_labels({{"app", "web"}}), 1)));
  const auto status = after(snapshot, R"({"type": "DrainNode", "nodeName": "n1"})");
  ASSERT_EQ(status.answer->changes.size(), 1u) << status.message;
  const auto& drained = status.answer->changes[0];
  EXPECT_EQ(drained.pods_moved, 2u) << "the important one, then the small one";
  EXPECT_EQ(drained.pods_pending, 1u);
  EXPECT_EQ(drained.budgets_broken, 1u);
  EXPECT_EQ(drained.message,
            "4 pods evicted: 2 would move, 1 would stay pending, 1 without a controller would be lost; "
            "1 PodDisruptionBudget does not allow it now");
  EXPECT_EQ(status.outcome, "DoesNotFit") << "n2 is full then";
  EXPECT_EQ(drained.pods_evicted, 4u) << "not those of the DaemonSet and the kubelet";
  EXPECT_EQ(drained.pods_total, 0u) << "the what-if is of another namespace";
  EXPECT_TRUE(drained.pods.empty());
  ASSERT_EQ(drained.fullest.size(), 1u);
  EXPECT_EQ(drained.fullest[0].node, "n2");
  EXPECT_EQ(drained.fullest[0].resource, "cpu");
  EXPECT_EQ(drained.fullest[0].percent, 100u);
}

TEST(Changes, ADrainNamesThePodsOfItsOwnNamespace) {
  auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "4"}, {"n3", "1"}});
  const auto owned = [](const char* name, const char* cpu) {
    return pod(name).ns("shop").owner("ReplicaSet", "web").req("cpu", cpu).node("n1");
  };
  run_pod(snapshot, owned("web", "4"));
  run_pod(snapshot, owned("large", "5"));
  run_pod(snapshot, pod("bare").ns("shop").req("cpu", "100m").node("n1"));
  run_pod(snapshot, pod("secret").ns("vault").owner("ReplicaSet", "web").req("cpu", "1").node("n1"));
  const auto drained = after(snapshot, R"({"type": "DrainNode", "nodeName": "n1"})").answer->changes.at(0);
  EXPECT_EQ(drained.pods_evicted, 4u);
  EXPECT_EQ(drained.pods_moved, 2u);
  EXPECT_EQ(drained.pods_total, 3u);
  std::string said;
  for (const auto& each : drained.pods)
    said += fmt::format("{} {} {} {} {}\n", each.name, each.node, each.feasible.value_or(0), each.code,
                        each.reason);
  EXPECT_EQ(said,
            "bare  0 NoController \n"
            "large  0 NoNode Insufficient cpu\n"
            "web n2 1  \n");
  EXPECT_TRUE(drained.pods[2].score);
}

TEST(Changes, NamedPodsOfDrainsAreBounded) {
  cluster::Snapshot snapshot = unit::nodes_of({{"n1", "64"}, {"n2", "64"}, {"n3", "64"}});
  for (int i = 0; i < 100; ++i) {
    run_pod(snapshot, pod(fmt::format("web-{}", i))
                          .ns("shop")
                          .owner("ReplicaSet", "web")
                          .req("cpu", "1m")
                          .node(i % 2 ? "n1" : "n2"));
  }
  const auto status = after(snapshot, R"({"type": "DrainNode", "nodeName": "n1"},
                                         {"type": "DrainNode", "nodeName": "n2"})");
  ASSERT_EQ(status.answer->changes.size(), 2u) << status.message;
  const auto &one = status.answer->changes[0], &two = status.answer->changes[1];
  EXPECT_GE(one.pods.size(), 40u);
  EXPECT_LE(one.pods.size() + two.pods.size(), 64u);
  EXPECT_EQ(one.pods_total, 50u);
  EXPECT_GE(two.pods_total, 50u) << "of which some came from n1";
}

TEST(Checks, EachFilterOfANamedNodeSpeaks) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  snapshot.set_node(node("gpu")
                        .cap("cpu", "8")
                        .cap("memory", "8Gi")
                        .cap("pods", "110")
                        .taint("gpu", "yes", "NoSchedule")
                        .ptr());
  snapshot.set_node(node("cordoned").unschedulable().ptr());
  run_pod(snapshot, pod("a").req("cpu", "5").node("gpu"));
  const auto status =
      ask(R"({"nodes": ["gpu", "n9"], "template": {"spec": {"containers": [{"name": "c", "image": "i",
                                "resources": {"requests": {"cpu": "3500m"}}}]}}})",
          snapshot);
  ASSERT_EQ(status.answer->verdicts.size(), 2u) << status.message;
  const auto& verdict = status.answer->verdicts[0];
  std::vector<std::string> failing;
  for (const auto& check : verdict.checks) {
    if (!check.reasons.empty()) failing.push_back(check.plugin + ": " + check.reasons.front());
  }
  EXPECT_EQ(failing, (std::vector<std::string>{"TaintToleration: node(s) had untolerated taint(s)",
                                               "NodeResourcesFit: Insufficient cpu"}))
      << "the second one, too";
  ASSERT_EQ(verdict.checks.size(), 3u);
  EXPECT_EQ(verdict.checks[0].plugin, "NodeUnschedulable");
  EXPECT_TRUE(verdict.checks[0].reasons.empty()) << "another node is cordoned, not this one";
  EXPECT_EQ(verdict.checks[1].taints, std::vector<std::string>{"gpu=yes:NoSchedule"});
  ASSERT_EQ(verdict.resources.size(), 1u);
  EXPECT_EQ(verdict.resources[0].requested, "3500m");
  EXPECT_EQ(verdict.resources[0].free, "3");
  EXPECT_TRUE(status.answer->verdicts[1].checks.empty()) << "there is no such node";
}

TEST(Changes, ANewNodeRunsTheDaemonSetsOfItsModel) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  run_pod(snapshot, pod("log").owner("DaemonSet", "log").req("cpu", "1").node("n1"));
  run_pod(snapshot, pod("web").owner("ReplicaSet", "web").req("cpu", "3").node("n1"));
  EXPECT_EQ(after(snapshot, R"({"type": "AddNodes", "like": "n1"})", "3").outcome, "Fits");
  EXPECT_EQ(after(snapshot, R"({"type": "AddNodes", "like": "n1"})", "4").outcome, "DoesNotFit");
}

// Each copy would have half a megabyte of annotations.
TEST(Changes, NewNodesHaveABoundOfMemory) {
  auto large = node("large").cap("cpu", "4").cap("pods", "110");
  for (int i = 0; i < 5000; ++i) large.annotation(fmt::format("{:x}", i), "");
  auto snapshot = unit::two_nodes();
  snapshot.set_node(large.ptr());
  const auto refused = after(snapshot, R"({"type": "AddNodes", "like": "n1", "count": 1000},
                                          {"type": "AddNodes", "like": "large", "count": 1000})");
  EXPECT_TRUE(
      unit::condition(refused, "Accepted")
          .starts_with("false Invalid: spec.changes[1].count: 1000 such nodes need more memory than a "
                       "what-if may use; at most "))
      << unit::condition(refused, "Accepted");
  const auto done = after(snapshot, R"({"type": "AddNodes", "like": "large", "count": 50})");
  EXPECT_EQ(said(done), "AddNodes: 50 nodes added: large-new-1 to large-new-50\n");
}

TEST(Changes, ADrainDoesNotDependOnWhenThePodsCame) {
  const auto drained = [](std::initializer_list<const char*> names) {
    auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "2"}, {"n3", "1"}});
    for (const auto* name : names) {
      auto web =
          pod(name).ns("shop").req("cpu", name == std::string_view("a") ? "2" : "1").node("n1").build();
      web.meta.owners = {
          {.api_version = "apps/v1", .kind = "ReplicaSet", .name = "web", .uid = "r", .controller = true}};
      run_pod(snapshot, web);
    }
    const auto status = after(snapshot, R"({"type": "DrainNode", "nodeName": "n1"})");
    std::string out;
    for (const auto& each : status.answer->changes[0].pods)
      out += fmt::format("{} {}, ", each.name, each.node);
    return out;
  };
  EXPECT_EQ(drained({"a", "b"}), "a n2, b n3, ");
  EXPECT_EQ(drained({"b", "a"}), "a n2, b n3, ");
}

TEST(Changes, NodesThatAreDrainedTogetherTakeNoPodsOfEachOther) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}, {"n3", "1"}});
  run_pod(snapshot, pod("a").owner("ReplicaSet", "web").req("cpu", "3").node("n1"));
  run_pod(snapshot, pod("b").owner("ReplicaSet", "web").req("cpu", "1").node("n2"));
  const auto together =
      after(snapshot, R"({"type": "DrainNodes", "nodeNames": ["n1", "n2", "n1"]})").answer->changes.at(0);
  EXPECT_EQ(together.pods_evicted, 2u) << "a node that is named twice is drained once";
  EXPECT_EQ(together.pods_moved, 1u) << "b to n3";
  EXPECT_EQ(together.pods_pending, 1u);
  EXPECT_EQ(together.spare.at(0).resource, "cpu");
  EXPECT_EQ(together.spare.at(0).amount, "0");
  EXPECT_EQ(after(snapshot, R"({"type": "DrainNodes", "nodeNames": ["n1", "n9"]})").message,
            "spec.changes[0].nodeNames: there is no node n9");
}

TEST(Changes, NodesThatComeBackTakeWhatWaits) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  run_pod(snapshot, pod("a").owner("ReplicaSet", "web").req("cpu", "3").node("n1"));
  run_pod(snapshot, pod("b").owner("ReplicaSet", "web").req("cpu", "2").node("n2"));
  const auto steps = after(snapshot, R"({"type": "DrainNodes", "nodeNames": ["n1"], "thenUncordon": true},
                                        {"type": "DrainNodes", "nodeNames": ["n2"], "thenUncordon": true})")
                         .answer->changes;
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].pods_pending, 1u) << "a needs 3, and n2 has 2";
  EXPECT_EQ(steps[0].spare.at(0).amount, "2");
  EXPECT_EQ(steps[1].pods_evicted, 1u) << "a came back to n1";
  EXPECT_EQ(steps[1].pods_pending, 1u) << "b needs 2, and n1 has 1";
  EXPECT_EQ(steps[1].spare.at(0).amount, "1");
}

TEST(Changes, NodesThatFailVanishTogether) {
  auto snapshot = unit::nodes_of({{"n3", "2"}});
  for (const auto* name : {"n1", "n2"})
    snapshot.set_node(
        node(name).label("zone", "a").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
  run_pod(snapshot, pod("a").owner("ReplicaSet", "web").label("app", "web").req("cpu", "1").node("n1"));
  run_pod(snapshot, pod("b").owner("ReplicaSet", "web").label("app", "web").req("cpu", "2").node("n2"));
  run_pod(snapshot, pod("log").owner("DaemonSet", "log").req("cpu", "1").node("n2"));
  run_pod(snapshot, pod("bare").req("cpu", "1").node("n1"));
  auto never = std::make_shared<api::PodDisruptionBudget>();
  never->meta.name = "never";
  never->meta.namespace_ = "default";
  never->selector = test::select_labels({{"app", "web"}});
  snapshot.objects().set<api::PodDisruptionBudget>(std::move(never));
  for (const auto* change : {R"({"type": "FailNodes", "selector": {"matchLabels": {"zone": "a"}}})",
                             R"({"type": "FailNodes", "nodeNames": ["n2", "n1", "n2"]})"}) {
    SCOPED_TRACE(change);
    const auto status = after(snapshot, change);
    EXPECT_EQ(
        said(status),
        "FailNodes: 2 nodes lost with 3 pods: 1 would move, 1 would stay pending, 1 without a controller "
        "would be lost; 1 pod of DaemonSets, or static, would be lost\n");
    const auto& failed = status.answer->changes.at(0);
    EXPECT_EQ(failed.pods_evicted, 3u);
    EXPECT_EQ(failed.pods_moved, 1u);
    EXPECT_EQ(failed.pods_pending, 1u);
    EXPECT_FALSE(failed.budgets_broken) << "nobody asks a budget";
    EXPECT_EQ(failed.spare.at(0).amount, "1");
    EXPECT_EQ(status.node_counts.total, 1u);
  }
  EXPECT_EQ(after(snapshot, R"({"type": "FailNodes", "nodeNames": ["n9"]})").message,
            "spec.changes[0].nodeNames: there is no node n9");
  EXPECT_EQ(after(snapshot, R"({"type": "FailNodes", "selector": {"matchLabels": {"zone": "z"}}})").message,
            "spec.changes[0].selector: no node has these labels");
  EXPECT_EQ(after(snapshot, R"({"type": "FailNodes"})").message,
            "spec.changes[0]: needs exactly one of nodeNames and selector");
}

}  // namespace
}  // namespace podium::explain
