// `podium pending`: the exact text of the groups.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "app/render/pending.h"
#include "unit/app/render/fixtures.h"

namespace podium::render {
namespace {

namespace json = boost::json;

WaitingPod waiting(const std::string& name, const std::string& more = "") {
  const auto pod = json::parse(
      R"({"metadata": {"namespace": "ml", "name": ")" + name +
      R"(", "uid": "u", "creationTimestamp": "2026-11-23T01:51:00Z"}, "spec": {)" + more +
      R"("containers": [{"resources": {"requests": {"cpu": "4", "memory": "2Gi", "nvidia.com/gpu": 8}}},
                        {"resources": {"requests": {"memory": "512Mi"}}}]}, "status": {"phase": "Pending"}})");
  return *read_waiting_pod(pod);
}

TEST(Pending, GroupsByReason) {
  std::vector<WaitingPod> pods;
  for (const char* name : {"big-2", "big-10", "big-3", "big-4"}) pods.push_back(waiting(name));
  pods.push_back(waiting("gated-1", R"("schedulingGates": [{"name": "example/quota"}], )"));
  for (auto& pod : pods) {
    if (pod.gates.empty()) pod.report = read_report(pending_report());
  }
  pods[1].name = "big-5";
  EXPECT_EQ(
      pending_table(group_waiting(std::move(pods)), plain()),
      "4 pods wait; 1 more is gated.\n"
      "PODS        WAIT  ASKS                             BLOCKED BY                                    "
      "         "
      "NEAREST MISS\n"
      "ml/big-2…5   19m  8 nvidia.com/gpu, 4 cpu, 2560Mi  66 of 66 nodes do not have enough free "
      "nvidia.com/gpu  gpu-04: 7 nvidia.com/gpu short\n"
      "ml/gated-1   19m  8 nvidia.com/gpu, 4 cpu, 2560Mi  gate example/quota                            "
      "         "
      "-\n"
      "Next: kubectl podium why big-2 -n ml\n");
}

TEST(Pending, NamesTheSchedulerThatHasNotTriedAPod) {
  const auto gated = pending_table(
      group_waiting({waiting("gated-1", R"("schedulingGates": [{"name": "example/quota"}], )")}), plain());
  EXPECT_TRUE(gated.starts_with("1 pod is gated; no other pod waits.\n")) << gated;
  EXPECT_EQ(blocked_by(waiting("big", R"("schedulerName": "volcano", )")),
            "scheduler volcano has not tried it");
  EXPECT_EQ(blocked_by(waiting("big")), "no podium report");
}

// No node is near, however little cpu is missing.
TEST(Pending, NoNodeIsNearIfNoneHasTheResource) {
  auto pod = waiting("big");
  pod.report = read_report(pending_report());
  auto& rejections = pod.report->status.rejections;
  rejections.push_back(rejections.front());
  rejections[0].about = {{framework::Topic::resource, "cpu"}};
  rejections[0].shortfall->resource = "cpu";
  rejections[1].shortfall->nodes_without = 66;
  const auto group = group_waiting({pod}).front();
  EXPECT_EQ(group.blocked_by, "66 of 66 nodes have no nvidia.com/gpu");
  EXPECT_EQ(group.nearest_miss, "-");
  rejections[1].nodes = rejections[1].shortfall->nodes_without = 60;
  EXPECT_EQ(group_waiting({pod}).front().nearest_miss, "gpu-04: 7 cpu short");
}

// Reports of different ages count different numbers of nodes.
TEST(Pending, NumbersDoNotSplitAWorkload) {
  const auto groups_of = [](const std::vector<std::string>& reports) {
    std::vector<WaitingPod> pods;
    for (const auto& report : reports) {
      pods.push_back(waiting(fmt::format("web-{}", pods.size())));
      pods.back().report = read_report(json::parse(report));
    }
    return group_waiting(std::move(pods));
  };
  const auto report = [](int nodes, int total, int minute, const char* resource = "cpu") {
    return fmt::format(
        R"({{"status": {{"outcome": "Unschedulable", "decidedAt": "2026-11-27T10:{:02}:00Z", "nodeCounts": {{"total": {}}},
             "rejections": [{{"code": "InsufficientResource", "reason": "r", "nodeCount": {}, "about": {{"resource": "{}"}},
                              "shortfall": {{"resource": "{}", "least": "{}", "nodeName": "n9"}}}}]}}}})",
        minute, total, nodes, resource, resource, minute);
  };
  const auto one = groups_of({report(5055, 5067, 1), report(60, 67, 3), report(4259, 4271, 2)});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one.front().blocked_by, "60 of 67 nodes do not have enough free cpu") << "the newest";
  EXPECT_EQ(one.front().nearest_miss, "n9: 3 cpu short");
  EXPECT_EQ(groups_of({report(1, 2, 1), report(1, 2, 1, "memory")}).size(), 2u);
  auto of_others = std::vector{waiting("a-1"), waiting("a-2"), waiting("a-3")};
  of_others[0].message = "0/66 nodes are available: 54 Insufficient cpu";
  of_others[1].message = "0/67 nodes are available: 55 Insufficient cpu";
  of_others[2].message = "0/67 nodes are available: 55 Insufficient memory";
  EXPECT_EQ(group_waiting(std::move(of_others)).size(), 2u);
}

TEST(Pending, TheWordsOfAnotherScheduler) {
  auto pod = waiting("big-1");
  pod.scheduler = "volcano";
  pod.message = "0/66 nodes are available";
  EXPECT_EQ(group_waiting({pod}).front().blocked_by, "0/66 nodes are available") << "podium is not installed";
  pod.names_scheduler = true;
  EXPECT_EQ(group_waiting({pod}).front().blocked_by, "scheduler volcano: 0/66 nodes are available");
}

TEST(Pending, VictimsThatAreStaticPods) {
  auto pod = waiting("big-1");
  pod.report = read_report(pending_report());
  pod.report->status.preemption = explain::Preempted{"n1", {{"batch", "a"}}, 1, 1};
  EXPECT_EQ(group_waiting({pod}).front().blocked_by,
            "waits for 1 eviction on n1, but it is a static pod: the kubelet runs it again, so its room does "
            "not become "
            "free");
  pod.report->status.preemption = explain::Preempted{"n1", {}, 3, 2};
  EXPECT_EQ(group_waiting({pod}).front().blocked_by,
            "waits for 3 evictions on n1, but 2 of them are static pods: the kubelet runs them again, so "
            "their room "
            "does not become free");
}

// The report of a pod whose binding waits may be of an earlier attempt.
TEST(Pending, APodWhoseBindingWaits) {
  auto pod = waiting("big-2");
  pod.nominated = "n1";
  EXPECT_EQ(group_waiting({pod}).front().blocked_by, "its binding to n1 waits");
  auto preempts = pod;
  preempts.message = "0/3 nodes are available";
  EXPECT_EQ(group_waiting({preempts}).front().blocked_by, "0/3 nodes are available; nominated to n1")
      << "it may have evicted pods there";
  pod.report = read_report(pending_report());
  const auto group = group_waiting({pod}).front();
  EXPECT_EQ(group.blocked_by, "its binding to n1 waits");
  EXPECT_EQ(group.nearest_miss, "-");
  EXPECT_FALSE(group.report);
  pod.report->status.no_preemption = "VictimsTerminate";
  EXPECT_EQ(group_waiting({pod}).front().blocked_by, "pods that it has evicted are still terminating");
  pod.report->status.preemption = explain::Preempted{"n1", {{"batch", "a"}}, 1};
  EXPECT_EQ(group_waiting({pod}).front().blocked_by, "waits for 1 eviction on n1");
  auto& status = pod.report->status;
  status.outcome = "Binding";
  status.message = "its devices are not ready on the node yet";
  status.choice.emplace().node = "n2";
  const auto said = group_waiting({pod}).front();
  EXPECT_EQ(said.blocked_by, "its binding to n2 waits: its devices are not ready on the node yet");
  EXPECT_EQ(said.nearest_miss, "-");
  EXPECT_TRUE(said.report);
}

// In a dump: no scheduler has seen them yet.
TEST(Pending, PodsThatFitAreOneGroup) {
  std::vector<WaitingPod> pods;
  for (const int i : {1, 2, 3}) {
    pods.push_back(waiting(fmt::format("web-{}", i)));
    pods.back().report = read_report(json::parse(fmt::format(
        R"({{"status": {{"outcome": "Fits", "choice": {{"nodeName": "n{}"}}, "nodeCounts": {{"total": 9, "feasible": 8}},
             "rejections": [{{"code": "InsufficientResource", "reason": "r", "nodeCount": 1,
                              "shortfall": {{"resource": "cpu", "least": "1", "nodeName": "n9"}}}}]}}}})",
        i)));
  }
  const auto one = group_waiting({pods.front()});
  EXPECT_EQ(one.front().blocked_by, "nothing: it would go to n1");
  EXPECT_EQ(one.front().nearest_miss, "-") << "it fits";
  auto others = pods.front();
  others.scheduler = "volcano";
  others.report->status.profile = "default-scheduler";
  EXPECT_EQ(group_waiting({others}).front().blocked_by,
            "nothing: it would go to n1, but scheduler volcano places it");
  const auto groups = group_waiting(std::move(pods));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups.front().blocked_by, "nothing: each alone would go to n1, n2 and 1 more");
}

// The API server refuses such names; another server's answer may have them. The scheduler does not count a
// resource of such a name.
TEST(Pending, WhatAPodAsksForIsPrintable) {
  const auto pod = json::parse(R"({"metadata": {"namespace": "ml", "name": "p", "uid": "u",
      "creationTimestamp": "2026-11-23T01:51:00Z"}, "spec": {"nodeSelector": {"a\u001b[31m": "b\u009b31m"}, "containers": [
      {"name": "c", "resources": {"requests": {"a\u001b[31m": "1", "cpu": "2"}}}]}, "status": {"phase": "Pending"}})");
  std::vector<WaitingPod> pods{*read_waiting_pod(pod)};
  const auto text = pending_table(group_waiting(std::move(pods)), plain());
  EXPECT_NE(text.find("2 cpu, a[31m=b31m"), std::string::npos) << text;
}

TEST(Pending, ANearestMissNamesItsNodeWhereTheReportHasIt) {
  const auto nearest = [](const char* shortfall) {
    auto pod = waiting("huge");
    pod.report = read_report(json::parse(fmt::format(
        R"({{"status": {{"outcome": "Unschedulable", "rejections": [{{"reason": "r", "nodeCount": 9, "shortfall": {}}}]}}}})",
        shortfall)));
    return group_waiting({std::move(pod)}).front().nearest_miss;
  };
  EXPECT_EQ(nearest(R"({"resource": "cpu", "least": "54250m", "nodeName": "n\u001b7"})"),
            "n7: 54.25 cpu short");
  EXPECT_EQ(nearest(R"({"resource": "memory", "least": "500Mi"})"), "500Mi memory short")
      << "an older podium";
  EXPECT_EQ(nearest(R"({"resource": "pods", "least": "1", "nodeName": "n1"})"), "n1: 1 pod short");
  EXPECT_EQ(nearest("null"), "-");
}

TEST(Pending, BlockedByATaintNamesIt) {
  auto pod = waiting("web");
  pod.report = read_report(json::parse(R"json({"status": {
    "outcome": "Unschedulable", "nodeCounts": {"total": 2},
    "rejections": [{"code": "UntoleratedTaint", "reason": "node(s) had untolerated taint(s)", "nodeCount": 2,
                    "taints": ["gpu:NoSchedule"]}]}})json"));
  EXPECT_EQ(group_waiting({std::move(pod)}).front().blocked_by,
            "2 of 2 nodes have a taint that the pod does not tolerate: gpu:NoSchedule");
}

TEST(Pending, NamesWithGapsAndOtherNamesAreCounted) {
  const auto names = [](const std::vector<std::string>& given) {
    std::vector<WaitingPod> pods;
    for (const auto& name : given) pods.push_back(waiting(name));
    return group_waiting(std::move(pods)).front().pods;
  };
  EXPECT_EQ(names({"big-2", "big-9"}), "ml/big-* (2)");
  EXPECT_EQ(names({"web-6d5f-abcde", "web-6d5f-fghij"}), "ml/web-6d5f-* (2)");
  EXPECT_EQ(names({"one"}), "ml/one");
}

TEST(Pending, PlacedAndEndedPodsDoNotWait) {
  EXPECT_FALSE(
      read_waiting_pod(json::parse(R"({"spec": {"nodeName": "n"}, "status": {"phase": "Pending"}})")));
  EXPECT_FALSE(read_waiting_pod(json::parse(R"({"spec": {}, "status": {"phase": "Failed"}})")));
  EXPECT_FALSE(read_waiting_pod(json::parse("3")));
  EXPECT_EQ(pending_table({}, plain()), "No pods are pending.\n");
}

}  // namespace
}  // namespace podium::render
