// podium whatif, on a dump.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A dump of the namespace shop, a node with 1 cpu, and these items, each on a new line that begins with "- ".
std::string small_shop_and(const std::string& items) {
  return R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
- {apiVersion: v1, kind: Node, metadata: {name: n-1}, status: {allocatable: {cpu: "1", memory: 8Gi, pods: "10"}}})" +
         items;
}

TEST_F(OnADump, WhatIfTakesTypeAndNameInTwoWords) {
  EXPECT_EQ(out({"whatif", "deploy", "web", "-n", "shop"}), out({"whatif", "deploy/web", "-n", "shop"}));
  EXPECT_EQ(out({"whatif", "web", "-n", "shop"}), out({"whatif", "deploy/web", "-n", "shop"}));
  EXPECT_EQ(json::parse(out({"whatif", "deploy/web", "deploy/big", "-n", "shop", "-o", "json"})).at("kind"),
            "List");
}

// The pods that wait compete for the room; a gated one does not yet, nor the workload's own.
TEST_F(OnADump, AStoredPodKeepsTheLabelsOfItsRuntimeClass) {
  const auto pod = [&](const std::string& more) {
    const auto dump = one_node_and(R"(
- {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: kata}, handler: kata, scheduling: {nodeSelector: {kata: "yes"}}}
- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop, uid: p}, spec: {)" +
                                   more +
                                   R"(nodeSelector: {kata: "yes"}, containers: [{name: c, image: i}]}}
)");
    return run_on(dump, {"whatif", "pod/p", "-n", "shop", "--fixes"}).out;
  };
  EXPECT_THAT(pod(""), HasSubstr("  no nodeSelector kata=yes"));
  EXPECT_THAT(pod("runtimeClassName: kata, "), testing::Not(HasSubstr("  no nodeSelector kata=yes")));
}

TEST_F(OnADump, APodThatGoesNowhere) {
  const auto dump = one_node_and(R"(
- {apiVersion: v1, kind: Pod, metadata: {name: done, namespace: shop, uid: d}, spec: {nodeName: n-1, containers: [{name: c, image: i}]}, status: {phase: Succeeded}}
- {apiVersion: v1, kind: Pod, metadata: {name: full, namespace: shop, uid: f}, spec: {nodeName: n-1, containers: [{name: c, image: i}]}, status: {phase: Failed, reason: Evicted, message: "The node was low on resource: memory. "}}
- {apiVersion: v1, kind: Pod, metadata: {name: goes, namespace: shop, uid: g, deletionTimestamp: "2026-01-01T00:00:00Z"}, spec: {nodeName: n-1, containers: [{name: c, image: i}]}, status: {phase: Running}}
- {apiVersion: v1, kind: Pod, metadata: {name: lost, namespace: shop, uid: l}, spec: {nodeName: ghost, containers: [{name: c, image: i}]}, status: {phase: Running}}
- {apiVersion: v1, kind: Pod, metadata: {name: named, namespace: shop, uid: m}, spec: {nodeName: ghost, containers: [{name: c, image: i}]}, status: {phase: Pending}}
- {apiVersion: v1, kind: Pod, metadata: {name: proxy, namespace: shop, uid: e, annotations: {kubernetes.io/config.mirror: a}}, spec: {nodeName: n-1, containers: [{name: c, image: i}]}, status: {phase: Running}}
)");
  // The answer says it, so that the HTTPS API and the reports do too.
  const auto notes = [&](const char* pod) {
    return run_on(dump, {"whatif", pod, "-n", "shop", "-o", "jsonpath={.status.notes}"}).out;
  };
  EXPECT_EQ(notes("pod/done"), "[\"this is the answer for a new pod like it: it has succeeded.\"]\n");
  EXPECT_EQ(notes("pod/full"),
            "[\"this is the answer for a new pod like it: it has failed: Evicted: The node was low on "
            "resource: memory.\"]\n");
  EXPECT_EQ(notes("pod/goes"), "[\"this is the answer for a new pod like it: it is being deleted.\"]\n");
  EXPECT_EQ(
      notes("pod/lost"),
      "[\"this is the answer for a new pod like it: its node does not exist, so the garbage collector of "
      "pods deletes it.\"]\n");
  EXPECT_THAT(run_on(dump, {"whatif", "pod/done", "-n", "shop"}).out,
              HasSubstr("Note: this is the answer for a new pod like it: it has succeeded.\n"));
  const auto named = run_on(dump, {"whatif", "pod/named", "-n", "shop"});
  EXPECT_EQ(named.code, 4) << "it was created with its node\n" << named.out;
  const auto refused = run_on(dump, {"whatif", "pod/proxy", "-n", "shop"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.out, HasSubstr("shop/proxy is a static pod of n-1: its kubelet runs it there, and no "
                                     "scheduler decides about it"));
}

// The user does not find the request in the file.
TEST_F(OnADump, RequestsThatALimitRangeSetsAreNamed) {
  const auto dump = directory_.write("limits.yaml", small_shop_and(R"(
- {apiVersion: v1, kind: LimitRange, metadata: {name: l, namespace: shop}, spec: {limits: [{type: Container, default: {cpu: "2"}}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: stored, namespace: shop, uid: s, creationTimestamp: "2026-11-27T10:00:00Z", annotations: {kubernetes.io/limit-ranger: "LimitRanger plugin set: cpu request for container c"}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}, status: {phase: Pending}}
)"));
  EXPECT_THAT(
      run_on(dump, {"why", "stored", "-n", "shop"}).out,
      HasSubstr("Note: not in the template, but set by a LimitRange of the namespace: cpu request for "
                "container c.\n"));
  const auto file = directory_.write(
      "p.yaml",
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}");
  EXPECT_THAT(
      run_on(dump, {"whatif", "-f", file, "-n", "shop"}).out,
      HasSubstr("Note: not in the template, but set by a LimitRange of the namespace: cpu request for "
                "container c; cpu limit for container c.\n"));
}

TEST_F(OnADump, AmountsOfALimitRangeAreNamedWhereAQuotaCountsThem) {
  const auto note = [&](const char* hard) {
    const auto dump = directory_.write("limits.yaml", fmt::format(R"(
apiVersion: v1
kind: List
items:
- {{apiVersion: v1, kind: Namespace, metadata: {{name: shop}}}}
- {{apiVersion: v1, kind: Node, metadata: {{name: n-1}}, status: {{allocatable: {{cpu: "9", memory: 8Gi, pods: "10"}}}}}}
- {{apiVersion: v1, kind: LimitRange, metadata: {{name: l, namespace: shop}}, spec: {{limits: [{{type: Container, defaultRequest: {{cpu: "2"}}}}]}}}}
- {{apiVersion: v1, kind: ResourceQuota, metadata: {{name: q, namespace: shop}}, spec: {{hard: {{{0}}}}}, status: {{hard: {{{0}}}, used: {{}}}}}}
)",
                                                                  hard));
    const auto file =
        directory_.write("d.yaml",
                         "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: "
                         "{replicas: 3, selector: {matchLabels: {app: d}}, template: {metadata: "
                         "{labels: {app: d}}, spec: {containers: [{name: c, image: i}]}}}}");
    return run_on(dump, {"whatif", "-f", file, "-n", "shop"}).out;
  };
  constexpr const char* kNote =
      "Note: not in the template, but set by a LimitRange of the namespace: cpu request for container c.\n";
  EXPECT_THAT(note("requests.cpu: 5"), HasSubstr(kNote));
  EXPECT_THAT(note("cpu: 5"), HasSubstr(kNote));
  EXPECT_THAT(note("pods: 2"), Not(HasSubstr("LimitRange of the namespace")));
  EXPECT_THAT(note("requests.cpu: 50"), Not(HasSubstr("LimitRange of the namespace")));
}

// As of the pod alone.
TEST_F(OnADump, WhyOfAWorkloadNamesWhatALimitRangeHasSet) {
  const auto dump = directory_.write("limits.yaml", small_shop_and(R"(
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: shop}, spec: {replicas: 1, selector: {matchLabels: {app: d}}, template: {metadata: {labels: {app: d}}, spec: {containers: [{name: c, image: i}]}}}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: d-1, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: d, uid: d, controller: true}]}, spec: {replicas: 1, selector: {matchLabels: {app: d}}, template: {metadata: {labels: {app: d}}, spec: {containers: [{name: c, image: i}]}}}}
- {apiVersion: v1, kind: Pod, metadata: {name: d-1-x, namespace: shop, uid: s, labels: {app: d}, creationTimestamp: "2026-11-27T10:00:00Z", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: d-1, uid: r, controller: true}], annotations: {kubernetes.io/limit-ranger: "LimitRanger plugin set: cpu request for container c"}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}, status: {phase: Pending}}
)"));
  EXPECT_THAT(
      run_on(dump, {"why", "deploy/d", "-n", "shop"}).out,
      HasSubstr("\nNote: not in the template, but set by a LimitRange of the namespace: cpu request for "
                "container c.\n"));
}

TEST_F(OnADump, RoomIsSharedWithThePodsThatWait) {
  const std::string line = "\n5 other pods wait for a node and may take some of this room first.\n";
  EXPECT_THAT(out({"whatif", "deploy/web", "-n", "shop"}), HasSubstr(line));
  EXPECT_THAT(out({"capacity", "deploy/web", "-n", "shop"}), HasSubstr(line));
  EXPECT_THAT(out({"whatif", "deploy/big", "-n", "shop"}), Not(HasSubstr("other pods wait")));
  EXPECT_EQ(out({"whatif", "deploy/web", "-n", "shop", "-o", "jsonpath={.status.othersWaiting}"}), "5\n");
  EXPECT_EQ(out({"whatif", "deploy/big", "-n", "shop", "-o", "jsonpath={.status.othersWaiting}"}), "3\n");
  EXPECT_EQ(out({"whatif", "pod/sel", "-n", "shop", "-o", "jsonpath={.status.othersWaiting}"}), "");
}

// The API server merges matchLabelKeys and mismatchLabelKeys into the selectors when a pod is created.
TEST_F(OnADump, LabelKeysOfTermsAreMergedIntoTheirSelectors) {
  const auto asked = [&](const std::string& constraint, const char* labels, const char* field) {
    const auto file = directory_.write(
        "keys.yaml",
        fmt::format("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: new}}\nspec:\n  replicas: 4\n"
                    "  selector: {{matchLabels: {{app: x}}}}\n  template:\n    metadata: {{labels: {{{}}}}}\n"
                    "    spec:\n      containers: [{{name: c, image: i}}]\n{}",
                    labels, constraint));
    const auto dump = directory_.write("keys-dump.yaml", std::string(kShopDump) + R"(
- {apiVersion: v1, kind: Pod, metadata: {name: x-old, namespace: shop, uid: x1, labels: {app: x, tenant: b, pod-template-hash: old}}, spec: {nodeName: n-1, containers: [{name: c, image: i}]}, status: {phase: Running}}
- {apiVersion: v1, kind: Pod, metadata: {name: x-older, namespace: shop, uid: x2, labels: {app: x, tenant: b, pod-template-hash: old}}, spec: {nodeName: n-1, containers: [{name: c, image: i}]}, status: {phase: Running}}
)");
    auto text = run_on(dump, {"whatif", "-f", file, "-n", "shop", "-o",
                              fmt::format("jsonpath={{.status.{}}}", field)})
                    .out;
    if (text.ends_with('\n')) text.pop_back();
    return text;
  };
  const auto fitting = [&](const std::string& constraint, const char* labels = "app: x") {
    return asked(constraint, labels, "replicas.fitting");
  };
  const auto anti = [](const char* keys) {
    return fmt::format(
        "      affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: "
        "[{{topologyKey: pool, "
        "labelSelector: {{matchLabels: {{app: x}}}}{}}}]}}}}\n",
        keys);
  };
  EXPECT_EQ(fitting(anti("")), "0") << "the old pod is in pool a, and pool b is tainted";
  EXPECT_EQ(fitting(anti(", matchLabelKeys: [pod-template-hash]")), "1") << "those of its own revision";
  EXPECT_EQ(fitting(anti(", mismatchLabelKeys: [tenant]"), "app: x, tenant: b"), "4")
      << "none of another tenant";
  EXPECT_EQ(fitting(anti(", mismatchLabelKeys: [tenant]"), "app: x, tenant: a"), "0");
  const auto spread = [](const char* keys) {
    return fmt::format(
        "      topologySpreadConstraints: [{{maxSkew: 1, topologyKey: disk, whenUnsatisfiable: "
        "DoNotSchedule, "
        "labelSelector: {{matchLabels: {{app: x}}}}{}}}]\n",
        keys);
  };
  EXPECT_EQ(asked(spread(""), "app: x", "placements[*].count"), "3 1") << "two old ones are on n-1";
  EXPECT_EQ(asked(spread(", matchLabelKeys: [pod-template-hash]"), "app: x", "placements[*].count"), "2 2");
}

constexpr const char* kHigh =
    "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7}\n";

std::string deployment(const std::string& name, const std::string& cpu, const std::string& spec = "") {
  return "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
         "}\nspec:\n  selector: {matchLabels: {app: x}}\n  template:\n    metadata: {labels: {app: x}}\n"
         "    spec:\n      containers:\n      - name: c\n        image: i\n        resources:\n"
         "          requests:\n            cpu: " +
         cpu + "\n" + spec;
}

TEST_F(OnADump, TheOtherObjectsOfAFileArePartOfTheQuestion) {
  const auto alone =
      directory_.write("alone.yaml", deployment("new", "1", "      priorityClassName: high\n"));
  auto said = run({"whatif", "-f", alone, "-n", "shop"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.out + said.err, HasSubstr("no PriorityClass with name high was found"));
  const auto both =
      directory_.write("both.yaml", kHigh + deployment("new", "1", "      priorityClassName: high\n"));
  said = run({"whatif", "-f", both, "-n", "shop"});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("shop/new"));
  const auto service = directory_.write(
      "service.yaml", "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: x}}}\n" +
                          deployment("new", "1"));
  EXPECT_THAT(run({"whatif", "-f", both, "-n", "shop"}).missing, HasSubstr("--cluster has no services"));
  EXPECT_THAT(run({"whatif", "-f", service, "-n", "shop"}).missing, Not(HasSubstr("services")));
}

// By each way in which a pod names its node.
TEST_F(OnADump, ANodeThatDoesNotExistIsSaidOfAPodThatNamesIt) {
  const auto asked = [&](const std::string& spec) {
    const auto file =
        directory_.write("pinned.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: pinned}\nspec: {" +
                                            spec + "containers: [{name: c, image: i}]}\n");
    const auto said = run({"whatif", "-f", file, "-n", "shop"});
    EXPECT_EQ(said.code, 4);
    EXPECT_EQ(json::parse(out({"whatif", "-f", file, "-n", "shop", "-o", "json"}))
                  .at_pointer("/status/firstFailure/rejections/0/parts/0/missingNode"),
              "n1");
    return said.out;
  };
  constexpr const char* kHead = "shop/pinned does not fit: there is no node n1. Did you mean n-1?\n";
  EXPECT_THAT(asked("nodeName: n1, "), StartsWith(kHead));
  const std::string required =
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{";
  EXPECT_THAT(asked(required + "matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}}}, "),
              StartsWith(kHead));
  EXPECT_THAT(asked("nodeSelector: {kubernetes.io/hostname: n1}, "),
              HasSubstr("kubernetes.io/hostname=n1  0 nodes  ← there is no node n1. Did you mean n-1?"));
}

TEST_F(OnADump, WhatCannotBePartOfTheQuestionIsNamed) {
  const auto file =
      directory_.write("node.yaml",
                       "{apiVersion: v1, kind: Node, metadata: {name: n-9}}\n---\n{apiVersion: v1, kind: "
                       "\"Config\\e[2JMap\", metadata: "
                       "{name: m}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n" +
                           deployment("new", "1"));
  auto said = run({"whatif", "-f", file, "-n", "shop"});
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(warnings_, "warning: " + file + ":1: Node n-9 was ignored: the cluster has none\n")
      << "the namespace exists";
  EXPECT_THAT(said.err, StartsWith("Skipped: Config[2JMap of " + file + ".\n")) << "without the escape";
}

TEST_F(OnADump, SeveralWorkloadsHaveOneExitCode) {
  const auto code = [this](const char* a, const char* b) {
    const auto file = directory_.write("two.yaml", deployment("a", a) + deployment("b", b));
    return run({"whatif", "-f", file, "-n", "shop"}).code;
  };
  EXPECT_EQ(code("1", "1"), 0);
  EXPECT_EQ(code("1", "9"), 3);
  EXPECT_EQ(code("9", "1"), 3);
  EXPECT_EQ(code("9", "9"), 4);
}

TEST_F(OnADump, AWorkloadWithoutReplicasIsNotOneThatDoesNotFit) {
  auto none = deployment("none", "9");
  none.replace(none.find("spec:"), 5, "spec:\n  replicas: 0");
  const auto two = directory_.write("two.yaml", deployment("a", "1") + none);
  auto said = run({"whatif", "-f", two, "-n", "shop"});
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, StartsWith("shop/a fits.\n"));
  EXPECT_EQ(said.err, "Skipped: Deployment shop/none, which has 0 replicas.\n");
  said = run({"whatif", "-f", two, "-n", "shop", "--replicas", "1"});
  EXPECT_THAT(said.out, StartsWith("1 of 2 workloads fit together; shop/none does not.\n"));
  const auto alone = directory_.write("alone.yaml", none);
  said = run({"whatif", "-f", alone, "-n", "shop"});
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.out, HasSubstr("\nIt has 0 replicas: this is the answer for one.\n"));
}

// The Job controller creates its pods once the parallelism is raised.
TEST_F(OnADump, AJobWithParallelism0HasNoReplicasButIsPaused) {
  const auto of = [](const char* kind, const char* start, const char* end) {
    return fmt::format(
        "{{apiVersion: batch/v1, kind: {}, metadata: {{name: j, namespace: shop}}, spec: {}parallelism: 0, "
        "template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: i}}]}}}}{}}}\n",
        kind, start, end);
  };
  const auto job = of("Job", "{", "}");
  const auto cron_job = of("CronJob", "{schedule: '0 3 * * *', jobTemplate: {spec: {", "}}}");
  constexpr const char* kPaused = "\nIt has parallelism 0, so it is paused: this is the answer for one.\n";
  for (const auto& each : {job, cron_job}) {
    const auto file = directory_.write("paused.yaml", each);
    EXPECT_THAT(run({"whatif", "-f", file, "-n", "shop"}).out, HasSubstr(kPaused));
  }
  const auto stored = run_on(one_node_and("\n- " + job), {"whatif", "job/j", "-n", "shop"});
  EXPECT_THAT(stored.out, HasSubstr(kPaused));
  const auto two = directory_.write("two.yaml", deployment("a", "1") + "---\n" + job);
  EXPECT_EQ(run({"whatif", "-f", two, "-n", "shop"}).err,
            "Skipped: Job shop/j, which has parallelism 0, so it is paused.\n");
}

TEST_F(OnADump, WhySaysThatAnotherSchedulerPlacesAPod) {
  const auto dump = directory_.write("other.yaml", R"(
{apiVersion: v1, kind: Node, metadata: {name: node-1}, status: {capacity: {cpu: 4, memory: 8Gi, pods: 9}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop, uid: a}, spec: {schedulerName: volcano,
  containers: [{name: c, image: i}]}, status: {phase: Pending}}
)");
  EXPECT_THAT(
      run_on(dump, {"why", "a", "-n", "shop"}).out,
      HasSubstr("podium does not model: scheduler volcano (evaluated with profile default-scheduler).\n"));
  EXPECT_THAT(run_on(dump, {"pending", "-n", "shop"}).out, HasSubstr("but scheduler volcano places it"));
}

TEST_F(OnADump, ThousandthsOfBytesAreAWarning) {
  auto web = deployment("web", "1");
  web.replace(web.find("cpu: 1"), 6, "memory: 512m");
  const auto file = directory_.write("web.yaml", web);
  run({"whatif", "-f", file, "-n", "shop"});
  const auto expected =
      "warning: " + file +
      ":15: spec.template.spec.containers[0].resources.requests.memory: fractional byte value "
      "\"512m\" is invalid, must be an integer; \"m\" is for thousandths, \"Mi\" for mebibytes\n";
  EXPECT_EQ(warnings_, expected);
  web.replace(web.find("512m"), 4, "0.5Gi");
  run({"whatif", "-f", directory_.write("web.yaml", web), "-n", "shop"});
  EXPECT_EQ(warnings_, "");
}

TEST_F(OnADump, EachFaultOfAWorkloadIsNamedOnce) {
  const auto file = directory_.write(
      "web.yaml", deployment("web", "1",
                             "      affinity: {nodeAffinity: "
                             "{requiredDuringSchedulingIgnoredDuringExecution: [{key: disk}]}}\n"));
  const auto path =
      ":16: spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
  EXPECT_EQ(run({"whatif", "-f", file, "-n", "shop"}).err, "podium whatif: " + file + path +
                                                               "[0].key: unknown field\n" + file + path +
                                                               ": expected an object, got a list\n");
}

// kube-scheduler tries api again after cache is placed.
TEST_F(OnADump, WorkloadsComeAfterThoseThatTheirAffinityRequires) {
  auto api = deployment(
      "api", "100m",
      "      affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "disk, labelSelector: {matchLabels: {app: cache}}}]}}\n");
  auto cache = deployment("cache", "100m");
  for (std::size_t at; (at = cache.find("app: x")) != cache.npos;) cache.replace(at, 6, "app: cache");
  const auto said = run({"whatif", "-f", directory_.write("two.yaml", api + cache), "-n", "shop"});
  EXPECT_EQ(said.code, 0) << said.out;
  EXPECT_THAT(said.out, StartsWith("All 2 workloads fit together.\n"));
}

// What no controller has seen yet: the claims and quotas of manifests.
TEST_F(OnADump, ManifestsAsAClusterAreAsTheirControllersWouldLeaveThem) {
  const auto dump = directory_.write("manifests.yaml", R"(
{apiVersion: v1, kind: Node, metadata: {name: node-1}, status: {capacity: {cpu: 4, memory: 8Gi, pods: 9}}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce],
  storageClassName: manual, hostPath: {path: /d}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop}, spec: {accessModes: [ReadWriteOnce],
  storageClassName: manual, resources: {requests: {storage: 5Gi}}}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: shop}, spec: {hard: {pods: 2}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {nodeName: node-1, containers: [{name: c, image: i}]}}
)");
  const auto file = directory_.write(
      "web.yaml",
      deployment("web", "1", "      volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]\n"));
  const auto said = run_on(dump, {"whatif", "-f", file, "-n", "shop", "--replicas", "2"});
  EXPECT_THAT(said.out, StartsWith("shop/web: the nodes have room for all 2, quota q allows 1"));
  EXPECT_THAT(said.out, HasSubstr("Quota q (namespace shop): pods 3/2: exceeded from replica 2 on."));
}

TEST_F(OnADump, ASuspendedJobTakesNoRoom) {
  const std::string job =
      "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  suspend: true\n  template:\n    "
      "spec:\n"
      "      restartPolicy: Never\n      containers: [{name: c, image: i, resources: {requests: {cpu: "
      "'1'}}}]\n";
  auto said = run({"whatif", "-f", directory_.write("two.yaml", deployment("a", "1") + job), "-n", "shop"});
  EXPECT_THAT(said.out, StartsWith("shop/a fits.\n"));
  EXPECT_EQ(said.err, "Skipped: Job shop/j, which is suspended.\n");
  said = run({"whatif", "-f", directory_.write("job.yaml", job), "-n", "shop"});
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out,
              HasSubstr("\nIt is suspended: this is the answer for its pods once it is resumed.\n"));
}

TEST_F(OnADump, ADaemonSetWithoutNodesSaysSo) {
  auto set = deployment("d", "1", "      nodeSelector: {no: such}\n");
  set.replace(set.find("Deployment"), 10, "DaemonSet");
  EXPECT_THAT(run({"whatif", "-f", directory_.write("ds.yaml", set), "-n", "shop"}).out,
              StartsWith("shop/d: it selects no node, so it would have no pods.\n"));
}

// The API server would not create it, so it takes no room and says nothing about the others.
TEST_F(OnADump, AWorkloadThatIsRefusedDoesNotComeBeforeTheOthers) {
  const auto file = directory_.write(
      "three.yaml",
      deployment("a", "1") + deployment("b", "1", "      priorityClassName: none\n") + deployment("c", "1"));
  const auto said = run({"whatif", "-f", file, "-n", "shop"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.out, StartsWith("2 of 3 workloads fit together; shop/b does not.\n"));
  const auto row = said.out.substr(said.out.find("  shop/c "));
  EXPECT_THAT(row.substr(0, row.find('\n')), Not(HasSubstr("refused")));
}

TEST_F(OnADump, CapacityIsOfEachWorkloadAlone) {
  const auto room = [this](const std::string& text) {
    return out({"capacity", "-f", directory_.write("room.yaml", text), "-n", "shop"});
  };
  EXPECT_EQ(room(deployment("a", "1") + deployment("b", "1")),
            room(deployment("a", "1")) + room(deployment("b", "1")));
}

// A question has 96 changes at most: those of the flags and of the file's other objects count too.
TEST_F(OnADump, AsManyWorkloadsComeFirstAsAQuestionTakes) {
  auto text = std::string(kHigh);
  for (int i = 0; i < 100; ++i) text += deployment("w" + std::to_string(i), "10m");
  const auto file = directory_.write("many.yaml", text);
  const auto said = run({"whatif", "-f", file, "-n", "shop", "--drain", "n-1"});
  EXPECT_EQ(said.code, 3) << "nodes run 10 pods; " << said.err;
  EXPECT_THAT(said.err, HasSubstr("later workloads are evaluated with only the first 94 in place."));
}

TEST_F(OnADump, MessagesNameThePlaceInTheFile) {
  const auto file = directory_.write("two.yaml", deployment("a", "lots") + deployment("b", "much"));
  const auto said = run({"whatif", "-f", file, "-n", "shop"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, StartsWith("podium whatif: " + file +
                                   ":15: spec.template.spec.containers[0].resources.requests.cpu: "));
  EXPECT_THAT(said.err,
              HasSubstr("\n" + file + ":30: spec.template.spec.containers[0].resources.requests.cpu: "));
  const auto typo = directory_.write("typo.yaml", deployment("a", "1", "      nodeSelecter: {a: b}\n"));
  const auto refused = run({"whatif", "-f", typo, "-n", "shop"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.out + refused.err,
              HasSubstr(typo + ":16: spec.template.spec.nodeSelecter: unknown field"));
}

}  // namespace
}  // namespace podium::kubectl
