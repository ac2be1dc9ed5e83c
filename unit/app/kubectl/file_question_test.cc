// podium whatif -f with a question: a SchedulingReport as `kubectl apply` would create it, on a dump.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::StartsWith;

class AQuestionOfAFile : public OnADump {
 protected:
  // `podium whatif -f FILE` about a question with these fields, a line each.
  Ran ask(const std::string& fields, std::vector<std::string> more = {}) {
    const auto file = directory_.write("q.yaml", R"(apiVersion: podium.dev/v1alpha1
kind: SchedulingReport
metadata: {name: ask, namespace: shop}
spec:
  dryRun: true
)" + fields);
    more.insert(more.begin(), {"whatif", "-f", file});
    auto ran = run(more);
    for (auto* text : {&ran.out, &ran.err}) {
      for (std::size_t at; (at = text->find(file)) != text->npos;) text->replace(at, file.size(), "q.yaml");
    }
    return ran;
  }
};

const char* const kTemplate =
    "  template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: \"1\"}}}]}}\n";

TEST_F(AQuestionOfAFile, IsAskedWithAllItsFields) {
  const auto several = ask(std::string(kTemplate) + R"(  replicas: 3
  minCount: 2
  nodes: [n-1, n-3]
  changes: [{type: AddNodes, count: 1, like: n-2}]
)");
  EXPECT_EQ(several.code, 0) << several.err;
  EXPECT_THAT(several.out, StartsWith("shop/ask: all 3 fit.\n"));
  EXPECT_THAT(several.out, HasSubstr("Yes: shop/ask fits n-1 with "));
  EXPECT_THAT(several.out, HasSubstr("No: n-3 rejects shop/ask.\n  ✗ it has a taint"));
  EXPECT_THAT(several.out, HasSubstr("Together (2 of them): they fit.\n"));
  EXPECT_THAT(several.out, HasSubstr("With these changes:\n  AddNodes: "));
  EXPECT_THAT(several.out, testing::EndsWith("Nothing was created.\n"));
  const auto pod = ask("  podRef: {name: sel}\n  fixes: true\n");
  EXPECT_EQ(pod.code, 4);
  EXPECT_THAT(pod.out, StartsWith("shop/sel does not fit: "));
  EXPECT_THAT(pod.out, HasSubstr("\n  no nodeSelector disk=nvme (on n-2, "));
  const auto workload = ask("  workloadRef: {kind: Deployment, name: web}\n");
  EXPECT_THAT(workload.out, StartsWith("shop/web: all 2 fit.\n"));
}

TEST_F(AQuestionOfAFile, IsASearchToo) {
  const auto wanted = ask("  search: {forPending: {}}\n");
  EXPECT_THAT(wanted.out, HasSubstr("pods wait. "));
  EXPECT_EQ(wanted.out.substr(0, wanted.out.find('\n')),
            out({"nodes", "--for-pending", "-n", "shop"}).substr(0, wanted.out.find('\n')));
  EXPECT_THAT(ask("  search: {couldGo: {}}\n").out, HasSubstr(" nodes can be removed"));
  const auto weights =
      ask("  search: {compareWeights: {strategies: [{name: NodeResourcesFit, weight: 5}]}}\n");
  EXPECT_EQ(weights.code, 0) << weights.err;
  EXPECT_THAT(weights.out, HasSubstr(" again with the current weights and with these, on empty nodes"));
}

TEST_F(AQuestionOfAFile, HasTheSameAnswerForPrograms) {
  const auto report = json::parse(ask(std::string(kTemplate) + "  replicas: 2\n", {"-o", "json"}).out);
  EXPECT_EQ(report.at("kind"), "SchedulingReport");
  EXPECT_EQ(report.at("spec").at("replicas"), 2);
  EXPECT_EQ(report.at("status").at("outcome"), "Fits");
}

TEST_F(AQuestionOfAFile, ThatIsWrongIsAnErrorWithItsPlace) {
  const auto wrong = ask(std::string(kTemplate) + "  nonsense: 1\n  replicas: -3\n");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.out + wrong.err, HasSubstr("q.yaml:7: spec.nonsense: "));
  EXPECT_THAT(wrong.out + wrong.err, HasSubstr("q.yaml:8: spec.replicas: "));
  const auto flags = ask(kTemplate, {"--replicas", "3"});
  EXPECT_EQ(flags.code, 2);
  EXPECT_THAT(flags.err, HasSubstr("q.yaml:1: SchedulingReport ask: is a question; --replicas, "));
  const std::string decision =
      "apiVersion: podium.dev/v1alpha1\nkind: SchedulingReport\nmetadata: {name: p}\nspec: {}\n";
  EXPECT_THAT(run({"whatif", "-f", directory_.write("d.yaml", decision)}).err,
              HasSubstr("it has SchedulingReport without dryRun: true"));
  const auto both = directory_.write("both.yaml", decision + R"(---
{apiVersion: v1, kind: Pod, metadata: {name: q, namespace: shop}, spec: {containers: [{name: c, image: i}]}}
)");
  const auto ran = run({"whatif", "-f", both});
  EXPECT_THAT(ran.out, StartsWith("shop/q would go to ")) << "as `kubectl get pods,sr` prints them";
  EXPECT_THAT(ran.err, HasSubstr("Skipped: SchedulingReport without dryRun: true of "));
  EXPECT_EQ(ask(kTemplate, {"-n", "ml"}).code, 2) << "its namespace is shop";
}

TEST_F(AQuestionOfAFile, IsNotCounted) {
  const auto file = directory_.write(
      "q.yaml",
      "apiVersion: podium.dev/v1alpha1\nkind: SchedulingReport\nmetadata: {name: p}\nspec: {dryRun: true}\n");
  const auto ran = run({"capacity", "-f", file});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("is a question; ask it with whatif"));
}

}  // namespace
}  // namespace podium::kubectl
