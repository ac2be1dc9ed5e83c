// Nodes that exist and that pods that wait need, cordoned or not ready: the searches for nodes propose to
// uncordon them, and do not remove them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "explain/workload/workload.h"
#include "unit/explain/answer/nodes_wanted.h"

namespace podium::explain {
namespace {

using cluster::Snapshot;
using test::pod;
using testing::HasSubstr;
using testing::IsEmpty;
using unit::many;
using unit::one_of;
using unit::Pods;
using unit::waits;

constexpr const char* kLarge = R"({"name": "l", "allocatable": {"cpu": 16, "memory": "64Gi"}})";
constexpr const char* kHostname = "kubernetes.io/hostname";

auto cordoned(const char* name) {
  return test::node(name)
      .cap("cpu", "4")
      .cap("memory", "8Gi")
      .cap("pods", "110")
      .unschedulable()
      .taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
}

Pods on_n2(int count, const char* cpu) {
  Pods out;
  for (int i = 0; i < count; ++i) out.push_back(waits(one_of("a", i, cpu).node_selector(kHostname, "n2")));
  return out;
}

// No new node has the name of the cordoned one, as for a pod with a local volume.
TEST(Uncordoning, IsProposedWhereNoNewNodeHelps) {
  auto snapshot = unit::full_cluster();
  snapshot.set_node(cordoned("n2").ptr());
  auto status = unit::search(kLarge, on_n2(1, "1"), snapshot);
  EXPECT_EQ(status.answer->nodes_wanted->uncordon, std::vector<std::string>{"n2"});
  EXPECT_EQ(unit::choice_in(status),
            "none (1 a): no shape has kubernetes.io/hostname=n2; n2 would take one if it were uncordoned");
  status = unit::search(kLarge, on_n2(3, "2"), snapshot);
  EXPECT_EQ(status.answer->nodes_wanted->uncordon, std::vector<std::string>{"n2"}) << "it takes two of them";
  status = unit::search(kLarge, on_n2(1, "5"), snapshot);
  EXPECT_THAT(status.answer->nodes_wanted->uncordon, IsEmpty());
  EXPECT_EQ(unit::choice_in(status), "none (1 a): no shape has kubernetes.io/hostname=n2");
}

TEST(Uncordoning, IsProposedNextToNewNodes) {
  auto snapshot = unit::full_cluster();
  snapshot.set_node(cordoned("n2").ptr());
  auto waiting = on_n2(1, "1");
  const auto large = many("b", 2, "8");
  waiting.insert(waiting.end(), large.begin(), large.end());
  const auto status = unit::search(kLarge, waiting, snapshot);
  EXPECT_EQ(unit::choice_in(status),
            "1 l (2 b); none (1 a): no shape has kubernetes.io/hostname=n2; n2 would take one if it were "
            "uncordoned");
  EXPECT_THAT(status.answer->nodes_wanted->uncordon, IsEmpty()) << "alone it places fewer";
}

ReportStatus could_go(const Snapshot& snapshot, const Pods& waiting) {
  const auto question = unit::read(R"({"search": {"couldGo": {}}})").value();
  return answer(question, snapshot, unit::default_config(), {}, {}, waiting);
}

// "n2 n3", and why others stay.
std::string going(const ReportStatus& status) {
  std::vector<std::string> names;
  for (const auto& each : status.answer->nodes_spare->nodes) names.push_back(each.node);
  return fmt::format("{}", fmt::join(names, " "));
}
std::string staying(const ReportStatus& status) {
  std::string out;
  for (const auto& each : status.answer->nodes_spare->blocked)
    out += fmt::format("{}: {}\n", each.examples.front(), each.reason);
  return out;
}

test::PodBuilder owned(const char* name, const char* cpu) {
  return pod(name).ns("shop").uid(name).owner("ReplicaSet", "r").req("cpu", cpu);
}

TEST(Uncordoning, ACordonedNodeThatAPodNeedsOnceItIsEmptyStays) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  snapshot.set_node(cordoned("n2").ptr());
  unit::run_pod(snapshot, pod("keeps").ns("shop").req("cpu", "3").node("n1"));
  unit::run_pod(snapshot, owned("a", "1").node("n2"));
  EXPECT_EQ(going(could_go(snapshot, {})), "n2");
  const auto status = could_go(snapshot, {waits(owned("w", "4"))});
  EXPECT_EQ(going(status), "");
  EXPECT_THAT(staying(status),
              HasSubstr("n2: pod w waits, and fits there once it is empty and uncordoned\n"));
  EXPECT_EQ(going(could_go(snapshot, {waits(owned("w", "5"))})), "n2") << "it is too small";
  snapshot.set_node(cordoned("n3").ptr());
  const auto other = could_go(snapshot, {waits(owned("w", "4"))});
  EXPECT_EQ(going(other), "n2") << "n3 has room for it as it is";
  EXPECT_THAT(staying(other), HasSubstr("n3: pod w waits, and fits there once it is uncordoned\n"));
}

// Its volume is there: without the node the data is lost.
TEST(Uncordoning, ANodeThatIsNotReadyAndHasTheVolumeOfAPodStays) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  snapshot.set_node(test::node("n2")
                        .cap("cpu", "4")
                        .cap("memory", "8Gi")
                        .cap("pods", "110")
                        .taint("node.kubernetes.io/unreachable", "", "NoSchedule")
                        .ptr());
  unit::run_pod(snapshot, pod("keeps").ns("shop").req("cpu", "1").node("n1"));
  EXPECT_EQ(going(could_go(snapshot, {waits(owned("w", "1"))})), "n2");
  auto volume = test::persistent_volume("disk", "5Gi", "local");
  volume.node_affinity = {{.match_expressions = {{.key = kHostname, .values = {"n2"}}}, .match_fields = {}}};
  auto claim = test::persistent_volume_claim("shop", "data", "5Gi", "local");
  test::bind_claim(claim, volume);
  snapshot.objects().set(test::share(std::move(volume)));
  snapshot.objects().set(test::share(std::move(claim)));
  EXPECT_THAT(staying(could_go(snapshot, {waits(owned("w", "8"))})),
              HasSubstr("n2: the volume of claim data is there\n"));
  const auto status = could_go(snapshot, {waits(owned("w", "1").claim("data"))});
  EXPECT_EQ(going(status), "");
  EXPECT_THAT(staying(status), HasSubstr("n2: pod w waits, and fits there once it is ready\n"));
}

TEST(Uncordoning, APodOfADaemonSetThatWaitsKeepsNoNode) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, pod("keeps").ns("shop").req("cpu", "1").node("n1"));
  unit::run_pod(snapshot, owned("a", "1").node("n2"));
  api::Pod log = pod("log-x").ns("shop").uid("log-x").owner("DaemonSet", "log").req("cpu", "4");
  pin_to_node(log, "n2");
  EXPECT_EQ(going(could_go(snapshot, {waits(log)})), "n2");
}

}  // namespace
}  // namespace podium::explain
