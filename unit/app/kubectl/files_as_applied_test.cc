// Workloads of files as they would be applied: the replicas that they get, the order of their pods, and the
// quotas that refuse the objects themselves.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// `spec`: more fields; `pod`: of its pods.
std::string small_deployment(const std::string& name, const std::string& spec, const std::string& pod = "") {
  return fmt::format(
      "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {0}, namespace: shop}}\n"
      "spec: {{{1} selector: {{matchLabels: {{app: {0}}}}}, template: {{metadata: {{labels: {{app: {0}}}}}, "
      "spec: {{{2} containers: [{{name: c, image: i, resources: {{requests: {{cpu: \"2\"}}}}}}]}}}}}}\n",
      name, spec, pod);
}

std::string autoscaler(const std::string& of, const std::string& bounds) {
  return fmt::format(
      "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: {0}-scaler, "
      "namespace: shop}}\nspec: {{scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: {0}}}, "
      "{1}}}\n",
      of, bounds);
}

class FilesAsApplied : public OnADump {
 protected:
  // Two nodes of 4 CPUs, and more objects.
  Ran what_if(const std::string& file, const std::string& more = "", std::vector<std::string> flags = {}) {
    const auto dump = directory_.write(
        "small.yaml",
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: n-1}\nstatus: {allocatable: {cpu: \"4\", memory: "
        "8Gi, pods: \"10\"}}\n"
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: n-2}\nstatus: {allocatable: {cpu: \"4\", memory: "
        "8Gi, pods: \"10\"}}\n" +
            more);
    std::vector<std::string> words{"whatif", "-f", directory_.write("file.yaml", file)};
    words.insert(words.end(), flags.begin(), flags.end());
    return run_on(dump, words);
  }
};

TEST_F(FilesAsApplied, AnAutoscalerSetsTheReplicas) {
  const auto web = small_deployment("web", "");
  const auto scaler = autoscaler("web", "minReplicas: 3, maxReplicas: 9");
  const auto said = what_if(web + scaler);
  EXPECT_THAT(said.out, StartsWith("shop/web: all 3 fit; room for 1 more after that.\n"));
  EXPECT_THAT(said.out, HasSubstr("HorizontalPodAutoscaler web-scaler keeps 3 to 9 replicas: this is the "
                                  "answer for 3.\n"));
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(what_if(web, scaler).out, StartsWith("shop/web: all 3 fit")) << "the cluster has it";
  EXPECT_THAT(what_if(small_deployment("web", "replicas: 12,") + scaler).out,
              StartsWith("shop/web: 4 of 9 fit"));
  const auto enough = what_if(small_deployment("web", "replicas: 4,") + scaler);
  EXPECT_THAT(enough.out, StartsWith("shop/web: all 4 fit"));
  EXPECT_THAT(enough.out, Not(HasSubstr("Autoscaler")));
  EXPECT_THAT(what_if(web + scaler, "", {"--replicas", "2"}).out, StartsWith("shop/web: all 2 fit"));
  EXPECT_THAT(what_if(small_deployment("api", "replicas: 2,") + scaler).out,
              StartsWith("shop/api: all 2 fit"))
      << "the scaler is for another workload";
}

TEST_F(FilesAsApplied, AFileWithoutReplicasKeepsThoseOfTheCluster) {
  const auto said = what_if(small_deployment("web", ""), small_deployment("web", "replicas: 3,"));
  EXPECT_THAT(said.out, StartsWith("shop/web: all 3 fit"));
  EXPECT_THAT(said.out,
              HasSubstr("The file has no replicas: this is the answer for the 3 that it has now.\n"));
}

TEST_F(FilesAsApplied, AJobThatExistsNeedsNoMorePodsThanAreLeft) {
  const auto job = [](int parallelism, const char* status) {
    return fmt::format(
        "---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: sum, namespace: shop, uid: j}}\n"
        "spec: {{parallelism: {}, completions: 5, template: {{metadata: {{labels: {{app: sum}}}}, spec: "
        "{{restartPolicy: Never, containers: [{{name: c, image: i, resources: {{requests: {{cpu: "
        "\"1\"}}}}}}]}}}}}}\n{}",
        parallelism, status);
  };
  const auto said = what_if(job(10, ""), job(3, "status: {active: 2, succeeded: 3}\n"));
  EXPECT_THAT(said.out, StartsWith("shop/sum: all 2 fit"));
  EXPECT_THAT(said.out, HasSubstr("pods of it have ended: this is the answer for the 2 that it needs"));
  EXPECT_THAT(what_if(job(2, ""), job(3, "status: {active: 3}\n")).out, Not(HasSubstr("have ended")));
}

TEST_F(FilesAsApplied, ANewPausedDeploymentHasNoPods) {
  const auto paused = small_deployment("web", "replicas: 2, paused: true,");
  EXPECT_THAT(what_if(paused).out,
              HasSubstr("It is paused: this is the answer for its pods once it is resumed.\n"));
  const auto both = what_if(paused + small_deployment("api", "replicas: 4,"));
  EXPECT_THAT(both.err, HasSubstr("Skipped: Deployment shop/web, which is paused.\n"));
  EXPECT_THAT(both.out, HasSubstr("shop/api      4    4"));
  EXPECT_THAT(what_if(paused, small_deployment("web", "replicas: 2,")).out, Not(HasSubstr("paused")))
      << "the pods of an existing one are scaled while it is paused";
}

TEST_F(FilesAsApplied, PodsOfHigherPriorityComeFirst) {
  const std::string urgent =
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: urgent}\nvalue: 1000\n";
  const auto files = small_deployment("later", "replicas: 4,") +
                     small_deployment("first", "replicas: 3,", "priorityClassName: urgent,");
  for (const auto& said : {what_if(files + urgent), what_if(files, urgent)}) {
    EXPECT_THAT(said.out, HasSubstr("shop/first      3    3"));
    EXPECT_THAT(said.out, HasSubstr("shop/later      4    1"));
  }
}

TEST_F(FilesAsApplied, AQuotaMayRefuseTheWorkloadOrItsReplicaSet) {
  const auto quota = [](const char* resource, int used) {
    return fmt::format(
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: q, namespace: shop}}\nspec: {{hard: "
        "{{{0}: "
        "1}}}}\nstatus: {{hard: {{{0}: 1}}, used: {{{0}: {1}}}}}\n",
        resource, used);
  };
  const auto web = small_deployment("web", "replicas: 2,");
  const auto refused = what_if(web, quota("count/deployments.apps", 1));
  EXPECT_THAT(refused.err, HasSubstr("the API server refuses Deployment web: exceeded quota: q, requested: "
                                     "count/deployments.apps=1, used: count/deployments.apps=1, limited: "
                                     "count/deployments.apps=1"));
  EXPECT_EQ(refused.code, 4);
  EXPECT_EQ(what_if(web, quota("count/deployments.apps", 0)).code, 0);
  EXPECT_EQ(what_if(web, quota("count/deployments.apps", 1) + web).code, 0) << "it exists";
  const auto without = what_if(web, quota("count/replicasets.apps", 1));
  EXPECT_THAT(without.out, HasSubstr("the ReplicaSet is not created, exceeded quota: q"));
  EXPECT_EQ(without.code, 4);
}

// In the order of the files; the second one is placed first.
TEST_F(FilesAsApplied, AQuotaOfObjectsCountsThoseBeforeInTheFiles) {
  const auto quota = [](const std::string& name, const std::string& resource, int most,
                        bool is_counted = true) {
    const auto status = fmt::format("\nstatus: {{hard: {{{0}: {1}}}, used: {{{0}: 0}}}}", resource, most);
    return fmt::format(
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: {}, namespace: shop}}\nspec: {{hard: "
        "{{{}: {}}}}}{}\n",
        name, resource, most, is_counted ? status : "");
  };
  const std::string urgent =
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: urgent}\nvalue: 1000\n";
  const auto web = small_deployment("web", ""),
             api = small_deployment("api", "", "priorityClassName: urgent,");
  for (const bool is_counted : {true, false}) {
    const auto said = what_if(web + api, urgent + quota("q", "count/deployments.apps", 1, is_counted));
    EXPECT_THAT(said.err, HasSubstr("the API server refuses Deployment api: exceeded quota: q, requested: "
                                    "count/deployments.apps=1, used: count/deployments.apps=1, limited: "
                                    "count/deployments.apps=1"));
    EXPECT_THAT(said.err, Not(HasSubstr("refuses Deployment web")));
    EXPECT_EQ(said.code, 3);
  }
  const auto two = urgent + quota("q", "count/deployments.apps", 2);
  EXPECT_EQ(what_if(web + api, two).code, 0);
  EXPECT_EQ(what_if(web + api, urgent + quota("q", "count/deployments.apps", 1), {"--each"}).err, "");
  EXPECT_EQ(what_if(web + api, urgent + quota("q", "count/deployments.apps", 1) + api).code, 0)
      << "one of them exists";
  const auto pod = [](const char* name) {
    return fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {}, namespace: shop}}\n"
        "spec: {{containers: [{{name: c, image: i}}]}}\n",
        name);
  };
  const auto pods = what_if(pod("a") + pod("b"), quota("q", "count/pods", 1));
  EXPECT_EQ(pods.code, 3) << pods.out;
  EXPECT_THAT(pods.out, HasSubstr("1 of 2 workloads fit together"));
}

TEST_F(FilesAsApplied, ObjectsOfAQuotaWithoutAStatusAreCounted) {
  const std::string quota =
      "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: shop}\nspec: {hard: "
      "{count/deployments.apps: 1}}\n";
  const auto web = small_deployment("web", "");
  EXPECT_EQ(what_if(web, quota).code, 0);
  EXPECT_EQ(what_if(web, quota + small_deployment("api", "")).code, 4);
  const auto dump = directory_.write(
      "pods.yaml",
      std::string(kShopDump) +
          "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: shop}\nspec: {hard: "
          "{pods: 9, requests.cpu: 12}}\n");
  EXPECT_THAT(run_on(dump, {"capacity", "-n", "shop", "--requests", "cpu=100m"}).out,
              HasSubstr("Quota q: pods 6/9, requests.cpu 9/12.\n"));
}

constexpr const char* kTightQuota = R"(---
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: shop, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {hard: {pods: "1"}}
status: {hard: {pods: "1"}, used: {pods: "0"}}
)";

// As `kubectl apply` of the same file: it changes nothing, so the pod does not compete with itself.
TEST_F(FilesAsApplied, APodOfTheClusterIsAskedAboutAsIfItWereNotPlaced) {
  const auto edge = [](const char* meta, const char* spec) {
    return fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: edge, namespace: shop{}}}\nspec: {{{} "
        "nodeSelector: "
        "{{kubernetes.io/hostname: n-3}}, containers: [{{name: c, image: i, ports: [{{containerPort: 80, "
        "hostPort: 80}}]}}]}}\n",
        meta, spec);
  };
  const auto cluster =
      "---\napiVersion: v1\nkind: Node\nmetadata: {name: n-3, labels: {kubernetes.io/hostname: n-3}}\n"
      "status: {allocatable: {cpu: \"4\", pods: \"10\"}}\n" +
      edge(", uid: e1, creationTimestamp: \"2026-01-01T00:00:00Z\"",
           "nodeName: n-3, enableServiceLinks: true,");
  const auto same = what_if(edge("", ""), cluster);
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_THAT(same.out, StartsWith("shop/edge would go to n-3"));
  const auto other = what_if(edge("", "hostNetwork: true,"), cluster);
  EXPECT_EQ(other.code, 4) << "it would be another pod next to the first one";
}

TEST_F(FilesAsApplied, FixesOfSeveralWorkloadsAreNamed) {
  const auto said = what_if(small_deployment("api", "replicas: 2,") + small_deployment("web", "replicas: 3,"),
                            "", {"--fixes"});
  EXPECT_THAT(said.out, HasSubstr("\nshop/web: Would help: cpu request 1 → all 3 run; ")) << said.err;
  EXPECT_THAT(said.out, Not(HasSubstr("shop/api: Would help")));
}

// Where the nodes have room, no change of the pods or the nodes helps.
TEST_F(FilesAsApplied, FixesWhereOnlyAQuotaIsInTheWay) {
  const auto said = what_if(small_deployment("web", "replicas: 2,"), kTightQuota, {"--fixes"});
  EXPECT_THAT(
      said.out,
      HasSubstr("No smaller request would help: the nodes have room, and only quota q is in the way.\n"));
  EXPECT_THAT(what_if(small_deployment("web", "replicas: 2,"), kTightQuota).out,
              Not(HasSubstr("would help")));
}

TEST_F(FilesAsApplied, OfOneWorkloadThatIsLeftTheVerdictSaysThatSomeFit) {
  const auto said =
      what_if(small_deployment("web", "replicas: 5,") + small_deployment("none", "replicas: 0,"));
  EXPECT_THAT(said.out, StartsWith("shop/web fits in part.\n"));
}

// As `kubectl get all -o yaml` prints it: the Deployment has made the pod, and the Job has ended.
TEST_F(FilesAsApplied, WhatControllersHaveMadeAndWhatHasEndedIsNotAskedAbout) {
  const auto job = [](const char* name, const char* status) {
    return fmt::format(
        "---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: {0}, namespace: shop, uid: {0}}}\n"
        "spec: {{parallelism: 2, template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: i, "
        "resources: {{requests: {{cpu: \"2\"}}}}}}]}}}}}}\nstatus: {{{1}}}\n",
        name, status);
  };
  const auto made = std::string(
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-5d-a, namespace: shop, uid: a, "
      "creationTimestamp: \"2026-01-01T00:00:00Z\", labels: {app: web, pod-template-hash: 5d}, "
      "ownerReferences: "
      "[{apiVersion: apps/v1, kind: ReplicaSet, name: web-5d, uid: r, controller: true}]}\n"
      "spec: {nodeName: n-1, containers: [{name: c, image: i, resources: {requests: {cpu: \"2\"}}}]}\n");
  const auto web = small_deployment("web", "replicas: 2,");
  const auto ended = job("old", "succeeded: 1, conditions: [{type: Complete, status: \"True\"}]");
  const auto all = made + web + ended;
  const auto said = what_if(all + job("sum", ""), all);
  EXPECT_THAT(said.err, HasSubstr("Skipped: 1 object of the workloads (Pod web-5d-a) of "));
  EXPECT_THAT(said.err, HasSubstr("Skipped: Job shop/old, which has ended.\n"));
  EXPECT_THAT(said.out, StartsWith("All 2 workloads fit together"));
  EXPECT_THAT(what_if(ended, ended).out,
              HasSubstr("The Job exists and has ended: this is the answer for a new one.\n"));
}

}  // namespace
}  // namespace podium::kubectl
