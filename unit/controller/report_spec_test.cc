// Reading what a user asks: what is understood, and what is said about the rest.
#include "controller/report_spec.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

json::value report(std::string_view spec) {
  return json::parse(fmt::format(
      R"({{"metadata": {{"name": "ask", "namespace": "shop", "uid": "u1"}}, "spec": {}}})", spec));
}

TEST(ParseTtl, HoursMinutesAndSeconds) {
  struct Case {
    const char* text;
    std::optional<std::chrono::seconds> ttl;
  };
  const Case cases[] = {
      {"10m", 600s},
      {"90s", 90s},
      {"1h30m", 5400s},
      {"2h3m4s", 7384s},
      {"720h", 720h},
      {"0s", 0s},
      {"1s1h", 3601s},
      {"", {}},
      {"10", {}},
      {"m", {}},
      {"1h30", {}},
      {"-1h", {}},
      {"1.5h", {}},
      {"10ms", {}},
      {"1d", {}},
      {" 1h", {}},
      {"1h ", {}},
      {"99999999999s", {}},
      {"99999999999999999999h", {}},
  };
  for (const auto& c : cases) EXPECT_EQ(parse_ttl(c.text), c.ttl) << '"' << c.text << '"';
}

TEST(ReportTtl, TheDefaultWhereTheSpecMakesNoSense) {
  struct Case {
    const char* spec;
    std::chrono::seconds ttl;
  };
  const Case cases[] = {
      {R"({"ttl": "1h"})", 1h},
      {R"({"ttl": "720h"})", 720h},
      {R"({"ttl": "721h"})", 600s},
      {R"({"ttl": "0s"})", 600s},
      {R"({"ttl": "soon"})", 600s},
      {R"({"ttl": 5})", 600s},
      {"{}", 600s},
      {"null", 600s},
  };
  for (const auto& c : cases) {
    const auto spec = json::parse(c.spec);
    EXPECT_EQ(report_ttl(&spec, 600s), c.ttl) << c.spec;
  }
  EXPECT_EQ(report_ttl(nullptr, 600s), 600s);
}

TEST(ReadQuestion, ATemplate) {
  const auto question = read_question(report(R"({
      "replicas": 3, "profile": "batch", "ttl": "1h",
      "template": {"metadata": {"name": "ignored", "labels": {"app": "web"}},
                   "spec": {"schedulerName": "other", "containers": [{"name": "c", "image": "i"}]}}})"),
                                      600s);
  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(question->meta.uid, "u1");
  EXPECT_EQ(question->replicas, 3);
  EXPECT_EQ(question->profile, "batch");
  EXPECT_EQ(question->ttl, 1h);
  EXPECT_EQ(question->pod_name, "");
  EXPECT_TRUE(question->names_scheduler);
  ASSERT_TRUE(question->pod);
  EXPECT_EQ(question->pod->meta.name, "ask") << "the pod is named after the report";
  EXPECT_EQ(question->pod->meta.namespace_, "shop");
  EXPECT_EQ(question->pod->scheduler_name, "other");
  EXPECT_EQ(question->pod->meta.labels, (api::Labels{{"app", "web"}}));
}

TEST(ReadQuestion, AReferenceAndTheDefaults) {
  const auto question = read_question(report(R"({"podRef": {"name": "web-0"}})"), 600s);
  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(question->pod_name, "web-0");
  EXPECT_FALSE(question->pod);
  EXPECT_FALSE(question->names_scheduler);
  EXPECT_EQ(question->replicas, 1);
  EXPECT_EQ(question->profile, "");
  EXPECT_EQ(question->ttl, 600s);
}

TEST(ReadQuestion, FindingsHaveTheirPath) {
  const auto huge = fmt::format(R"({{"template": {{"metadata": {{"labels": {{"a": "{}"}}}}}}}})",
                                std::string(kTemplateBytes, 'x'));
  struct Case {
    std::string_view spec, error;
  };
  const Case cases[] = {
      {"null", "spec: required"},
      {"[]", "spec: required"},
      {R"({"replicas": 0, "podRef": {"name": "p"}})", "spec.replicas: must be between 1 and 1000"},
      {R"({"replicas": 1001, "podRef": {"name": "p"}})", "spec.replicas: must be between 1 and 1000"},
      {R"({"replicas": "2", "podRef": {"name": "p"}})", "spec.replicas: must be between 1 and 1000"},
      {R"({"replicas": 2.5, "podRef": {"name": "p"}})", "spec.replicas: must be between 1 and 1000"},
      {R"({})", "spec: a what-if needs exactly one of template and podRef"},
      {R"({"podRef": {"name": "p"}, "template": {}})",
       "spec: a what-if needs exactly one of template and podRef"},
      {R"({"podRef": {}})", "spec.podRef.name: required"},
      {R"({"podRef": "p"})", "spec.podRef.name: required"},
      {R"({"podRef": {"name": 1}})", "spec.podRef.name: required"},
      {R"({"template": {}})", "spec.template.spec.containers: at least one is needed"},
      {R"({"template": {"spec": {"containers": []}}})",
       "spec.template.spec.containers: at least one is needed"},
      {R"({"template": {"spec": {"containers": "c"}}})",
       "spec.template.spec.containers: expected a list, got a string"},
      {huge, "spec.template: larger than 64 KiB"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.spec.substr(0, 100));
    const auto question = read_question(report(c.spec), 600s);
    ASSERT_FALSE(question);
    EXPECT_EQ(question.error().message, c.error);
    EXPECT_EQ(question.error().kind, Error::Kind::invalid);
  }
}

}  // namespace
}  // namespace podium::controller
