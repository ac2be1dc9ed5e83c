// Nodes that cannot be removed although they run no pod: of use to a pod that waits, or to a volume.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using cluster::Snapshot;
using test::node;
using test::pod;

// "LocalVolume n3: the volume of claim data is there"
std::string what_blocks(const std::string& name, const Snapshot& snapshot,
                        const std::vector<cluster::PodInfoPtr>& waiting = {}) {
  const auto question = unit::read(R"({"search": {"couldGo": {}}})").value();
  const auto status = answer(question, snapshot, unit::default_config(), {}, {}, waiting);
  for (const auto& each : status.answer->nodes_spare->blocked) {
    if (each.examples.front() == name) return fmt::format("{} {}: {}", each.code, name, each.reason);
  }
  return "";
}

test::NodeBuilder machine(const std::string& name, const char* cpu = "4") {
  return node(name)
      .label("kubernetes.io/hostname", name)
      .cap("cpu", cpu)
      .cap("memory", "8Gi")
      .cap("pods", "9");
}

// Another pod keeps n1, so that it is not about the last node.
Snapshot cluster_with(test::NodeBuilder other) {
  Snapshot snapshot;
  snapshot.set_node(machine("n1", "2").ptr());
  unit::run_pod(snapshot, pod("bare").ns("shop").uid("bare").req("cpu", "2").node("n1"));
  snapshot.set_node(other.ptr());
  return snapshot;
}

TEST(NodesOfUse, ANodeThatIsNotReadyYetStaysForAPodThatWaits) {
  const std::vector<cluster::PodInfoPtr> waiting{
      cluster::make_pod_info(pod("c").ns("shop").uid("c").owner("ReplicaSet", "c").req("cpu", "3").ptr())};
  for (const auto* key : {"node.kubernetes.io/not-ready", "node.cloudprovider.kubernetes.io/uninitialized"}) {
    const auto joins = cluster_with(machine("n3").taint(key, "", "NoSchedule"));
    EXPECT_EQ(what_blocks("n3", joins, waiting), "Wanted n3: pod c waits, and fits there once it is ready");
    EXPECT_EQ(what_blocks("n3", joins), "") << "no pod waits";
  }
  auto two = cluster_with(machine("n3").taint("node.kubernetes.io/not-ready", "", "NoSchedule"));
  two.set_node(machine("n4").taint("node.kubernetes.io/not-ready", "", "NoSchedule").ptr());
  EXPECT_NE(what_blocks("n3", two, waiting).empty(), what_blocks("n4", two, waiting).empty())
      << "one is enough";
  const auto lost = cluster_with(machine("n3").taint("node.kubernetes.io/unreachable", "", "NoSchedule"));
  EXPECT_EQ(what_blocks("n3", lost, waiting), "") << "it may never come back";
}

TEST(NodesOfUse, ANodeWithTheVolumeOfAClaimStays) {
  const auto with_volume = [](const char* ns, std::vector<std::string> hosts, bool is_claimed) {
    auto snapshot = cluster_with(machine("n3"));
    auto volume = test::persistent_volume("pv", "1Gi", "local");
    volume.claim = {.namespace_ = ns, .name = "data", .uid = "data"};
    volume.node_affinity.emplace().emplace_back().match_expressions.push_back(
        {"kubernetes.io/hostname", api::Requirement::Op::in, std::move(hosts)});
    snapshot.objects().set<api::PersistentVolume>(test::share(volume));
    auto claim = test::persistent_volume_claim(ns, "data", "1Gi", "local");
    if (is_claimed) claim.volume_name = "pv";
    snapshot.objects().set<api::PersistentVolumeClaim>(test::share(claim));
    return snapshot;
  };
  EXPECT_EQ(what_blocks("n3", with_volume("shop", {"n3"}, true)),
            "LocalVolume n3: the volume of claim data is there");
  EXPECT_EQ(what_blocks("n3", with_volume("bank", {"n3"}, true)),
            "LocalVolume n3: the volume of a claim of another namespace is there");
  EXPECT_EQ(what_blocks("n3", with_volume("shop", {"n1", "n3"}, true)), "") << "it may be elsewhere";
  EXPECT_EQ(what_blocks("n3", with_volume("shop", {"n3"}, false)), "")
      << "it was of another claim of the name";
}

}  // namespace
}  // namespace podium::explain
