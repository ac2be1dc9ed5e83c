// Workloads that have fewer pods than replicas: capacity and why, on a dump.
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
  EXPECT_THAT(said.out, ContainsRegex("deploy/six +2/6 +3  the nodes have room for 18, quota q allows 3\n"));
  EXPECT_THAT(said.out, HasSubstr("Quota q: pods 2/5.\n"));
  EXPECT_EQ(said.code, 0);
}

TEST_F(WithAQuota, CapacityOfWorkloadsWithoutPods) {
  const auto said =
      run_with(ten_deployment("web", 3) + ten_deployment("zero", 0), "0", {"capacity", "-n", "ten"});
  EXPECT_THAT(said.out, ContainsRegex("deploy/web +0/3 +5  the nodes have room for 20, quota q allows 5\n"));
  EXPECT_THAT(said.out, ContainsRegex("deploy/zero +0 +5  the nodes have room for 20, quota q allows 5\n"));
}

TEST_F(WithAQuota, CapacityOfAWorkloadHasTheQuotasUseNow) {
  const auto said = run_with(six_, "2", {"capacity", "deploy/six", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/six: the nodes have room for 20, quota q allows 5."));
  EXPECT_THAT(said.out, HasSubstr("Quota q (namespace ten): now pods 2/5: allows 5 in all.\n"));
}

TEST_F(WithAQuota, WhyNamesTheReplicasThatDoNotExist) {
  auto said = run_with(six_, "2", {"why", "deploy/six", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/six: 2 of 6 replicas are placed; the other 4 are not created.\n"
                                   "Quota q (namespace ten): pods 6/5: exceeded from replica 6 on.\n"));
  said = run_with(ten_deployment("web", 1), "5", {"why", "deploy/web", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/web: its replica is not created.\n"
                                   "Quota q (namespace ten): pods 6/5: exceeded from replica 1 on.\n"));
  said = run_with(ten_deployment("zero", 0), "0", {"why", "deploy/zero", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/zero has no pods: it is scaled to 0 replicas.\n"));
}

TEST_F(WithAQuota, WhyRepeatsWhatTheControllerSays) {
  const auto said = run_with(ten_deployment("six", 6,
                                            "{conditions: [{type: ReplicaFailure, status: \"True\", reason: "
                                            "FailedCreate, message: 'pods \"six-a-x\" "
                                            "is forbidden: exceeded quota: q'}]}") +
                                 ten_pod("six", 1, "n-1"),
                             "1", {"why", "deploy/six", "-n", "ten"});
  EXPECT_THAT(said.out, StartsWith("ten/six: 1 of 6 replicas is placed; the other 5 are not created: pods "
                                   "\"six-a-x\" is forbidden: exceeded quota: q\n"));
  EXPECT_THAT(said.out, Not(HasSubstr("Quota q (namespace")));
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
                                   "2 of 6 replicas exist; the other 4 are not created.\n"));
}

}  // namespace
}  // namespace podium::kubectl
