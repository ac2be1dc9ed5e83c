#include "api/decode/manifests.h"
#include "api/values/device.h"
#include "api/values/node.h"
#include "api/values/objects.h"
#include "api/values/pod.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace podium::api {
namespace {

using Names = std::vector<std::string>;

template <typename T>
Names names(const Manifests::List<T>& list) {
  Names out;
  for (const auto& object : list) {
    const auto& ns = object->meta.namespace_;
    out.push_back(ns.empty() ? object->meta.name : ns + "/" + object->meta.name);
  }
  return out;
}

TEST(ReadManifests, TakesEveryForm) {
  struct Case {
    const char* name;
    std::string text;
  };
  const Case cases[] = {
      {"documents",
       "# comment\n---\napiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n---\n"
       "apiVersion: v1\nkind: Node\nmetadata: {name: b}\n"},
      {"list",
       "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: a}}\n"
       "- {apiVersion: v1, kind: Node, metadata: {name: b}}\n"},
      {"typed list",
       "apiVersion: v1\nkind: NodeList\nitems:\n- {metadata: {name: a}}\n- {metadata: {name: b}}\n"},
      {"JSON", R"( {"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}
                   {"apiVersion":"v1","kind":"Node","metadata":{"name":"b"}})"},
      {"JSON list", R"({"apiVersion":"v1","kind":"List","items":[
          {"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}},
          {"apiVersion":"v1","kind":"Node","metadata":{"name":"b"}}]})"},
      {"other kinds between",
       "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: example.com/v1\n"
       "kind: Thing\nmetadata: {name: a}\n---\napiVersion: v1\nkind: NodeList\nitems:\n"
       "- {metadata: {name: a}}\n- {metadata: {name: b}}\n---\n{apiVersion: v1, kind: List}\n"},
  };
  for (const auto& test : cases) {
    std::vector<std::string> warnings;
    const auto got = read_manifests({{"in.yaml", test.text}}, {}, warnings);
    ASSERT_TRUE(got) << test.name << ": " << got.error().message;
    EXPECT_EQ(names(got->nodes), (Names{"a", "b"})) << test.name;
  }
}

TEST(ReadManifests, NamesWhatIsWrong) {
  const std::string node = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n";
  struct Case {
    const char* name;
    std::string text, want;
  };
  const Case cases[] = {
      {"no kind", "apiVersion: v1\nmetadata: {name: a}\n", "in.yaml:1: missing kind"},
      {"no version", "kind: Node\nmetadata: {name: a}\n", "in.yaml:1: node a: missing apiVersion"},
      {"no name", node + "---\napiVersion: v1\nkind: Node\n", "in.yaml:4: node : metadata.name is required"},
      {"no object", "- a\n", "in.yaml:1: expected an object"},
      {"unknown field", node + "spec: {colour: red}\n", "in.yaml:4: node a: unknown field \"spec.colour\""},
      {"unknown field far below",
       "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: p, namespace: x}\n  spec:\n    "
       "containers:\n"
       "    - {name: c, image: i, env: [{name: A, valeu: b}]}\n",
       "in.yaml:7: pod x/p: unknown field \"spec.containers[0].env[0].valeu\""},
      {"duplicate field", "apiVersion: v1\nkind: Node\nkind: Node\n",
       "in.yaml:3:1: key \"kind\" is set twice"},
      {"bad quantity", node + "status: {capacity: {cpu: 1e3Mi}}\n",
       "in.yaml:4: node a: status.capacity.cpu: \"1e3Mi\" is not a quantity, such as "
       "\"4\", \"500m\" or \"2Gi\""},
      {"twice", node + "---\n" + node + "spec: {unschedulable: true}\n",
       "in.yaml:4: node a: Node a is defined twice, first in in.yaml"},
      {"bad YAML", node + "spec: {a: 1\n", "in.yaml:5:1: end of map flow not found"},
  };
  for (const auto& test : cases) {
    std::vector<std::string> warnings;
    const auto got = read_manifests({{"in.yaml", test.text}}, {}, warnings);
    ASSERT_FALSE(got) << test.name;
    EXPECT_EQ(got.error().message, test.want) << test.name;
  }
}

TEST(ReadManifests, TheSameObjectTwiceIsOne) {
  const std::string pod = "metadata: {name: p}, spec: {containers: [{name: c, image: i}]}";
  std::vector<std::string> warnings;
  const auto got = read_manifests({{"a.yaml", "{apiVersion: v1, kind: PodList, items: [{" + pod + "}]}"},
                                   {"b.yaml", "{kind: Pod, apiVersion: v1, " + pod + "}"}},
                                  {}, warnings);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->pods.size(), 1u);
}

TEST(ReadManifests, SaysAllThatIsWrong) {
  const std::string one =
      "{apiVersion: v1, kind: Node, metadata: {name: a}, colour: red}\n---\n"
      "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod}, "
      "{apiVersion: v1, kind: PodList, items: [{metadata: {name: p}}, {spec: 1}]}]}\n";
  std::vector<std::string> warnings;
  const auto got =
      read_manifests({{"a.yaml", one}, {"b.yaml", "a: {b: 1\n"}, {"c.yaml", "- 1"}}, {}, warnings);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message,
            "a.yaml:1: node a: unknown field \"colour\"\n"
            "a.yaml:3: pod : metadata.name is required\n"
            "a.yaml:3: pod : spec: expected an object, got a number\n"
            "b.yaml:2:1: end of map flow not found\n"
            "c.yaml:1: expected an object");
}

TEST(ReadManifests, AllowsUnknownFieldsOnRequest) {
  std::vector<std::string> warnings;
  const std::string text = "{apiVersion: v1, kind: Node, metadata: {name: a}, colour: red}";
  const auto got = read_manifests({{"in.yaml", text}}, {.allow_unknown_fields = true}, warnings);
  ASSERT_TRUE(got) << got.error().message;
  ASSERT_EQ(got->nodes.size(), 1u);
  EXPECT_EQ(got->nodes.front()->meta.name, "a");
}

TEST(ReadManifests, FreeFormFieldsAreNotLookedInto) {
  std::vector<std::string> warnings;
  const std::string text =
      "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {any: x}, annotations: {any: x}, "
      "managedFields: "
      "[{manager: m, fieldsV1: {'f:spec': {}}}]}, spec: {nodeSelector: {any: x}, overhead: {any: 1}}}";
  const auto got = read_manifests({{"in.yaml", text}}, {}, warnings);
  EXPECT_TRUE(got) << got.error().message;
}

TEST(ReadManifests, WarnsOfWhatItLeavesOut) {
  std::vector<std::string> warnings;
  const std::string text =
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n{apiVersion: v1, kind: ConfigMap, "
      "metadata: "
      "{name: b}}\n---\n{apiVersion: example.com/v1, kind: Node, metadata: {name: a}}\n";
  const auto got = read_manifests({{"in.yaml", text}}, {}, warnings);
  ASSERT_TRUE(got);
  EXPECT_EQ(warnings,
            (Names{"ignoring 1 object(s) of kind example.com/v1/Node, which the scheduler does not look at",
                   "ignoring 2 object(s) of kind v1/ConfigMap, which the scheduler does not look at"}));
}

TEST(ReadManifests, SetsTheNamespaceOfNamespacedKinds) {
  std::vector<std::string> warnings;
  const std::string text =
      "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: "
      "a, "
      "namespace: x}}\n---\n{apiVersion: v1, kind: Service, metadata: {name: a}}\n---\n"
      "{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}}\n";
  const auto got = read_manifests({{"in.yaml", text}}, {}, warnings);
  ASSERT_TRUE(got);
  EXPECT_EQ(names(got->pods), (Names{"default/a", "x/a"}));
  EXPECT_EQ(names(got->workloads), Names{"default/a"});
  EXPECT_EQ(names(got->persistent_volumes), Names{"a"});
}

// What is wrong with an object of its own is said at its place, once.
TEST(ReadManifests, EachFaultOfAnObjectHasItsLine) {
  const std::string yaml =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: x}\nspec:\n  priority: high\n"
      "  containers:\n  - name: c\n    image: 7\n    resources:\n      requests:\n        cpu: lots\n";
  const std::string json =
      "{\"apiVersion\": \"v1\", \"kind\": \"PodList\", \"items\": [\n {\"metadata\": {\"name\": \"p\"},\n"
      "  \"spec\": {\"containers\": [\n   {\"na\\u006de\": \"}{\",\n    \"imagee\": \"a]b\\\"c\",\n    "
      "\"portz\": []}]}}]}";
  std::vector<std::string> warnings;
  const auto got = read_manifests({{"a.yaml", yaml}, {"b.json", json}}, {}, warnings);
  ASSERT_FALSE(got);
  EXPECT_EQ(
      got.error().message,
      "a.yaml:5: pod x/p: spec.priority: expected an integer, got a string\n"
      "a.yaml:8: pod x/p: spec.containers[0].image: expected a string, got a number\n"
      "a.yaml:11: pod x/p: spec.containers[0].resources.requests.cpu: \"lots\" is not a quantity, such as "
      "\"4\", \"500m\" or \"2Gi\"\n"
      "b.json:5: pod p: unknown field \"spec.containers[0].imagee\"\n"
      "b.json:6: pod p: unknown field \"spec.containers[0].portz\"");
}

TEST(ReadManifests, ManyFaultsAreCounted) {
  std::string pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: x}\nspec:\n  containers:\n";
  for (int i = 0; i < 15; ++i) pod += "  - {name: c, image: 7}\n";
  std::vector<std::string> warnings;
  const auto got = read_manifests({{"a.yaml", pod}}, {}, warnings);
  ASSERT_FALSE(got);
  EXPECT_TRUE(got.error().message.contains(
      "a.yaml:15: pod x/p: spec.containers[9].image: expected a string, got a number\n"))
      << got.error().message;
  EXPECT_TRUE(got.error().message.ends_with(": pod x/p: and 5 more")) << got.error().message;
}

// A dump of an older cluster has devices in this form.
TEST(ReadManifests, DevicesOfAnOldVersion) {
  const auto read = [](std::string_view version, std::string_view device, std::string_view request) {
    std::vector<std::string> warnings;
    auto got = read_manifests({{"a.yaml", fmt::format(R"(
{{apiVersion: resource.k8s.io/{0}, kind: ResourceSlice, metadata: {{name: s}}, spec: {{driver: d, nodeName: n-1,
  pool: {{name: n-1, generation: 1, resourceSliceCount: 1}}, devices: [{1}]}}}}
---
{{apiVersion: resource.k8s.io/{0}, kind: ResourceClaimTemplate, metadata: {{name: t, namespace: x}},
  spec: {{spec: {{devices: {{requests: [{2}]}}}}}}}}
)",
                                                      version, device, request)}},
                              {}, warnings);
    EXPECT_TRUE(got) << got.error().message;
    return got ? std::move(*got) : Manifests();
  };
  const auto old = read("v1beta1", "{name: gpu, basic: {attributes: {model: {string: a}}}}",
                        "{name: r, deviceClassName: gpu, count: 2}");
  const auto now = read("v1", "{name: gpu, attributes: {model: {string: a}}}",
                        "{name: r, exactly: {deviceClassName: gpu, count: 2}}");
  ASSERT_EQ(old.resource_slices.size(), 1u);
  ASSERT_EQ(old.resource_claim_templates.size(), 1u);
  EXPECT_EQ(*old.resource_slices[0], *now.resource_slices[0]);
  EXPECT_EQ(*old.resource_claim_templates[0], *now.resource_claim_templates[0]);
}

TEST(ReadManifests, OfSortedObjects) {
  const auto pod = [](const char* name) {
    return boost::json::value{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}}}};
  };
  std::vector<std::string> warnings;
  const auto pods =
      read_objects({{pod("a"), "in: document 1 (line 1)"}, {pod("b"), "in: document 2 (line 9)"}},
                   {.ns = "shop"}, warnings);
  ASSERT_TRUE(pods);
  EXPECT_EQ(names(pods->pods), (Names{"shop/a", "shop/b"}));
  const auto refused = read_objects({{pod(""), "in: document 3 (line 20): item 4"}}, {}, warnings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "in: document 3 (line 20): item 4: pod : metadata.name is required");
}

}  // namespace
}  // namespace podium::api
