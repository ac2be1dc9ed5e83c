// What the offline verbs say about workloads and pods in states in which there is little to ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/workload/daemon_set_pods.h"
#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kStates = R"(
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: leaving, deletionTimestamp: "2026-11-20T00:00:00Z"}}
---
{apiVersion: v1, kind: Node, metadata: {name: n-1, labels: {kubernetes.io/os: linux}},
 status: {capacity: {cpu: 4, memory: 8Gi, pods: 9}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: ends, namespace: shop, uid: e, deletionTimestamp: "2026-11-20T00:00:00Z"},
 spec: {nodeName: n-1, containers: [{name: c, image: i}]}, status: {phase: Running}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: failed, namespace: shop, uid: f}, spec: {template: {spec: {
  restartPolicy: Never, containers: [{name: c, image: i}]}}}, status: {conditions: [{type: Failed, status: "True"}]}}
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: shop, uid: a}, spec: {
  selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {
  containers: [{name: c, image: i}]}}}}
)";

std::string job(const std::string& metadata, const std::string& spec = "") {
  return "---\n{apiVersion: batch/v1, kind: Job, metadata: {" + metadata +
         "}, spec: {template: {spec: {restartPolicy: Never, " + spec +
         "containers: [{name: c, image: i}]}}}}\n";
}

class OfStates : public OnADump {
 protected:
  Ran ask(std::vector<std::string> words) { return run_on(states_, std::move(words)); }
  Ran ask_file(const std::string& text, const std::string& ns = "shop") {
    return ask({"whatif", "-f", directory_.write("asked.yaml", text), "-n", ns});
  }
  const std::string states_ = directory_.write("states.yaml", kStates);
};

// The dump is of a moment before the decision.
TEST_F(OfStates, APodOfAWorkloadThatFitsIsNotBlocked) {
  const auto cluster = one_node_and(R"(
- {apiVersion: v1, kind: Node, metadata: {name: n-2}, status: {allocatable: {cpu: 100m, memory: 8Gi, pods: "10"}}}
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, uid: d}, spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-a, namespace: shop, uid: r, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}, spec: {selector: {matchLabels: {app: web}}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-a-1, namespace: shop, uid: p, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-a, uid: r, controller: true}]}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
  status: {phase: Pending}
)");
  const auto words = run_on(cluster, {"why", "deploy/web", "-n", "shop"}).out;
  EXPECT_THAT(words, HasSubstr("\nIt fits now: it would go to n-1.\n"));
  EXPECT_THAT(words, Not(HasSubstr("too little cpu")));
}

// Neither the stored workload nor its file has the container that a webhook adds to each pod.
TEST_F(OfStates, AContainerThatAWebhookAddsIsNamed) {
  constexpr const char* kWeb =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, uid: d}, spec: "
      "{replicas: "
      "2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: "
      "[{name: c, image: i, resources: {requests: {cpu: \"1\"}}}]}}}}\n";
  const auto dump_of = [&](const char* containers) {
    return one_node_and(std::string("\n- ") + kWeb + R"(
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-a, namespace: shop, uid: r, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}, spec: {selector: {matchLabels: {app: web}}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-a-1, namespace: shop, uid: p, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-a, uid: r, controller: true}]}
  spec: {nodeName: n-1, containers: [)" +
                        containers + R"(]}
  status: {phase: Running}
)");
  };
  constexpr const char* kNote =
      "Note: its existing pods also have the container istio-proxy (100m cpu, 128Mi memory), which this "
      "template "
      "lacks: if a webhook adds it, new pods ask for more than is counted here.\n";
  const auto injected = dump_of(
      "{name: c, image: i, resources: {requests: {cpu: \"1\"}}}, {name: istio-proxy, image: p, resources: "
      "{requests: {cpu: 100m, memory: 128Mi}}}");
  EXPECT_THAT(run_on(injected, {"whatif", "deploy/web", "-n", "shop"}).out, HasSubstr(kNote));
  const auto file = directory_.write("web.yaml", kWeb);
  EXPECT_THAT(run_on(injected, {"whatif", "-f", file, "-n", "shop"}).out, HasSubstr(kNote));
  const auto of_another = dump_of("{name: former, image: i}, {name: istio-proxy, image: p}");
  EXPECT_THAT(run_on(of_another, {"whatif", "-f", file, "-n", "shop"}).out,
              Not(HasSubstr("existing pods also")));
  const auto plain = dump_of("{name: c, image: i}");
  EXPECT_THAT(run_on(plain, {"whatif", "deploy/web", "-n", "shop"}).out,
              Not(HasSubstr("existing pods also")));
}

TEST_F(OfStates, ANamespaceMustBeThereAndStay) {
  const auto none = ask_file(job("name: j"), "nonesuch");
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(none.missing,
              HasSubstr("warning: --cluster has no namespace nonesuch: it must be created first\n"));
  const auto leaving = ask_file(job("name: j"), "leaving");
  EXPECT_EQ(leaving.code, 4);
  EXPECT_THAT(leaving.out + leaving.err,
              HasSubstr("unable to create new content in namespace leaving because it is being terminated"));
}

TEST_F(OfStates, AJobThatHasEndedIsAskedAboutAsOneMorePod) {
  EXPECT_THAT(ask({"why", "job/failed", "-n", "shop"}).out,
              HasSubstr("shop/failed has no pods: it has failed.\n"));
  const auto said = ask({"whatif", "job/failed", "-n", "shop"});
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, HasSubstr("It has ended: this is the answer for one more pod.\n"));
}

TEST_F(OfStates, ThePodsOfADaemonSetAreNotCounted) {
  const auto said = ask({"capacity", "ds/agent", "-n", "shop"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr(std::string("ds/agent: ") + explain::kOnePodOnEachNode +
                                  "; whatif says where they fit"));
}

TEST_F(OfStates, WhyOfAPodThatTerminates) {
  EXPECT_THAT(ask({"why", "ends", "-n", "shop"}).err,
              HasSubstr("shop/ends is on n-1, and terminates. A dump does not say why.\n"));
}

TEST_F(OfStates, GenerateNameIsAName) {
  const auto said = ask_file(job("generateName: load-") + job("generateName: load-"));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("\n  shop/load-xxxxx "));
  EXPECT_THAT(said.out, HasSubstr("\n  shop/load-xxxx1 "));
}

TEST_F(OfStates, WhatOneOfSeveralMeetsIsSaidInTheirTable) {
  const auto said = ask_file(job("name: a") + job("name: b", "os: {name: windows}, "));
  EXPECT_THAT(said.out,
              HasSubstr("\nshop/b: podium does not model: the kubelet of n-1 (its kubernetes.io/os is "
                        "linux: it rejects a pod with spec.os windows).\n"));
  EXPECT_THAT(said.out, Not(HasSubstr("shop/a: podium")));
  EXPECT_THAT(said.out, HasSubstr("\npodium does not model: admission webhooks and policies, "));
}

TEST_F(OfStates, ARefusedPriorityHasItsPlaceInTheFile) {
  const auto said = ask_file(job("name: a", "priority: 5, "));
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.out + said.err,
              HasSubstr("asked.yaml:2: spec.template.spec.priority: the API server accepts the Job "
                        "and refuses its pods: the integer value"));
}

}  // namespace
}  // namespace podium::kubectl
