// Reading the spec of a what-if, and the errors for invalid ones.
#include "explain/question/question.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "unit/explain/question/reading.h"

namespace podium::explain {
namespace {

using namespace std::chrono_literals;
using unit::read;

TEST(ReadQuestion, ATemplate) {
  const auto question = read(R"({
      "replicas": 3, "profile": "batch", "ttlSeconds": 3600,
      "template": {"metadata": {"name": "ignored", "labels": {"app": "web"}},
                   "spec": {"schedulerName": "other", "containers": [{"name": "c", "image": "i"}]}}})");
  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(question->meta.uid, "u1");
  EXPECT_EQ(question->meta.generation, 7);
  EXPECT_EQ(question->replicas, 3);
  EXPECT_EQ(question->profile, "batch");
  EXPECT_EQ(question->ttl, 1h);
  ASSERT_TRUE(question->subject);
  EXPECT_EQ(question->subject->kind, Subject::Kind::pod);
  EXPECT_TRUE(question->subject->names_scheduler);
  EXPECT_EQ(question->subject->pod.meta.name, "ask") << "the pod is named after the report";
  EXPECT_EQ(question->subject->pod.meta.namespace_, "shop");
  EXPECT_EQ(question->subject->pod.scheduler_name, "other");
  EXPECT_EQ(question->subject->pod.meta.labels, (api::Labels{{"app", "web"}}));
}

TEST(ReadQuestion, AReferenceAndTheDefaults) {
  const auto question = read(R"({"podRef": {"name": "web-0"}})");
  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(question->pod_name, "web-0");
  EXPECT_FALSE(question->subject);
  EXPECT_EQ(question->replicas, std::nullopt);
  EXPECT_EQ(question->profile, "");
  EXPECT_EQ(question->ttl, 600s);
}

TEST(ReadQuestion, ItMayBeAskedAgain) {
  struct Case {
    const char *fields, *result;  // the period, or the finding
  };
  const Case cases[] = {
      {R"("nonce": "a")", "0"},
      {R"("refreshSeconds": 0)", "0"},
      {R"("refreshSeconds": 10)", "10"},
      {R"("refreshSeconds": 300)", "300"},
      {R"("refreshSeconds": 86400, "ttlSeconds": 0)", "86400"},
      {R"("refreshSeconds": 60, "ttlSeconds": 120)", "60"},
      {R"("refreshSeconds": 9)", "spec.refreshSeconds: must be 0 or at least 10"},
      {R"("refreshSeconds": 301)",
       "spec.refreshSeconds: must be at most half of the time that the answer is kept (spec.ttlSeconds; 600 "
       "seconds here)"},
      {R"("refreshSeconds": 61, "ttlSeconds": 120)",
       "spec.refreshSeconds: must be at most half of the time that the answer is kept (spec.ttlSeconds; 120 "
       "seconds here)"},
      {R"("refreshSeconds": 86401, "ttlSeconds": 0)", "spec.refreshSeconds: must be"},
      {R"("refreshSeconds": -1)", "spec.refreshSeconds: must be"},
      {R"("refreshSeconds": "1m")", "spec.refreshSeconds: must be"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.fields);
    const auto question = read(fmt::format(R"({{"podRef": {{"name": "web-0"}}, {}}})", c.fields));
    const auto result = question ? std::to_string(question->refresh.count()) : question.error().message;
    EXPECT_TRUE(result.starts_with(c.result)) << result;
  }
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
  // "-new-1" is added to it, and the API server would refuse each attempt to write the answer.
  const auto long_name = fmt::format(
      R"({{"podRef": {{"name": "p"}}, "changes": [{{"type": "AddNodes", "template": {{"metadata": {{"name": "{}"}}}}}}]}})",
      std::string(241, 'n'));
  struct Case {
    std::string_view spec, error;
  };
  const Case cases[] = {
      {long_name,
       "spec.changes[0].template.metadata.name: longer than 240 characters: the names of the new nodes "
       "add a number to it"},
      {"null", "spec: required"},
      {"[]", "spec: required"},
      {R"({"replicas": 0, "podRef": {"name": "p"}})", "spec.replicas: must be between 1 and 10000"},
      {R"({"replicas": 10001, "podRef": {"name": "p"}})", "spec.replicas: must be between 1 and 10000"},
      {R"({"replicas": "2", "podRef": {"name": "p"}})", "spec.replicas: must be between 1 and 10000"},
      {R"({"replicas": 2.5, "podRef": {"name": "p"}})", "spec.replicas: must be between 1 and 10000"},
      {R"({})", "spec: a what-if needs exactly one of template, podRef, workloadRef and search"},
      {R"({"podRef": {"name": "p"}, "template": {}})",
       "spec: a what-if needs exactly one of template, podRef, workloadRef and search"},
      {R"({"podRef": {}})", "spec.podRef.name: required"},
      {R"({"podRef": "p"})", "spec.podRef: must be an object"},
      {R"({"podRef": {"name": "x/status"}})", "spec.podRef.name: \"x/status\" is not a valid name"},
      {R"({"podRef": {"name": "../nodes"}})", "spec.podRef.name: \"../nodes\" is not a valid name"},
      {R"({"workloadRef": {"kind": "Job", "name": "a?b"}})",
       "spec.workloadRef.name: \"a?b\" is not a valid name"},
      {R"({"podRef": {"name": 1}})", "spec.podRef.name: must be a string"},
      {R"({"template": {}})", "spec.template.spec.containers: at least one is needed"},
      {R"({"template": {"spec": {"containers": []}}})",
       "spec.template.spec.containers: at least one is needed"},
      {R"({"template": {"spec": {"containers": "c"}}})",
       "spec.template.spec.containers: expected a list, got a string"},
      {R"({"template": {"spec": {"containers": [{"name": "c", "resuorces": {}}]}}})",
       "spec.template.spec.containers[0].resuorces: unknown field"},
      {R"({"template": {"spec": {"containers": [{"name": "c"}]}, "status": {}}})",
       "spec.template.status: unknown field"},
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
  EXPECT_EQ(question->subject->pod.meta, meta);
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

// A command's numbers may be unsigned.
TEST(ReadQuestion, AValueIsReadLikeItsText) {
  api::ObjectMeta meta;
  meta.namespace_ = "shop";
  meta.name = "ask";
  const auto pod = boost::json::parse(R"({"spec": {"containers": [{"name": "c", "image": "i"}]}})");
  boost::json::object spec{{"dryRun", true}, {"replicas", std::size_t{3}}, {"template", pod}};
  const auto question = read_question(spec, meta, 600s);
  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(question->replicas, 3);
  EXPECT_EQ(question->subject->pod.full_name(), "shop/ask");
  spec["profile"] = std::string(kTemplateBytes, 'x');
  EXPECT_EQ(read_question(spec, meta, 600s).error().message, "spec: larger than 64 KiB without its template");
}

TEST(ReadQuestion, AllFindingsTogether) {
  const auto question =
      read(R"({"podRef": {"name": "p", "uuid": "u"}, "replicas": 0, "colour": "red", "fixes": "yes",
      "nodes": ["n1", 2], "strategies": [{"name": "NodeAffinity"}, {"weight": -1}], "topologyKey": "zone",
      "changes": [{"type": "MoveNode"}, {"type": "CordonNode"}, {"type": "AddNodes", "count": 0},
                  {"type": "TaintNode", "nodeName": "n", "taint": {"key": "a b", "effect": "Never"}},
                  {"type": "DeletePods", "namespace": "kube-system", "selector": {"matchLabel": {}}},
                  {"type": "LabelNode", "nodeName": "n", "labels": {"a": 1}, "nodename": "m"}]})");
  ASSERT_FALSE(question);
  std::string text = question.error().message;
  for (std::size_t at = 0; (at = text.find("; ", at)) != std::string::npos;) text.replace(at, 2, "\n");
  EXPECT_EQ(text, R"(spec.podRef.uuid: unknown field
spec.replicas: must be between 1 and 10000
spec.topologyKey: needs spec.minCount: the size of the group
spec.strategies[0].weight: required
spec.strategies[1].name: required
spec.strategies[1].weight: must be between 0 and 1000000
spec.nodes[1]: must be a string that is not empty
spec.changes[0].type: unknown type "MoveNode" (known: AddNodes, RemoveNode, CordonNode, UncordonNode, DrainNode, DrainNodes, FailNodes, TaintNode, UntaintNode, LabelNode, DeletePods, AddPods, AddClaims, AddObjects)
spec.changes[1].nodeName: required
spec.changes[2].count: must be between 1 and 1000
spec.changes[2]: needs exactly one of like and template
spec.changes[3].taint.key: "a b" is not a valid label key
spec.changes[3].taint.effect: must be NoSchedule, PreferNoSchedule or NoExecute
spec.changes[4].namespace: must be the namespace of the what-if, shop: only its quotas, limits and claims are read
spec.changes[4].selector.matchLabel: unknown field
spec.changes[5].labels[a]: must be a string, or null to remove the label
spec.changes[5].nodename: unknown field
spec.fixes: must be true or false
spec.colour: unknown field)");
}

TEST(ReadQuestion, ObjectsOfAChangeAreRead) {
  const auto error_of = [](const char* objects) {
    const auto question = read(fmt::format(
        R"({{"podRef": {{"name": "p"}}, "changes": [{{"type": "AddObjects", "objects": {}}}]}})", objects));
    return question ? "" : question.error().message;
  };
  EXPECT_EQ(error_of(R"([{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {}}])"),
            "");
  EXPECT_EQ(
      error_of(R"([{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}])"),
      "spec.changes[0].objects[0].kind: \"Secret\" of apiVersion \"v1\" cannot be added (known: Namespace, "
      "Service, PersistentVolume, LimitRange, PodDisruptionBudget, PriorityClass, RuntimeClass, "
      "StorageClass, "
      "CSIDriver, DeviceClass, ResourceClaim, ResourceClaimTemplate)");
  EXPECT_EQ(
      error_of(R"([{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "x"},
                          "spec": {}}])"),
      "spec.changes[0].objects[0].metadata.namespace: must be the namespace of the what-if, shop: only its "
      "quotas, limits and claims are read");
  EXPECT_EQ(error_of(R"([{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                          "metadata": {"name": "high"}, "valeu": 1}])"),
            "spec.changes[0].objects[0]: priorityclass high: unknown field \"valeu\"");
  EXPECT_EQ(error_of("null"), "spec.changes[0].objects: required");
}

TEST(ReadQuestion, NodesThatAreGivenAndWrongAreNotMissing) {
  const auto error_of = [](const std::string& nodes) {
    const auto question =
        read(fmt::format(R"({{"podRef": {{"name": "p"}}, "changes": [{{"type": "DrainNodes"{}}}]}})", nodes));
    return question ? "" : question.error().message;
  };
  std::string many = "\"n\"";
  for (int i = 0; i < 64; ++i) many += ", \"n\"";
  EXPECT_EQ(error_of(", \"nodeNames\": [" + many + "]"),
            "spec.changes[0].nodeNames: must have at most 64 items");
  EXPECT_EQ(error_of(R"(, "nodeNames": [""])"), "spec.changes[0].nodeNames[0]: must be the name of a node");
  EXPECT_EQ(error_of(R"(, "nodeNames": "n")"), "spec.changes[0].nodeNames: must be a list");
  EXPECT_EQ(error_of(R"(, "nodeNames": [])"), "spec.changes[0].nodeNames: required");
  EXPECT_EQ(error_of(""), "spec.changes[0].nodeNames: required");
}

TEST(ReadQuestion, ATopologyKeyIsALabelKey) {
  const auto question =
      read(R"({"podRef": {"name": "p"}, "replicas": 3, "minCount": 2, "topologyKey": "a b"})");
  ASSERT_FALSE(question);
  EXPECT_EQ(question.error().message, "spec.topologyKey: \"a b\" is not a valid label key");
}

// Answers repeat texts, and the CRD bounds them there. The HTTPS API has no schema before it.
TEST(ReadQuestion, TextsHaveABound) {
  const auto question = read(fmt::format(
      R"({{"podRef": {{"name": "{0}"}}, "replicas": 3, "minCount": 2, "topologyKey": "{0}", "nodes": ["n1", "{1}"],
          "strategies": [{{"name": "{0}", "weight": 1}}], "profile": "{0}"}})",
      std::string(318, 'a'), std::string(254, 'n')));
  ASSERT_FALSE(question);
  EXPECT_EQ(question.error().message,
            "spec.podRef.name: must have at most 317 bytes; "
            "spec.topologyKey: must have at most 317 bytes; "
            "spec.strategies[0].name: must have at most 317 bytes; "
            "spec.nodes[1]: must have at most 253 bytes; "
            "spec.profile: must have at most 317 bytes");
}

TEST(ReadQuestion, EveryField) {
  const auto question =
      read(R"({"dryRun": true, "workloadRef": {"kind": "StatefulSet", "name": "db"}, "replicas": 8,
      "minCount": 8, "topologyKey": "zone", "nodes": ["n1"], "strategies": [{"name": "NodeAffinity", "weight": 0}],
      "profile": "batch", "schedulerName": "podium", "fixes": true, "nonce": "again", "ttlSeconds": 0,
      "changes": [{"type": "AddNodes", "count": 2, "like": "n1"}, {"type": "UntaintNode", "nodeName": "n1", "key": "a"},
                  {"type": "LabelNode", "nodeName": "n1", "labels": {"a": "", "b": null}}]})");
  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(question->about, Question::About::workload);
  EXPECT_EQ(question->workload_kind, Subject::Kind::stateful_set);
  EXPECT_EQ(question->workload_name, "db");
  EXPECT_EQ(question->replicas, 8);
  EXPECT_EQ(question->min_count, 8);
  EXPECT_EQ(question->topology_key, "zone");
  EXPECT_EQ(question->nodes, std::vector<std::string>{"n1"});
  EXPECT_EQ(question->strategies.at(0).weight, 0);
  EXPECT_EQ(question->scheduler_name, "podium");
  EXPECT_TRUE(question->fixes);
  EXPECT_GE(question->ttl, 24h * 365) << "as long as it is there";
  ASSERT_EQ(question->changes.size(), 3u);
  EXPECT_EQ(question->changes[0].count, 2);
  EXPECT_EQ(question->changes[1].effect, std::nullopt);
  EXPECT_EQ(question->changes[2].labels.at(0).second, "") << "an empty value is a value";
  EXPECT_EQ(question->changes[2].labels.at(1).second, std::nullopt);
}

TEST(ReadQuestion, WhatIsNextToTheTemplateIsBounded) {
  const auto long_nonce =
      read(fmt::format(R"({{"podRef": {{"name": "p"}}, "nonce": "{}"}})", std::string(kTemplateBytes, 'x')));
  ASSERT_FALSE(long_nonce);
  EXPECT_EQ(long_nonce.error().message, "spec: larger than 64 KiB without its template");
  const auto search = [](std::size_t bytes) {
    return read(
        fmt::format(R"({{"search": {{"forPending": {{"shapes": [{{"name": "a", "like": "{}"}}]}}}}}})",
                    std::string(bytes, 'x')));
  };
  EXPECT_THAT(search(kTemplateBytes).error().message,
              testing::HasSubstr("spec.search.forPending.shapes[0].like"))
      << "a catalogue is larger than a template";
  EXPECT_EQ(search(kSearchBytes).error().message, "spec.search: larger than 256 KiB");
}

TEST(ReadSubject, ThePodThatIsMeant) {
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
      {"placed", "", head + R"("nodeName": "n1",)" + containers + "}}", ""},
      {"not to be decoded", "", head + R"("containers": "c"}})",
       "spec.podRef: spec.containers: expected a list, got a string"},
      {"too large", "", head + std::string(kObjectBytes, ' ') + containers + "}}",
       "spec.podRef.name: the pod is larger than 1 MiB"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Question question;
    question.about = Question::About::pod;
    question.pod_name = "web-0";
    question.pod_uid = c.uid;
    const auto read = read_subject(c.pod, question);
    EXPECT_EQ(read ? "" : read.error().message, c.error);
    ASSERT_EQ(question.subject.has_value(), c.error.empty());
    if (!question.subject) continue;
    EXPECT_EQ(question.subject->pod.node_name, "") << "as if it were not placed";
  }
}

}  // namespace
}  // namespace podium::explain
