// What a new node has when it joins: the pods of DaemonSets, and devices.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "unit/explain/answer/nodes_wanted.h"

namespace podium::explain {
namespace {

using cluster::Snapshot;
using test::node;
using test::pod;
using testing::HasSubstr;
using unit::choice_in;
using unit::full_cluster;
using unit::many;
using unit::one_of;
using unit::Pods;
using unit::search;
using unit::waits;

test::PodBuilder daemon(const std::string& set, const std::string& on, const char* cpu) {
  return pod(set + "-" + on)
      .ns("kube-system")
      .uid(set + "-" + on)
      .owner("DaemonSet", set)
      .req("cpu", cpu)
      .tolerate_exists("node.kubernetes.io/unschedulable", "NoSchedule")
      .require_node({test::node_term({}, {test::in("metadata.name", {on})})})
      .node(on);
}

constexpr const char* kPlain = R"({"name": "m", "allocatable": {"cpu": "16"}})";

TEST(NewNodes, ANodeOfAShapeRunsTheDaemonSets) {
  auto snapshot = full_cluster();
  EXPECT_EQ(choice_in(search(kPlain, many("a", 6, "8"), snapshot)), "3 m (6 a)");
  unit::run_pod(snapshot, daemon("log", "n1", "100m").build());
  EXPECT_EQ(choice_in(search(kPlain, many("a", 6, "8"), snapshot)), "6 m (6 a)");
  const auto status = search(kPlain, many("a", 1, "8"), snapshot);
  EXPECT_EQ(status.answer->nodes_wanted->added[0].left_over[0].amount, "7900m");
}

TEST(NewNodes, ADaemonSetWithASelectorOrWithoutATolerationIsElsewhere) {
  auto snapshot = full_cluster();
  snapshot.set_node(node("g1").label("gpu", "a100").cap("cpu", "1").cap("pods", "110").ptr());
  unit::run_pod(snapshot, daemon("gpus", "g1", "4").node_selector("gpu", "a100").build());
  unit::run_pod(snapshot, daemon("log", "n1", "4").build());
  unit::run_pod(snapshot, daemon("log", "g1", "4").build());
  const auto left = [&](const char* more) {
    const Pods waiting{waits(one_of("a", 0, "1").tolerate_exists("").build())};
    const auto shape = fmt::format(R"({{"name": "m", "allocatable": {{"cpu": "16"}}{}}})", more);
    const auto status = search(shape, waiting, snapshot);
    return status.answer && !status.answer->nodes_wanted->added.empty()
               ? status.answer->nodes_wanted->added[0].left_over[0].amount
               : status.message;
  };
  EXPECT_EQ(left(""), "11") << "log";
  EXPECT_EQ(left(R"(, "labels": {"gpu": "a100"})"), "7") << "log and gpus";
  EXPECT_EQ(left(R"(, "labels": {"gpu": "a100"}, "taints": [{"key": "own", "effect": "NoSchedule"}])"), "15");
  EXPECT_EQ(left(R"(, "taints": [{"key": "own", "effect": "PreferNoSchedule"}])"), "11");
}

// The controller replaces a DaemonSet's own affinity, so that its pods do not show it.
TEST(NewNodes, ADaemonSetOfSomeNodesIsOnThoseThatAreAlike) {
  Snapshot snapshot;
  for (const auto* name : {"a1", "a2", "b1", "b2"})
    snapshot.set_node(
        node(name).label("pool", std::string(name, 1)).cap("cpu", "1").cap("pods", "110").ptr());
  for (const auto* on : {"a1", "a2"}) unit::run_pod(snapshot, daemon("of-a", on, "1").build());
  const auto shape_in = [&](const char* pool) {
    return search(
        fmt::format(R"({{"name": "m", "allocatable": {{"cpu": 16}}, "labels": {{"pool": "{}"}}}})", pool),
        many("x", 2, "8"), snapshot);
  };
  EXPECT_EQ(choice_in(shape_in("a")), "2 m (2 x)");
  EXPECT_EQ(choice_in(shape_in("b")), "1 m (2 x)");
}

// Each is for a node that has no room for it, and a new node has some.
TEST(NewNodes, DaemonSetPodsThatWaitShowTheirSetToo) {
  const auto snapshot = full_cluster();
  auto waiting = many("a", 2, "2");
  auto log = daemon("log", "n1", "1").build();
  log.node_name.clear();
  waiting.push_back(waits(log));
  for (const std::string shape :
       {R"({"name": "m", "allocatable": {"cpu": "4"}})", R"({"name": "m", "like": "n1"})"}) {
    EXPECT_THAT(choice_in(search(shape, many("a", 2, "2"), snapshot)), testing::StartsWith("1 m (2 a)"));
    EXPECT_THAT(choice_in(search(shape, waiting, snapshot)), testing::StartsWith("2 m (2 a)"));
  }
  const auto fits = [&](const Pods& pods) {
    const auto question =
        unit::read(unit::web(R"("replicas": 4, "changes": [{"type": "AddNodes", "like": "n1"}])"));
    return answer(*question, snapshot, unit::default_config(), {}, {}, pods).answer->fitting;
  };
  EXPECT_EQ(fits({}), 4u);
  EXPECT_EQ(fits(waiting), 3u);
}

// The question places them itself.
TEST(NewNodes, PodsThatWaitOfTheSetThatIsAskedAboutAreNotOnThem) {
  const auto question =
      unit::read(R"({"changes": [{"type": "AddNodes", "like": "n1"}], "template": {"apiVersion":
      "apps/v1", "kind": "DaemonSet", "metadata": {"name": "log"}, "spec": {"selector": {"matchLabels": {"app":
      "log"}}, "template": {"metadata": {"labels": {"app": "log"}}, "spec": {"containers": [{"name": "c", "image":
      "i", "resources": {"requests": {"cpu": "3500m"}}}]}}}}})");
  auto log = daemon("log", "n1", "1").ns("shop").build();
  log.node_name.clear();
  const auto status = answer(*question, full_cluster(), unit::default_config(), {}, {}, Pods{waits(log)});
  EXPECT_EQ(status.answer->asked, 2u);
  EXPECT_EQ(unit::placements(status), (unit::Counts{{"n1-new-1", 1}}));
}

// --- devices ---

api::Pod with_claim(api::Pod made, const std::string& claim) {
  made.resource_claims.push_back({.name = "gpu", .claim_name = claim, .template_name = {}});
  return made;
}

Snapshot cluster_with_devices() {
  auto snapshot = full_cluster();
  snapshot.set_node(node("g1").cap("cpu", "8").cap("memory", "8Gi").cap("pods", "110").ptr());
  api::ResourceSlice slice;
  slice.meta.name = "g1-gpus";
  slice.driver = "gpu.example.com";
  slice.pool = {.name = "g1", .generation = 2, .slice_count = 1};
  slice.nodes.name = "g1";
  slice.devices.resize(2);
  slice.devices[0].name = "d0";
  slice.devices[1].name = "d1";
  auto old = slice;
  old.meta.name = "g1-before";
  old.pool.generation = 1;
  old.devices.resize(1);
  snapshot.objects().set<api::ResourceSlice>(std::make_shared<api::ResourceSlice>(old));
  snapshot.objects().set<api::ResourceSlice>(std::make_shared<api::ResourceSlice>(slice));
  auto gpus = std::make_shared<api::DeviceClass>();
  gpus->meta.name = "gpu";
  gpus->selectors = {R"(device.driver == "gpu.example.com")"};
  snapshot.objects().set<api::DeviceClass>(std::move(gpus));
  return snapshot;
}

Pods with_devices(int count, Snapshot& snapshot) {
  Pods out;
  for (int i = 0; i < count; ++i) {
    auto claim = std::make_shared<api::ResourceClaim>();
    claim->meta.name = fmt::format("c{}", i);
    claim->meta.namespace_ = "shop";
    claim->meta.uid = claim->meta.name;
    auto& request = claim->spec.requests.emplace_back();
    request.name = "r";
    request.exactly.emplace().device_class = "gpu";
    snapshot.objects().set<api::ResourceClaim>(claim);
    out.push_back(waits(with_claim(one_of("ml", i, "1").build(), claim->meta.name)));
  }
  return out;
}

TEST(NewNodes, ANodeLikeAnotherHasItsDevices) {
  auto snapshot = cluster_with_devices();
  const auto waiting = with_devices(6, snapshot);
  const auto status = search(R"({"name": "g", "like": "g1"})", waiting, snapshot);
  EXPECT_EQ(choice_in(status), "2 g (4 ml)");
  EXPECT_EQ(status.answer->nodes_wanted->fit_now, 2u);
}

TEST(NewNodes, ANodeOfAShapeHasTheDevicesOfTheShape) {
  auto snapshot = cluster_with_devices();
  const auto waiting = with_devices(6, snapshot);
  const auto shape = [](const char* devices) {
    return fmt::format(R"({{"name": "g", "allocatable": {{"cpu": 64}}, "devices": [{}]}})", devices);
  };
  EXPECT_EQ(choice_in(search(shape(R"({"driver": "gpu.example.com", "count": 2})"), waiting, snapshot)),
            "2 g (4 ml)");
  EXPECT_EQ(
      choice_in(search(shape(R"({"driver": "gpu.example.com"}, {"driver": "gpu.example.com", "count": 3})"),
                       waiting, snapshot)),
      "1 g (4 ml)");
  EXPECT_EQ(search(shape(R"({"driver": "other.example.com", "count": 8})"), waiting, snapshot).outcome,
            "PartlyFits");
}

TEST(NewNodes, DevicesOfAShapeHaveAttributes) {
  auto snapshot = cluster_with_devices();
  auto gpus = std::make_shared<api::DeviceClass>();
  gpus->meta.name = "gpu";
  gpus->selectors = {R"("model" in device.attributes["gpu.example.com"] &&
                        device.attributes["gpu.example.com"].model == "a100" &&
                        device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0)"};
  snapshot.objects().set<api::DeviceClass>(std::move(gpus));
  const auto waiting = with_devices(2, snapshot);
  const auto with = [&](const char* model, const char* memory) {
    return choice_in(search(fmt::format(R"({{"name": "g", "allocatable": {{"cpu": 64}}, "devices": [
        {{"driver": "gpu.example.com", "count": 2, "attributes": {{"model": {{"string": "{}"}}}},
          "capacity": {{"memory": {{"value": "{}"}}}}}}]}})",
                                        model, memory),
                            waiting, snapshot));
  };
  EXPECT_EQ(with("a100", "40Gi"), "1 g (2 ml)");
  EXPECT_THAT(with("a100", "24Gi"), HasSubstr("none (2 ml)"));
  EXPECT_THAT(with("l4", "40Gi"), HasSubstr("none (2 ml)"));
}

}  // namespace
}  // namespace podium::explain
