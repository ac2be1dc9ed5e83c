// A dump gives the same answers as a cluster with podium.
#include "app/kubectl/dump_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>

#include "app/kubectl/targets.h"
#include "app/kubectl/waiting_pods.h"
#include "app/render/report.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

constexpr const char* kDump = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "2", memory: 8Gi, pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-0, namespace: shop, uid: u0, creationTimestamp: "2026-01-01T00:00:00Z"}
  spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: big, namespace: shop, uid: u1, creationTimestamp: "2026-01-01T00:00:00Z"}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "5"}}}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: small, namespace: shop, uid: u2, creationTimestamp: "2026-01-01T00:00:00Z"}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: gated, namespace: shop, uid: u3, creationTimestamp: "2026-01-01T00:00:00Z"}
  spec: {schedulingGates: [{name: g}], containers: [{name: c, image: i}]}
  status: {phase: Pending}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop}
  spec:
    replicas: 3
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1500m}}}]}
)";

class DumpClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("podium-dump-" + std::to_string(getpid()));
    std::filesystem::create_directory(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string file(const std::string& name, const std::string& text) const {
    const auto path = directory_ / name;
    std::ofstream(path) << text;
    return path;
  }
  ConnectionFlags connection(const std::string& dump = kDump) const {
    ConnectionFlags out;
    out.dump = {file("dump.yaml", dump)};
    out.ns = "shop";
    return out;
  }
  render::Report ask(Cluster& cluster, const char* spec) const {
    const auto answered = cluster.ask("shop", json::parse(spec).as_object(), false);
    return answered ? render::read_report(*answered) : render::Report();
  }
  std::string refusal_for(const ConnectionFlags& of) const {
    const auto opened = open_cluster(of);
    return opened ? "" : opened.error().message;
  }

  std::filesystem::path directory_;
};

TEST_F(DumpClusterTest, AnswersAQuestionAboutAWorkload) {
  const auto cluster = open_cluster(connection()).value();
  const auto report =
      ask(*cluster, R"({"dryRun": true, "workloadRef": {"kind": "Deployment", "name": "web"}})");
  ASSERT_TRUE(report.status.answer);
  EXPECT_EQ(report.status.answer->asked, 3u);
  EXPECT_EQ(report.status.answer->fitting, 3u) << "two on n1, where 3 CPUs are free, and one on n2";
}

TEST_F(DumpClusterTest, APlacedPodIsAskedAboutAsIfItWereNot) {
  const auto cluster = open_cluster(connection()).value();
  const auto report = ask(*cluster, R"({"dryRun": true, "podRef": {"name": "web-0"}})");
  EXPECT_EQ(report.status.outcome, "Fits");
  const auto none = ask(*cluster, R"({"dryRun": true, "podRef": {"name": "web-9"}})");
  ASSERT_TRUE(explain::refusal_of(none));
  EXPECT_EQ(*explain::refusal_of(none), "spec.podRef.name: --cluster has no Pod shop/web-9");
}

TEST_F(DumpClusterTest, WhatWaitsHasADecision) {
  const auto cluster = open_cluster(connection()).value();
  const auto waiting = waiting_groups(*cluster, "shop", std::string());
  ASSERT_TRUE(waiting) << waiting.error().message;
  EXPECT_TRUE(waiting->installed);
  std::map<std::string, std::string> blocked;
  for (const auto& group : waiting->groups) blocked[group.pods] = group.blocked_by;
  EXPECT_EQ(blocked,
            (std::map<std::string, std::string>{{"shop/big", "2 of 2 nodes do not have enough free cpu"},
                                                {"shop/small", "nothing: it would go to n1"},
                                                {"shop/gated", "gate g"}}));
}

TEST_F(DumpClusterTest, ADumpDoesNotSayWhyAPlacedPodIsThere) {
  const auto cluster = open_cluster(connection()).value();
  const auto decision = cluster->decision("shop", "web-0", "u0");
  ASSERT_TRUE(decision);
  EXPECT_FALSE(*decision);
  const auto pending = cluster->decision("shop", "big", "u1");
  ASSERT_TRUE(pending && *pending);
  EXPECT_EQ(render::read_report(**pending).status.outcome, "DoesNotFit");
}

TEST_F(DumpClusterTest, SelectsByFields) {
  const auto cluster = open_cluster(connection()).value();
  client::ListOptions on_n1;
  on_n1.field_selector = "spec.nodeName=n1";
  const auto pods = cluster->list(client::resource::pods, "", on_n1);
  ASSERT_TRUE(pods);
  ASSERT_EQ(pods->size(), 1u);
  EXPECT_EQ(pods->front().at("metadata").at("name"), "web-0");
}

TEST_F(DumpClusterTest, FindsThePodsOfAWorkload) {
  const std::string more = std::string(kDump) + R"(
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata: {name: web-a, namespace: shop, ownerReferences: [
    {apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}
  spec: {selector: {matchLabels: {app: web}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-a-1, namespace: shop, uid: w1, labels: {app: web}, ownerReferences: [
    {apiVersion: apps/v1, kind: ReplicaSet, name: web-a, uid: r, controller: true}]}
  spec: {containers: [{name: c, image: i}]}
)";
  const auto cluster = open_cluster(connection(more)).value();
  const auto pods = pods_of(*cluster, parse_targets({"deploy/web"}, "").value().front(), "shop");
  ASSERT_TRUE(pods) << pods.error().message;
  ASSERT_EQ(pods->size(), 1u) << "web-0 has no owner";
  EXPECT_EQ(pods->front().at("metadata").at("name"), "web-a-1");
}

TEST_F(DumpClusterTest, SuggestsNamesThatExist) {
  const auto cluster = open_cluster(connection()).value();
  EXPECT_EQ(did_you_mean(*cluster, "shop", parse_targets({"web"}, "")->front()),
            "Did you mean deploy/web or web-0?\n");
  EXPECT_EQ(did_you_mean(*cluster, "shop", parse_targets({"samll"}, "")->front()), "Did you mean small?\n");
  EXPECT_EQ(did_you_mean(*cluster, "shop", parse_targets({"nobody"}, "")->front()), "");
}

// A workload of a similar name has made the pod, which is gone. A pod of a similar name was meant.
TEST_F(DumpClusterTest, ANameLikeThatOfAWorkloadOnlyIsNotAMistypedOne) {
  const auto cluster = open_cluster(connection()).value();
  const auto mistyped = [&](const char* name) {
    return similar_names(*cluster, "shop", parse_targets({name}, "")->front()).is_mistyped;
  };
  EXPECT_FALSE(mistyped("web-5d89d-2btnj"));
  EXPECT_TRUE(mistyped("samll"));
}

TEST_F(DumpClusterTest, SaysWhatIsWrongWithTheFlags) {
  auto wrong = connection();
  wrong.config_flags.context = "prod";
  EXPECT_EQ(refusal_for(wrong),
            "--cluster: reads files; it cannot be combined with --context, --kubeconfig, --user, --server, "
            "--token or --as. For a cluster of the kubeconfig use --context");
  ConnectionFlags no_dump;
  no_dump.config = "podium.yaml";
  EXPECT_EQ(refusal_for(no_dump),
            "--config: needs --cluster; the podium in a cluster has its own configuration");
  EXPECT_THAT(refusal_for(connection("{apiVersion: v1, kind: List, items: []}")),
              HasSubstr("--cluster has no nodes; make it with: kubectl get nodes,"));
  const auto cluster = open_cluster(connection()).value();
  EXPECT_DEATH((void)cluster->ask("shop", {}, true), "check failed at .*keep");
}

}  // namespace
}  // namespace podium::kubectl
