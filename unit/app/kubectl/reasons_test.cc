// The table of reasons as users see it, and the page that points to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <cstdlib>

#include "base/input.h"
#include "scheduler/framework/reason.h"
#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

using testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    out.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

// A new row needs no other place: the verb prints each with all that it has, and the page has the verb.
TEST(Reasons, AreDocumented) {
  const auto said = run_verb({"reasons"});
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.err, "");
  const auto lines = lines_of(said.out);
  ASSERT_GT(lines.size(), framework::reason_rows().size());
  auto line = lines.begin();
  EXPECT_THAT(*line, testing::StartsWith("CODE "));
  for (const auto& row : framework::reason_rows()) {
    ++line;
    EXPECT_THAT(*line, testing::StartsWith(std::string(row.name) + "  "));
    EXPECT_THAT(*line, HasSubstr(std::string(row.words)));
    EXPECT_THAT(*line, HasSubstr(std::string(row.text)));
    for (const auto plugin : framework::plugins_of(row)) EXPECT_THAT(*line, HasSubstr(std::string(plugin)));
    const auto full = run_verb({"reasons", std::string(row.name)}).out;
    EXPECT_THAT(full, testing::StartsWith(std::string(row.name) + "\n"));
    EXPECT_THAT(full, HasSubstr(std::string(row.words)));
    EXPECT_THAT(full, HasSubstr(std::string(row.text)));
  }
}

TEST(Reasons, TheDocumentHasTheirOutput) {
  const auto page = read_file("docs/reports.md");
  ASSERT_TRUE(page) << page.error().message;
  constexpr std::string_view kCommand = "$ kubectl podium reasons";
  const auto at = page->find(kCommand);
  ASSERT_NE(at, page->npos);
  const auto end = page->find('\n', at);
  std::vector<std::string> words{"reasons"};
  for (const auto& row : framework::reason_rows()) {
    if (page->substr(at, end - at).contains(" " + std::string(row.name))) words.emplace_back(row.name);
  }
  EXPECT_GT(words.size(), 1u);
  EXPECT_EQ(page->substr(end + 1, page->find("```", end) - end - 1), run_verb(words).out);
}

TEST(Reasons, AreShownInFullByTheirCodes) {
  EXPECT_EQ(run_verb({"reasons", "InsufficientResource"}).out,
            "InsufficientResource\n"
            "  of a node              does not have enough free {resource}\n"
            "  of several nodes       do not have enough free {resource}\n"
            "  kube-scheduler's text  Insufficient {resource}\n"
            "  plugin                 NodeResourcesFit\n"
            "A report has the names for the braces in \"about\", next to the code.\n");
  EXPECT_EQ(run_verb({"reasons", "tooManyVolumes", "SCHEDULINGGATED"}).out,
            "TooManyVolumes\n"
            "  of a node              would have more than its maximum number of {driver} volumes\n"
            "  of several nodes       would have more than their maximum number of {driver} volumes\n"
            "  kube-scheduler's text  node(s) exceed max volume count\n"
            "  plugin                 NodeVolumeLimits\n"
            "SchedulingGated\n"
            "  of the pod, on any node  it waits for its scheduling gates\n"
            "  kube-scheduler's text    differs from case to case\n"
            "  plugin                   SchedulingGates\n"
            "A report has the names for the braces in \"about\", next to the code.\n");
  EXPECT_EQ(run_verb({"reasons", "Other"}).out,
            "Other\n"
            "  words                  only the text of another plugin, an extender or a failure\n"
            "  kube-scheduler's text  differs from case to case\n"
            "  plugin                 any\n");
}

TEST(Reasons, AreADocumentForPrograms) {
  const auto document = boost::json::parse(run_verb({"reasons", "-o", "json"}).out);
  EXPECT_EQ(document.at("items").as_array().size(), framework::reason_rows().size());
  EXPECT_EQ(boost::json::parse(run_verb({"reasons", "VolumeNotFound", "-o", "json"}).out),
            boost::json::parse(R"({
    "apiVersion": "podium.dev/v1alpha1", "kind": "Reasons", "items": [
      {"code": "VolumeNotFound", "ofPod": true, "plugins": ["VolumeBinding", "VolumeZone"],
       "words": "its claim {claim} names the volume {volume}, which does not exist"}]})"));
  EXPECT_EQ(run_verb({"reasons", "PodAffinity", "-o", "jsonpath={.items[*].reason}"}).out,
            "node(s) didn't match pod affinity rules\n");
  EXPECT_EQ(lines_of(run_verb({"reasons", "-o", "name"}).out).size(), framework::reason_rows().size());
  EXPECT_EQ(run_verb({"reasons", "untoleratedtaint", "-o", "name"}).out, "UntoleratedTaint\n");
}

TEST(Reasons, AnUnknownCodeGetsASuggestion) {
  const auto said = run_verb({"reasons", "TooManyPods", "TooManyPod", "Nonesuch"});
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err,
            "podium reasons: TooManyPod is not the code of a reason. Did you mean TooManyPods?\n"
            "Nonesuch is not the code of a reason\n");
  EXPECT_EQ(run_verb({"reasons", "Other", "-o", "xml"}).code, 2);
}

TEST(Reasons, NeedNoKubeconfig) {
  const auto with = run_verb({"reasons"}).out;
  const char* before = std::getenv("KUBECONFIG");
  const std::string kept = before ? before : "";
  setenv("KUBECONFIG", "/nonesuch/kubeconfig", 1);
  EXPECT_EQ(run_verb({"top"}).code, 2) << "a verb that needs one";
  EXPECT_EQ(run_verb({"reasons"}).out, with);
  before ? setenv("KUBECONFIG", kept.c_str(), 1) : unsetenv("KUBECONFIG");
  EXPECT_EQ(run_verb({"reasons", "--kubeconfig", "x"}).code, 2);
}

}  // namespace
}  // namespace podium::kubectl
