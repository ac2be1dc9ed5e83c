// What-ifs that add pods, claims and other objects: where they go, and what the API server would refuse.
#include "explain/answer/added_objects.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "explain/answer/changes.h"
#include "unit/explain/answer/after_changes.h"
#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::pod;
using unit::after;
using unit::ask;
using unit::run_pod;
using unit::said;

constexpr const char* kCart = R"({"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "cart"},
    "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "cart"}}, "template": {
      "metadata": {"labels": {"app": "cart"}},
      "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}}})";

TEST(AddPods, ArePlacedBeforeTheQuestionsOwn) {
  const auto snapshot = unit::two_nodes();  // 4 and 2 CPUs
  const auto change = fmt::format(R"({{"type": "AddPods", "template": {}}})", kCart);
  const auto status = after(snapshot, change, "3");
  EXPECT_EQ(said(status), "AddPods: cart: 3 of 3 placed\n");
  EXPECT_EQ(status.outcome, "DoesNotFit") << "3 CPUs would be free on n1 without them";
  EXPECT_EQ(status.answer->changes[0].pods_moved, 3u);
  EXPECT_EQ(after(snapshot, "", "3").outcome, "Fits");
}

TEST(AddPods, SayWhatDoesNotFit) {
  const auto change = fmt::format(R"({{"type": "AddPods", "count": 9, "template": {}}})", kCart);
  const auto status = after(unit::two_nodes(), change);
  EXPECT_EQ(said(status), "AddPods: cart: 6 of 9 placed: Insufficient cpu\n");
  EXPECT_EQ(status.answer->changes[0].pods_pending, 3u);
}

TEST(AddPods, TakeThePlaceOfTheWorkloadsOwn) {
  auto snapshot = unit::two_nodes();
  auto old = pod("cart-1").ns("shop").label("app", "cart").req("cpu", "3").node("n1").build();
  old.meta.owners = {
      {.api_version = "apps/v1", .kind = "ReplicaSet", .name = "cart-x", .uid = "r", .controller = true}};
  auto replica_set = std::make_shared<api::Workload>();
  replica_set->kind = api::Workload::Kind::replica_set;
  replica_set->meta.name = "cart-x";
  replica_set->meta.namespace_ = "shop";
  replica_set->meta.owners = {
      {.api_version = "apps/v1", .kind = "Deployment", .name = "cart", .uid = "d", .controller = true}};
  snapshot.objects().set_workload(replica_set);
  run_pod(snapshot, old);
  const auto change = fmt::format(R"({{"type": "AddPods", "template": {}}})", kCart);
  EXPECT_EQ(after(snapshot, change, "2").outcome, "Fits") << "its old pod of 3 CPUs is gone";
}

TEST(AddPods, WhatTheApiServerWouldRefuseHasItsPath) {
  const auto status = after(unit::two_nodes(), R"({"type": "AddPods", "template": {"spec": {
      "priorityClassName": "none", "containers": [{"name": "c", "image": "i"}]}}})");
  EXPECT_EQ(unit::condition(status, "Accepted").substr(0, 54),
            "false Invalid: spec.changes[0].template: no PriorityCl");
}

TEST(AddPods, OtherNamespacesAreRefused) {
  for (const auto* added :
       {R"({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p", "namespace": "x"},
                                "spec": {"containers": [{"name": "c", "image": "i"}]}})",
        R"({"kind": "Deployment", "apiVersion": "apps/v1",
                                "metadata": {"name": "d", "namespace": "x"}})"}) {
    const auto status =
        after(unit::two_nodes(), fmt::format(R"({{"type": "AddPods", "template": {}}})", added));
    EXPECT_EQ(
        unit::condition(status, "Accepted"),
        "false Invalid: spec.changes[0].template.metadata.namespace: must be the namespace of the what-if, "
        "shop: only its quotas, limits and claims are read");
  }
}

TEST(AddClaims, OtherNamespacesAreRefused) {
  const auto status = after(unit::two_nodes(), R"({"type": "AddClaims", "claims": [
      {"metadata": {"name": "c", "namespace": "x"}, "spec": {}}]})");
  EXPECT_EQ(
      unit::condition(status, "Accepted"),
      "false Invalid: spec.changes[0].claims[0].metadata.namespace: must be the namespace of the what-if, "
      "shop: only its quotas, limits and claims are read");
}

// Each of these pods needs an object that the cluster lacks.
TEST(AddObjects, TheQuestionsPodsMayUseThem) {
  struct Case {
    const char *object, *spec;
    const char *without, *with;  // the outcome
  };
  const Case cases[] = {
      {R"("apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "x"}, "value": 7)",
       R"("priorityClassName": "x", "containers": [{"name": "c", "image": "i"}])", "Refused", "Fits"},
      {R"("apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "x"}, "handler": "h",
          "overhead": {"podFixed": {"cpu": "5"}})",
       R"("runtimeClassName": "x", "containers": [{"name": "c", "image": "i"}])", "Fits", "DoesNotFit"},
      {R"("apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "x"}, "spec": {"limits": [
          {"type": "Container", "defaultRequest": {"cpu": "5"}}]})",
       R"("containers": [{"name": "c", "image": "i"}])", "Fits", "DoesNotFit"},
      {R"("apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "x"},
          "provisioner": "p", "volumeBindingMode": "WaitForFirstConsumer")",
       R"("volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "x",
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}}],
          "containers": [{"name": "c", "image": "i"}])",
       "DoesNotFit", "Fits"}};
  for (const auto& c : cases) {
    const auto asked = [&c](const std::string& changes) {
      return ask(fmt::format(R"({{"changes": [{}], "template": {{"spec": {{{}}}}}}})", changes, c.spec),
                 unit::two_nodes());
    };
    EXPECT_EQ(asked("").outcome, c.without) << c.object;
    const auto status = asked(fmt::format(R"({{"type": "AddObjects", "objects": [{{{}}}]}})", c.object));
    EXPECT_EQ(status.outcome, c.with) << c.object << unit::condition(status, "Accepted");
    EXPECT_THAT(said(status), testing::StartsWith("AddObjects: 1 object added: "));
    EXPECT_THAT(said(status), testing::EndsWith(" x\n"));
  }
}

TEST(AddObjects, AClaimOfATemplateThatIsAddedIsCreated) {
  const auto message = [](const char* changes) {
    return ask(fmt::format(R"({{"changes": [{}], "template": {{"spec": {{
        "resourceClaims": [{{"name": "gpu", "resourceClaimTemplateName": "one"}}],
        "containers": [{{"name": "c", "image": "i"}}]}}}}}})",
                           changes),
               unit::two_nodes())
        .answer->first_failure->reason;
  };
  EXPECT_EQ(message(""), "pod \"shop/ask\": ResourceClaim not created yet");
  EXPECT_EQ(message(R"({"type": "AddObjects", "objects": [{"apiVersion": "resource.k8s.io/v1",
      "kind": "ResourceClaimTemplate", "metadata": {"name": "one"}, "spec": {"spec": {"devices": {"requests": [
        {"name": "gpu", "exactly": {"deviceClassName": "fast"}}]}}}}]})"),
            "request gpu: device class fast does not exist");
}

// The file of a chart that runs has the volume without its claim.
TEST(AddObjects, WhatHasStateStays) {
  auto snapshot = unit::two_nodes();
  auto volume = std::make_shared<api::PersistentVolume>();
  volume->meta.name = "disk";
  volume->claim.emplace().name = "of-another";
  snapshot.objects().set<api::PersistentVolume>(volume);
  api::AdmissionObjects objects;
  const auto question =
      unit::read(R"({"podRef": {"name": "p"}, "changes": [{"type": "AddObjects", "objects": [
      {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"}, "spec": {}}]}]})");
  ASSERT_TRUE(question) << question.error().message;
  add_objects(question->changes, {}, {}, snapshot, objects);
  EXPECT_EQ(snapshot.objects().find<api::PersistentVolume>("", "disk")->claim->name, "of-another");
}

TEST(AddClaims, TheQuestionsPodsMayUseThem) {
  auto snapshot = unit::two_nodes();
  auto fast = std::make_shared<api::StorageClass>();
  fast->meta.name = "fast";
  fast->provisioner = "example.com/disk";
  fast->wait_for_first_consumer = true;
  snapshot.objects().set<api::StorageClass>(fast);
  const auto asked = [&](const char* changes) {
    return ask(fmt::format(R"({{"changes": [{}], "template": {{"spec": {{
        "volumes": [{{"name": "v", "persistentVolumeClaim": {{"claimName": "data"}}}}],
        "containers": [{{"name": "c", "image": "i"}}]}}}}}})",
                           changes),
               snapshot);
  };
  EXPECT_EQ(asked("").outcome, "DoesNotFit");
  const auto status = asked(R"({"type": "AddClaims", "claims": [{"apiVersion": "v1",
      "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": {"storageClassName": "fast",
      "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]})");
  EXPECT_EQ(status.outcome, "Fits");
  EXPECT_EQ(said(status), "AddClaims: 1 claim added\n");
  EXPECT_EQ(unit::condition(asked(R"({"type": "AddClaims", "claims": [{"metadata": {"namespace": "x"},
                                      "spec": {"size": 1}}]})"),
                            "Accepted"),
            "false Invalid: spec.changes[0].claims[0].spec.size: unknown field");
}

}  // namespace
}  // namespace podium::explain
