// Dump: answers from files.
#include "app/offline/dump.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <memory>
#include <type_traits>
#include <utility>

#include "unit/support/cost.h"
#include "unit/support/temp_dir.h"

namespace podium::offline {
namespace {

using testing::HasSubstr;

constexpr const char* kCluster = R"(
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: large}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "5"}}}]}}
)";
constexpr const char* kSearch = R"({"dryRun": true, "search": {"forPending": {}}})";
constexpr const char* kPod = R"({"dryRun": true, "replicas": 3, "podRef": {"name": "large"}})";

explain::ReportStatus answer(const Dump& dump, const char* spec) {
  api::ObjectMeta meta;
  meta.namespace_ = "default";
  meta.name = meta.uid = "q";
  return dump.answer(std::move(meta), boost::json::parse(spec)).status;
}

static_assert(!std::is_copy_constructible_v<Dump> && !std::is_copy_assignable_v<Dump>);

// The index of a dump's objects is still theirs after a move.
TEST(Dump, AMovedDumpFindsItsOwnObjects) {
  const unit::TempDir directory;
  auto read = Dump::read({.cluster = {directory.write("cluster.yaml", kCluster)}});
  ASSERT_TRUE(read) << read.error().message;
  const auto moved = std::move(*read);
  const auto& pods = moved.objects("", "Pod");
  ASSERT_EQ(pods.size(), 1u);
  EXPECT_EQ(moved.find("", "Pod", "default", "large"), &pods.front());
}

// The cluster has no room for the group's third pod, and no node can be added.
TEST(Dump, GroupsHaveTheMinimumOfTheirPodGroup) {
  constexpr const char* kGroup = R"(
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: g-0}, spec: {schedulingGroup: {podGroupName: g}, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: g-1}, spec: {schedulingGroup: {podGroupName: g}, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: g-2}, spec: {schedulingGroup: {podGroupName: g}, containers: [{name: c, image: i, resources: {requests: {cpu: "9"}}}]}}
)";
  const auto placed = [&](const std::string& group) {
    const unit::TempDir directory;
    const auto dump = Dump::read({.cluster = {directory.write("cluster.yaml", kGroup + group)}});
    if (!dump) return dump.error().message;
    EXPECT_TRUE(std::ranges::none_of(
        dump->warnings(), [](const std::string& each) { return each.find("PodGroup") != each.npos; }));
    return answer(*dump, kSearch).message;
  };
  EXPECT_THAT(placed(""), HasSubstr("0 of 3 pods"));
  constexpr const char* kForm = "---\n{{apiVersion: {}, kind: PodGroup, metadata: {{name: g}}, spec: {}}}\n";
  const auto native = [&](const char* policy) {
    return placed(
        fmt::format(kForm, "scheduling.k8s.io/v1beta1", fmt::format("{{schedulingPolicy: {}}}", policy)));
  };
  EXPECT_THAT(native("{gang: {minCount: 2}}"), HasSubstr("2 of 3 pods"));
  EXPECT_THAT(native("{gang: {minCount: 3}}"), HasSubstr("0 of 3 pods"));
  EXPECT_THAT(native("{basic: {}}"), HasSubstr("2 of 3 pods"));
  EXPECT_THAT(placed(fmt::format(kForm, "scheduling.x-k8s.io/v1alpha1", "{minMember: 2}")),
              HasSubstr("2 of 3 pods"));
}

// Its nomination is in the dump's pods only, whatever the question asks.
TEST(Dump, KeepsTheNodeThatAnotherSchedulerNominated) {
  constexpr const char* kUrgent = R"(
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: urgent, uid: u}, spec: {schedulerName: other, priority: 10, containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}, status: {nominatedNodeName: n1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: asked, uid: a}, spec: {schedulerName: other, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}}
)";
  const unit::TempDir directory;
  const auto dump = Dump::read({.cluster = {directory.write("cluster.yaml", kUrgent)}});
  ASSERT_TRUE(dump) << dump.error().message;
  EXPECT_EQ(answer(*dump, R"({"dryRun": true, "podRef": {"name": "asked"}})").outcome, "DoesNotFit");
}

std::string pods_of_namespaces(std::size_t count) {
  std::string out =
      "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: "
      "10}}}\n";
  for (std::size_t i = 0; i < count; ++i)
    out += fmt::format(
        "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: p{0}, uid: u{0}, namespace: ns{0}}}, spec: "
        "{{schedulerName: other, containers: [{{name: c, image: i}}]}}}}\n"
        "---\n{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: q, namespace: ns{0}}}, spec: {{hard: "
        "{{pods: 5, count/services: 5}}}}}}\n",
        i);
  return out;
}

TEST(Dump, ReadingItCostsAsMuchAsItsObjects) {
  const unit::TempDir directory;
  EXPECT_TRUE(test::is_linear(64, [&](std::size_t n) -> test::Work {
    const auto file = directory.write(fmt::format("{}.yaml", n), pods_of_namespaces(n));
    return [=] { EXPECT_TRUE(Dump::read({.cluster = {file}})); };
  }));
}

TEST(Dump, ManyQuotasCountManyPodsOnce) {
  const unit::TempDir directory;
  EXPECT_TRUE(test::is_linear(64, [&](std::size_t n) -> test::Work {
    std::string text =
        "{apiVersion: v1, kind: Node, metadata: {name: node1}}\n---\n"
        "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: shop}, spec: {hard: {pods: "
        "1}}}\n";
    for (std::size_t i = 0; i < n; ++i)
      text += fmt::format(
          "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: p{0}, uid: u{0}, namespace: shop}}, spec: "
          "{{containers: [{{name: c, image: i}}]}}}}\n"
          "---\n{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: c{0}, namespace: shop}}, "
          "spec: "
          "{{resources: {{requests: {{storage: 1Gi}}}}}}}}\n"
          "---\n{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: q{0}, namespace: shop}}, spec: "
          "{{hard: "
          "{{pods: 5, persistentvolumeclaims: 5}}}}}}\n",
          i);
    const auto file = directory.write(fmt::format("quotas-{}.yaml", n), text);
    return [=] {
      const auto dump = Dump::read({.cluster = {file}});
      ASSERT_TRUE(dump) << dump.error().message;
      ASSERT_EQ(dump->quotas().size(), n + 1);
      EXPECT_EQ(*api::find_resource(dump->quotas().back().used, "pods"),
                api::Quantity::from_units(static_cast<std::int64_t>(n)));
    };
  }));
}

// As of `podium why -l`.
TEST(Dump, AnswersAboutEachPodCostAsMuchAsThePods) {
  const unit::TempDir directory;
  EXPECT_TRUE(test::is_linear(64, [&](std::size_t n) -> test::Work {
    const auto file = directory.write(fmt::format("{}.yaml", n), pods_of_namespaces(n));
    const auto dump = std::make_shared<const Dump>(Dump::read({.cluster = {file}}).value());
    return [=] {
      for (std::size_t i = 0; i < n; ++i) {
        api::ObjectMeta meta;
        meta.namespace_ = fmt::format("ns{}", i);
        meta.name = meta.uid = "q";
        const auto spec = fmt::format(R"({{"dryRun": true, "podRef": {{"name": "p{}"}}}})", i);
        EXPECT_EQ(dump->answer(std::move(meta), boost::json::parse(spec)).status.outcome, "Fits");
      }
    };
  }));
}

TEST(Dump, AnAnswerEndsAtItsTimeLimit) {
  const unit::TempDir directory;
  const auto file = directory.write("cluster.yaml", kCluster);
  for (const auto* question : {kSearch, kPod}) {
    const auto whole = Dump::read({.cluster = {file}});
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_THAT(answer(*whole, question).message, Not(HasSubstr("deadline")));

    const auto late = Dump::read({.cluster = {file}, .timeout = std::chrono::milliseconds(0)});
    ASSERT_TRUE(late) << late.error().message;
    EXPECT_THAT(answer(*late, question).message, HasSubstr("deadline"));
  }
}

}  // namespace
}  // namespace podium::offline
