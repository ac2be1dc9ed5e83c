// Subjects: the objects that a workload's controller would create, and the effect of the owner on the answer.
#include "explain/workload/workload.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::node;
using test::pod;
using unit::ask;
using unit::condition;
using unit::Counts;
using unit::placements;

constexpr std::string_view kPod =
    R"({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i",
       "resources": {"requests": {"cpu": "1"}}}]}})";

std::string manifest(std::string_view kind, std::string_view more, std::string_view version = "apps/v1",
                     std::string_view selector = R"("selector": {"matchLabels": {"app": "web"}},)") {
  std::string pod(kPod);
  if (version == "batch/v1") pod.insert(pod.find("\"containers"), R"("restartPolicy": "Never", )");
  return fmt::format(R"({{"apiVersion": "{}", "kind": "{}", "metadata": {{"name": "web"}},
                         "spec": {{{} {} "template": {}}}}})",
                     version, kind, selector, more, pod);
}

Subject subject_of(const std::string& manifest) {
  auto question = unit::read(fmt::format(R"({{"template": {}}})", manifest));
  EXPECT_TRUE(question) << question.error().message;
  return *question->subject;
}

TEST(Subject, ADeploymentsPodsHaveAReplicaSetAsOwner) {
  const auto subject = subject_of(manifest("Deployment", R"("replicas": 7,)"));
  EXPECT_EQ(subject.kind, Subject::Kind::deployment);
  EXPECT_EQ(subject.replicas, 7);
  ASSERT_TRUE(subject.owner);
  EXPECT_EQ(subject.owner->kind, api::Workload::Kind::replica_set);
  EXPECT_TRUE(subject.owner->selector->matches(subject.pod.meta.labels));
  EXPECT_FALSE(subject.owner->selector->matches(api::Labels{{"app", "web"}}))
      << "pods of earlier ReplicaSets";
  const auto* owner = subject.pod.meta.controller();
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->kind, "ReplicaSet");
  EXPECT_EQ(owner->name, subject.owner->meta.name);
  EXPECT_EQ(subject.pod.meta.namespace_, "shop");
}

TEST(Subject, AStatefulSetsPodsHaveNamesAndClaims) {
  const auto subject = subject_of(manifest("StatefulSet", R"("replicas": 3, "ordinals": {"start": 5},
      "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}}}}],)"));
  const auto second = replica_of(subject, subject.pod, 1);
  EXPECT_EQ(second.meta.name, "web-6");
  EXPECT_EQ(*second.meta.labels.find("apps.kubernetes.io/pod-index"), "6");
  EXPECT_EQ(*second.meta.labels.find("statefulset.kubernetes.io/pod-name"), "web-6");
  ASSERT_EQ(second.volumes.size(), 1u);
  EXPECT_EQ(second.volumes[0].id, "data-web-6");
  cluster::Snapshot fork;
  fork.objects().set(test::share(test::storage_class("fast", "disks.example.com", true)));
  make_set_claims(subject, second, fork);
  EXPECT_TRUE(fork.objects().find<api::PersistentVolumeClaim>("shop", "data-web-6"));
}

TEST(Subject, AJobHasAsManyPodsAsRunInParallel) {
  const auto count = [](std::string_view more) {
    return subject_of(manifest("Job", more, "batch/v1", "")).replicas;
  };
  EXPECT_EQ(count(""), 1);
  EXPECT_EQ(count(R"("parallelism": 5,)"), 5);
  EXPECT_EQ(count(R"("parallelism": 5, "completions": 2,)"), 2);
  const auto indexed =
      subject_of(manifest("Job", R"("completionMode": "Indexed", "completions": 2,)", "batch/v1", ""));
  EXPECT_EQ(*replica_of(indexed, indexed.pod, 1).meta.labels.find("batch.kubernetes.io/job-completion-index"),
            "1");
}

TEST(Subject, AStoredJobHasAsManyPodsAsAreLeft) {
  const auto count = [](std::string_view spec, std::string_view status) {
    auto text = manifest("Job", spec, "batch/v1", "");
    text.insert(text.size() - 1, fmt::format(R"(, "status": {{{}}})", status));
    const auto subject = read_workload(boost::json::parse(text), Subject::Kind::job,
                                       FieldPath::document("job"), {.name = "ask"});
    return subject ? subject->replicas : -1;
  };
  constexpr std::string_view kTen = R"("parallelism": 5, "completions": 10,)";
  EXPECT_EQ(count(kTen, R"("succeeded": 3)"), 5);
  EXPECT_EQ(count(kTen, R"("succeeded": 8, "active": 2)"), 2);
  EXPECT_EQ(count(kTen, R"("succeeded": 10)"), 0);
  EXPECT_EQ(count(R"("parallelism": 5,)", R"("active": 5)"), 5) << "a work queue";
  EXPECT_EQ(count(R"("parallelism": 5,)", R"("succeeded": 1, "active": 3)"), 3)
      << "no pod is created any more";
  EXPECT_EQ(count(R"("parallelism": 5,)", R"("succeeded": 1)"), 0);
  EXPECT_EQ(count(kTen, R"("succeeded": 2, "failedIndexes": "1,3-5")"), 4) << "failed for good";
  EXPECT_EQ(count(kTen, R"("failedIndexes": "0-9")"), 0);
  EXPECT_EQ(count(kTen, R"("failedIndexes": ",x,3-1,2-,9999999999999999999")"), 5);
}

TEST(Subject, WhatTheApiServerWouldRefuseHasItsPath) {
  struct Case {
    std::string manifest, error;
  };
  const Case cases[] = {
      {manifest("Service", "", "v1"),
       "spec.template.kind: unknown kind \"Service\" (known: Pod, Deployment, StatefulSet, ReplicaSet, "
       "DaemonSet, Job, "
       "CronJob, ReplicationController)"},
      {manifest("Deployment", "", "extensions/v1beta1"),
       "spec.template.apiVersion: must be apps/v1 for a Deployment"},
      {manifest("Deployment", R"("replica": 3,)"), "spec.template.spec.replica: unknown field"},
      {manifest("Deployment", "", "apps/v1", ""), "spec.template.spec.selector: required"},
      {manifest("Deployment", "", "apps/v1", R"("selector": {"matchLabels": {"app": "db"}},)"),
       "spec.template.spec.template.metadata.labels: spec.selector does not match them"},
      {R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "else"}})",
       "spec.template.metadata.namespace: must be the namespace of the what-if, shop: only its quotas, "
       "limits and "
       "claims are read"},
      {R"({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {}})",
       "spec.template.metadata.name: required"},
      {R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {}})",
       "spec.template.spec.template: required"},
      {R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": []}})",
       "spec.template.spec.containers: at least one is needed"},
  };
  for (const auto& c : cases) {
    const auto question = unit::read(fmt::format(R"({{"template": {}}})", c.manifest));
    ASSERT_FALSE(question) << c.manifest;
    EXPECT_EQ(question.error().message, c.error);
  }
}

// --- in the answer ---

cluster::Snapshot zones() {
  cluster::Snapshot snapshot;
  for (const auto& [name, zone] :
       {std::pair{"a1", "zone-a"}, {"a2", "zone-a"}, {"b1", "zone-b"}, {"b2", "zone-b"}})
    snapshot.set_node(node(name).zone(zone).cap("cpu", "64").cap("memory", "256Gi").cap("pods", "110").ptr());
  return snapshot;
}

std::int64_t spread_weight(const ReportStatus& status) {
  for (const auto& strategy : status.strategies) {
    if (strategy.name == "PodTopologySpread") return strategy.weight;
  }
  return 0;
}

TEST(Answer, ADeploymentSpreadsAsItsReplicaSetMakesIt) {
  const auto alone = ask(fmt::format(R"({{"template": {}}})", kPod), zones());
  EXPECT_EQ(spread_weight(alone), 0) << "no Service and no controller selects the pod";
  const auto deployment =
      ask(fmt::format(R"({{"template": {}, "replicas": 8}})", manifest("Deployment", "")), zones());
  EXPECT_EQ(deployment.outcome, "Fits");
  EXPECT_EQ(spread_weight(deployment), 2);
  EXPECT_EQ(placements(deployment), (Counts{{"a1", 2}, {"a2", 2}, {"b1", 2}, {"b2", 2}}));
}

TEST(Answer, AWorkloadIsAskedAboutAsIfItsPodsWereNotThere) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  api::Workload set = test::workload(api::Workload::Kind::replica_set, "shop", "web-abc",
                                     test::select_labels({{"app", "web"}}));
  set.meta.owners = {
      {.api_version = "apps/v1", .kind = "Deployment", .name = "web", .uid = "d", .controller = true}};
  snapshot.objects().set_workload(test::share(set));
  for (const auto* name : {"web-1", "web-2", "web-3"})
    unit::run_pod(snapshot, pod(name).ns("shop").owner("ReplicaSet", "web-abc").req("cpu", "1").node("n1"));
  const auto waiting = pod("web-4").ns("shop").owner("ReplicaSet", "web-abc").req("cpu", "1");
  snapshot.nominate(cluster::make_pod_info(waiting.ptr()), "n1");  // as if it did not wait for n1
  const auto spec = fmt::format(R"({{"template": {}}})", manifest("Deployment", R"("replicas": 4,)"));
  const auto status = ask(spec, snapshot);
  EXPECT_EQ(status.outcome, "Fits");
  EXPECT_EQ(condition(status, "Complete"),
            "true Fits: all 4 replicas fit (as if its 3 placed pods were not there)");
  unit::run_pod(snapshot,
                pod("other").ns("shop").owner("ReplicaSet", "other-abc").req("cpu", "1").node("n1"));
  EXPECT_EQ(ask(spec, snapshot).outcome, "PartlyFits") << "pods of others stay";
}

// A dump may lack ReplicaSets.
TEST(Answer, PodsOfADeploymentAreKnownByTheirHash) {
  auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "2"}});
  for (const auto* name : {"web-7f-a", "web-7f-b", "web-api-9c-a"}) {
    const std::string set(name, std::string_view(name).size() - 2);
    unit::run_pod(snapshot, pod(name)
                                .ns("shop")
                                .label("pod-template-hash", set.substr(set.size() - 2))
                                .owner("ReplicaSet", set)
                                .req("cpu", "2")
                                .node(set == "web-7f" ? "n1" : "n2"));
  }
  const auto status =
      ask(fmt::format(R"({{"template": {}}})", manifest("Deployment", R"("replicas": 4,)")), snapshot);
  EXPECT_EQ(condition(status, "Complete"),
            "true Fits: all 4 replicas fit (as if its 2 placed pods were not there)");
}

TEST(Answer, ADaemonSetHasAPodOnEachNodeThatItSelects) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "1"}, {"n3", "4"}, {"n4", "4"}, {"n5", "4"}});
  unit::run_pod(snapshot, pod("full").req("cpu", "1").node("n2"));
  snapshot.set_node(node("n3")
                        .cap("cpu", "4")
                        .cap("memory", "8Gi")
                        .cap("pods", "110")
                        .unschedulable()
                        .taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
                        .ptr());
  snapshot.set_node(
      node("n4").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").taint("a", "b", "NoSchedule").ptr());
  const auto status = ask(fmt::format(R"({{"template": {}}})", manifest("DaemonSet", "")), snapshot);
  EXPECT_EQ(status.answer->asked, 4u) << "not on the tainted node, but on the cordoned one";
  EXPECT_EQ(placements(status), (Counts{{"n1", 1}, {"n3", 1}, {"n5", 1}}));
  EXPECT_EQ(status.outcome, "PartlyFits");
  const auto& failure = *status.answer->first_failure;
  EXPECT_EQ(failure.replica, 0u);
  ASSERT_EQ(failure.rejections.size(), 1u) << "its pod is for n2 only";
  EXPECT_EQ(failure.rejections[0].code, "InsufficientResource");
  EXPECT_EQ(failure.rejections_total, 1u);
  unit::run_pod(snapshot, pod("other").req("cpu", "3500m").node("n1"));
  unit::run_pod(snapshot, pod("third").req("cpu", "3200m").node("n5"));
  const auto more = ask(fmt::format(R"({{"template": {}}})", manifest("DaemonSet", "")), snapshot);
  ASSERT_EQ(more.answer->first_failure->rejections.size(), 1u);
  const auto& on_three = more.answer->first_failure->rejections[0];
  EXPECT_EQ(on_three.nodes, 3u);
  EXPECT_EQ(on_three.examples, (std::vector<std::string>{"n1", "n2", "n5"}));
  EXPECT_EQ(on_three.shortfall->least, "200m");
  EXPECT_EQ(on_three.shortfall->node, "n5");
  const auto counted =
      ask(fmt::format(R"({{"replicas": 2, "template": {}}})", manifest("DaemonSet", "")), snapshot);
  EXPECT_EQ(counted.message, "spec.replicas: a DaemonSet has one pod on each node that it selects");
  const auto grouped = ask(fmt::format(R"({{"minCount": 1, "topologyKey": "kubernetes.io/hostname",
      "template": {}}})",
                                       manifest("DaemonSet", "")),
                           snapshot);
  EXPECT_EQ(grouped.message, "spec.minCount: a DaemonSet has one pod on each node that it selects");

  api::AdmissionObjects objects;
  objects.runtime_classes[""].emplace().node_selector.set("runtime", "kata");
  const auto question = unit::read(fmt::format(R"({{"template": {}}})", manifest("DaemonSet", "")));
  const auto sandboxed = answer(*question, snapshot, unit::default_config(), {}, objects);
  EXPECT_EQ(sandboxed.answer->asked, 4u) << "its controller does not know the RuntimeClass";
  EXPECT_EQ(sandboxed.answer->fitting, 0u);
}

// DynamicResources rejects it before any node is evaluated.
TEST(Answer, AMissingResourceClaimIsAReasonOfThePod) {
  auto asking = pod("a").ns("ml").build();
  asking.resource_claims = {{.name = "gpu", .claim_name = "none", .template_name = std::nullopt}};
  const auto status = ask(asking, 1, unit::two_nodes());
  ASSERT_EQ(status.rejections.size(), 1u);
  EXPECT_EQ(status.rejections[0].code, "ResourceClaimNotFound");
  EXPECT_EQ(status.rejections[0].nodes, 2u);
  EXPECT_EQ(framework::named(status.rejections[0].about, framework::Topic::claim), "none");
  EXPECT_EQ(status.answer->first_failure->rejections.size(), 1u);
}

}  // namespace
}  // namespace podium::explain
