// Input from outside never aborts: mutated manifests, from a seed. PODIUM_SEED replays a run.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "api/admission/admission.h"
#include "api/decode/decode.h"
#include "api/text/yaml.h"
#include "api/values/node.h"
#include "unit/support/seed.h"

namespace podium::api {
namespace {

constexpr std::string_view kYaml = R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1, labels: &labels {topology.kubernetes.io/zone: a, "x": 'y'}}
  spec:
    unschedulable: false
    taints: [{key: k, value: v, effect: NoSchedule}]
  status:
    capacity: {cpu: 4, memory: 8Gi, pods: "110", example.com/gpu: 1e1}
    images:
    - names: [a, b]
      sizeBytes: 0x7fffffff
- kind: Pod
  apiVersion: v1
  metadata:
    name: web
    labels: {<<: *labels, app: web}
    creationTimestamp: 2026-01-02T03:04:05Z
  spec:
    nodeName: n1
    priority: -5
    containers:
    - name: c
      image: |
        text
      resources: {requests: {cpu: 250m, memory: 1.5Gi}, limits: {cpu: 0.5}}
      ports: [{containerPort: 80, hostPort: 8080}]
    topologySpreadConstraints:
    - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: *labels}}
    affinity:
      nodeAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
          - matchExpressions: [{key: a, operator: Gt, values: ["1"]}]
    volumes:
    - name: v
      rbd: {monitors: [m], image: i}
  status: {phase: Running, startTime: "2026-01-02T03:04:05Z"}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: 1}
)";

constexpr std::string_view kJson = R"({"apiVersion": "v1", "kind": "PodList", "items": [
  {"metadata": {"name": "a", "deletionTimestamp": "2026-01-02T03:04:05.678+02:00", "annotations": {"k": "\u00e4\n"}},
   "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": 1e-3, "memory": -0}}}],
            "initContainers": [{"name": "i", "restartPolicy": "Always", "image": "i"}],
            "tolerations": [{"operator": "Exists"}], "overhead": {"cpu": "12e6"},
            "resources": {"limits": {"cpu": "9223372036854775808"}}},
   "status": {"containerStatuses": [{"name": "c", "resources": null, "allocatedResources": {"cpu": "1n"}}]}}]}
{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"}, "spec": {"capacity": {"storage": "1Ei"}}}
)";

std::string mutate(std::string text, std::mt19937_64& random) {
  static constexpr std::string_view kPieces[] = {"\n",
                                                 "  ",
                                                 "- ",
                                                 ": ",
                                                 "{",
                                                 "}",
                                                 "[",
                                                 "]",
                                                 ",",
                                                 "\"",
                                                 "'",
                                                 "&labels ",
                                                 "*labels",
                                                 "<<: ",
                                                 "---",
                                                 "~",
                                                 "|",
                                                 "null",
                                                 "true",
                                                 "1e",
                                                 "9e9",
                                                 "99999999999999999999",
                                                 "-",
                                                 "\\u",
                                                 "\xff",
                                                 "\xc3",
                                                 "#",
                                                 "!!",
                                                 "? ",
                                                 "%",
                                                 "@",
                                                 "\t",
                                                 std::string_view("\0", 1)};
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  for (auto edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
    const auto at = below(text.size());
    const auto length = std::min(text.size() - at, 1 + below(20));
    switch (below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      case 3:
        text[at] = static_cast<char>(random());
        break;
      case 4:
        text.resize(at);
        break;
    }
  }
  return text;
}

// Parses, decodes and admits the text. Returns whether all steps succeeded.
bool read(const std::string& text) {
  std::vector<std::string> warnings;
  auto manifests = read_manifests({{"in", text}}, {}, warnings);
  if (!manifests) {
    EXPECT_FALSE(manifests.error().message.empty());
    EXPECT_EQ(manifests.error().kind, Error::Kind::invalid);
    return false;
  }
  Manifests::List<Pod> pending = manifests->pods;
  return admit(*manifests, pending).has_value();
}

TEST(Mutations, NeverCrash) {
  const auto seed = podium::test::drawn_seed();
  std::mt19937_64 random(seed);
  ASSERT_TRUE(read(std::string(kJson)));
  ASSERT_TRUE(read(std::string(kYaml)));
  int good = 0, bad = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto text = mutate(std::string(i % 2 ? kYaml : kJson), random);
    SCOPED_TRACE(podium::test::seed_text(seed) + ", round " + std::to_string(i));
    (read(text) ? good : bad) += 1;
    // A parsed document can be written and parsed again.
    if (const auto documents = parse_documents(text, "in"); documents && !documents->empty()) {
      const auto& value = documents->front().value;
      const auto again = parse_documents(to_yaml(value), "again");
      ASSERT_TRUE(again) << again.error().message << "\n" << to_yaml(value);
      ASSERT_EQ(again->empty(), value.is_null());
      if (!again->empty()) {
        ASSERT_EQ(to_yaml(again->front().value), to_yaml(value));
      }
    }
  }
  EXPECT_GT(good, 0);
  EXPECT_GT(bad, 0);
}

}  // namespace
}  // namespace podium::api
