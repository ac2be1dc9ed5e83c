#include "api/admission/admission.h"

#include <gtest/gtest.h>

#include "api/values/defaults.h"
#include "unit/support/builders.h"

namespace podium::api {
namespace {

using namespace test;

ResourceList resources(std::initializer_list<std::pair<std::string_view, std::string_view>> entries) {
  ResourceList list;
  for (const auto& [name, amount] : entries) set_resource(list, name, amount);
  return list;
}

// A pod that validation accepts.
PodBuilder valid(std::string name) {
  auto builder = pod(std::move(name));
  builder.container("c").image("i");
  return builder;
}

TEST(SetDefaults, RequestsFollowLimitsAndRoundUp) {
  auto given = pod("p")
                   .limit("cpu", "1m")
                   .limit("memory", "1Gi")
                   .req("memory", "0.0001")
                   .overhead("cpu", "100500u")
                   .status_allocated("c1", "cpu", "100u")
                   .build();
  set_defaults(given);
  EXPECT_EQ(given.containers[0].requests, resources({{"cpu", "1m"}, {"memory", "1m"}}));
  EXPECT_EQ(given.overhead, resources({{"cpu", "101m"}}));
  EXPECT_EQ(given.container_statuses[0].allocated, resources({{"cpu", "1m"}}));
  const auto once = given;
  set_defaults(given);
  EXPECT_EQ(given, once) << "a second time changes nothing";
}

TEST(SetDefaults, HostNetworkPodsUseTheirPorts) {
  auto given = pod("p").host_network().container().build();
  given.containers.write()[0].ports = {{0, "", "TCP", 80}, {8080, "", "TCP", 8080}};
  auto other = given;
  other.host_network = false;
  set_defaults(given);
  set_defaults(other);
  EXPECT_EQ(given.containers.write()[0].ports[0].host_port, 80);
  EXPECT_EQ(given.containers.write()[0].ports[1].host_port, 8080);
  EXPECT_EQ(other.containers[0].ports[0].host_port, 0);
}

TEST(SetDefaults, PodLevelResources) {
  struct Case {
    const char* name;
    PodBuilder given;
    ResourceList requests, limits;
  };
  const Case cases[] = {
      {"none", pod("p").limit("cpu", "1"), {}, {}},
      {"requests only",
       pod("p").req("memory", "1Gi").pod_req("cpu", "1"),
       resources({{"cpu", "1"}, {"memory", "1Gi"}}),
       {}},
      {"every container has a limit",
       pod("p").limit("cpu", "3").container().limit("cpu", "2").pod_req("cpu", "4"),
       resources({{"cpu", "4"}}), resources({{"cpu", "5"}})},
      {"the pod requests more than that", pod("p").limit("cpu", "3").pod_req("cpu", "4"),
       resources({{"cpu", "4"}}), resources({{"cpu", "4"}})},
      {"an init container has none",
       pod("p").limit("cpu", "3").init_container().pod_req("cpu", "4"),
       resources({{"cpu", "4"}}),
       {}},
      {"limits only, containers ask for one",
       pod("p")
           .req("cpu", "300m")
           .container()
           .req("cpu", "200m")
           .pod_limit("cpu", "1")
           .pod_limit("memory", "1Gi"),
       resources({{"cpu", "500m"}, {"memory", "1Gi"}}), resources({{"cpu", "1"}, {"memory", "1Gi"}})},
      {"the parts are rounded",
       pod("p").req("cpu", "100500u").container().req("cpu", "100500u").pod_limit("cpu", "1"),
       resources({{"cpu", "202m"}}), resources({{"cpu", "1"}})},
      {"init containers count",
       pod("p")
           .req("cpu", "1")
           .sidecar()
           .req("cpu", "1")
           .init_container()
           .req("cpu", "5")
           .pod_limit("cpu", "8"),
       resources({{"cpu", "6"}}), resources({{"cpu", "8"}})},
      {"huge pages from the containers", pod("p").limit("hugepages-2Mi", "4Mi").pod_req("cpu", "1"),
       resources({{"cpu", "1"}, {"hugepages-2Mi", "4Mi"}}), resources({{"hugepages-2Mi", "4Mi"}})},
      {"other resources are left alone", pod("p").limit("example.com/gpu", "1").pod_limit("cpu", "1"),
       resources({{"cpu", "1"}}), resources({{"cpu", "1"}})},
  };
  for (const auto& test : cases) {
    auto given = test.given.build();
    set_defaults(given);
    set_pod_level_defaults(given);
    EXPECT_EQ(given.pod_requests, test.requests) << test.name;
    EXPECT_EQ(given.pod_limits, test.limits) << test.name;
  }
}

TEST(SetDefaults, NodesAllocateWhatTheyHave) {
  Node node;
  node.capacity = resources({{"cpu", "100500u"}});
  set_defaults(node);
  EXPECT_EQ(node.allocatable, resources({{"cpu", "101m"}}));
  node.allocatable = resources({{"cpu", "50m"}});
  set_defaults(node);
  EXPECT_EQ(node.allocatable, resources({{"cpu", "50m"}}));
}

TEST(PodAdmission, ResolvesPriority) {
  auto high = priority_class("high", 1000);
  high.preempt_never = true;
  auto standard = priority_class("standard", 7);
  standard.global_default = true;
  auto lower = priority_class("lower", 3);
  lower.global_default = true;
  const Manifests::List<PriorityClass> given = {share(high), share(standard), share(lower)};

  struct Case {
    const char* name;
    Manifests::List<PriorityClass> classes;
    PodBuilder pod;
    std::int32_t priority;
    bool never;
    std::string class_name;
  };
  const Case cases[] = {
      {"no classes", {}, valid("p"), 0, false, ""},
      {"the lowest default", given, valid("p"), 3, false, "lower"},
      {"a class that never preempts", given, valid("p").priority_class("high"), 1000, true, "high"},
      {"its policy said twice", given, valid("p").priority_class("high").preempt_never(), 1000, true, "high"},
      {"built in",
       {},
       valid("p").priority_class("system-node-critical"),
       2000001000,
       false,
       "system-node-critical"},
      {"built in",
       {},
       valid("p").priority_class("system-cluster-critical"),
       2000000000,
       false,
       "system-cluster-critical"},
      {"a priority is kept", given, valid("p").priority(5).preempt_never(), 5, true, ""},
      {"of pods read back too", given, valid("p").created("2026-01-01T00:00:00Z"), 3, false, "lower"},
  };
  for (const auto& test : cases) {
    auto pod = test.pod.build();
    const auto admitted = PodAdmission(test.classes).admit(pod);
    ASSERT_TRUE(admitted) << test.name << ": " << admitted.error().message;
    EXPECT_EQ(pod.priority, test.priority) << test.name;
    EXPECT_EQ(pod.preempt_never, test.never) << test.name;
    EXPECT_EQ(pod.priority_class_name, test.class_name) << test.name;
  }

  auto gone = valid("p").priority_class("gone").build();
  EXPECT_EQ(PodAdmission({}).admit(gone).error().message, "no PriorityClass with name gone was found");
  auto differs = valid("p").priority_class("standard").preempt_never().build();
  EXPECT_EQ(PodAdmission(given).admit(differs).error().message,
            "preemptionPolicy Never differs from PreemptLowerPriority of the priority class");
}

TEST(PodAdmission, MergesLabelKeys) {
  auto constraint = spread("zone").selector(select_all()).match_label_keys({"version", "absent"});
  auto anti = term("zone").label("app", "x").match_label_keys({"version"}).mismatch_label_keys({"team"});
  auto without = term("host").namespaces({"x"});
  auto builder = valid("p").label("version", "v1").label("team", "a").spread(constraint);
  builder.prefer_anti_affinity(1, anti).affinity(without);

  auto merged = builder.build();
  ASSERT_TRUE(PodAdmission({}).admit(merged));
  EXPECT_EQ(merged.topology_spread[0].label_selector, select_where({in("version", {"v1"})}));
  EXPECT_EQ(merged.pod_anti_affinity.preferred[0].term.label_selector,
            (LabelSelector{{{"app", "x"}}, {in("version", {"v1"}), not_in("team", {"a"})}}));
  EXPECT_EQ(merged.pod_affinity.required[0], without);

  auto stored = builder.created("2026-01-01T00:00:00Z").build();
  ASSERT_TRUE(PodAdmission({}).admit(stored));
  EXPECT_EQ(stored.topology_spread[0].label_selector, select_all()) << "was merged when it was created";
}

TEST(PodAdmission, GivesUids) {
  auto a = valid("p").uid("").build(), b = valid("p").ns("x").uid("").build(), c = valid("p").build();
  for (auto* pod : {&a, &b, &c}) ASSERT_TRUE(PodAdmission({}).admit(*pod));
  EXPECT_EQ(a.meta.uid.size(), 36u);
  EXPECT_NE(a.meta.uid, b.meta.uid);
  EXPECT_EQ(c.meta.uid, "uid-p");
}

TEST(Admit, SettlesTheCluster) {
  Manifests cluster;
  cluster.nodes = {node("a").zone("z").region("r").cap("cpu", "4").ptr()};
  cluster.namespaces = {share(make_namespace("shop"))};
  auto bare = *cluster.namespaces[0];
  bare.meta.labels = {};
  cluster.namespaces[0] = share(bare);
  cluster.pods = {
      valid("running").ns("shop").node("a").phase("Running").started("2026-01-01T00:00:00Z").ptr(),
      valid("done").ns("shop").node("a").phase("Succeeded").ptr(),
      valid("failed").ns("other").node("a").phase("Failed").ptr(),
      valid("lost").ns("shop").node("gone").ptr(),
      valid("stored").ns("shop").node("a").created("2026-01-01T00:00:00Z").ptr(),
      valid("waiting").ns("shop").ptr(),
  };
  Manifests::List<Pod> pending = {valid("asked").ptr()};
  const auto admitted = admit(cluster, pending);
  ASSERT_TRUE(admitted) << admitted.error().message;

  const Labels topology = {{"topology.kubernetes.io/region", "r"}, {"topology.kubernetes.io/zone", "z"}};
  struct Want {
    std::string name;
    Labels labels;
    std::optional<Wall> started;
  };
  const Want wants[] = {{"running", topology, valid("x").started("2026-01-01T00:00:00Z").build().start_time},
                        {"lost", {}, missing_start_time()},
                        {"stored", {}, missing_start_time()},
                        {"waiting", {}, std::nullopt}};
  ASSERT_EQ(cluster.pods.size(), std::size(wants));
  for (std::size_t i = 0; i < std::size(wants); ++i) {
    EXPECT_EQ(cluster.pods[i]->meta.name, wants[i].name);
    EXPECT_EQ(cluster.pods[i]->meta.labels, wants[i].labels) << wants[i].name;
    EXPECT_EQ(cluster.pods[i]->start_time, wants[i].started) << wants[i].name;
    EXPECT_EQ(cluster.pods[i]->priority, 0) << wants[i].name;
  }

  std::vector<std::string> namespaces;
  for (const auto& ns : cluster.namespaces) {
    namespaces.push_back(ns->meta.name + " " + *ns->meta.labels.find("kubernetes.io/metadata.name"));
  }
  EXPECT_EQ(namespaces, (std::vector<std::string>{"shop shop", "default default"}));
  EXPECT_EQ(cluster.priority_classes.size(), 2u);
  EXPECT_EQ(pending[0]->priority, 0);
}

TEST(Admit, RefusesInvalidObjects) {
  Manifests::List<Pod> none, pods = {pod("p").container("c").ptr()};
  Manifests cluster;
  EXPECT_EQ(admit(cluster, pods).error().message, "pod default/p: spec.containers[0].image: Required value");
  auto tainted = node("a").build();
  tainted.taints = {{"x", "", TaintEffect::unknown}};
  cluster.nodes = {share(tainted)};
  EXPECT_EQ(
      admit(cluster, none).error().message,
      "node a: spec.taints[0].effect: Unsupported value: must be NoSchedule, PreferNoSchedule or NoExecute");
  tainted.meta.created = Wall();
  cluster.nodes = {share(tainted)};
  EXPECT_TRUE(admit(cluster, none)) << "an object read back is not validated";
}

}  // namespace
}  // namespace podium::api
