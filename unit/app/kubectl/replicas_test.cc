// Workloads that have fewer pods than replicas: capacity and why, on a dump.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string ten_deployment(const std::string& name, int replicas, const std::string& status = "{}") {
  return "- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: " + name +
         "-a, namespace: ten, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: " + name +
         ", uid: d, controller: true}]}, spec: {selector: {matchLabels: {app: " + name +
         "}}}}\n"
         "- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: " +
         name + ", namespace: ten}\n  spec: {replicas: " + std::to_string(replicas) +
         ", selector: {matchLabels: {app: " + name + "}}, template: {metadata: {labels: {app: " + name +
         "}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: \"1\"}}}]}}}\n  status: " +
         status + "\n";
}

std::string ten_pod(const std::string& workload, int number, const std::string& node) {
  return "- apiVersion: v1\n  kind: Pod\n  metadata: {name: " + workload + "-a-" + std::to_string(number) +
         ", namespace: ten, uid: " + workload + std::to_string(number) +
         ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: " + workload +
         "-a, uid: r, controller: true}]}\n  spec: {nodeName: " + node +
         ", containers: [{name: c, image: i, resources: {requests: {cpu: \"1\"}}}]}\n"
         "  status: {phase: Running}\n";
}

class WithAQuota : public OnADump {
 protected:
  // A node with room, and a quota of five pods.
  Ran run_with(const std::string& objects, const std::string& used, const std::vector<std::string>& words) {
    const auto dump = directory_.write(
        "ten.yaml",
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: Namespace, metadata: {name: ten}}\n"
        "- {apiVersion: v1, kind: Node, metadata: {name: n-1}, status: {allocatable: {cpu: \"20\", memory: "
        "8Gi, pods: \"30\"}}}\n"
        "- {apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: ten}, spec: {hard: {pods: "
        "\"5\"}}, status: {hard: {pods: \"5\"}, used: {pods: \"" +
            used + "\"}}}\n" + objects);
    return run_on(dump, words);
  }
  const std::string six_ = ten_deployment("six", 6) + ten_pod("six", 1, "n-1") + ten_pod("six", 2, "n-1");
};

TEST_F(WithAQuota, CapacityCountsThePodsThatExist) {
  const auto said = run_with(six_, "2", {"capacity", "-n", "ten"});
  EXPECT_THAT(said.out,
              ContainsRegex("deploy/six +2/6 +3  the nodes have room for 18, quota q allows 3 .pods.\n"));
  EXPECT_THAT(said.out, HasSubstr("Quota q: pods 2/5.\n"));
  EXPECT_EQ(said.code, 0);
}

TEST_F(WithAQuota, CapacityOfWorkloadsWithoutPods) {
  const auto said =
      run_with(ten_deployment("web", 3) + ten_deployment("zero", 0), "0", {"capacity", "-n", "ten"});
  EXPECT_THAT(said.out,
              ContainsRegex("deploy/web +0/3 +5  the nodes have room for 20, quota q allows 5 .pods.\n"));
  EXPECT_THAT(said.out,
              ContainsRegex("deploy/zero +0 +5  the nodes have room for 20, quota q allows 5 .pods.\n"));
}

TEST_F(WithAQuota, CapacityOfAWorkloadHasTheQuotasUseNow) {
  const auto said = run_with(six_, "2", {"capacity", "deploy/six", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/six: the nodes have room for 20, quota q allows 5."));
  EXPECT_THAT(said.out, HasSubstr("Quota q (namespace ten): now pods 2/5: allows 5 in all.\n"));
}

TEST_F(WithAQuota, WhyNamesTheReplicasThatDoNotExist) {
  auto said = run_with(six_, "2", {"why", "deploy/six", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/six: 2 of 6 pods are placed; the other 4 are not created.\n"
                                   "Quota q (namespace ten): pods 6/5: exceeded from replica 6 on.\n"));
  said = run_with(ten_deployment("web", 1), "5", {"why", "deploy/web", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/web: its pod is not created.\n"
                                   "Quota q (namespace ten): pods 6/5: exceeded from replica 1 on.\n"));
  said = run_with(ten_deployment("zero", 0), "0", {"why", "deploy/zero", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/zero has no pods: it is scaled to 0 replicas.\n"));
}

TEST_F(WithAQuota, WhatIfSaysWhichPodsItIgnores) {
  auto said = run_with(six_, "2", {"whatif", "deploy/six", "-n", "ten"});
  EXPECT_THAT(said.out, HasSubstr("\n2 existing pods of ten/six were ignored.\n"));
  said = run_with(ten_deployment("web", 3), "0", {"whatif", "deploy/web", "-n", "ten"});
  EXPECT_THAT(said.out, Not(HasSubstr("ignored")));
  said = run_with(ten_deployment("zero", 0), "0", {"whatif", "deploy/zero", "-n", "ten"});
  EXPECT_THAT(said.out, HasSubstr("\nIt has 0 replicas: this is the answer for one.\n"));
}

TEST_F(WithAQuota, WhyOfSeveralReplicasThatDoNotExist) {
  const auto said = run_with(ten_deployment("web", 3), "5", {"why", "deploy/web", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/web: none of its 3 pods is created.\n"));
}

std::string ten_job(const std::string& spec, const std::string& status) {
  return "- {apiVersion: batch/v1, kind: Job, metadata: {name: sum, namespace: ten, uid: j}, spec: {" + spec +
         ", template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}, status: {" +
         status + "}}\n";
}

std::string ten_done(int number, const std::string& phase) {
  return "- {apiVersion: v1, kind: Pod, metadata: {name: sum-" + std::to_string(number) +
         ", namespace: ten, uid: s" + std::to_string(number) +
         ", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: sum, uid: j, controller: true}]}, "
         "spec: {nodeName: n-1, containers: [{name: c, image: i}]}, status: {phase: " +
         phase + "}}\n";
}

TEST_F(WithAQuota, WhyOfAJobNamesThePodsThatDoNotExist) {
  const std::vector<std::string> why{"why", "job/sum", "-n", "ten"};
  const auto complete = "conditions: [{type: Complete, status: \"True\"}], succeeded: 2";
  struct {
    std::string objects, words;
  } const cases[] = {
      {ten_job("parallelism: 3, completions: 3", ""),
       "ten/sum: none of its 3 pods is created.\n"
       "Quota q (namespace ten): pods 8/5: exceeded from replica 1 on.\n"},
      {ten_job("parallelism: 3, completions: 3", "succeeded: 2") + ten_done(1, "Succeeded"),
       "ten/sum: its pod is not created.\n"},
      {ten_job("parallelism: 3", "") + ten_done(1, "Running"),
       "ten/sum: 1 of 3 pods is placed; the other 2 are not created.\n"},
      {ten_job("parallelism: 3", "succeeded: 1") + ten_done(1, "Running"), "ten/sum: its pod is placed.\n"},
      {ten_job("completions: 2", complete) + ten_done(1, "Succeeded") + ten_done(2, "Succeeded") +
           ten_done(3, "Failed"),
       "ten/sum has no pods that run: it is complete; 2 pods have succeeded, 1 pod has failed.\n"},
      {ten_job("completions: 2", complete), "ten/sum has no pods: it is complete.\n"},
      {ten_job("suspend: true", ""), "ten/sum has no pods: it is suspended.\n"},
      {ten_job("parallelism: 3, completions: 3", "succeeded: 1, failedIndexes: \"2\"") +
           ten_done(1, "Running"),
       "ten/sum: its pod is placed.\n"},
      {ten_job("managedBy: example.com/cluster", ""),
       "ten/sum has no pods: example.com/cluster manages it, not the Job controller.\n"}};
  for (const auto& [objects, words] : cases) {
    EXPECT_THAT(run_with(objects, "5", why).out, StartsWith(words));
  }
}

TEST_F(WithAQuota, WhyOfACronJobSaysThatItIsSuspended) {
  const auto said = [&](const char* suspend) {
    const auto job = fmt::format(
        "- {{apiVersion: batch/v1, kind: CronJob, metadata: {{name: night, namespace: ten}}, spec: "
        "{{schedule: "
        "\"0 3 * * *\", suspend: {}, jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, "
        "containers: "
        "[{{name: c, image: i}}]}}}}}}}}}}}}\n",
        suspend);
    return run_with(job, "50", {"why", "cronjob/night", "-n", "ten"}).out;
  };
  EXPECT_THAT(said("true"), StartsWith("ten/night has no pods: it is suspended.\n"));
  EXPECT_THAT(said("false"), StartsWith("ten/night has no pods.\n"));
}

// Jobs, StatefulSets and DaemonSets have it in no condition.
TEST_F(WithAQuota, WhyHasTheLastEventAboutPodsThatAreNotCreated) {
  const auto event = [](const std::string& name, const std::string& about, const std::string& time,
                        const std::string& message) {
    return "- {apiVersion: v1, kind: Event, metadata: {name: " + name +
           ", namespace: ten}, reason: FailedCreate, involvedObject: {kind: Job, name: sum, uid: " + about +
           "}, lastTimestamp: \"2026-11-20T00:00:0" + time + "Z\", message: \"" + message + "\"}\n";
  };
  const auto job = ten_job("parallelism: 3, completions: 3", "");
  const std::vector<std::string> why{"why", "job/sum", "-n", "ten"};
  EXPECT_THAT(run_with(job + event("a", "j", "1", "Error creating: older") +
                           event("b", "j", "3", "Error creating: violates PodSecurity") +
                           event("c", "earlier", "5", "Error creating: of an earlier Job"),
                       "1", why)
                  .out,
              StartsWith("ten/sum: none of its 3 pods is created: Error creating: violates PodSecurity\n"
                         "Would they fit? "));
  EXPECT_THAT(run_with(job + ten_done(1, "Running") + ten_done(2, "Running") + ten_done(3, "Running") +
                           event("b", "j", "3", "Error creating: violates PodSecurity"),
                       "1", why)
                  .out,
              StartsWith("ten/sum: all 3 pods are placed.\n"));
}

TEST_F(WithAQuota, WhyOfADaemonSetNamesThePodsThatDoNotExist) {
  const auto daemon_set = [](const std::string& status) {
    return "- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: ten}, spec: "
           "{selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: "
           "[{name: c, image: i}]}}}, status: {" +
           status + "}}\n";
  };
  const std::vector<std::string> why{"why", "ds/agent", "-n", "ten"};
  EXPECT_THAT(run_with(daemon_set("desiredNumberScheduled: 1"), "5", why).out,
              StartsWith("ten/agent: its pod is not created.\nQuota q (namespace ten): "));
  EXPECT_THAT(run_with(daemon_set("desiredNumberScheduled: 0"), "5", why).out,
              StartsWith("ten/agent has no pods: it selects no node of the cluster.\n"));
  EXPECT_THAT(run_with(daemon_set(""), "5", why).out, StartsWith("ten/agent has no pods.\n"));
}

// A Deployment with one pod, whose controller says that this pod is refused.
std::string refused_deployment(int replicas, const std::string& pod) {
  return ten_deployment(
             "six", replicas,
             "{conditions: [{type: ReplicaFailure, status: \"True\", reason: FailedCreate, message: "
             "'pods \"" +
                 pod + "\" is forbidden: exceeded quota: q'}]}") +
         ten_pod("six", 1, "n-1");
}

TEST_F(WithAQuota, WhyRepeatsWhatTheControllerSays) {
  const auto said = run_with(refused_deployment(6, "six-a-x"), "1", {"why", "deploy/six", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/six: 1 of 6 pods is placed; the other 5 are not created: pods "
                                   "\"six-a-x\" is forbidden: exceeded quota: q\n"));
  EXPECT_THAT(said.out, Not(HasSubstr("Quota q (namespace")));
}

TEST_F(WithAQuota, WhySaysThatAnUpdateCannotCreateItsPods) {
  const auto said = run_with(refused_deployment(1, "six-b-x"), "1", {"why", "deploy/six", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/six: its pod is placed.\nPods of its update are not created: pods "
                                   "\"six-b-x\" is forbidden: exceeded quota: q\n"));
}

TEST_F(WithAQuota, WhySaysThatTheReplicaSetOfAnUpdateIsNotCreated) {
  const auto refused =
      ten_deployment("six", 1,
                     "{conditions: [{type: Progressing, status: \"False\", reason: ReplicaSetCreateError, "
                     "message: 'Failed to create new replica set \"six-b\": exceeded quota: q'}]}") +
      ten_pod("six", 1, "n-1");
  EXPECT_THAT(
      run_with(refused, "1", {"why", "deploy/six", "-n", "ten"}).out,
      StartsWith("ten/six: its pod is placed.\nPods of its update are not created: Failed to create new "
                 "replica set \"six-b\": exceeded quota: q\n"));
}

TEST_F(WithAQuota, WhyOfWaitingPodsNamesTheOtherReplicasToo) {
  const auto waiting =
      ten_deployment("six", 6) + ten_pod("six", 1, "n-1") +
      "- apiVersion: v1\n  kind: Pod\n  metadata: {name: six-a-2, namespace: ten, uid: w, "
      "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: six-a, uid: r, controller: "
      "true}]}\n  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: \"99\"}}}]}\n"
      "  status: {phase: Pending}\n";
  const auto said = run_with(waiting, "2", {"why", "deploy/six", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/six: 1 of 2 pods run, 1 waits.\n"
                                   "2 of 6 pods exist; the other 4 are not created.\n"));
}

// Pods that run stay on nodes that would not take them now.
TEST_F(WithAQuota, CapacityIsNextToThePodsThatExist) {
  const std::string cordoned =
      "- {apiVersion: v1, kind: Node, metadata: {name: n-2}, spec: {unschedulable: true}, status: "
      "{allocatable: {cpu: \"20\", memory: 8Gi, pods: \"30\"}}}\n";
  const auto said =
      run_with(cordoned + ten_deployment("a", 2) + ten_pod("a", 1, "n-2"), "1", {"capacity", "-n", "ten"});
  EXPECT_THAT(said.out,
              ContainsRegex("deploy/a +1/2 +4  the nodes have room for 20, quota q allows 4 .pods.\n"));
}

// Its labels are those of the ReplicaSet's pods, by which its rules select them.
TEST_F(OnADump, CapacityOfPodsThatKeepApart) {
  const auto dump = one_node_and(R"(
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
- apiVersion: v1
  kind: List
  items:
  - {apiVersion: v1, kind: Node, metadata: {name: n-2, labels: {host: b}}, status: {allocatable: {cpu: "4", pods: "9"}}}
  - {apiVersion: v1, kind: Node, metadata: {name: n-3, labels: {host: c}}, status: {allocatable: {cpu: "4", pods: "9"}}}
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata: {name: a-1, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: a, uid: d, controller: true}]}
  spec: {selector: {matchLabels: {app: a}}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: a, namespace: shop, uid: d}
  spec:
    replicas: 1
    selector: {matchLabels: {app: a}}
    template:
      metadata: {labels: {app: a}}
      spec:
        affinity:
          podAntiAffinity:
            requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: host, labelSelector: {matchLabels: {app: a}}, matchLabelKeys: [pod-template-hash]}]
        containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]
- apiVersion: v1
  kind: Pod
  metadata:
    name: a-1-x
    namespace: shop
    uid: x
    labels: {app: a, pod-template-hash: "1"}
    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: a-1, uid: r, controller: true}]
  spec: {nodeName: n-2, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
  status: {phase: Running}
)");
  const auto ran = run_on(dump, {"capacity", "-n", "shop"});
  EXPECT_THAT(ran.out, ContainsRegex("deploy/a +1 +5  "))
      << "four on n-1, which has no host, and one on n-3" << ran.out;
}

}  // namespace
}  // namespace podium::kubectl
