// A StatefulSet's rolling update, which deletes pods first.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "explain/workload/template_change.h"
#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::pod;
using testing::ElementsAre;
using unit::ask;
using unit::condition;

// `spec`: more fields of its spec.
std::string stateful_set(std::string_view cpu, std::string_view spec = "", int replicas = 3) {
  return fmt::format(
      R"({{"template": {{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {{"name": "db"}},
           "spec": {{"replicas": {}, "serviceName": "db", {} "selector": {{"matchLabels": {{"app": "db"}}}},
             "template": {{"metadata": {{"labels": {{"app": "db"}}}},
               "spec": {{"containers": [{{"name": "c", "image": "i",
                 "resources": {{"requests": {{"cpu": "{}"}}}}}}]}}}}}}}}}})",
      replicas, spec, cpu);
}

// db-0, db-1 and db-2 with 2 CPUs each on n1, n2 and n3 with 4, and another pod on n2.
cluster::Snapshot db_on_three_nodes(const char* is_first_ready = "True") {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}, {"n3", "4"}});
  unit::run_pod(snapshot, pod("other").ns("shop").req("cpu", "2").node("n2"));
  for (int i = 0; i < 3; ++i) {
    auto old = pod(fmt::format("db-{}", i)).ns("shop").owner("StatefulSet", "db").label("app", "db");
    unit::run_pod(snapshot, old.req("cpu", "2")
                                .node(fmt::format("n{}", i + 1))
                                .phase("Running")
                                .condition("Ready", i == 0 ? is_first_ready : "True"));
  }
  return snapshot;
}

std::string stateful_strategy(std::string_view fields) {
  return fmt::format(R"("updateStrategy": {{"rollingUpdate": {{{}}}}},)", fields);
}

TEST(StatefulUpdate, AStatefulSetStopsAtThePodThatDoesNotFit) {
  const auto status = ask(stateful_set("3"), db_on_three_nodes());
  EXPECT_EQ(status.outcome, "PartlyFits") << condition(status, "Complete");
  ASSERT_TRUE(status.answer->stuck_rollout);
  const auto& stuck = *status.answer->stuck_rollout;
  EXPECT_EQ(stuck.updated, 1u) << "db-2 on n3";
  EXPECT_EQ(stuck.max_surge, 0u);
  EXPECT_EQ(stuck.max_unavailable, 1u);
  EXPECT_EQ(stuck.first_failure.replica, 2u) << "db-1";
  EXPECT_THAT(
      status.answer->notes,
      ElementsAre("a StatefulSet's update goes from the highest ordinal down and stops at a pod that "
                  "does not become ready, here db-1; where it gets stuck, the update leaves 1 old pod, "
                  "1 new one that runs and 1 new one that waits."));
  EXPECT_FALSE(ask(stateful_set("1"), db_on_three_nodes()).answer->stuck_rollout);
  const auto last_only = ask(stateful_set("3", stateful_strategy(R"("partition": 2)")), db_on_three_nodes());
  EXPECT_FALSE(last_only.answer->stuck_rollout);
  // db-2 and db-1 are deleted, and db-1 comes first: it takes n3.
  const auto two = ask(stateful_set("3", stateful_strategy(R"("maxUnavailable": 2)")), db_on_three_nodes());
  ASSERT_TRUE(two.answer->stuck_rollout);
  EXPECT_EQ(two.answer->stuck_rollout->first_failure.replica, 3u);
  EXPECT_FALSE(ask(stateful_set("3", R"("updateStrategy": {"type": "OnDelete"},)"), db_on_three_nodes())
                   .answer->stuck_rollout);
}

TEST(StatefulUpdate, AnOrderedStatefulSetWaitsForAPodThatIsNotReady) {
  const auto status = ask(stateful_set("3"), db_on_three_nodes("False"));
  EXPECT_FALSE(status.answer->stuck_rollout) << "it does not begin";
  EXPECT_THAT(
      status.answer->notes,
      ElementsAre("a changed template does not replace db-0, which is not ready: a StatefulSet with "
                  "podManagementPolicy OrderedReady changes no pod until it is ready. After the change, "
                  "delete the pod db-0."));
  EXPECT_TRUE(ask(stateful_set("3", R"("podManagementPolicy": "Parallel",)"), db_on_three_nodes("False"))
                  .answer->stuck_rollout);
}

// It would keep each ordinal.
TEST(StatefulUpdate, AStatefulSetOfMoreReplicasThanAnyIsNotFollowed) {
  const auto status = ask(stateful_set("3", "", 1'000'000'000), db_on_three_nodes());
  EXPECT_EQ(status.outcome, "PartlyFits") << condition(status, "Complete");
  EXPECT_EQ(status.answer->asked, 1'000'000'000u);
  EXPECT_FALSE(status.answer->stuck_rollout);
  EXPECT_TRUE(ask(stateful_set("3", "", 10'000), db_on_three_nodes()).answer->stuck_rollout);
}

TEST(StatefulUpdate, APartitionMayBeAnyNumber) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const auto spec = fmt::format(R"("ordinals": {{"start": {}}}, {})", kMost,
                                stateful_strategy(fmt::format(R"("partition": {})", kMost)));
  const auto status = ask(stateful_set("1", spec), db_on_three_nodes());
  EXPECT_FALSE(status.answer->stuck_rollout);
  EXPECT_THAT(status.answer->notes,
              ElementsAre("the partition is 1000000000: pods with an ordinal below 2000000000 "
                          "keep their template. This is the answer with the new template in "
                          "all of them."));
}

TEST(StatefulUpdate, AnOrdinalHasNoSign) {
  Subject set;
  set.name = "db";
  EXPECT_EQ(ordinal_of(set, "db-7"), 7);
  EXPECT_FALSE(ordinal_of(set, "db--2147483648")) << "a pod of a StatefulSet db-";
  EXPECT_FALSE(ordinal_of(set, "db10")) << "a pod of its own, without the dash";
  EXPECT_FALSE(ordinal_of(set, "db-")) << ordinal_of(set, "db-").value_or(0);
}

}  // namespace
}  // namespace podium::explain
