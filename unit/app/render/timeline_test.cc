// A pod's timeline from its report, its own object and its eviction.
#include "app/render/timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace podium::render {
namespace {

namespace json = boost::json;

constexpr const char* kPod =
    R"({"metadata": {"name": "web", "namespace": "shop", "creationTimestamp": "2026-11-27T10:00:00Z"},
  "spec": {"nodeName": "n1"},
  "status": {"startTime": "2026-11-27T10:01:32Z", "conditions": [
    {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-27T10:01:31Z"},
    {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-27T10:01:40Z"}]}})";

constexpr const char* kScheduled = R"({"metadata": {"name": "web", "namespace": "shop"},
  "status": {"outcome": "Scheduled", "decidedAt": "2026-11-27T10:01:31Z", "attempts": 5,
    "choice": {"nodeName": "n1", "score": 731},
    "preemption": {"nodeName": "n1", "victims": [{"namespace": "batch", "name": "a"}, {"namespace": "batch", "name": "b"},
      {"namespace": "batch", "name": "c"}, {"namespace": "batch", "name": "d"}], "victimsTotal": 6},
    "history": [{"at": "2026-11-27T10:01:00Z", "outcome": "Unschedulable", "reason": "Insufficient cpu", "nodeCount": 54,
                 "code": "InsufficientResource", "about": {"resource": "cpu"}},
                {"at": "2026-11-27T10:00:10Z", "outcome": "Failed", "reason": "the binding was refused"}]}})";

std::vector<TimelineEntry> moments(const char* report, const char* pod) {
  std::vector<TimelineEntry> out;
  if (report) out = moments_of(read_report(json::parse(report)));
  if (pod) std::ranges::copy(moments_of_pod(json::parse(pod)), std::back_inserter(out));
  return in_order(std::move(out));
}

// A line for each moment.
std::string shown(const char* report, const char* pod) {
  std::string out;
  for (const auto& [at, what, text] : moments(report, pod))
    out += fmt::format("{} {}{}{}\n", at ? format_time(*at).substr(11, 8) : "-", what,
                       text.empty() ? "" : " ", text);
  return out;
}

TEST(Timeline, TheConditionOfAPodThatWaitsIsAnAttempt) {
  const auto attempts = [](std::string_view condition, const char* node = "") {
    std::string out;
    for (const auto& [at, what, text] : attempts_of_pod(json::parse(fmt::format(
             R"({{"spec": {{"nodeName": "{}"}}, "status": {{"conditions": [{}]}}}})", node, condition))))
      out += fmt::format("{} {} {}", at ? format_time(*at).substr(11, 8) : "-", what, text);
    return out;
  };
  constexpr const char* kUnschedulable =
      R"({"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
          "message": "0/3 nodes are available: 3 Insufficient cpu.", "lastTransitionTime": "2026-11-27T10:01:31Z"})";
  EXPECT_EQ(attempts(kUnschedulable),
            "10:01:31 tried then or later: 0/3 nodes are available: 3 Insufficient cpu.");
  EXPECT_EQ(attempts(kUnschedulable, "n1"), "") << "it is placed";
  EXPECT_EQ(attempts(R"({"type": "PodScheduled", "status": "False", "reason": "Unschedulable"})"),
            "- tried Unschedulable");
  EXPECT_EQ(attempts(R"({"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"})"), "");
  EXPECT_EQ(attempts(R"({"type": "Ready", "status": "False"})"), "");
}

TEST(Timeline, OfAPodThatRuns) {
  EXPECT_EQ(shown(kScheduled, kPod),
            "10:00:00 created\n"
            "10:00:10 tried 2 times before, which are not kept\n"
            "10:00:10 failed the binding was refused\n"
            "10:01:00 tried 54 nodes do not have enough free cpu\n"
            "10:01:00 nominated n1, then or earlier; 6 pods are evicted there: batch/a, batch/b, batch/c and "
            "3 more\n"
            "10:01:31 chose n1 with 731 points\n"
            "10:01:31 bound to n1\n"
            "10:01:32 accepted by the kubelet\n"
            "10:01:40 ready\n");
  const auto table = timeline_table("shop/web", moments(kScheduled, kPod), {});
  EXPECT_EQ(table.find("shop/web\n"), 0u);
  EXPECT_NE(table.find("2026-11-27T10:00:10Z"), std::string::npos);
  EXPECT_NE(table.find("+10s"), std::string::npos) << table;
}

TEST(Timeline, OneAttemptThatIsNotKept) {
  const auto lines =
      shown(R"({"status": {"outcome": "Unschedulable", "attempts": 2, "decidedAt": "2026-11-27T10:01:00Z"}})",
            nullptr);
  EXPECT_TRUE(lines.contains("tried 1 time before, which is not kept\n")) << lines;
}

TEST(Timeline, AnAttemptWithoutNamesHasItsText) {
  EXPECT_EQ(
      shown(
          R"({"status": {"outcome": "Scheduled", "history": [{"at": "2026-11-27T10:01:00Z", "outcome": "Unschedulable",
      "reason": "Insufficient cpu", "nodeCount": 54, "code": "InsufficientResource"}]}})",
          nullptr),
      "10:01:00 tried 54 nodes: Insufficient cpu\n");
}

TEST(Timeline, OfAPodThatIsGoneOrHasNoReport) {
  EXPECT_EQ(shown(kScheduled, nullptr).find("created"), std::string::npos);
  EXPECT_EQ(shown(nullptr, kPod),
            "10:00:00 created\n10:01:31 bound to n1\n10:01:32 accepted by the kubelet\n10:01:40 ready\n");
}

TEST(Timeline, OfAPodThatWaits) {
  EXPECT_EQ(
      shown(
          R"({"status": {"outcome": "Unschedulable", "decidedAt": "2026-11-27T10:00:05Z", "attempts": 1,
      "nodeCounts": {"total": 3, "evaluated": 3, "feasible": 0},
      "rejections": [{"plugin": "NodeResourcesFit", "code": "InsufficientResource", "reason": "Insufficient cpu", "nodeCount": 3,
                      "about": {"resource": "cpu"}, "shortfall": {"resource": "cpu", "least": "500m"}}], "rejectionsTotal": 1,
      "preemption": {"nodeName": "n2", "victims": [{"namespace": "batch", "name": "a"}], "victimsTotal": 1}}})",
          R"({"metadata": {"creationTimestamp": "2026-11-27T10:00:00Z"}, "status": {"nominatedNodeName": "n2"}})"),
      "10:00:00 created\n"
      "10:00:05 tried 3 of 3 nodes do not have enough free cpu; closest: 500m cpu short\n"
      "10:00:05 nominated n2; one pod is evicted there: batch/a\n"
      "- waits for room on n2\n");
  EXPECT_EQ(moments_of_pod(json::parse(R"({"status": {"nominatedNodeName": "n2"}})"), true).back().text,
            "to be bound to n2");
}

TEST(Timeline, TheNominationStaysWhereItWas) {
  const auto report = read_report(json::parse(
      R"({"status": {"outcome": "Unschedulable", "decidedAt": "2026-11-27T10:00:09Z", "attempts": 2, "message": "no node",
      "preemption": {"nodeName": "n2", "victims": [{"namespace": "batch", "name": "a"}], "victimsTotal": 1},
      "history": [{"at": "2026-11-27T10:00:05Z", "outcome": "Unschedulable", "reason": "no node"}]}})"));
  const auto of = [&](std::optional<Wall> nominated) {
    for (const auto& [at, what, text] : moments_of(report, nominated)) {
      if (what == "nominated") return format_time(*at).substr(11, 8) + " " + text;
    }
    return std::string();
  };
  EXPECT_EQ(of(parse_time("2026-11-27T10:00:05Z")), "10:00:05 n2; one pod is evicted there: batch/a");
  EXPECT_EQ(of(std::nullopt), "10:00:09 n2, then or earlier; one pod is evicted there: batch/a");
}

TEST(Timeline, OfAPodThatIsGoneTheReportKnowsItsBindingAndThatItWasThere) {
  const auto shown_of_gone = [](const char* report) {
    std::string out;
    for (const auto& [at, what, text] : moments_of_gone(read_report(json::parse(report))))
      out += fmt::format("{} {} {}\n", at ? format_time(*at).substr(11, 8) : "-", what, text);
    return out;
  };
  EXPECT_EQ(shown_of_gone(kScheduled), "10:00:10 created then or earlier\n10:01:31 bound to n1\n");
  EXPECT_EQ(shown_of_gone(R"({"status": {"outcome": "Unschedulable", "decidedAt": "2026-11-27T10:05:00Z",
              "gated": [{"by": ["a"], "since": "2026-11-27T10:01:00Z", "until": "2026-11-27T10:04:00Z"}]}})"),
            "10:01:00 created then or earlier\n");
  EXPECT_EQ(shown_of_gone(R"({"status": {"outcome": "Unschedulable"}})"), "");
}

TEST(Timeline, OfAPodWithGates) {
  EXPECT_EQ(
      shown(
          R"({"status": {"outcome": "Gated", "decidedAt": "2026-11-27T10:00:00Z", "message": "waits for a, b"}})",
          R"({"metadata": {"creationTimestamp": "2026-11-27T10:00:00Z"}, "spec": {"schedulingGates": [{"name": "a"}, {"name": "b"}]}})"),
      "10:00:00 created\n10:00:00 gated waits for a, b\n- gated by a, b\n");
}

TEST(Timeline, OfAPodThatHadGates) {
  constexpr const char* kGated = R"({"status": {"outcome": "Scheduled", "decidedAt": "2026-11-27T10:05:01Z",
    "choice": {"nodeName": "n1"},
    "gated": [{"since": "2026-11-27T10:00:00Z", "until": "2026-11-27T10:05:00Z", "by": ["a", "b"]}]}})";
  EXPECT_EQ(shown(kGated, R"({"metadata": {"creationTimestamp": "2026-11-27T10:00:00Z"}})"),
            "10:00:00 created\n10:00:00 gated by a, b\n10:05:00 ungated\n10:05:01 chose n1\n");
  // If the pod still has the gates, also its own object says so.
  constexpr const char* kStill = R"({"status": {"outcome": "Gated", "decidedAt": "2026-11-27T10:05:00Z",
    "message": "waits for 2 scheduling gates: a, b",
    "gated": [{"since": "2026-11-27T10:00:00Z", "by": ["a", "b"]}]}})";
  EXPECT_EQ(
      shown(
          kStill,
          R"({"metadata": {"creationTimestamp": "2026-11-27T10:00:00Z"}, "spec": {"schedulingGates": [{"name": "a"}, {"name": "b"}]}})"),
      "10:00:00 created\n10:00:00 gated by a, b\n");
}

TEST(Timeline, ForPrograms) {
  const auto document = timeline_document(in_order(moments_of_pod(json::parse(kPod))));
  const auto& moments = document.at("moments").as_array();
  ASSERT_EQ(moments.size(), 4u);
  EXPECT_EQ(moments[0], json::parse(R"({"what": "created", "at": "2026-11-27T10:00:00Z"})"));
  EXPECT_EQ(moments[1], json::parse(R"({"what": "bound", "at": "2026-11-27T10:01:31Z", "text": "to n1"})"));
}

// Events have microseconds, and reports have seconds.
TEST(Timeline, FractionsOfASecondDoNotReorder) {
  const auto at = [](const char* text) { return parse_time(text); };
  auto entries = in_order({{at("2026-11-27T10:00:01.4Z"), "nominated"},
                           {at("2026-11-27T10:00:01Z"), "chose"},
                           {at("2026-11-27T10:00:01Z"), "bound"},
                           {at("2026-11-27T10:00:01Z"), "created"}});
  std::string order;
  for (const auto& entry : entries) order += entry.what + " ";
  EXPECT_EQ(order, "created nominated chose bound ");
}

// Texts of other authors cannot move the cursor.
TEST(Timeline, IsPrintable) {
  const auto text = timeline_table(
      "a",
      moments(nullptr, R"({"metadata": {"creationTimestamp": "x"}, "spec": {"nodeName": "a\u001b[31mb"}})"),
      {});
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(text.find('-'), std::string::npos);
}

}  // namespace
}  // namespace podium::render
