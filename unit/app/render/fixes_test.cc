// Fixes: how many replicas fit with each, and YAML that can be pasted.
#include "app/render/fixes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

#include "app/render/what_if.h"
#include "app/render/words_json.h"
#include "app/render/workload.h"
#include "unit/app/render/fixtures.h"

namespace podium::render {
namespace json = boost::json;
namespace {

// An answer with these fixes for this number of replicas.
Report with_fixes(std::string_view fixes, int asked = 1) {
  return read_report(json::parse(fmt::format(
      R"({{"spec": {{"dryRun": true}}, "status": {{"outcome": "DoesNotFit", "replicas": {{"asked": {}, "fitting": 0}},
      "fixes": [{}]}}}})",
      asked, fixes)));
}

// The lines below the heading.
std::string lines(std::string_view fixes, int asked = 1) {
  const auto text = tried_fixes(with_fixes(fixes, asked));
  return text.substr(text.find('\n') + 1);
}

TEST(TriedFixes, SayHowManyFit) {
  EXPECT_EQ(tried_fixes(with_fixes(R"({"type": "UncordonNode", "message": "uncordon n1", "nodeName": "n1",
                                     "score": 300, "fitting": 1})")),
            "What would let it run, each tried on a copy of the cluster's state:\n"
            "  uncordon n1 (on n1, 300 points)\n");
  EXPECT_EQ(
      tried_fixes(with_fixes(R"({"type": "A", "message": "a", "nodeName": "n1", "score": 3, "fitting": 3},
                                     {"type": "B", "message": "b", "nodeName": "n1", "score": 3, "fitting": 2},
                                     {"type": "C", "message": "c", "fitting": 1, "mayBeMore": true},
                                     {"type": "D", "message": "of an older podium", "nodeName": "n1"})",
                             3)),
      "What would let more run, each tried on a copy of the cluster's state:\n"
      "  a → all 3 fit\n"
      "  b → 2 of 3 fit\n"
      "  c → at least 1 of 3 fits\n"
      "  of an older podium (on n1)\n");
}

TEST(TriedFixes, SayWhatAQuotaAllows) {
  constexpr const char* kFixes =
      R"({"type": "A", "message": "a", "fitting": 9, "quota": "q", "quotaAllows": 7},
         {"type": "B", "message": "b", "fitting": 8, "quota": "q", "quotaAllows": 7},
         {"type": "C", "message": "c", "fitting": 9})";
  EXPECT_EQ(lines(kFixes, 9),
            "  a → the nodes have room for all 9, quota q allows 7\n"
            "  b → the nodes have room for 8, quota q allows 7\n"
            "  c → all 9 fit\n");
  EXPECT_EQ(lines(R"({"type": "A", "message": "a", "fitting": 1, "quota": "q"})"),
            "  a → the nodes have room for it, quota q allows none\n");
}

TEST(FixesInLine, CountWhatAQuotaAllows) {
  Options options;
  EXPECT_EQ(
      fixes_in_line(with_fixes(R"({"type": "A", "message": "a", "fitting": 9, "quota": "q", "quotaAllows": 7},
                                        {"type": "B", "message": "b", "fitting": 9})",
                               9),
                    options),
      "Would help: a → 7 more run, and quota q allows no more; b → all 9 run\n");
  EXPECT_EQ(
      fixes_in_line(with_fixes(R"({"type": "A", "message": "a", "fitting": 9, "quota": "q"})", 9), options),
      "A change that makes room on nodes would not help: quota q allows no more.\n");
}

TEST(TriedFixes, DoNotNameANodeTwice) {
  EXPECT_EQ(
      lines(
          R"({"type": "RaisePriority", "message": "it would preempt 1 pod on gpu-04", "nodeName": "gpu-04"})"),
      "  it would preempt 1 pod on gpu-04\n");
  EXPECT_EQ(
      lines(R"({"type": "RaisePriority", "message": "it would preempt 1 pod on gpu-04", "nodeName": "gpu-04",
                      "score": 3})"),
      "  it would preempt 1 pod on gpu-04 (3 points)\n");
  EXPECT_EQ(lines(R"({"type": "A", "message": "it would preempt 1 pod on gpu-041", "nodeName": "gpu-04"})"),
            "  it would preempt 1 pod on gpu-041 (on gpu-04)\n");
}

TEST(TriedFixes, HaveYamlToPaste) {
  EXPECT_EQ(
      lines(R"({"type": "RequestLess", "resource": "cpu", "atMost": "2", "container": "c", "message": "m"})"),
      "  m\n    resources: {requests: {cpu: \"2\"}}\n");
  EXPECT_EQ(lines(R"({"type": "RequestLess", "resource": "example.com/gpu", "atMost": "1", "container": "c",
                      "message": "m"})"),
            "  m\n    resources: {requests: {example.com/gpu: \"1\"}, limits: {example.com/gpu: \"1\"}}\n");
  EXPECT_EQ(lines(R"({"type": "RequestLess", "resource": "cpu", "atMost": "2", "message": "m"})"),
            "  m\n    resources: {requests: {cpu: \"2\"}}  # of the pod's spec\n");
  EXPECT_EQ(lines(R"({"type": "RaisePriority", "priority": 6, "priorityClassName": "high", "message": "m"})"),
            "  m\n    priorityClassName: high\n");
  EXPECT_EQ(lines(R"({"type": "RaisePriority", "priority": 6, "message": "m"})"),
            "  m\n    It needs a PriorityClass with a value of at least 6.\n");
  EXPECT_EQ(lines(R"({"type": "AddNodes", "count": 1, "like": "n1", "message": "m"},
                     {"type": "WithoutNodeSelector", "key": "disk", "message": "n"},
                     {"type": "FewerPods", "nodeName": "n1", "pods": 2, "message": "o"})"),
            "  m\n  n\n  o (on n1)\n");
}

// With a fix, more pods fit on the nodes; the fix says how many the quota then allows. Where a fix lets more
// run, the heading says so.
TEST(TriedFixes, AreAboutTheNodesWhereAQuotaAllowsFewer) {
  auto report = with_fixes(R"({"type": "A", "message": "a", "fitting": 5, "quota": "q", "quotaAllows": 3},
                              {"type": "B", "message": "b", "fitting": 5})",
                           5);
  explain::set_quotas(*report.status.answer, {{.name = "q", .allowed = 3}});
  EXPECT_EQ(tried_fixes(report),
            "What would let more run, each tried on a copy of the cluster's state:\n"
            "  a → the nodes have room for all 5, quota q allows 3\n"
            "  b → all 5 fit\n");
  report.status.answer->fitting = 4;
  report.status.answer->fixes.pop_back();
  EXPECT_EQ(tried_fixes(report),
            "What would let more fit on the nodes, each tried on a copy of the cluster's state:\n"
            "  a → the nodes have room for all 5, quota q allows 3\n");
}

TEST(TriedFixes, OfAPairAreInOneFragment) {
  constexpr const char* kPair = R"({{"type": "Pair", "message": "m", "changes": [
      {{"type": "RequestLess", "resource": "cpu", "atMost": "2750m", "container": "{}"}}, {}]}})";
  EXPECT_EQ(lines(fmt::format(
                kPair, "c",
                R"({"type": "RequestLess", "resource": "memory", "atMost": "106Gi", "container": "c"})")),
            "  m\n    resources: {requests: {cpu: \"2750m\", memory: \"106Gi\"}}\n");
  EXPECT_EQ(
      lines(fmt::format(kPair, "a",
                        R"({"type": "RequestLess", "resource": "cpu", "atMost": "1", "container": "b"})")),
      "  m\n    resources: {requests: {cpu: \"2750m\"}}  # a\n    resources: {requests: {cpu: \"1\"}}  # "
      "b\n");
  EXPECT_EQ(lines(fmt::format(
                kPair, "c",
                R"({"type": "TolerateTaint", "taint": {"key": "k", "value": "v", "effect": "NoSchedule"}})")),
            "  m\n    tolerations:\n    - {key: k, operator: Equal, value: v, effect: NoSchedule}\n"
            "    resources: {requests: {cpu: \"2750m\"}}\n");
  // A field appears once in YAML.
  EXPECT_EQ(lines(R"({"type": "Pair", "message": "m", "changes": [
              {"type": "TolerateTaint", "taint": {"key": "k", "value": "v", "effect": "NoSchedule"}},
              {"type": "TolerateTaint", "taint": {"key": "k", "value": "v", "effect": "NoExecute"}}]})"),
            "  m\n    tolerations:\n    - {key: k, operator: Equal, value: v, effect: NoSchedule}\n"
            "    - {key: k, operator: Equal, value: v, effect: NoExecute}\n");
  EXPECT_EQ(lines(R"({"type": "Pair", "message": "m", "changes": [3, {"type": 3}]})"), "  m\n");
}

TEST(TriedFixes, APairWithOneFragmentSaysSo) {
  const auto pair = [](const char* first, const char* second) {
    return lines(
        fmt::format(R"({{"type": "Pair", "message": "a and b", "changes": [{}, {}]}})", first, second));
  };
  const auto* spread = R"({"type": "SpreadScheduleAnyway", "constraint": 0, "topologyKey": "zone"})";
  const auto* request = R"({"type": "RequestLess", "resource": "cpu", "atMost": "1", "container": "c"})";
  const auto* taint =
      R"({"type": "TolerateTaint", "taint": {"key": "k", "value": "v", "effect": "NoSchedule"}})";
  EXPECT_EQ(pair(taint, spread),
            "  a and b\n    # only the first of the two changes:\n"
            "    tolerations:\n    - {key: k, operator: Equal, value: v, effect: NoSchedule}\n");
  EXPECT_EQ(
      pair(spread, request),
      "  a and b\n    # only the second of the two changes:\n    resources: {requests: {cpu: \"1\"}}\n");
}

TEST(TriedFixes, ThatNoneHelpsIsSaidWhereItIsKnown) {
  auto report = with_fixes("", 3);
  EXPECT_EQ(tried_fixes(report), "");
  report.status.answer->no_fix_helps = true;
  EXPECT_EQ(tried_fixes(report), "No single change and no pair of changes that podium tries would help.\n");
  EXPECT_TRUE(what_if(report, "shop/web", plain()).contains("No single change and no pair of changes"));
  EXPECT_EQ(tried_fixes_of_nodes(report), tried_fixes(report));
  EXPECT_EQ(words_json(report.status, "shop", Asked{}).at("noFix"),
            json::parse(R"(["No single change and no pair of changes that podium tries would help."])"));
}

TEST(TriedFixes, OfANamedNodeComeFirst) {
  auto report =
      with_fixes(R"({"type": "A", "message": "elsewhere", "nodeName": "n1", "score": 3, "fitting": 1},
                              {"type": "B", "message": "here", "nodeName": "n2", "score": 3, "fitting": 1})");
  report.status.answer->verdicts = {{.node = "n2"}};
  EXPECT_EQ(tried_fixes_of_nodes(report),
            "What would let it run, each tried on a copy of the cluster's state:\n"
            "  here (on n2, 3 points)\n"
            "Elsewhere:\n"
            "  elsewhere (on n1, 3 points)\n");
  report.status.answer->fixes.pop_back();
  EXPECT_EQ(tried_fixes_of_nodes(report), "Elsewhere:\n  elsewhere (on n1, 3 points)\n");
}

}  // namespace
}  // namespace podium::render
