// podium pending, on a dump.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(OnADump, PendingSaysWhereNothingWaits) {
  EXPECT_EQ(out({"pending", "-A", "-l", "app=none"}),
            "No pods are pending in any namespace with the labels app=none.\n");
  EXPECT_EQ(out({"pending", "-n", "ml", "-l", "app=none"}),
            "No pods are pending in namespace ml with the labels app=none.\n");
}

// The API server stores a new pod with the phase Pending.
TEST_F(OnADump, APodOfAManifestIsPending) {
  const auto dump = directory_.write("manifest.yaml", R"(
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: large}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "5"}}}]}}
)");
  EXPECT_THAT(run_on(dump, {"pending"}).out, StartsWith("1 pod waits.\n"));
  EXPECT_EQ(run_on(dump, {"pending", "-A", "-o", "name"}).out, "pod/large\n");
}

constexpr const char* kOneNode = R"(
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
---
)";

TEST_F(OnADump, PendingNamesAnotherScheduler) {
  const auto dump = directory_.write("others.yaml", std::string(kOneNode) + R"(
{apiVersion: v1, kind: Pod, metadata: {name: large}, spec: {schedulerName: acme, containers: [{name: c, image: i, resources: {requests: {cpu: "5"}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: small}, spec: {schedulerName: acme, containers: [{name: c, image: i}]}}
)");
  const auto table = run_on(dump, {"pending"}).out;
  EXPECT_THAT(table, HasSubstr("1 of 1 node does not have enough free cpu; scheduler acme places it"));
  EXPECT_THAT(table, HasSubstr("nothing: it would go to n1, but scheduler acme places it"));
  EXPECT_EQ(run_on(dump, {"pending", "-o", "jsonpath={.items[0].schedulerName} {.items[0].profile}"}).out,
            "acme default-scheduler\n");
}

// Until the new pod is ready, the DaemonSet keeps the old one.
TEST_F(OnADump, APodOfADaemonSetThatSurges) {
  const auto pod = [](const char* name, const char* more, const char* status) {
    return fmt::format(R"(
---
apiVersion: v1
kind: Pod
metadata: {{name: {}, uid: {}, ownerReferences: [{{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: d, controller: true}}]}}
spec: {{{}, containers: [{{name: c, image: i, resources: {{requests: {{cpu: "3"}}}}}}]}}
status: {{phase: {}}}
)",
                       name, name, more, status);
  };
  const auto dump = directory_.write(
      "daemons.yaml",
      kOneNode + pod("old", "nodeName: n1", "Running") +
          pod("new",
              "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
              "[{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}}}",
              "Pending"));
  EXPECT_THAT(run_on(dump, {"pending"}).out,
              HasSubstr("; its DaemonSet's pod old stays on n1 until this one is ready (maxSurge)"));
  EXPECT_THAT(run_on(dump, {"why", "new"}).out,
              HasSubstr("\nIts DaemonSet's pod old stays on n1 until this one is ready (maxSurge).\n"));
  EXPECT_EQ(run_on(dump, {"why", "new", "-o", "jsonpath={.status.replaces.name}"}).out, "old\n");
}

TEST_F(OnADump, AFieldThatNoRowHasSortsNothing) {
  const auto said = run({"pending", "-A", "--sort-by", ".bogus"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(
      said.err,
      StartsWith("podium pending: --sort-by: no row has the field \"bogus\"; rows have: namespace, "));
  EXPECT_EQ(run({"pending", "-A", "--sort-by", "{.choice.nodeName}"}).code, 0) << "a row may have it";
}

TEST_F(OnADump, PendingGroupsByTheOwnerAtTheTop) {
  const auto table = out({"pending", "-A"});
  EXPECT_THAT(table, HasSubstr("ml/nightly-* (2)"));
  EXPECT_THAT(table, HasSubstr("shop/big-a-1…2"));
  EXPECT_THAT(table, StartsWith("5 pods wait; 1 more is gated.\n"));
  EXPECT_THAT(out({"pending", "-A", "-o", "wide"}), HasSubstr("CronJob/nightly"));
}

TEST_F(OnADump, PendingForPrograms) {
  const auto document = json::parse(out({"pending", "-A", "-o", "json", "--sort-by", ".workload.kind"}));
  EXPECT_EQ(document.at("kind"), "PendingPods");
  const auto& first = document.at("items").at(0);
  EXPECT_EQ(first.at("workload"), json::parse(R"({"kind": "CronJob", "name": "nightly"})"));
  EXPECT_EQ(first.at("pods"), json::parse(R"(["nightly-1-x", "nightly-2-y"])"));
  EXPECT_EQ(first.at("requests"), json::parse(R"({"cpu": "9"})"));
  EXPECT_EQ(first.at("mainRejection").at("code"), "InsufficientResource");
  EXPECT_EQ(first.at("mainRejection").at("nodeCount"), 2);
  EXPECT_EQ(first.at("nodeCounts").at("total"), 3);
  EXPECT_EQ(out({"pending", "-A", "-l", "app=big", "-o", "name"}), "pod/big-a-1\npod/big-a-2\n");
  EXPECT_EQ(out({"pending", "-A", "--sort-by", ".workload.kind", "-o",
                 "jsonpath={range .items[*]}{.namespace} {.count}{\"\\n\"}{end}"}),
            "ml 2\nshop 2\nshop 1\nshop 1\n");
}

TEST_F(OnADump, ADumpCannotBeWatched) {
  const auto said = run({"pending", "-A", "-w"});
  EXPECT_THAT(said.err, HasSubstr("--watch: a dump does not change"));
}

}  // namespace
}  // namespace podium::kubectl
