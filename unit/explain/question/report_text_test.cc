// Scanning report JSON without decoding it, in every formatting.
#include "explain/question/report_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace podium::explain {
namespace {

TEST(ScanReport, SaysWhatItIsAndWhatItHasOfAnAnswer) {
  const std::string text = R"({
      "apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
      "metadata": {"managedFields": [{"fieldsV1": {"name": "no", "generation": 9}}], "name": "ask",
                   "namespace": "shop", "uid": "u1", "generation": 3},
      "spec": {"dryRun": true, "template": {"a": [1, {"b": "]}\\\"<\u003c"}]}, "replicas": 2},
      "status": {"conditions": [{"observedGeneration": 8}], "observedGeneration": 2}})";
  const auto report = scan_report(text);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->bytes, text.size());
  EXPECT_EQ(report->ns, "shop");
  EXPECT_EQ(report->name, "ask");
  EXPECT_EQ(report->uid, "u1");
  EXPECT_EQ(report->generation, 3);
  EXPECT_TRUE(report->is_what_if);
  EXPECT_EQ(report->answered, 2);
  EXPECT_EQ(report->spec.substr(0, 16), R"({"dryRun": true,)");
  EXPECT_EQ(report->spec.back(), '}');
  EXPECT_EQ(report->template_depth, 3u);
  EXPECT_EQ(report->template_bytes, std::string_view(R"({"a": [1, {"b": "]}\\\"<<"}]})").size());
}

TEST(ScanReport, IsAnsweredByItsOwnGenerationOnly) {
  struct Case {
    const char* status;
    bool answered;
  };
  const Case cases[] = {
      {"{}", false},
      {R"({"observedGeneration": 3})", true},
      {R"({"observedGeneration": 2})", false},
      {R"({"observedGeneration": 9223372036854775807})", false},
      {R"({"observedGeneration": 9223372036854775808})", false},
      {R"({"observedGeneration": -1})", false},
      {R"({"observedGeneration": "3"})", false},
      {R"({"observedGeneration": 3.0})", false},
      {R"({"observedGeneration": {"a": 3}})", false},
      {R"([3])", false},
      {"null", false},
  };
  for (const auto& c : cases) {
    const auto text = fmt::format(
        R"({{"metadata": {{"name": "ask", "generation": 3}}, "spec": {{"dryRun": true}}, "status": {}}})",
        c.status);
    EXPECT_EQ(scan_report(text).value().is_answered(), c.answered) << c.status;
  }
}

TEST(ScanReport, AnyDepthInOnePass) {
  constexpr std::size_t kDepth = 1'000'000;
  const auto text =
      fmt::format(R"({{"metadata": {{"name": "ask"}}, "spec": {{"dryRun": true, "template": {}{}}}}})",
                  std::string(kDepth, '['), std::string(kDepth, ']'));
  const auto report = scan_report(text);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->template_depth, kDepth);
  EXPECT_EQ(report->template_bytes, 2 * kDepth);
}

TEST(ScanReport, WhatIsNotJsonOrNoReport) {
  for (const std::string text :
       {"", " ", "{", "[]", "3", "{}", R"({"metadata)", R"({"metadata": {"name": "a)",
        R"({"metadata": {"name": "a\)", R"({"metadata": {"name": "a\u0)", R"({"metadata": {"name": "a"})",
        R"({"metadata" {"name": "a"}})", R"({"metadata": })", R"({"metadata":)",
        R"({"metadata": {"uid": "a"}})", R"({"metadata": {"name": "a"}, })", R"({"metadata": [[[})"}) {
    EXPECT_FALSE(scan_report(text)) << text;
  }
  // Text truncated anywhere is refused.
  const std::string whole =
      R"({"metadata": {"name": "a", "generation": 1}, "spec": {"template": {"a": ["\u003c", -1.5e3, null]}}})";
  ASSERT_TRUE(scan_report(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(scan_report(whole.substr(0, size))) << size;
}

TEST(ScanList, EachItemAndTheTokenOfTheNextPage) {
  std::vector<std::string> items;
  const auto each = [&items](std::string_view item) { items.emplace_back(item); };
  const auto token = scan_list(R"({"kind": "List", "metadata": {"continue": "abc=", "resourceVersion": "7"},
                                   "items": [{"a": [1, 2]}, {"b": "]"} ,3]})",
                               each);
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(*token, "abc=");
  EXPECT_EQ(items, (std::vector<std::string>{R"({"a": [1, 2]})", R"({"b": "]"})", "3"}));
  items.clear();
  EXPECT_EQ(scan_list(R"({"metadata": {}, "items": []})", each).value(), "");
  EXPECT_EQ(scan_list(R"({"metadata": {}, "items": null})", each).value(), "");
  EXPECT_TRUE(items.empty());
  EXPECT_FALSE(scan_list(R"({"items": [1, 2)", each));
}

}  // namespace
}  // namespace podium::explain
