// Which objects of a file make pods.
#include "api/decode/pod_makers.h"

#include <gtest/gtest.h>

#include "api/text/json_view.h"

namespace podium::api {
namespace {

struct Sorted {
  std::vector<std::string> makers, others, skipped;
  std::string problems;
};

std::string name_of(const SortedObjects::Object& object) {
  return std::string(object.value.at("kind").as_string());
}

Sorted sort(std::string_view text) {
  auto documents = parse_documents(text, "f.yaml");
  Problems problems;
  auto sorted = sort_objects(std::move(*documents), "f.yaml", problems);
  Sorted out{.skipped = std::move(sorted.skipped)};
  for (const auto& object : sorted.objects)
    (object.maker ? out.makers : out.others).push_back(name_of(object));
  if (problems) out.problems = problems.error().message;
  return out;
}

TEST(PodMakers, AreKnownByGroupAndVersion) {
  EXPECT_EQ(pod_maker("batch/v1", "CronJob")->pod_template, "/spec/jobTemplate/spec/template");
  EXPECT_EQ(pod_maker("v1", "ReplicationController")->plural, "replicationcontrollers");
  EXPECT_EQ(pod_maker("batch.volcano.sh/v1alpha1", "Job"), nullptr);
  EXPECT_EQ(pod_maker("extensions/v1beta1", "Deployment"), nullptr);
  EXPECT_EQ(pod_maker("v1", "Service"), nullptr);
}

TEST(PodMakers, ObjectsOfAFileAreSorted) {
  using Names = std::vector<std::string>;
  struct Case {
    const char* name;
    std::string_view text;
    Sorted want;
  };
  const Case cases[] = {
      {"typed list",
       "{apiVersion: apps/v1, kind: DeploymentList, items: [{metadata: {name: a}}]}",
       {Names{"Deployment"}}},
      {"list in a list",
       "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: PodList, items: [{}]}, {apiVersion: v1, "
       "kind: Service}]}",
       {Names{"Pod"}, Names{"Service"}}},
      {"other group",
       "{apiVersion: apps.kruise.io/v1beta1, kind: StatefulSet, metadata: {name: kr}}",
       {{}, {}, Names{"StatefulSet kr (apps.kruise.io/v1beta1)"}}},
      {"old group",
       "{apiVersion: extensions/v1beta1, kind: Deployment, metadata: {name: d}}",
       {{}, {}, Names{"Deployment d (extensions/v1beta1; Kubernetes has it in apps/v1)"}}},
      {"typing errors",
       "{apiVersion: v1, kind: List, items: [{apiVersion: apps/v1, kind: Deployement, metadata: {name: d}, "
       "spec: {template: {spec: {containers: []}}}},"
       " {apiVersion: batch/v1, kind: cronJob, metadata: {name: c}, spec: {template: {spec: {containers: "
       "[]}}}}]}",
       {{},
        {},
        Names{"Deployement d (apps/v1; did you mean Deployment?)",
              "cronJob c (batch/v1; did you mean CronJob?)"}}},
      {"hook",
       "{apiVersion: v1, kind: Pod, metadata: {name: t, annotations: {helm.sh/hook: 'test,post-install'}}}",
       {{}, {}, Names{"Pod t (helm hook test,post-install)"}}},
      {"no kind", "{apiVersion: v1}", {{}, {}, {}, "f.yaml: document 1 (line 1): missing kind"}},
      {"no version",
       "{kind: Job, metadata: {name: j}}",
       {{}, {}, {}, "f.yaml: document 1 (line 1): Job j: missing apiVersion"}},
      {"a table",
       "NAME STATUS ROLES\na1   Ready  <none>\n",
       {{},
        {},
        {},
        "f.yaml: document 1 (line 1): expected an object; this is a table of kubectl: -o yaml prints "
        "objects"}},
      {"no object in a list",
       "{apiVersion: v1, kind: List, items: [1]}",
       {{}, {}, {}, "f.yaml: document 1 (line 1): item 0: expected an object"}},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    const auto got = sort(test.text);
    EXPECT_EQ(got.makers, test.want.makers);
    EXPECT_EQ(got.others, test.want.others);
    EXPECT_EQ(got.skipped, test.want.skipped);
    EXPECT_EQ(got.problems, test.want.problems);
  }
}

TEST(PodMakers, GenerateNameMakesAName) {
  const auto names = [](std::string_view text) {
    Problems problems;
    std::vector<std::string> out;
    for (const auto& object : sort_objects(*parse_documents(text, "f.yaml"), "f.yaml", problems).objects)
      out.emplace_back(text_at(object.value, "/metadata/name"));
    return out;
  };
  constexpr std::string_view kTwo =
      "{apiVersion: batch/v1, kind: Job, metadata: {generateName: load-}}\n---\n"
      "{apiVersion: batch/v1, kind: Job, metadata: {generateName: load-}}\n---\n"
      "{apiVersion: batch/v1, kind: Job, metadata: {generateName: load-, name: a}}\n---\n"
      "{apiVersion: batch/v1, kind: Job, metadata: {}}\n";
  EXPECT_EQ(names(kTwo), (std::vector<std::string>{"load-xxxxx", "load-xxxx1", "a", ""}));
  const auto longest = "{apiVersion: v1, kind: Pod, metadata: {generateName: " + std::string(60, 'a') + "}}";
  EXPECT_EQ(names(longest), std::vector{std::string(58, 'a') + "xxxxx"});
}

TEST(PodMakers, EachObjectHasARole) {
  const std::pair<const char*, Role> cases[] = {
      {"{apiVersion: apps/v1, kind: Deployment}", Role::makes_pods},
      {"{apiVersion: podium.dev/v1alpha1, kind: SchedulingReport}", Role::question},
      {"{apiVersion: v1, kind: Service}", Role::context},
      {"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass}", Role::context},
      {"{apiVersion: v1, kind: ConfigMap}", Role::ignored},
      {"{apiVersion: serving.knative.dev/v1, kind: Service}", Role::ignored}};
  for (const auto& [text, role] : cases) {
    Problems problems;
    const auto sorted = sort_objects(*parse_documents(text, "f.yaml"), "f.yaml", problems);
    ASSERT_EQ(sorted.objects.size(), 1u) << text;
    EXPECT_EQ(sorted.objects[0].role, role) << text;
  }
}

TEST(PodMakers, AFieldHasItsLine) {
  const std::string text =
      "kind: Service\napiVersion: v1\n---\nkind: List\napiVersion: v1\nitems:\n- kind: Pod\n"
      "  apiVersion: v1\n  spec:\n    containers:\n    - name: c\n      image: i\n";
  Problems problems;
  const auto sorted = sort_objects(*parse_documents(text, "f.yaml"), "f.yaml", problems);
  ASSERT_EQ(sorted.objects.size(), 2u);
  EXPECT_EQ(sorted.objects[0].place("apiVersion"), "f.yaml:2");
  EXPECT_EQ(sorted.objects[1].place("spec.containers[0].image"), "f.yaml:12");
  EXPECT_EQ(sorted.objects[1].place("spec.containers[0].resources.requests"), "f.yaml:11") << "what it is in";
  EXPECT_EQ(sorted.objects[1].place("spec.nodeName"), "f.yaml:9");
  EXPECT_EQ(sorted.objects[1].place("metadata"), "f.yaml:7");
  const auto of_json = sort_objects(
      *parse_documents("{\"kind\": \"Pod\",\n\"apiVersion\": \"v1\",\n\"spec\": {\"nodeName\":\n1}}",
                       "f.json"),
      "f.json", problems);
  EXPECT_EQ(of_json.objects[0].place("spec.nodeName"), "f.json:3");
  YamlLimits without;
  without.lines = false;
  const auto unknown = sort_objects(
      *parse_documents("{\"kind\": \"Pod\", \"apiVersion\": \"v1\"}", "f.json", without), "f.json", problems);
  EXPECT_EQ(unknown.objects[0].place("spec"), "f.json: document 1 (line 1)") << "no lines are known";
}

}  // namespace
}  // namespace podium::api
