// What-ifs in a namespace with ResourceQuotas: the numbers that the nodes and the quotas allow.
#include "explain/answer/quotas.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

#include "api/admission/quota.h"
#include "api/decode/decode.h"
#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::pod;
using unit::web;

api::ResourceQuota quota(const std::string& name, std::string_view hard, std::string_view used) {
  return api::decode_resource_quota(
             boost::json::parse(fmt::format(R"({{"metadata": {{"name": "{}", "namespace": "shop"}},
                                                "status": {{"hard": {}, "used": {}}}}})",
                                            name, hard, used)))
      .value();
}

ReportStatus ask(const Question& question, std::vector<api::ResourceQuota> quotas,
                 const cluster::Snapshot& snapshot = unit::two_nodes()) {
  api::AdmissionObjects objects;
  objects.quotas = std::move(quotas);
  return answer(question, snapshot, unit::default_config(), {}, objects);
}
ReportStatus ask(std::string_view spec, std::vector<api::ResourceQuota> quotas,
                 const cluster::Snapshot& snapshot = unit::two_nodes()) {
  return ask(unit::read(spec).value(), std::move(quotas), snapshot);
}

// "q allows 3: pods 6/5 of 2 (exceeded), cpu 4/8 of 0" for each quota.
std::string said(const ReportStatus& status) {
  std::string out;
  for (const auto& each : status.answer->quotas) {
    out += fmt::format("{}{} allows {}:", out.empty() ? "" : "; ", each.name, each.allowed);
    if (!each.reason.empty()) out += " " + each.reason;
    for (const auto& use : each.resources)
      out += fmt::format(" {} {}+{}/{}{}", use.resource, use.used, use.then, use.hard,
                         use.is_exceeded ? "!" : "");
  }
  return out;
}

TEST(Quotas, AllowFewerThanTheNodesHaveRoomFor) {
  const auto status = ask(web(R"("replicas": 4)"), {quota("q", R"({"pods": "5"})", R"({"pods": "2"})")});
  EXPECT_EQ(said(status), "q allows 3: pods 2+6/5!");
  EXPECT_EQ(status.answer->fitting, 4u) << "the nodes' own count";
  EXPECT_EQ(status.outcome, "PartlyFits");
  EXPECT_EQ(unit::condition(status, "Complete"),
            "true PartlyFits: all 4 replicas fit; ResourceQuota q: pods 6/5: exceeded from replica 4 on");
}

// A reader of the first resources sees what stops the next pod.
TEST(Quotas, NameWhatBindsFirst) {
  const auto used = R"({"pods": "0", "requests.cpu": "1"})";
  EXPECT_EQ(said(ask(web(R"("replicas": 2)"), {quota("q", R"({"pods": "9", "requests.cpu": "4"})", used)})),
            "q allows 3: requests.cpu 1+3/4 pods 0+2/9");
}

// The controller of each new Deployment creates a ReplicaSet.
TEST(Quotas, CountTheOwnersOfTheWorkloadsBefore) {
  const auto deployment = [](const char* name) {
    return fmt::format(
        R"({{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {{"name": "{0}"}},
             "spec": {{"selector": {{"matchLabels": {{"app": "{0}"}}}},
               "template": {{"metadata": {{"labels": {{"app": "{0}"}}}},
                 "spec": {{"containers": [{{"name": "c", "image": "i"}}]}}}}}}}})",
        name);
  };
  const auto spec = fmt::format(R"({{"template": {}, "changes": [{{"type": "AddPods", "template": {}}}]}})",
                                deployment("second"), deployment("first"));
  const auto sets = [](const char* hard) {
    return quota("q", fmt::format(R"({{"count/replicasets.apps": "{}"}})", hard),
                 R"({"count/replicasets.apps": "0"})");
  };
  EXPECT_EQ(said(ask(spec, {sets("2")})), "");
  EXPECT_EQ(
      said(ask(spec, {sets("1")})),
      "q allows 0: the ReplicaSet is not created, exceeded quota: q, requested: count/replicasets.apps=1, "
      "used: count/replicasets.apps=1, limited: count/replicasets.apps=1");
}

// A fix that makes room on nodes does not make room in a quota.
TEST(Quotas, LimitWhatAFixLetsRun) {
  auto question = unit::read(web(R"("replicas": 9, "fixes": true)")).value();
  const auto fixes = [&](const char* hard, const char* used) {
    const auto status = ask(question, {quota("q", hard, used)});
    std::string out;
    for (const auto& fix : status.answer->fixes)
      out += fmt::format("{} fits {} {} {}\n", fix.type, fix.fitting, fix.quota, fix.quota_allows);
    return out;
  };
  EXPECT_EQ(fixes(R"({"pods": "9"})", R"({"pods": "2"})"),
            "RequestLess fits 9 q 7\n"
            "AddNodes fits 9 q 7\n"
            "AddNodes fits 8 q 7\n");
  EXPECT_EQ(fixes(R"({"pods": "90"})", R"({"pods": "2"})"),
            "RequestLess fits 9  0\n"
            "AddNodes fits 9  0\n"
            "AddNodes fits 8  0\n");
  // Pods that request less use less of the quota.
  EXPECT_EQ(fixes(R"({"requests.cpu": "7"})", R"({"requests.cpu": "0"})"),
            "RequestLess fits 9  0\n"
            "AddNodes fits 9 q 7\n"
            "AddNodes fits 8 q 7\n");
}

// The nodes have room, and a smaller request makes room in the quota.
TEST(Quotas, ASmallerRequestIsAFixWhereOnlyTheQuotaBinds) {
  const auto fixes = [&](std::vector<api::ResourceQuota> quotas, int replicas = 4) {
    const auto question = unit::read(web(fmt::format(R"("replicas": {}, "fixes": true)", replicas))).value();
    const auto status = ask(question, std::move(quotas));
    std::string out;
    for (const auto& fix : status.answer->fixes)
      out += fmt::format("{} = {}{}{}\n", fix.message, fix.fitting,
                         fix.quota.empty() ? "" : ", " + fix.quota + " ",
                         fix.quota.empty() ? "" : std::to_string(fix.quota_allows));
    return out;
  };
  const auto cpu = quota("q", R"({"requests.cpu": "3"})", R"({"requests.cpu": "0"})");
  EXPECT_EQ(fixes({cpu}), "request at most 750m of cpu in container c, not 1 = 4\n");
  EXPECT_EQ(fixes({quota("q", R"({"cpu": "3"})", R"({"cpu": "2500m"})")}),
            "request at most 125m of cpu in container c, not 1 = 4\n");
  EXPECT_EQ(fixes({cpu, quota("r", R"({"pods": "3"})", R"({"pods": "0"})")}), "") << "no more would run";
  EXPECT_EQ(fixes({quota("q", R"({"requests.cpu": "1"})", R"({"requests.cpu": "0"})"),
                   quota("r", R"({"pods": "3"})", R"({"pods": "0"})")}),
            "request at most 333m of cpu in container c, not 1 = 4, q 3\n")
      << "both quotas allow 3";
  EXPECT_EQ(fixes({quota("q", R"({"pods": "3"})", R"({"pods": "0"})")}), "");
  EXPECT_EQ(fixes({cpu}, 3), "") << "all run";
  EXPECT_EQ(fixes({quota("q", R"({"requests.cpu": "500m"})", R"({"requests.cpu": "0"})")}, 1),
            "request at most 500m of cpu in container c, not 1 = 1\n");
}

TEST(Quotas, CountAnyNumberOfReplicasInAFewSteps) {
  int asked = 0;
  const Budget budget = [&] { return ++asked < 100; };
  const Subject subject;
  const auto replica = pod("web").ns("shop").req("cpu", "1").build();
  const cluster::Snapshot fork;
  const api::ClaimTemplates none;
  Quotas quotas(
      {quota("q", R"({"pods": "900M", "requests.cpu": "800M"})", R"({"pods": "1", "requests.cpu": "0"})")},
      budget);
  const NewPods pods{.subject = subject, .pod = replica, .claim_templates = none, .fork = fork};
  EXPECT_EQ(quotas.answers(pods, 1'000'000'000).at(0).resources.at(0).then, "1000000001");
  EXPECT_EQ(quotas.take(pods, 1'000'000'000), 800'000'000);
  EXPECT_EQ(quotas.take(pods, 1'000'000'000), 0);
}

TEST(Quotas, ThatAllowAllOrNone) {
  const auto all = ask(web(R"("replicas": 3)"), {quota("q", R"({"pods": "5"})", R"({"pods": "2"})")});
  EXPECT_EQ(all.outcome, "Fits");
  EXPECT_EQ(said(all), "q allows 3: pods 2+5/5");
  const auto none = ask(web(R"("replicas": 1)"), {quota("q", R"({"pods": "5"})", R"({"pods": "5"})")});
  EXPECT_EQ(none.outcome, "DoesNotFit");
  EXPECT_EQ(none.answer->fitting, 1u);
  const auto other =
      ask(web(R"("replicas": 1)"), {quota("q", R"({"services": "0"})", R"({"services": "0"})")});
  EXPECT_EQ(said(other), "") << "it counts no pods";
}

TEST(Quotas, SeveralTheTightestFirst) {
  const auto status = ask(web(R"("replicas": 4)"), {quota("a", R"({"pods": "9"})", R"({"pods": "0"})"),
                                                    quota("b", R"({"requests.cpu": "2500m", "pods": "9"})",
                                                          R"({"requests.cpu": "500m", "pods": "1"})")});
  EXPECT_EQ(said(status), "b allows 2: requests.cpu 500m+4500m/2500m! pods 1+5/9; a allows 9: pods 0+4/9");
}

TEST(Quotas, RefuseAPodWithoutWhatTheyNeed) {
  const auto status =
      ask(web(R"("replicas": 2)"), {quota("q", R"({"limits.cpu": "5"})", R"({"limits.cpu": "0"})")});
  EXPECT_EQ(said(status), "q allows 0: must specify limits.cpu for: c");
  EXPECT_EQ(status.outcome, "DoesNotFit");
  const auto fresh = ask(web(R"("replicas": 2)"), {quota("q", R"({"pods": "5"})", "{}")});
  EXPECT_EQ(said(fresh), "q allows 0: the usage of pods is not counted yet pods 0+2/5");
}

TEST(Quotas, PodsThatAManifestReplacesCountNoMore) {
  auto snapshot = unit::two_nodes();
  for (const auto* name : {"web-0", "web-1"})
    unit::run_pod(snapshot,
                  pod(name).ns("shop").req("cpu", "1").owner("StatefulSet", "web").node("n1").build());
  constexpr std::string_view kSet =
      R"({"template": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"}, "spec": {
          "replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
          "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}}}})";
  EXPECT_EQ(said(ask(kSet, {quota("q", R"({"pods": "4"})", R"({"pods": "3"})")}, snapshot)),
            "q allows 3: pods 1+4/4");
}

TEST(Quotas, PodsThatAreThereAreNotAdmittedAgain) {
  auto stored = unit::about(pod("web-0").ns("shop").req("cpu", "1").build(), 3);
  EXPECT_EQ(said(ask(stored, {quota("q", R"({"pods": "2"})", R"({"pods": "1"})")})),
            "q allows 2: pods 1+3/2!");
  stored.replicas = 1;
  const auto one = ask(stored, {quota("q", R"({"pods": "0"})", R"({"pods": "1"})")});
  EXPECT_EQ(one.outcome, "Fits") << "the quota was lowered after the pod was made";
}

TEST(Quotas, CountTheClaimsOfTheReplicas) {
  constexpr std::string_view kSet =
      R"({"template": {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {
          "replicas": 4, "selector": {"matchLabels": {"app": "db"}}, "template": {"metadata": {"labels": {"app": "db"}},
          "spec": {"containers": [{"name": "c", "image": "i"}]}}, "volumeClaimTemplates": [{"metadata": {"name": "data"},
          "spec": {"storageClassName": "fast", "accessModes": ["ReadWriteOnce"],
                   "resources": {"requests": {"storage": "1Gi"}}}}]}}})";
  auto snapshot = unit::two_nodes();
  api::PersistentVolumeClaim there;
  there.meta.name = "data-db-0";
  there.meta.namespace_ = "shop";
  snapshot.objects().set<api::PersistentVolumeClaim>(
      std::make_shared<const api::PersistentVolumeClaim>(there));
  const auto status = ask(kSet,
                          {quota("q", R"({"fast.storageclass.storage.k8s.io/requests.storage": "3Gi"})",
                                 R"({"fast.storageclass.storage.k8s.io/requests.storage": "1Gi"})")},
                          snapshot);
  EXPECT_EQ(said(status), "q allows 3: fast.storageclass.storage.k8s.io/requests.storage 1Gi+4Gi/3Gi!")
      << "the first replica's claim is there already";
}

TEST(Quotas, ChangesCountToo) {
  const auto spec = web(R"("replicas": 2, "changes": [
      {"type": "AddPods", "count": 3, "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}},
      {"type": "AddClaims", "claims": [
         {"metadata": {"name": "a"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}},
         {"metadata": {"name": "b"}, "spec": {"resources": {"requests": {"storage": "2Gi"}}}}]}])");
  const auto status = ask(spec, {quota("q", R"({"pods": "4", "requests.storage": "2Gi"})",
                                       R"({"pods": "0", "requests.storage": "0"})")});
  EXPECT_EQ(said(status), "q allows 1: pods 3+5/4!");
  EXPECT_EQ(status.answer->changes.at(1).message, "1 claim added; ResourceQuota q refuses b");
  const auto full = ask(spec, {quota("q", R"({"pods": "2"})", R"({"pods": "0"})")});
  EXPECT_EQ(full.answer->changes.at(0).message, "the pod: 2 of 3 placed; a ResourceQuota allows 2");
  EXPECT_EQ(full.outcome, "DoesNotFit");
}

TEST(Quotas, DeletedPodsCountNoMore) {
  auto snapshot = unit::two_nodes();
  unit::run_pod(snapshot, pod("old").ns("shop").label("app", "old").node("n1").build());
  const auto spec = web(
      R"("replicas": 2, "changes": [{"type": "DeletePods", "selector": {"matchLabels": {"app": "old"}}}])");
  EXPECT_EQ(said(ask(spec, {quota("q", R"({"pods": "2"})", R"({"pods": "2"})")}, snapshot)),
            "q allows 1: pods 1+3/2!");
}

}  // namespace
}  // namespace podium::explain
