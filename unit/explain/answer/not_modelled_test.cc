// What an answer names because it may change what really happens: pods that terminate, and kubelets.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::node;
using test::pod;

bool names(const ReportStatus& status, const std::string& words) {
  const auto& all = status.answer->not_modelled;
  return std::ranges::find(all, words) != all.end();
}

// n1 is full of a less important pod that terminates.
cluster::Snapshot with_victim() {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  unit::run_pod(snapshot, pod("low").req("cpu", "3").node("n1").terminating());
  return snapshot;
}

ReportStatus ask_web(const cluster::Snapshot& snapshot) {
  return unit::ask(
      R"({"template": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
      "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels":
      {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu":
      "3"}}}]}}}}})",
      snapshot);
}

TEST(NotModelled, PodsThatTheWorkloadHasEvictedAreAsGood) {
  auto snapshot = with_victim();
  EXPECT_EQ(ask_web(snapshot).outcome, "DoesNotFit");
  const api::Pod waits = pod("web-a").ns("shop").priority(10).owner("ReplicaSet", "web").req("cpu", "3");
  snapshot.nominate(cluster::make_pod_info(test::share(waits)), "n1");
  const auto status = ask_web(snapshot);
  EXPECT_EQ(status.outcome, "Fits");
  EXPECT_EQ(status.choice->node, "n1");
  EXPECT_TRUE(names(status, "the time until 1 pod that it has evicted is gone"));
}

TEST(NotModelled, TheKubeletOfAnotherSystem) {
  cluster::Snapshot snapshot;
  snapshot.set_node(node("n1").label("kubernetes.io/os", "linux").cap("cpu", "4").cap("pods", "9").ptr());
  const auto asked = [&](const char* os) {
    return unit::ask(
        fmt::format(R"({{"template": {{"spec": {{{} "containers": [{{"name": "c", "image": "i"}}]}}}}}})",
                    os),
        snapshot);
  };
  const std::string rejects =
      "the kubelet of n1 (its kubernetes.io/os is linux: it rejects a pod with spec.os windows)";
  EXPECT_EQ(asked(R"("os": {"name": "windows"},)").outcome, "Fits") << "no plugin reads it";
  EXPECT_TRUE(names(asked(R"("os": {"name": "windows"},)"), rejects));
  EXPECT_FALSE(names(asked(R"("os": {"name": "linux"},)"), rejects));
  EXPECT_FALSE(names(asked(""), rejects));
}

TEST(NotModelled, PodSecurityThatTheNamespaceEnforces) {
  const auto asked = [](const char* level) {
    auto snapshot = unit::nodes_of({{"n1", "4"}});
    api::Namespace ns;
    ns.meta.name = "shop";
    ns.meta.labels.set("pod-security.kubernetes.io/enforce", level);
    snapshot.objects().set(test::share(ns));
    return ask_web(snapshot);
  };
  EXPECT_TRUE(names(asked("restricted"), "PodSecurity restricted (the namespace enforces it)"));
  EXPECT_FALSE(names(asked("privileged"), "PodSecurity privileged (the namespace enforces it)"));
}

TEST(Fixes, NameTheEndOfPodsThatTerminate) {
  const api::Pod asked = pod("web").req("cpu", "3");
  auto question = unit::about(asked, 1);
  question.fixes = true;
  const auto status = answer(question, with_victim(), unit::default_config());
  ASSERT_FALSE(status.answer->fixes.empty());
  EXPECT_TRUE(std::ranges::any_of(status.answer->fixes, [](const ReportFix& fix) {
    return fix.type == "FewerPods" && fix.message == "the end of 1 pod that terminates on n1" &&
           fix.node == "n1";
  }));
}

}  // namespace
}  // namespace podium::explain
