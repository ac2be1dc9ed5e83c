// podium why, on a dump.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_F(OnADump, AWorkloadThatWaitsForOneReason) {
  EXPECT_EQ(out({"why", "deploy/big", "-n", "shop"}),
            "shop/big: 0 of 2 pods run, 2 wait, all for the same reason.\n"
            "  2 nodes  too little cpu free: asks 3, closest n-1 (500m short)\n"
            "   1 node  would not accept it anyway: 1 with taint gpu=a100:NoSchedule\n"
            "Would help: cpu request 2500m → all 2 run; a priority of at least 1: it would "
            "preempt 2 pods on 2 nodes → all 2 run; tolerate gpu=a100 → 1 more runs\n");
}

TEST_F(OnADump, AWorkloadOfADeviceThatNoNodeHas) {
  const auto dump = one_node_and(R"(
- {apiVersion: batch/v1, kind: Job, metadata: {name: train, namespace: ml, uid: t}, spec: {template: {spec: {containers: [{name: c, image: i}]}}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: train-x, namespace: ml, uid: x, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: t, controller: true}]}
  spec: {containers: [{name: c, image: i, resources: {limits: {gpu.example.com/a: "1"}}}]}
  status: {phase: Pending}
)");
  EXPECT_THAT(run_on(dump, {"why", "job/train", "-n", "ml"}).out,
              HasSubstr("\n  1 node  has no gpu.example.com/a\n"));
}

TEST_F(OnADump, AWorkloadWhosePodsAllRunHasTheNextCommands) {
  EXPECT_EQ(out({"why", "deploy/web", "-n", "shop"}),
            "shop/web: all 2 pods are placed.\n"
            "Nodes: n-1 1 and n-2 1.\n"
            "Why is one of them there? podium why web-a-1 -n shop --cluster DUMP\n"
            "Would they fit again? podium whatif deploy/web -n shop --cluster DUMP\n");
  EXPECT_EQ(run({"why", "deploy/none", "-n", "shop"}).code, 1);
}

TEST_F(OnADump, WorkloadsInAllForms) {
  const auto expected = out({"why", "deploy/big", "-n", "shop"});
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"deployment.apps/big"}, {"deploy", "big"}, {"big"}}) {
    auto all = words;
    all.insert(all.begin(), "why");
    all.insert(all.end(), {"-n", "shop"});
    EXPECT_EQ(out(all), expected) << words.front();
  }
  EXPECT_THAT(out({"why", "cronjob/nightly", "-n", "ml"}),
              StartsWith("ml/nightly: 0 of 2 pods run, 2 wait, all"));
}

TEST_F(OnADump, APodWhoseLabelsNoNodeHas) {
  EXPECT_EQ(out({"why", "shop/sel"}),
            "shop/sel does not fit: no node has all that it requires.\n"
            "  nodeSelector disk=nvme  0 nodes  ← values: hdd, ssd\n"
            "  nodeSelector pool=a     2 nodes\n"
            "1 node would not accept it anyway: 1 with taint gpu=a100:NoSchedule.\n"
            "What would help? podium whatif pod/sel -n shop --cluster DUMP --fixes\n");
}

TEST_F(OnADump, AGatedPodGetsANextStep) {
  EXPECT_EQ(out({"why", "gated", "-n", "shop"}),
            "shop/gated waits for its scheduling gate: example.com/quota. No node was evaluated.\n"
            "Without its gate? podium whatif pod/gated -n shop --cluster DUMP\n");
  EXPECT_THAT(out({"whatif", "pod/gated", "-n", "shop"}), HasSubstr("would go to n-"));
  EXPECT_THAT(out({"why", "gated", "-n", "shop", "--node", "n-1"}),
              HasSubstr("podium does not model: scheduling gates.\n"));
}

TEST_F(OnADump, APodThatHasEndedSaysHow) {
  const auto dump = one_node_and(R"(
- {apiVersion: v1, kind: Pod, metadata: {name: done, namespace: shop, uid: d}, spec: {nodeName: n-1, containers: [{name: c, image: i}]}, status: {phase: Succeeded}}
- {apiVersion: v1, kind: Pod, metadata: {name: evicted, namespace: shop, uid: e}, spec: {nodeName: n-1, containers: [{name: c, image: i}]}, status: {phase: Failed, reason: Evicted, message: "The node was low on resource: memory. "}}
- {apiVersion: v1, kind: Pod, metadata: {name: early, namespace: shop, uid: f}, spec: {containers: [{name: c, image: i}]}, status: {phase: Failed}}
)");
  const auto why = [&](const char* pod) { return run_on(dump, {"why", pod, "-n", "shop"}).out; };
  EXPECT_EQ(why("done"), "shop/done was on n-1; it has succeeded.\n");
  EXPECT_EQ(why("evicted"),
            "shop/evicted was on n-1; it has failed: Evicted: The node was low on resource: memory.\n");
  EXPECT_EQ(why("early"), "shop/early never had a node; it has failed.\n");
}

TEST_F(OnADump, APodThatNoSchedulerHasPlacedSaysSo) {
  const auto dump = one_node_and(R"(
- {apiVersion: v1, kind: Pod, metadata: {name: lost, namespace: shop, uid: a}, spec: {nodeName: n1, containers: [{name: c, image: i}]}, status: {phase: Pending}}
- {apiVersion: v1, kind: Pod, metadata: {name: given, namespace: shop, uid: b}, spec: {nodeName: n-1, containers: [{name: c, image: i}]}, status: {phase: Pending}}
- {apiVersion: v1, kind: Pod, metadata: {name: left, namespace: shop, uid: c}, spec: {nodeName: n-9, containers: [{name: c, image: i}]}, status: {phase: Running, conditions: [{type: PodScheduled, status: "True"}]}}
)");
  const auto why = [&](const char* pod) { return run_on(dump, {"why", pod, "-n", "shop"}).out; };
  EXPECT_EQ(why("lost"),
            "shop/lost was created with spec.nodeName n1: no scheduler has decided about it.\n"
            "There is no node n1. Did you mean n-1? The garbage collector of pods deletes it.\n");
  EXPECT_EQ(why("given"),
            "shop/given was created with spec.nodeName n-1: no scheduler has decided about it.\n");
  EXPECT_THAT(why("left"), StartsWith("shop/left was on n-9.\nThere is no node n-9. "));
}

constexpr const char* kLateDump = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n-1, labels: {disktype: ssd}}, status: {allocatable: {cpu: "1", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n-2, labels: {disktype: hdd}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-a, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}, spec: {selector: {matchLabels: {app: web}}}}
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1500m}}}]}}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-a-1, namespace: shop, uid: w, creationTimestamp: "2026-11-27T10:00:00Z", labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-a, uid: r, controller: true}]}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1500m}}}]}
  status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/1 nodes are available: 1 Insufficient cpu.", lastTransitionTime: "2026-11-27T10:00:01Z"}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: db, namespace: shop, uid: x}
  spec: {nodeSelector: {disktpye: ssd}, containers: [{name: c, image: i}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: fast, namespace: shop, uid: fast}
  spec: {nodeSelector: {disktype: ssd}, containers: [{name: c, image: i}]}
  status: {phase: Pending}
)";

TEST_F(OnADump, AWorkloadThatWouldFitNow) {
  const auto dump = directory_.write("late.yaml", kLateDump);
  const auto words = run_on(dump, {"why", "deploy/web", "-n", "shop"}).out;
  EXPECT_THAT(words, StartsWith("shop/web: 0 of 1 pod runs, 1 waits"));
  EXPECT_THAT(words, testing::EndsWith(".\nIt fits now: it would go to n-2.\n"));
}

// Nothing but the pod says when it was tried.
TEST_F(OnADump, TheTimelineHasTheConditionOfThePod) {
  const auto dump = directory_.write("late.yaml", kLateDump);
  EXPECT_EQ(run_on(dump, {"why", "web-a-1", "-n", "shop", "--timeline"}).out,
            "shop/web-a-1\n"
            "  TIME                  AFTER  WHAT\n"
            "  2026-11-27T10:00:00Z    +0s  created\n"
            "  2026-11-27T10:00:01Z    +1s  tried    then or later: 0/1 nodes are available: 1 Insufficient "
            "cpu.\n");
}

TEST_F(OnADump, AMistypedLabelDiffersFromAValue) {
  const auto dump = directory_.write("late.yaml", kLateDump);
  EXPECT_THAT(run_on(dump, {"why", "db", "-n", "shop"}).out,
              HasSubstr("nodeSelector disktpye=ssd  0 nodes  ← no node has the label disktpye. Did you mean "
                        "disktype?\n"));
  EXPECT_THAT(run_on(dump, {"why", "fast", "-n", "shop", "--node", "n-2"}).out,
              HasSubstr("nodeSelector disktype=ssd, but it has disktype=hdd\n"));
  EXPECT_THAT(run_on(dump, {"why", "db", "-n", "shop", "--node", "n-2"}).out,
              HasSubstr("nodeSelector disktpye=ssd, but it does not have the label disktpye\n"));
}

TEST_F(OnADump, SeveralPodsHaveALineEach) {
  const auto expected =
      "POD           NODE  POINTS  DECIDED  WHY\n"
      "shop/big-a-1  -          -        -  2 of 3 nodes do not have enough free cpu\n"
      "shop/big-a-2  -          -        -  2 of 3 nodes do not have enough free cpu\n";
  EXPECT_EQ(out({"why", "-l", "app=big", "-n", "shop"}), expected);
  EXPECT_EQ(out({"why", "shop/big-a-1", "shop/big-a-2"}), expected);
  EXPECT_EQ(out({"why", "pods", "big-a-1", "big-a-2", "-n", "shop"}), expected);
  EXPECT_EQ(out({"why", "-l", "app=big", "-n", "shop", "-o", "jsonpath={.items[*].metadata.name}"}),
            "big-a-1 big-a-2\n");
}

// Such as a must-gather, which has each pod in its own file and in a list.
TEST_F(OnADump, AnObjectThatTwoFilesHaveIsOne) {
  const auto file = directory_.write("pod.yaml", R"(
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: u, labels: {app: web}}
spec: {nodeName: n-1, containers: [{name: c, image: i}]}
)");
  const auto node = directory_.write("node.yaml",
                                     "apiVersion: v1\nkind: Node\nmetadata: {name: n-1}\n"
                                     "status: {allocatable: {cpu: '1', pods: '9'}}\n");
  const auto said =
      run_on(node, {"why", "-l", "app=web", "-n", "shop", "--cluster", file, "--cluster", file});
  EXPECT_EQ(said.out,
            "POD       NODE  POINTS  DECIDED  WHY\n"
            "shop/web  n-1        -        -  a dump does not say why\n")
      << said.err;
}

TEST_F(OnADump, APodThatWouldPreemptSaysSoFirst) {
  const auto dump = directory_.write("low.yaml", R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n-1}, status: {allocatable: {cpu: "2", memory: 8Gi, pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: low, namespace: shop, uid: l}
  spec: {nodeName: n-1, priority: 0, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: high, namespace: shop, uid: h}
  spec: {priority: 5, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
)");
  EXPECT_THAT(run_on(dump, {"why", "high", "-n", "shop"}).out,
              StartsWith("shop/high does not fit (1 node): it would wait for 1 eviction on n-1.\n"));
  EXPECT_THAT(run_on(dump, {"pending", "-n", "shop"}).out, HasSubstr("would wait for 1 eviction on n-1"));
}

TEST_F(OnADump, AStatefulSetThatWaitsForItsFirstPodSaysSo) {
  const auto set = [&](const char* policy) {
    const auto dump = directory_.write("set.yaml", fmt::format(R"(
apiVersion: v1
kind: List
items:
- {{apiVersion: v1, kind: Node, metadata: {{name: n-1}}, status: {{allocatable: {{cpu: "1", memory: 8Gi, pods: "10"}}}}}}
- apiVersion: apps/v1
  kind: StatefulSet
  metadata: {{name: db, namespace: shop, uid: d}}
  spec: {{replicas: 3, podManagementPolicy: {}, selector: {{matchLabels: {{app: db}}}}, template: {{metadata: {{labels: {{app: db}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}}}
- apiVersion: v1
  kind: Pod
  metadata: {{name: db-0, namespace: shop, uid: p, labels: {{app: db}}, ownerReferences: [{{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: d, controller: true}}]}}
  spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: "2"}}}}}}]}}
)",
                                                               policy));
    return run_on(dump, {"why", "sts/db", "-n", "shop"}).out;
  };
  EXPECT_THAT(set("OrderedReady"), HasSubstr("1 of 3 pods exist; the other 2 are not created: each is "
                                             "created once the one before it is ready.\n"));
  EXPECT_THAT(set("Parallel"), HasSubstr("the other 2 are not created.\n"));
}

TEST_F(OnADump, AStatefulSetWaitsForAPodThatIsNotReadyAndCountsNoneThatTerminates) {
  const auto why = [&](const char* ready, const char* deleted) {
    const auto dump = one_node_and(fmt::format(R"(
- apiVersion: apps/v1
  kind: StatefulSet
  metadata: {{name: db, namespace: shop, uid: d}}
  spec: {{replicas: 3, selector: {{matchLabels: {{app: db}}}}, template: {{metadata: {{labels: {{app: db}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}}}
- apiVersion: v1
  kind: Pod
  metadata: {{name: db-0, namespace: shop, uid: p, {}labels: {{app: db}}, ownerReferences: [{{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: d, controller: true}}]}}
  spec: {{nodeName: n-1, containers: [{{name: c, image: i}}]}}
  status: {{phase: Running, conditions: [{{type: Ready, status: "{}"}}]}}
)",
                                               deleted, ready));
    return run_on(dump, {"why", "sts/db", "-n", "shop"}).out;
  };
  EXPECT_THAT(why("False", ""),
              StartsWith("shop/db: 1 of 3 pods is placed; the other 2 are not created: each is created once "
                         "the one before it is ready, and db-0 is not ready.\n"));
  EXPECT_THAT(why("True", ""), StartsWith("shop/db: 1 of 3 pods is placed; the other 2 are not created.\n"));
  EXPECT_THAT(why("True", "deletionTimestamp: \"2026-01-01T00:00:00Z\", "),
              StartsWith("shop/db: none of its 3 pods is created; 1 terminates"));
}

}  // namespace
}  // namespace podium::kubectl
