// Bodies of what-ifs: kinds, forms, and errors with the paths of the body.
#include "app/report_api/question_body.h"
#include "explain/question/question.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podium::app::report_api {
namespace {

using testing::StartsWith;

constexpr std::string_view kOnePod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},
  "spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"100m"}}}]}})";

Result<QuestionPtr> ask(std::string_view text, boost::json::object fields = {}) {
  QuestionBody body;
  body.text = text;
  body.type = text.starts_with('{') || text.starts_with('[') ? ContentType::json : ContentType::yaml;
  body.ns = "shop";
  body.uid = "a-uid";
  body.fields = std::move(fields);
  return read_question_body(body);
}

// "NAMESPACE/POD REPLICAS", or the error.
std::string asked(std::string_view text, boost::json::object fields = {}) {
  const auto read = ask(text, std::move(fields));
  if (!read) return read.error().message;
  const auto& question = **read;
  return fmt::format("{} {}", question.subject->pod.full_name(),
                     question.replicas.value_or(question.subject->replicas));
}

std::string workload(std::string_view version, std::string_view kind, std::string_view more = "") {
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"api"}},"spec":{{{}"template":
    {{"metadata":{{"labels":{{"app":"api"}}}},"spec":{{"containers":[{{"name":"c","image":"i"}}]}}}}}}}})",
                     version, kind, more);
}

TEST(QuestionBody, PodsAndWorkloads) {
  EXPECT_EQ(asked(kOnePod), "shop/web 1");
  EXPECT_EQ(asked(kOnePod, {{"replicas", 7}}), "shop/web 7");
  EXPECT_EQ(asked("apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - {name: c, image: i}\n"),
            "shop/what-if 1");
  for (const char* kind : {"Deployment", "ReplicaSet", "StatefulSet"}) {
    const auto read =
        ask(workload("apps/v1", kind, R"("replicas":3,"selector":{"matchLabels":{"app":"api"}},)"));
    ASSERT_TRUE(read) << kind << ": " << read.error().message;
    EXPECT_EQ((*read)->subject->replicas, 3) << kind;
    EXPECT_EQ((*read)->subject->pod.meta.namespace_, "shop") << kind;
    EXPECT_EQ((*read)->replicas, std::nullopt) << kind;
  }
}

TEST(QuestionBody, WhatIsWrongIsSaidWithItsOwnPath) {
  struct Case {
    std::string body, finding;
  };
  const Case cases[] = {
      {"[]", "body: must be an object"},
      {"{}", "kind: required"},
      {R"({"kind":"ConfigMap","apiVersion":"v1"})", "kind: unknown kind \"ConfigMap\" (known: "},
      {R"({"kind":"Pod"})", "apiVersion: must be v1 for a Pod"},
      {R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"bank"}})",
       "metadata.namespace: is \"bank\", and the path says \"shop\""},
      {R"({"kind":"Pod","apiVersion":"v1","spec":{"containers":[]}})", "spec.containers: at least one"},
      {R"({"kind":"Pod","apiVersion":"v1","spec":{"colour":"red"}})", "spec.colour: unknown field"},
      {R"({"kind":"Pod","apiVersion":"v1","specs":{}})", "specs: unknown field"},
      {"kind: Pod\n---\nkind: Pod\n", "body: has 2 documents; a request asks one question"},
      {"", "body: has 0 documents; a request asks one question"},
      {R"({"kind":"Pod","apiVersion":"v1","metadata":{"annotations":{"a":")" + std::string(70'000, 'x') +
           R"("}}})",
       "body: larger than 64 KiB"},
  };
  for (const auto& c : cases) EXPECT_THAT(asked(c.body), StartsWith(c.finding)) << c.body.substr(0, 200);
}

std::string report(std::string_view spec, std::string_view more = "") {
  return fmt::format(R"({{"apiVersion":"podium.dev/v1alpha1","kind":"SchedulingReport",{}"spec":{}}})", more,
                     spec);
}
constexpr std::string_view kOneTemplate = R"("template":{"spec":{"containers":[{"name":"c","image":"i"}]}})";
std::string whole(std::string_view fields) {
  return report(fmt::format(R"({{"dryRun":true,{},{}}})", fields, kOneTemplate));
}

TEST(QuestionBody, AReportAsksWithItsWholeSpec) {
  const auto read =
      ask(whole(R"("replicas":3,"fixes":true,"nodes":["n1"],"strategies":[{"name":"NodeAffinity","weight":0}],
               "changes":[{"type":"CordonNode","nodeName":"n1"}],"nonce":"a","ttlSeconds":60,"refreshSeconds":60)"),
          {{"profile", "batch"}});
  ASSERT_TRUE(read) << read.error().message;
  const auto& question = **read;
  EXPECT_EQ(question.meta.namespace_, "shop");
  EXPECT_EQ(question.replicas, 3);
  EXPECT_TRUE(question.fixes);
  EXPECT_EQ(question.nodes, std::vector<std::string>{"n1"});
  ASSERT_EQ(question.strategies.size(), 1u);
  EXPECT_EQ(question.strategies[0].name, "NodeAffinity");
  EXPECT_EQ(question.changes.size(), 1u);
  EXPECT_EQ(question.profile, "batch") << "of the query";
  EXPECT_EQ(question.refresh.count(), 0) << "there is no object that could be asked again";
}

TEST(QuestionBody, WhatIsWrongInAReportIsSaidWithItsPath) {
  struct Case {
    std::string body, finding;
  };
  const Case cases[] = {
      {R"({"apiVersion":"v1","kind":"SchedulingReport"})",
       "apiVersion: must be podium.dev/v1alpha1 for a SchedulingReport"},
      {report("[]"), "spec: required"},
      {report("{}"), "spec.dryRun: must be true"},
      {report(R"({"dryRun":false})"), "spec.dryRun: must be true"},
      {report(R"({"dryRun":"true"})"), "spec.dryRun: must be true"},
      {report(R"({"dryRun":true,"podRef":{}})"), "spec.podRef.name: "},
      {report(R"({"dryRun":true,"workloadRef":{"kind":"Cake","name":"a"}})"), "spec.workloadRef.kind: "},
      {report(R"({"dryRun":true})"), "spec: a what-if needs exactly one of template"},
      {report("{}", R"("specs":1,)"), "specs: unknown field"},
      {report("{}", R"("metadata":{"namespace":"bank"},)"), "metadata.namespace: is \"bank\""},
      {whole(R"("colour":"red")"), "spec.colour: unknown field"},
      {whole(R"("changes":[{"type":"Explode"}])"), "spec.changes[0].type: "},
      {report(R"({"dryRun":true,"template":{"spec":{"containers":[]}}})"), "spec.template.spec.containers: "},
  };
  for (const auto& c : cases) EXPECT_THAT(asked(c.body), StartsWith(c.finding)) << c.body;
  EXPECT_EQ(asked(whole(R"("replicas":2)"), {{"replicas", 3}}), "replicas: also given in spec");
}

TEST(QuestionBody, EveryFindingHasItsOwnPath) {
  EXPECT_EQ(asked(R"({"kind":"Pod","apiVersion":"v1","spec":{"containers":[]}})", {{"replicas", 0}}),
            "spec.containers: at least one is needed; replicas: must be between 1 and 10000");
  const auto pod = ask(kOnePod), in_report = ask(whole(R"("replicas":3)"));
  ASSERT_TRUE(pod && in_report);
  EXPECT_EQ((*pod)->paths.pod_template.text(), "body") << "the answer's messages have these paths too";
  EXPECT_EQ(((*pod)->paths.spec / "strategies")[0].text(), "strategies[0]");
  EXPECT_EQ(((*in_report)->paths.spec / "strategies")[0].text(), "spec.strategies[0]");
}

// Any input gets an answer and does not end the process.
TEST(QuestionBody, HostileOnes) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("a{}: &a{} [", i, i);
    for (int n = 0; n < 10; ++n) bomb += fmt::format("{}*a{}", n ? "," : "", i - 1);
    bomb += "]\n";
  }
  constexpr int kLevels = 1'000;
  std::string deep_json = R"({"kind":"Pod","apiVersion":"v1","metadata":{"annotations":)";
  for (int i = 0; i < kLevels; ++i) deep_json += R"({"a":)";
  deep_json += "1" + std::string(kLevels + 2, '}');
  // Valid but for what the text names.
  const std::pair<std::string, std::string> cases[] = {
      {"kind: Pod\napiVersion: v1\nspec:\n  containers: [{name: c, image: i}]\n" + bomb,
       "the document has too many values"},
      {deep_json, "too deep"},
      {"kind: " + std::string(100'000, '[') + std::string(100'000, ']'), "too deep"},
      {std::string(1000, '\0'), "body:1:"},
      {"kind: Pod\napiVersion: v1\nspec: \xff\xfe\n", "body:"},
      {"{\"kind\":\"Pod\xff\"}", "body: not JSON: "},
      {"{\"kind\":\"Pod\",\"\xc0\xaf\":1}", "body: not JSON: "},
      {R"({"kind":"Pod","apiVersion":"v1","spec":{"priority":1e400,"containers":[{"name":"c","image":"i"}]}})",
       "body: a number is too large"},
      {"kind: Pod\nkind: Pod\n", "key \"kind\" is set twice"},
      {"? {a: b}\n: c\n", "a key must be a scalar"},
      {"!!binary x", "body: must be an object"},
  };
  for (const auto& [body, why] : cases) {
    const auto read = ask(body);
    ASSERT_FALSE(read) << body.substr(0, 100);
    EXPECT_TRUE(read.error().message.contains(why)) << body.substr(0, 100) << ": " << read.error().message;
  }
}

TEST(QuestionBody, ContentTypes) {
  for (const char* json : {"application/json", "Application/JSON; charset=utf-8", "application/json ;a=b"})
    EXPECT_EQ(content_type_of(json), ContentType::json) << json;
  for (const char* yaml : {"application/yaml", "application/x-yaml", "text/yaml"})
    EXPECT_EQ(content_type_of(yaml), ContentType::yaml) << yaml;
  for (const char* other :
       {"", "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "json"})
    EXPECT_EQ(content_type_of(other), std::nullopt) << other;
}

}  // namespace
}  // namespace podium::app::report_api
