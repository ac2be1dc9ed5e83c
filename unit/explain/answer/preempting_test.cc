// How many replicas fit with preemption.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::pod;
using unit::ask;
using unit::condition;

// Pods of 1 CPU and priority 0: three on n1 with 4 CPUs, two on n2 with 4.
cluster::Snapshot with_low_pods() {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  int number = 0;
  for (const auto* node : {"n1", "n1", "n1", "n2", "n2"})
    unit::run_pod(snapshot, pod(fmt::format("low-{}", ++number)).ns("shop").req("cpu", "1").node(node));
  return snapshot;
}

api::Pod high(const char* cpu) { return pod("high").ns("shop").req("cpu", cpu).priority(1000); }

TEST(WithPreemption, CountsTheReplicasAndTheirVictims) {
  const auto status = ask(high("2"), 4, with_low_pods());
  EXPECT_EQ(status.outcome, "PartlyFits");
  EXPECT_EQ(status.answer->fitting, 1u);
  const auto& with = status.answer->with_preemption;
  ASSERT_TRUE(with);
  EXPECT_EQ(with->fitting, 4u);
  EXPECT_EQ(with->evicted, 5u);
  EXPECT_FALSE(with->may_be_more);
  EXPECT_TRUE(condition(status, "Complete").contains("; with preemption, which evicts 5 pods, 4 fit"))
      << condition(status, "Complete");
}

// Each on its own node: three on n1 leave 1 CPU, and two on n2 leave 2.
TEST(WithPreemption, CountsThePodsOfADaemonSet) {
  auto snapshot = with_low_pods();
  api::PriorityClass priority_class;
  priority_class.meta.name = "high";
  priority_class.value = 1000;
  snapshot.objects().set(test::share(priority_class));
  const auto status =
      ask(R"({"template": {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"},
      "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {"labels": {"app": "a"}},
        "spec": {"priorityClassName": "high", "containers": [{"name": "c", "image": "i",
          "resources": {"requests": {"cpu": "3"}}}]}}}}})",
          snapshot);
  ASSERT_TRUE(status.answer) << status.message;
  EXPECT_EQ(status.answer->fitting, 0u);
  ASSERT_TRUE(status.answer->with_preemption);
  EXPECT_EQ(status.answer->with_preemption->fitting, 2u);
  EXPECT_EQ(status.answer->with_preemption->evicted, 3u);
}

TEST(WithPreemption, IsAbsentWhereItDoesNotHelp) {
  struct Case {
    const char* name;
    api::Pod pod;
    int replicas;
  };
  auto never = high("2");
  never.preempt_never = true;
  const Case cases[] = {
      {"all fit", high("1"), 3},
      {"too large for any node", high("5"), 2},
      {"of no higher priority", pod("equal").ns("shop").req("cpu", "2"), 4},
      {"never preempts", never, 4},
      {"one pod: the answer names its victims", high("4"), 1},
  };
  for (const auto& c : cases)
    EXPECT_FALSE(ask(c.pod, c.replicas, with_low_pods()).answer->with_preemption) << c.name;
}

TEST(WithPreemption, AStaticPodMakesNoRoom) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  unit::run_pod(
      snapshot,
      pod("static").ns("shop").annotation("kubernetes.io/config.mirror", "hash").req("cpu", "3").node("n1"));
  const auto status = ask(high("2"), 2, snapshot);
  ASSERT_TRUE(status.preemption) << "kube-scheduler evicts it";
  EXPECT_EQ(status.preemption->static_pods, 1u);
  EXPECT_FALSE(status.answer->with_preemption);
}

TEST(WithPreemption, StopsAtItsBound) {
  auto snapshot = unit::nodes_of({{"n1", "400"}});
  snapshot.set_node(test::node("n1").cap("cpu", "400").cap("memory", "8Gi").cap("pods", "1000").ptr());
  unit::run_pod(snapshot, pod("low").ns("shop").req("cpu", "399").node("n1"));
  const auto status = ask(high("1"), 300, snapshot);
  EXPECT_EQ(status.answer->fitting, 1u);
  ASSERT_TRUE(status.answer->with_preemption);
  EXPECT_EQ(status.answer->with_preemption->fitting, 100u);
  EXPECT_TRUE(status.answer->with_preemption->may_be_more);
  EXPECT_EQ(status.answer->with_preemption->evicted, 1u);
}

}  // namespace
}  // namespace podium::explain
