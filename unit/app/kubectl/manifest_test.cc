// From flags and manifests to questions.
#include "app/kubectl/manifest.h"
#include "api/text/json_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "app/kubectl/connection_flags.h"
#include "app/kubectl/question_spec.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr const char* kDeployment = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}, uid: u, annotations: {kubectl.kubernetes.io/last-applied-configuration: x}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i}]}
status: {replicas: 3}
)";

Result<std::vector<json::value>> read(std::string_view text) {
  auto found = objects_of_file(text, "f.yaml", "shop");
  if (!found) return std::unexpected(found.error());
  std::vector<json::value> out;
  for (auto& each : found->makers) out.push_back(std::move(each.value));
  return out;
}

TEST(Manifest, FindsWhatMakesPodsAndNamesTheOthers) {
  const auto text =
      std::string(kDeployment) +
      "---\n{apiVersion: v1, kind: Service, metadata: {name: s}}\n"
      "---\n{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: tf}}\n"
      "---\n{apiVersion: v1, kind: Pod, metadata: {name: probe, annotations: {helm.sh/hook: test}}}\n"
      "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}\n"
      "---\n{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: "
      "{containers: [{name: c, image: i}]}}]}\n";
  const auto found = objects_of_file(text, "f.yaml", "shop");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->makers.size(), 2u);
  EXPECT_EQ(api::text_at(found->makers[1].value, "/metadata/name"), "p");
  ASSERT_EQ(found->others.size(), 2u);
  EXPECT_EQ(api::text_at(found->others[0].value, "/kind"), "Service");
  EXPECT_EQ(found->not_asked, (std::vector<std::string>{"ConfigMap", "Job tf (batch.volcano.sh/v1alpha1)",
                                                        "Pod probe (helm hook test)"}));
}

TEST(Manifest, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"{kind: Service}", "f.yaml: contains no pod and no object with a pod template; it has Service"},
      {"", "f.yaml: contains no pod and no object with a pod template"},
      {"a: 1", "f.yaml: document 1 (line 1): missing kind"},
      {"3", "f.yaml: document 1 (line 1): expected an object"},
  };
  for (const auto& [text, words] : cases) {
    const auto found = read(text);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().message, words);
    EXPECT_EQ(found.error().kind, Error::Kind::invalid);
  }
  const auto pod =
      pod_of(json::parse(R"({"kind": "Deployment", "metadata": {"name": "web"}, "spec": {}})"), "shop");
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().message, "Deployment web: spec.template.spec: missing");
}

TEST(Manifest, AllThatIsWrongHasItsLine) {
  const auto found = read(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"
      "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n"
      "      containers:\n      - name: c\n        image: i\n        resources:\n          requests:\n"
      "            cpu: lots\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: []}\n"
      "---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly}\nspec:\n  jobTemplate:\n    spec: "
      "{}\n"
      "---\napiVersion: batch/v1\nkind: Job\n");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, Error::Kind::invalid);
  EXPECT_THAT(found.error().message,
              testing::StartsWith("f.yaml:14: spec.template.spec.containers[0].resources.requests.cpu: "));
  EXPECT_THAT(found.error().message,
              testing::HasSubstr("\nf.yaml:19: spec.containers: at least one is needed\n"
                                 "f.yaml:26: spec.jobTemplate.spec.template: required\n"
                                 "f.yaml:28: metadata: required"));
}

TEST(Manifest, FaultsOfThePodAreNamedNextToThoseOfTheObject) {
  const auto pod = read(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: A_b}\nspec:\n  containers:\n"
      "  - {name: c, image: i, resources: {requests: {memory: -1}}}\n"
      "  tolerations: [{key: a, operator: Foo}]\n");
  ASSERT_FALSE(pod);
  EXPECT_THAT(pod.error().message, testing::StartsWith("f.yaml:3: metadata.name: Invalid value: \"A_b\""));
  EXPECT_THAT(pod.error().message,
              testing::HasSubstr("\nf.yaml:6: spec.containers[0].resources.requests[memory]: Invalid value"));
  EXPECT_THAT(pod.error().message,
              testing::HasSubstr("\nf.yaml:7: spec.tolerations[0].operator: Unsupported"));
  const auto workload = read(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"
      "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: other}}\n    spec:\n"
      "      containers:\n      - {name: c, image: i, resources: {requests: {memory: -1}}}\n");
  ASSERT_FALSE(workload);
  EXPECT_THAT(
      workload.error().message,
      testing::HasSubstr("spec.selector does not match them\nf.yaml:10: "
                         "spec.template.spec.containers[0].resources.requests[memory]: Invalid value"));
}

TEST(Manifest, AnUnknownFieldIsNamedNextToAnotherFault) {
  const char* pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {newField: 1, containers: [%s]}}";
  const auto with = [pod](const char* container) {
    std::string text(pod);
    text.replace(text.find("%s"), 2, container);
    const auto found = read(text);
    return found ? "" : found.error().message;
  };
  EXPECT_EQ(with("{name: c, image: i}"), "") << "the API server may know it";
  EXPECT_EQ(with(""),
            "f.yaml:1: spec.newField: unknown field\nf.yaml:1: spec.containers: at least one is needed");
}

TEST(Manifest, ThePodOfAWorkloadHasItsTemplate) {
  const auto pod = pod_of(read(kDeployment)->front(), "shop");
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(*pod, json::parse(R"({"apiVersion": "v1", "kind": "Pod",
      "metadata": {"labels": {"app": "web"}, "generateName": "web-", "namespace": "shop"},
      "spec": {"containers": [{"name": "c", "image": "i"}]}})"));
}

TEST(Manifest, AStatefulSetsPodHasItsClaimsForTheDryRunOnly) {
  const auto set = json::parse(R"({"kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {
      "volumeClaimTemplates": [{"metadata": {"name": "data"}}],
      "template": {"spec": {"containers": []}}}})");
  const auto pod = pod_of(set, "shop");
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(pod->at("spec").at("volumes"),
            json::parse(R"([{"name": "data", "persistentVolumeClaim": {"claimName": "data-db-0"}}])"));
  EXPECT_FALSE(template_of(set, *pod).at("spec").at("template").at("spec").as_object().contains("volumes"));
}

TEST(Manifest, TheTemplateIsAsTheApiServerAdmittedIt) {
  const auto object = read(kDeployment)->front();
  auto admitted = *pod_of(object, "shop");
  auto& spec = admitted.as_object()["spec"].as_object();
  spec["schedulerName"] = "default-scheduler";
  spec["priority"] = 7;
  const auto made = template_of(object, admitted);
  EXPECT_EQ(made, json::parse(R"({"apiVersion": "apps/v1", "kind": "Deployment",
      "metadata": {"labels": {"app": "web"}, "name": "web"},
      "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "i"}], "priority": 7}}}})"))
      << json::serialize(made);
}

TEST(Manifest, APodIsATemplateItself) {
  const auto pod = json::parse(
      R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "b"}},
          "spec": {"schedulerName": "mine", "nodeName": "n1"}})");
  const auto asked = *pod_of(pod, "shop");
  EXPECT_EQ(
      template_of(pod, asked),
      json::parse(
          R"({"metadata": {"labels": {"a": "b"}}, "spec": {"schedulerName": "mine", "nodeName": "n1"}})"));
}

TEST(Manifest, APodThatKubectlPrintedIsAskedWithoutItsNode) {
  const auto pod = json::parse(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "uid": "u"},
                                   "spec": {"schedulerName": "mine", "nodeName": "n1"}})");
  EXPECT_FALSE(pod_of(pod, "shop")->at("spec").as_object().contains("nodeName"));
}

TEST(Question, FlagsBecomeItsSpec) {
  QuestionFlags flags;
  flags.replicas = 20;
  flags.weights = {"NodeResourcesFit=5,ImageLocality=0"};
  flags.drain = {"n1", "n2,n3"};
  flags.add_nodes = 2;
  flags.like = "gpu-00";
  flags.nodes = {"n7"};
  flags.fixes = true;
  const auto spec = question_spec(flags);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(json::value(*spec), json::parse(R"({"dryRun": true, "replicas": 20,
      "strategies": [{"name": "NodeResourcesFit", "weight": 5}, {"name": "ImageLocality", "weight": 0}],
      "changes": [{"type": "AddNodes", "count": 2, "like": "gpu-00"}, {"type": "DrainNode", "nodeName": "n1"},
                  {"type": "DrainNode", "nodeName": "n2"}, {"type": "DrainNode", "nodeName": "n3"}],
      "nodes": ["n7"], "fixes": true})"));
  EXPECT_EQ(json::value(*question_spec({})), json::parse(R"({"dryRun": true})"));
}

TEST(Question, WrongFlagsAreNamed) {
  const auto error = [](const QuestionFlags& flags) {
    const auto spec = question_spec(flags);
    return spec ? std::string() : spec.error().message;
  };
  EXPECT_NE(error({.replicas = -1}).find("--replicas: "), std::string::npos);
  EXPECT_NE(error({.add_nodes = 1}).find("--add-nodes: needs --like"), std::string::npos);
  EXPECT_NE(error({.like = "n"}).find("--like: needs --add-nodes"), std::string::npos);
  for (const char* weights : {"a", "a=", "=3", "a=-1", "a=1.5", "a=99999999999"}) {
    QuestionFlags flags;
    flags.weights = {weights};
    EXPECT_NE(error(flags).find(std::string("--weights: \"") + weights), std::string::npos) << weights;
  }
}

TEST(Question, EndsByItselfUnlessItIsKept) {
  EXPECT_EQ(question_object("shop", "q", {}, false).at("spec").at("ttlSeconds"), 300);
  EXPECT_FALSE(question_object("shop", "q", {}, true).at("spec").as_object().contains("ttlSeconds"));
}

TEST(Timeout, IsADuration) {
  using std::chrono::milliseconds;
  const std::pair<const char*, int> cases[] = {{"30s", 30'000},   {"1m30s", 90'000}, {"500ms", 500},
                                               {"2h", 7'200'000}, {"5", 5'000},      {"0", 3'600'000}};
  for (const auto& [text, wanted] : cases) {
    const auto parsed = parse_timeout(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, milliseconds(wanted)) << text;
  }
  for (const char* text : {"", "s", "3x", "-1s", "0s", "99999999s", "1s-"})
    EXPECT_FALSE(parse_timeout(text)) << text;
}

}  // namespace
}  // namespace podium::kubectl
