// Pods of workloads and questions, made as their controllers and the API server would make them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <algorithm>
#include <tuple>

#include "app/evaluate/table.h"
#include "unit/app/evaluate/fixture.h"

namespace podium::evaluate {
namespace {

TEST_F(Evaluate, AWorkloadRepresentsAPodOfItsTemplate) {
  const std::string text =
      deployment("resources") +
      "---\n{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}}}\n"
      "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}\n";
  const auto file = files.write("web.yaml", text);
  const auto done = run({file});
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->results.size(), 1u);
  const auto& pod = *done->results[0].pod->pod;
  EXPECT_EQ(pod.full_name(), "default/web-new-0");
  ASSERT_TRUE(pod.meta.controller());
  EXPECT_EQ(pod.meta.controller()->kind, "ReplicaSet");
  const auto& workloads = done->snapshot.objects().workloads();
  EXPECT_TRUE(workloads.contains({"default", api::Workload::Kind::replica_set, pod.meta.controller()->name}));
  EXPECT_TRUE(workloads.contains({"default", api::Workload::Kind::service, "web"}));
  const auto placed = place_files(inputs_for({file}));
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_EQ(placed->pods.size(), 3u) << "--place takes spec.replicas";
}

// The pods of each kind as its controller creates them: reduced public bug reports.
TEST_F(Evaluate, APodOfAWorkloadIsAsItsControllerMakesIt) {
  const auto cluster = files.write("zones.yaml", R"(
apiVersion: v1
kind: Node
metadata: {name: a1, labels: {zone: a}}
spec: {taints: [{key: node.kubernetes.io/network-unavailable, effect: NoSchedule}]}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: b1, labels: {zone: b}}
spec: {taints: [{key: node.kubernetes.io/not-ready, effect: NoExecute}]}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: example.com/fast
volumeBindingMode: WaitForFirstConsumer
)");
  const std::string containers = "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]";
  const std::string tolerates_all = "tolerations: [{operator: Exists}], ";
  const std::string app = "metadata: {labels: {app: x}}";
  const std::string selector = "selector: {matchLabels: {app: x}}";
  struct Case {
    const char* name;
    std::string file;
    Names placed;
  };
  const Case cases[] = {
      {"a DaemonSet's pods tolerate what its controller adds",
       "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: x}, spec: {" + selector + ", template: {" +
           app + ", spec: {hostNetwork: true, " + containers + "}}}}",
       {"x-new-0 a1", "x-new-1 b1"}},
      {"but only those in the host's network run without one",
       "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: x}, spec: {" + selector + ", template: {" +
           app + ", spec: {" + containers + "}}}}",
       {"x-new-0 b1"}},
      {"a Job's pods have its name, and parallelism counts",
       "{apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {parallelism: 2, completions: 2, "
       "template: {spec: {" +
           tolerates_all +
           "restartPolicy: Never, affinity: {podAntiAffinity: "
           "{requiredDuringSchedulingIgnoredDuringExecution: "
           "[{topologyKey: zone, labelSelector: {matchLabels: {job-name: x}}}]}}, " +
           containers + "}}}}",
       {"x-new-0 a1", "x-new-1 b1"}},
      {"a CronJob is one Job",
       "{apiVersion: batch/v1, kind: CronJob, metadata: {name: x}, spec: {schedule: '@daily', jobTemplate: "
       "{spec: "
       "{template: {spec: {" +
           tolerates_all + "nodeSelector: {zone: b}, restartPolicy: Never, " + containers + "}}}}}}",
       {"x-new-0 b1"}},
      {"a StatefulSet's claims are made, of the default class",
       "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: x}, spec: {" + selector +
           ", volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], "
           "resources: "
           "{requests: {storage: 1Gi}}}}], template: {" +
           app + ", spec: {" + tolerates_all + "nodeSelector: {zone: a}, " + containers + "}}}}",
       {"x-0 a1"}},
      {"and so are those of generic ephemeral volumes",
       "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {" + selector + ", template: {" +
           app + ", spec: {" + tolerates_all +
           "nodeSelector: {zone: a}, volumes: [{name: tmp, ephemeral: {volumeClaimTemplate: "
           "{spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: "
           "1Gi}}}}}}], " +
           containers + "}}}}",
       {"x-new-0 a1"}},
      {"a claim in the file gets the default class",
       "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: "
       "data}, spec: "
       "{resources: {requests: {storage: 1Gi}}}}, {apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {" +
           tolerates_all +
           "nodeSelector: {zone: b}, volumes: [{name: d, persistentVolumeClaim: {claimName: data}}], " +
           containers + "}}]}",
       {"x b1"}},
      {"a pod tolerates for a time that its node is not ready",
       "{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {nodeSelector: {zone: b}, " + containers +
           "}}",
       {"x b1"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    auto inputs = inputs_for({files.write("asked.yaml", c.file)});
    inputs.cluster = {cluster};
    inputs.ns = "shop";
    const auto done = place_files(inputs);
    ASSERT_TRUE(done) << done.error().message;
    Names placed;
    for (const auto& pod : done->pods) {
      ASSERT_TRUE(pod.pod.starts_with("shop/"));
      placed.push_back(pod.pod.substr(5) + " " + (pod.node.empty() ? pod.message : pod.node));
    }
    std::ranges::sort(placed);
    EXPECT_EQ(placed, c.placed);
  }
}

// The controllers of a pod that the API server does not have yet create its claims, as those of a workload's.
TEST_F(Evaluate, ANewPodHasTheClaimsOfItsEphemeralVolumes) {
  const auto pod = [](const char* more) {
    return fmt::format(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: scratch, namespace: shop, uid: u{}}}\nspec:\n"
        "  containers: [{{name: c, image: i}}]\n"
        "  volumes: [{{name: tmp, ephemeral: {{volumeClaimTemplate: {{spec: {{accessModes: [ReadWriteOnce], "
        "storageClassName: lvm, resources: {{requests: {{storage: 1Gi}}}}}}}}}}}}]\n"
        "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: lvm}}\n"
        "provisioner: p\nvolumeBindingMode: WaitForFirstConsumer\n",
        more);
  };
  const auto fits = [&](const char* more) {
    const auto done = run({files.write("scratch.yaml", pod(more))});
    return done && done->results.at(0).decision.fits();
  };
  EXPECT_TRUE(fits(""));
  EXPECT_FALSE(fits(", creationTimestamp: \"2026-01-01T00:00:00Z\"")) << "its claim has not been created yet";
  const auto placed = place_files(inputs_for({files.write("scratch.yaml", pod(""))}));
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_NE(placed->pods.at(0).node, "");
}

TEST_F(Evaluate, AWorkloadIsAskedAboutAsIfItsPodsWereNotThere) {
  const auto owned = R"(
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: default, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: web, uid: u, controller: true}]}
spec: {nodeName: n2, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
)";
  auto inputs = inputs_for(
      {files.write("web.yaml",
                   "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {replicas: 2, "
                   "selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
                   "{containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]}}}}")});
  inputs.cluster.push_back(files.write("owned.yaml", owned));
  const auto done = evaluate_files(inputs);
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_TRUE(done->results[0].decision.fits());
  EXPECT_EQ(done->snapshot.node_name(*done->results[0].decision.choice), "n2");
  ASSERT_TRUE(done->results[0].replicas);
  EXPECT_EQ(done->results[0].replicas->asked, 2u);
  EXPECT_EQ(done->results[0].replicas->fitting, 1u);
  EXPECT_TRUE(std::ranges::find(done->warnings,
                                "StatefulSet default/web: evaluated as if its 1 placed pod were not there") !=
              done->warnings.end());
  EXPECT_NE(to_table(done->results, done->snapshot, {}).find("This is the first of 2 pods: 1 of 2 fits.\n"),
            std::string::npos);
}

TEST_F(Evaluate, AWorkloadHasTheReplicasThatItWouldGet) {
  const std::string scaler =
      "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: "
      "{scaleTargetRef: "
      "{apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: 5, maxReplicas: 9}\n";
  const auto web = deployment("resources");
  auto with_cluster = inputs_for({files.write("web.yaml", web)});
  with_cluster.cluster.push_back(files.write("scaler.yaml", scaler));
  for (const auto& inputs : {inputs_for({files.write("both.yaml", web + scaler)}), with_cluster}) {
    const auto done = evaluate_files(inputs);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(done->results[0].replicas->asked, 5u);
    EXPECT_NE(std::ranges::find(done->warnings,
                                "deployment web: HorizontalPodAutoscaler web keeps 5 to 9 "
                                "replicas: this is the answer for 5"),
              done->warnings.end());
  }
}

TEST_F(Evaluate, AQuestionRepresentsItsTemplate) {
  const auto template_of_question =
      "dryRun: true, replicas: 2, template: {spec: {containers: [{name: c, image: i}]}}";
  const auto done = run({files.write("question.yaml", report(template_of_question)),
                         files.write("who.yaml", report("dryRun: true, podRef: {name: running}"))});
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->results.size(), 2u);
  EXPECT_EQ(done->results[0].pod->pod->full_name(), "shop/ask-new-0");
  EXPECT_EQ(done->results[1].pod->pod->full_name(), "shop/running");
}

// Pods that are not stored yet are admitted as the API server would store them.
TEST_F(Evaluate, TheLimitRangesAndRuntimeClassesOfTheClusterApply) {
  const auto limits = files.write("limits.yaml", R"(
apiVersion: v1
kind: LimitRange
metadata: {name: most, namespace: shop}
spec: {limits: [{type: Container, max: {cpu: "3"}}]}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: kata}
handler: kata
overhead: {podFixed: {cpu: "1"}}
)");
  const auto ask = [&](const std::string& pod) {
    auto inputs = inputs_for({files.write("pod.yaml", pod)});
    inputs.cluster.push_back(limits);
    return evaluate_files(inputs);
  };
  const auto without = [](const std::string& more) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec: {" + more +
           "containers: [{name: c, image: i}]}\n";
  };
  const auto defaulted = ask(without(""));
  ASSERT_TRUE(defaulted) << defaulted.error().message;
  EXPECT_FALSE(defaulted->results[0].decision.fits()) << "the largest request is the default one";
  const auto refused =
      ask("{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: "
          "[{name: c, image: i, resources: {limits: {cpu: 4}}}]}}");
  ASSERT_FALSE(refused);
  const auto place = files.path("pod.yaml") + ":1: ";
  EXPECT_EQ(refused.error().message,
            place + "pod shop/web: maximum cpu usage per Container is 3, but limit is 4");
  EXPECT_TRUE(ask(pod_of("web", "1"))->results[0].decision.fits());
  EXPECT_FALSE(ask(pod_of("web", "2", "runtimeClassName: kata, "))->results[0].decision.fits()) << "2 and 1";
  const auto unknown = ask(pod_of("web", "1", "runtimeClassName: gvisor, "));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, place + "pod shop/web: pod rejected: RuntimeClass \"gvisor\" not found");

  const auto not_known = run({files.write("pod.yaml", pod_of("web", "1", "runtimeClassName: kata, "))});
  ASSERT_TRUE(not_known) << not_known.error().message;
  EXPECT_TRUE(std::ranges::any_of(not_known->warnings, [](const auto& line) {
    return line.starts_with("--cluster has no runtimeclasses: ");
  }));
}

// A chart's claim has no volume, and the cluster's may have one.
TEST_F(Evaluate, OfAFileOnlyWhatHasNoStateReplacesTheClusters) {
  api::Manifests cluster, others;
  const auto claim = [](const char* volume) {
    auto made = std::make_shared<api::PersistentVolumeClaim>();
    made->meta.name = "data";
    made->volume_name = volume;
    return made;
  };
  const auto high = [](std::int32_t value) {
    auto made = std::make_shared<api::PriorityClass>();
    made->meta.name = "high";
    made->value = value;
    return made;
  };
  cluster.persistent_volume_claims = {claim("disk")};
  cluster.priority_classes = {high(1)};
  others.persistent_volume_claims = {claim("")};
  others.priority_classes = {high(2)};
  merge_into(cluster, std::move(others));
  ASSERT_EQ(cluster.persistent_volume_claims.size(), 1u);
  EXPECT_EQ(cluster.persistent_volume_claims[0]->volume_name, "disk");
  ASSERT_EQ(cluster.priority_classes.size(), 1u);
  EXPECT_EQ(cluster.priority_classes[0]->value, 2);
}

TEST_F(Evaluate, AMissingTemplateOfAClaimIsNamed) {
  const auto file = files.write(
      "pod.yaml", pod_of("web", "1", "resourceClaims: [{name: gpu, resourceClaimTemplateName: one}], ") +
                      "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: "
                      "two}, spec: {spec: "
                      "{devices: {requests: [{name: gpu, exactly: {deviceClassName: fast}}]}}}}\n");
  const auto done = run({file});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_FALSE(done->results[0].decision.fits());
  EXPECT_NE(std::ranges::find(done->warnings,
                              "pod shop/web: claim gpu: namespace shop has "
                              "no ResourceClaimTemplate \"one\""),
            done->warnings.end());
}

TEST_F(Evaluate, QuotasOfAFileAreNamed) {
  const auto file = files.write(
      "pod.yaml", pod_of("web", "1") + "---\n{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}}\n");
  const auto done = run({file});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->warnings.front(), file +
                                        ": document 2 (line 5): ResourceQuota q is not part of the question: "
                                        "only the quotas of the cluster count");
}

constexpr const char* kQuota = R"(
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: default}
spec: {hard: {pods: "5"}}
status: {hard: {pods: "5"}, used: {pods: "3"}}
)";

// The same words as those of a live question.
TEST_F(Evaluate, TheQuotasOfTheClusterCount) {
  auto inputs = inputs_for({files.write("web.yaml", deployment("resources"))});
  inputs.cluster = {files.write("quota.yaml", std::string(kCluster) + kQuota)};
  const auto done = evaluate_files(inputs);
  ASSERT_TRUE(done) << done.error().message;
  const auto& result = done->results.at(0);
  EXPECT_TRUE(to_table(result, done->snapshot, {})
                  .ends_with("This is the first of 3 pods: the nodes have room for all 3, quota q allows 2.\n"
                             "Quota q (namespace default): pods 6/5: exceeded from replica 3 on.\n"
                             "podium does not model: admission webhooks and policies, LimitRange.\n"))
      << to_table(result, done->snapshot, {});
  const auto report = report_json(result, done->snapshot);
  EXPECT_EQ(report.at("status").at("outcome"), "PartlyFits");
  EXPECT_EQ(report.at("status").at("quotas").at(0).at("allowed"), 2);

  const auto placed = place_files(inputs);
  ASSERT_TRUE(placed) << placed.error().message;
  ASSERT_EQ(placed->pods.size(), 3u);
  EXPECT_NE(placed->pods[1].node, "");
  EXPECT_EQ(placed->pods[2].node, "") << "the API server does not create it";
  EXPECT_EQ(placed->pods[2].pod, "default/web-new-2");
  EXPECT_EQ(placed->pods[2].reason, "quota q: pods 6/5: exceeded from replica 3 on");

  // A pod of the cluster exists already; a quota of another namespace does not count it.
  inputs.pods = {"shop/waiting"};
  const auto other = evaluate_files(inputs);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_TRUE(other->results.at(0).quotas.empty());
}

TEST_F(Evaluate, OneRefusedPodHasTheQuotaFirst) {
  auto inputs = inputs_for({files.write("pod.yaml", pod_of("web", "1"))});
  inputs.cluster = {files.write("quota.yaml", std::string(kCluster) + R"(
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: shop}
spec: {hard: {requests.cpu: "3500m"}}
status: {hard: {requests.cpu: "3500m"}, used: {requests.cpu: "3"}}
)")};
  const auto done = evaluate_files(inputs);
  ASSERT_TRUE(done) << done.error().message;
  const auto text = to_table(done->results.at(0), done->snapshot, {});
  EXPECT_TRUE(
      text.starts_with("shop/web: a quota refuses it.\nQuota q (namespace shop): requests.cpu 4/3500m: "))
      << text;
  EXPECT_NE(text.find("If it did not: shop/web would go to "), std::string::npos) << text;
}

// As `kubectl get all -o yaml` prints it: each pod counts once.
TEST_F(Evaluate, ThePodsOfAWorkloadOfTheFilesAreNotAskedAgain) {
  const auto pod =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-5d-a, namespace: default, uid: u, labels: {app: "
      "web, "
      "pod-template-hash: 5d}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-5d, uid: "
      "r, "
      "controller: true}]}\nspec: {nodeName: n2, containers: [{name: c, image: i}]}\n";
  const auto placed = place_files(inputs_for({files.write("all.yaml", deployment("resources") + pod)}));
  ASSERT_TRUE(placed) << placed.error().message;
  std::vector<std::string> pods;
  for (const auto& each : placed->pods) pods.push_back(each.pod);
  EXPECT_EQ(pods, (Names{"default/web-new-0", "default/web-new-1", "default/web-new-2"}));
  EXPECT_THAT(
      placed->warnings,
      testing::Contains(testing::EndsWith("all.yaml: not asked: 1 object of the workloads (Pod web-5d-a)")));
}

// As on a cluster, where the class of a file is created after the others, or keeps its age.
TEST_F(Evaluate, AClaimGetsTheNewestDefaultClass) {
  const auto storage_class = [](const char* name, const char* provisioner, const char* created) {
    return fmt::format(
        "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: {}, {} annotations: "
        "{{storageclass.kubernetes.io/is-default-class: \"true\"}}}}\nprovisioner: {}\n"
        "volumeBindingMode: WaitForFirstConsumer\n",
        name, created, provisioner);
  };
  const auto fits = [&](const char* in_file) {
    auto inputs = inputs_for({files.write(
        "pod.yaml",
        pod_of("web", "1", "volumes: [{name: d, persistentVolumeClaim: {claimName: d}}], ") +
            "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: d, namespace: shop}\n"
            "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n" +
            storage_class(in_file, "kubernetes.io/no-provisioner", ""))});
    inputs.cluster = {files.write(
        "classes.yaml",
        std::string(kCluster) +
            storage_class("old", "kubernetes.io/no-provisioner",
                          "creationTimestamp: \"2024-01-01T00:00:00Z\",") +
            storage_class("new", "disks.example.com", "creationTimestamp: \"2025-01-01T00:00:00Z\","))};
    const auto done = evaluate_files(inputs);
    return done && done->results.at(0).decision.fits();
  };
  EXPECT_TRUE(fits("old"));
  EXPECT_FALSE(fits("mine"));
}

}  // namespace
}  // namespace podium::evaluate
