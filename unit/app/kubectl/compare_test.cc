// podium compare, on a dump.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "unit/app/kubectl/verbs_fixture.h"
#include "unit/support/cost.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kPacking = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - {name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}}
  plugins: {multiPoint: {disabled: [{name: PodTopologySpread}, {name: NodeResourcesBalancedAllocation}]}}
)";
constexpr const char* kDefault =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

// Packed, the two small pods leave a node to the large one.
constexpr const char* kSmallAndLarge = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n-1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n-2}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: small-1, namespace: shop, uid: s1, creationTimestamp: "2026-01-01T00:00:01Z"}
  spec: {nodeName: n-1, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: small-2, namespace: shop, uid: s2, creationTimestamp: "2026-01-01T00:00:02Z"}
  spec: {nodeName: n-2, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: large, namespace: shop, uid: l, creationTimestamp: "2026-01-01T00:00:03Z"}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "4"}}}]}
  status: {phase: Pending}
- {apiVersion: v1, kind: Pod, metadata: {name: held, namespace: shop, uid: h}, spec: {schedulingGates: [{name: example.com/q}], containers: [{name: c, image: i}]}, status: {phase: Pending}}
)";

class Comparing : public OnADump {
 protected:
  const std::string old_ = directory_.write("old.yaml", kDefault);
  const std::string new_ = directory_.write("new.yaml", kPacking);
  Ran compare(std::vector<std::string> words) {
    words.insert(words.begin(), "compare");
    return run_on(cluster_, std::move(words));
  }

 private:
  const std::string cluster_ = directory_.write("cluster.yaml", kSmallAndLarge);
};

TEST_F(Comparing, SaysWhatTheNewConfigurationChanges) {
  const auto ran = compare({old_, new_});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(
      ran.out,
      "profiles[default-scheduler].pluginConfig[NodeResourcesBalancedAllocation]: removed\n"
      "profiles[default-scheduler].pluginConfig[NodeResourcesFit].args.scoringStrategy.resources[memory]: "
      "removed\n"
      "profiles[default-scheduler].pluginConfig[NodeResourcesFit].args.scoringStrategy.type: LeastAllocated "
      "→ "
      "MostAllocated\n"
      "profiles[default-scheduler].pluginConfig[PodTopologySpread]: removed\n"
      "profiles[default-scheduler].plugins.multiPoint.enabled[PodTopologySpread]: removed\n"
      "profiles[default-scheduler].plugins.multiPoint.enabled[NodeResourcesBalancedAllocation]: removed\n"
      "profiles[default-scheduler].plugins.multiPoint.disabled: added: "
      "[{\"name\":\"PodTopologySpread\",\"weight\":0},{\"name\":\"NodeResou…\n"
      "Each configuration places 3 pods again, on empty nodes. Not placed: 1 pod is gated.\n"
      "                             OLD  NEW\n"
      "  placed                       2    3\n"
      "  pending: Insufficient cpu    1    0\n"
      "  nodes in use                 2    2\n"
      "1 pod is placed on another node.\n"
      "1 pod gains a place: shop/large.\n"
      "Running pods stay on their nodes when the configuration changes; new ones follow it.\n");
  EXPECT_EQ(compare({new_}).out, ran.out) << "the old one is kube-scheduler's by default";
  EXPECT_EQ(compare({new_, "--config", old_}).out, ran.out);
  EXPECT_THAT(compare({old_, new_, "-o", "wide"}).out, HasSubstr("shop/large  -    n-"));
}

TEST_F(Comparing, TheDocumentHasAllPods) {
  const auto document = json::parse(compare({new_, old_, "-o", "json"}).out);
  EXPECT_EQ(document.at_pointer("/old/placed"), 3);
  EXPECT_EQ(document.at_pointer("/new/placed"), 2);
  EXPECT_EQ(document.at_pointer("/lost/0/name"), "large");
  EXPECT_EQ(document.at_pointer("/lost/0/reason"), "Insufficient cpu");
  EXPECT_EQ(
      document.at_pointer("/changes/0/path"),
      "profiles[default-scheduler].pluginConfig[NodeResourcesFit].args.scoringStrategy.resources[memory]");
  EXPECT_FALSE(document.at_pointer("/changes/0").as_object().contains("old")) << "absent";
  EXPECT_EQ(compare({new_, old_, "-o", "name"}).out, "pod/large\n");
}

TEST_F(Comparing, EqualConfigurationsDoNotDiffer) {
  const auto text = compare({old_, old_}).out;
  EXPECT_THAT(text, StartsWith("The configurations do not differ.\n"));
  EXPECT_THAT(text, HasSubstr("No pod is placed on another node.\n"));
}

// A pod of its own claim that does not exist, and a node and a zone with escape sequences.
TEST_F(Comparing, NoTextReachesTheTerminalAsItIs) {
  const auto cluster = directory_.write("odd.yaml", R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: "n\e[31m", labels: {topology.kubernetes.io/zone: "z\e[32m"}}, status: {allocatable: {cpu: "1", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Pod, metadata: {name: "p\e[33m", namespace: shop, uid: p}, spec: {schedulerName: "only\e[34m", containers: [{name: c, image: i}]}, status: {phase: Pending}}
- {apiVersion: v1, kind: Pod, metadata: {name: "q\e[35m", namespace: shop, uid: q}, spec: {containers: [{name: c, image: i}]}, status: {phase: Pending}}
)");
  const auto one =
      directory_.write("one.yaml", std::string(kDefault) + "profiles: [{schedulerName: \"only\\e[34m\"}]\n");
  for (const auto* format : {"table", "wide"}) {
    const auto ran = run_on(cluster, {"compare", old_, one, "-o", format});
    EXPECT_EQ((ran.out + ran.err).find('\033'), std::string::npos) << ran.out << ran.err;
  }
}

TEST_F(Comparing, PodsThatAllWaitForSomethingElseTakeLinearTime) {
  const auto prepare = [&](std::size_t n) -> test::Work {
    std::string text =
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '1', pods: "
        "'10'}}}\n";
    for (std::size_t i = 0; i < n; ++i)
      text += fmt::format(
          "- {{apiVersion: v1, kind: Pod, metadata: {{name: p{0}, namespace: shop, uid: u{0}}}, spec: "
          "{{containers: [{{name: c, image: i}}], volumes: [{{name: v, persistentVolumeClaim: {{claimName: "
          "c{0}}}}}]}}, status: {{phase: Pending}}}}\n",
          i);
    return [this, n, cluster = directory_.write(fmt::format("waiting-{}.yaml", n), text)] {
      const auto ran = run_on(cluster, {"compare", old_, new_});
      EXPECT_THAT(ran.out, HasSubstr("pending: other reasons")) << ran.err;
    };
  };
  EXPECT_TRUE(test::is_linear(200, prepare));
}

TEST_F(Comparing, OtherWeightsAreAQuestion) {
  const auto ran = compare({"--weights", "NodeResourcesFit=5,ImageLocality=0", "-n", "shop"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "3 pods are placed again with the current weights and with these, on empty nodes.\n"
            "No pod would be elsewhere, lose its place or gain one.\n");
  const auto document = json::parse(compare({"--weights", "NodeResourcesFit=5", "-o", "json"}).out);
  EXPECT_EQ(document.at_pointer("/status/weightsCompared/pods"), 3);
  EXPECT_THAT(compare({old_, new_, "--weights", "A=1"}).err, HasSubstr("[OLD] NEW, or --weights"));
  EXPECT_THAT(compare({"--weights", "A"}).err, HasSubstr("--weights: \"A\" is not STRATEGY=WEIGHT"));
  const auto unknown = compare({"--weights", "A=1"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--weights: "));
}

// The question is about the whole cluster, in whatever namespace it is asked.
TEST_F(Comparing, OtherWeightsNeedNoNamespaceDefault) {
  const auto ran = run({"compare", "--weights", "NodeResourcesFit=5"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("are placed again"));
  const auto named = run({"compare", "--weights", "NodeResourcesFit=5", "-n", "shp"});
  EXPECT_EQ(named.code, 1);
  EXPECT_EQ(named.err, "There is no namespace shp. Did you mean shop?\n");
}

TEST_F(Comparing, OtherWeightsOfAClusterWithoutPods) {
  const auto empty = directory_.write("no-pods.yaml",
                                      "apiVersion: v1\nkind: Node\nmetadata: {name: n-1}\n"
                                      "status: {allocatable: {cpu: '1', pods: '10'}}\n");
  EXPECT_EQ(run_on(empty, {"compare", "--weights", "NodeResourcesFit=5"}).out, "There is no pod to place.\n");
}

// An answer names pods of one namespace only.
TEST_F(Comparing, OtherWeightsNameThePodsOfAllNamespaces) {
  std::string text = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}, images: [{names: ["i:latest"], sizeBytes: 200000000}]}}
- {apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: "40", memory: 80Gi, pods: "10"}}}
)";
  for (const auto* ns : {"ml", "shop"})
    text += fmt::format(
        "- {{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: {0}, uid: {0}}}, spec: {{nodeName: "
        "b, "
        "containers: [{{name: c, image: i, resources: {{requests: {{cpu: '1'}}}}}}]}}}}\n",
        ns);
  const auto cluster = directory_.write("two-namespaces.yaml", text);
  const auto all = run_on(cluster, {"compare", "--weights", "ImageLocality=100"});
  EXPECT_THAT(all.out, HasSubstr("  ml/p    b     a\n")) << all.out;
  EXPECT_THAT(all.out, HasSubstr("  shop/p  b     a\n"));
  EXPECT_THAT(all.out, Not(HasSubstr("not named")));
  const auto one = run_on(cluster, {"compare", "--weights", "ImageLocality=100", "-n", "shop"});
  EXPECT_THAT(one.out, Not(HasSubstr("ml/p"))) << one.out;
  EXPECT_THAT(one.out, HasSubstr("1 pod of other namespaces is not named.\n"));
}

// Only a pod without a node has a reason: no column is empty.
TEST_F(Comparing, OtherWeightsThatMovePodsGiveNoReasons) {
  const auto cluster = directory_.write("images.yaml", R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}, images: [{names: ["i:latest"], sizeBytes: 200000000}]}}
- {apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: "40", memory: 80Gi, pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: p, namespace: shop, uid: p}
  spec: {nodeName: b, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
)");
  const auto ran = run_on(cluster, {"compare", "--weights", "ImageLocality=100", "-n", "shop"});
  EXPECT_THAT(ran.out, HasSubstr("  POD     NODE  THEN\n  shop/p  b     a\n")) << ran.out;
}

TEST_F(Comparing, NamesAllThatIsWrong) {
  const auto bad = directory_.write("bad.yaml", std::string(kDefault) + "parallelism: x\n");
  const auto ran = compare({bad, directory_.path("none.yaml")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("bad.yaml:3: parallelism"));
  EXPECT_THAT(ran.err, HasSubstr("none.yaml"));
  EXPECT_THAT(compare({old_, new_, "--config", old_}).err, HasSubstr("--config: is the old configuration"));
  EXPECT_EQ(compare({}).code, 2);
}

}  // namespace
}  // namespace podium::kubectl
