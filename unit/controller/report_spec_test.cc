// Reading the spec of a what-if, and the errors for invalid ones.
#include "controller/report_spec.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

Result<Question> read(std::string_view spec) {
  const auto text = fmt::format(
      R"({{"metadata": {{"name": "ask", "namespace": "shop", "uid": "u1", "generation": 7}}, "spec": {}}})",
      spec);
  return read_question(scan_report(text).value(), 600s);
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

TEST(ReportTtl, TheDefaultWhereTheSpecIsOutOfBounds) {
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
  const auto question = read(R"({
      "replicas": 3, "profile": "batch", "ttl": "1h",
      "template": {"metadata": {"name": "ignored", "labels": {"app": "web"}},
                   "spec": {"schedulerName": "other", "containers": [{"name": "c", "image": "i"}]}}})");
  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(question->meta.uid, "u1");
  EXPECT_EQ(question->meta.generation, 7);
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
  const auto question = read(R"({"podRef": {"name": "web-0"}})");
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
  const auto nested = [](std::size_t levels) {
    std::string open, close;
    for (std::size_t i = 0; i < levels; ++i) open += R"({"a":)", close += '}';
    return fmt::format(R"({{"template": {}1{}}})", open, close);
  };
  const auto deep = nested(kTemplateDepth + 1), deepest = nested(100'000),
             not_so_deep = nested(kTemplateDepth);
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
      {R"({"template": {"spec": {"containers": [{"name": "c", "resuorces": {}}]}}})",
       "spec.template.spec.containers[0].resuorces: unknown field"},
      {R"({"template": {"spec": {"containers": [{"name": "c"}]}, "status": {}}})",
       "spec.template.status: unknown field"},
      {R"({"template": {"spec": {"containers": [{"name": "c"}], "nodeName": "n1"}}})",
       "spec.template.spec.nodeName: must be empty: a pod that names its node is not scheduled"},
      {huge, "spec.template: larger than 64 KiB"},
      {deep, "spec.template: nested deeper than 64 levels"},
      {deepest, "spec.template: larger than 64 KiB"},
      {not_so_deep, "spec.template.a: unknown field"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.spec.substr(0, 100));
    const auto question = read(c.spec);
    ASSERT_FALSE(question);
    EXPECT_EQ(question.error().message, c.error);
    EXPECT_EQ(question.error().kind, Error::Kind::invalid);
  }
}

TEST(ReadQuestion, APodOfATemplateHasNoIdentityOfItsOwn) {
  const auto question = read(R"({"template": {
      "metadata": {"name": "web-0", "namespace": "kube-system", "uid": "u2", "creationTimestamp": "2026-01-01T00:00:00Z",
                   "deletionTimestamp": "2026-01-01T00:00:00Z", "generation": 9, "labels": {"a": "b"},
                   "annotations": {"c": "d"},
                   "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u3"}]},
      "spec": {"containers": [{"name": "c", "image": "i"}]}}})");
  ASSERT_TRUE(question) << question.error().message;
  api::ObjectMeta meta;
  meta.name = "ask";
  meta.namespace_ = "shop";
  meta.uid = "u1";
  meta.labels = {{"a", "b"}};
  meta.annotations = {{"c", "d"}};
  meta.owners = {{.api_version = "apps/v1", .kind = "ReplicaSet", .name = "web", .uid = "u3"}};
  EXPECT_EQ(question->pod->meta, meta);
}

TEST(ReadQuestion, ALargeReportIsRefusedBeforeItIsDecoded) {
  ReportText report;
  report.name = "ask";
  report.spec = "this is not even JSON";
  report.bytes = kObjectBytes + 1;
  const auto question = read_question(report, 600s);
  ASSERT_FALSE(question);
  EXPECT_EQ(question.error().message, "metadata: the whole report is larger than 1 MiB");
}

TEST(ReadPod, OnlyThePendingPodThatIsMeant) {
  struct Case {
    const char *name, *uid;
    std::string pod, error;
  };
  const std::string head = R"({"metadata": {"name": "web-0", "namespace": "shop", "uid": "p1"}, "spec": {)";
  const std::string containers = R"("containers": [{"name": "c", "image": "i"}])";
  const Case cases[] = {
      {"of any UID", "", head + containers + "}}", ""},
      {"of this UID", "p1", head + containers + "}}", ""},
      {"of another UID", "p2", head + containers + "}}", "spec.podRef.uid: pod web-0 has another UID"},
      {"placed", "", head + R"("nodeName": "n1",)" + containers + "}}",
       "spec.podRef.name: pod web-0 is on node n1 already"},
      {"not to be decoded", "", head + R"("containers": "c"}})",
       "spec.podRef: spec.containers: expected a list, got a string"},
      {"too large", "", head + std::string(kObjectBytes, ' ') + containers + "}}",
       "spec.podRef.name: the pod is larger than 1 MiB"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Question question;
    question.pod_name = "web-0";
    question.pod_uid = c.uid;
    const auto read = read_pod(c.pod, question);
    EXPECT_EQ(read ? "" : read.error().message, c.error);
    EXPECT_EQ(question.pod.has_value(), c.error.empty());
  }
}

}  // namespace
}  // namespace podium::controller
