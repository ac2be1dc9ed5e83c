// podium drain and podium nodes, on a dump.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(OnADump, DrainsSeveralNodesAtTheSameTime) {
  const auto one = out({"drain", "n-1"});
  EXPECT_THAT(one, HasSubstr("shop/web-a-1  n-2"));
  const auto both = run({"drain", "n-1", "n-2"});
  EXPECT_EQ(both.code, 4);
  EXPECT_THAT(both.out, StartsWith("0 of 2 pods have a new place; 2 would wait.\n"));
  EXPECT_THAT(both.out, HasSubstr("To do it: kubectl drain n-1 n-2"));
  EXPECT_EQ(out({"drain", "-l", "pool=a"}), both.out);
  EXPECT_EQ(out({"drain", "nodes", "n-1", "n-2"}), both.out);
  EXPECT_EQ(out({"drain", "node/n-1", "no/n-2", "-o", "name"}), "pod/web-a-1\npod/web-a-2\n");
}

// Three nodes of 4 CPUs: the first runs pods that speak against their eviction.
constexpr const char* kGuarded = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: kept, namespace: shop, uid: k, annotations: {karpenter.sh/do-not-disrupt: "true"}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: k, uid: r, controller: true}]}
  spec: {nodeName: a, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: disk, namespace: shop, uid: d, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: d, uid: r2, controller: true}]}
  spec: {nodeName: a, volumes: [{name: scratch, emptyDir: {}}], containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: vip, namespace: shop, uid: v, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: v, uid: r3, controller: true}]}
  spec: {nodeName: a, priority: 1000, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: low, namespace: shop, uid: l, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: l, uid: r4, controller: true}]}
  spec: {nodeName: b, priority: -5, containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
  status: {phase: Running}
)";

TEST_F(OnADump, ADrainSaysWhatSpeaksAgainstItAndWhatItEvicts) {
  const auto dump = directory_.write("guarded.yaml", kGuarded);
  const auto said = run_on(dump, {"drain", "a", "-n", "shop"});
  EXPECT_EQ(said.code, 3);
  EXPECT_EQ(
      said.out,
      "3 of 4 pods (1 to make room for the others) have a new place; 1 would wait.\n"
      "POD        GOES TO  SCORE  NODES THAT FIT\n"
      "shop/disk  b          428               1  ! has data on the node: emptyDir scratch\n"
      "shop/kept  b          415               1  ! has the annotation karpenter.sh/do-not-disrupt: true\n"
      "shop/low   -            -               -  ✗ no node fits; 1 of 1 does not have enough free "
      "cpu; ! evicted to make room for vip\n"
      "shop/vip   b            -               -  ! evicts low\n"
      "Fullest afterwards: b cpu 100%.\n"
      "Nothing was evicted. To do it: kubectl drain a --delete-emptydir-data\n");
  const auto document = json::parse(run_on(dump, {"drain", "a", "-n", "shop", "-o", "json"}).out);
  EXPECT_EQ(document.at("podsPreempted"), 1);
  EXPECT_EQ(document.at("pods").at(0).at("warnings"),
            json::parse(R"(["has data on the node: emptyDir scratch"])"));
  EXPECT_EQ(document.at("pods").at(2).at("madeRoomFor"), "vip");
  EXPECT_EQ(
      run_on(dump, {"drain", "a", "--rolling", "1", "-n", "shop"}).out,
      "1 node in 1 step of 1; 1 pod would wait at some point.\n"
      "  STEP  NODES  MOVE  WAIT  FULLEST AFTERWARDS\n"
      "     1  a         3     1  b cpu 100%          ! evicts 1 pod of other nodes; shop/kept has the "
      "annotation karpenter.sh/do-not-disrupt: true and shop/disk has data on the node: emptyDir scratch\n"
      "Least spare in step 1: 0 cpu, 8Gi memory. With 1 spare node like a, no pod would wait.\n"
      "Nothing was evicted.\n");
}

TEST_F(OnADump, NodesThatRunWhatIsNotToBeEvictedStay) {
  const auto dump = directory_.write("guarded.yaml", kGuarded);
  const auto said = run_on(dump, {"nodes", "--could-go", "-n", "shop"});
  EXPECT_EQ(said.code, 4);
  EXPECT_EQ(said.out,
            "0 of 2 nodes can be removed.\n"
            "What blocks them:\n"
            "  1 node  must not be disrupted               a: pod kept has the annotation "
            "karpenter.sh/do-not-disrupt: true\n"
            "  1 node  runs pods that have no other place  b: pod low has no other place: the other node "
            "does not have enough free cpu\n");
}

constexpr const char* kCordoned = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2}, spec: {unschedulable: true}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: v, namespace: shop, uid: v, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: v, uid: r3, controller: true}]}
  spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: w, namespace: shop, uid: w}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "4"}}}]}
  status: {phase: Pending}
)";

TEST_F(OnADump, ACordonedNodeThatWouldHelpCouldNotGo) {
  const auto dump = directory_.write("cordoned.yaml", kCordoned);
  const auto pending = run_on(dump, {"nodes", "--for-pending", "-n", "shop"}).out;
  EXPECT_THAT(pending, HasSubstr("kubectl uncordon n2\nNo node can be removed now.\n"));
  const auto said = run_on(dump, {"nodes", "--could-go", "-n", "shop"});
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.out, HasSubstr("n2: pod w waits, and fits there once it is uncordoned"));
}

TEST_F(OnADump, ADrainNamesThePodsOfANamespaceThatExists) {
  const auto said = run({"drain", "n-1", "-n", "shp"});
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.out + said.err, "There is no namespace shp. Did you mean shop?\n");
  EXPECT_EQ(run({"drain", "n-1", "-n", "ml"}).code, 0);
}

TEST_F(OnADump, ARollingDrainIsStepByStep) {
  const auto all = run({"drain", "-l", "pool=a", "--rolling", "1"});
  EXPECT_EQ(all.code, 3);
  // big-a-1 waits, so it takes n-1 when this comes back, before step 2.
  EXPECT_EQ(
      all.out,
      "2 nodes in 2 steps of 1; 2 pods would wait at some point.\n"
      "  STEP  NODES  MOVE  WAIT  FULLEST AFTERWARDS\n"
      "     1  n-1       1     0  n-2 cpu 75%\n"
      "     2  n-2       0     2  -\n"
      "2 pending pods get a node during the drain, in the order of the queue: shop/big-a-1 → n-1 and "
      "shop/big-a-2 "
      "→ n-2. "
      "Least spare in step 1: 5 cpu, 16Gi memory. With 2 spare nodes like n-2, no pod would wait until they "
      "are removed.\n"
      "Nothing was evicted.\n");
  const auto two = run({"drain", "n-1", "n-2", "--rolling", "2"});
  EXPECT_EQ(two.code, 4);
  EXPECT_THAT(two.out, HasSubstr("2 nodes in 1 step of 2; 2 pods would wait at some point.\n"));
  EXPECT_THAT(two.out, HasSubstr("With 3 spare nodes like n-1, no pod would wait until they are removed."))
      << "two for the pods that wait already";
}

TEST_F(OnADump, AnUpgradeWithSpareNodes) {
  const auto said = run({"drain", "n-1", "n-2", "--rolling", "2", "--spare", "3"});
  EXPECT_EQ(said.code, 3);
  EXPECT_THAT(said.out, StartsWith("2 nodes in 1 step of 2, with 3 spare nodes like n-1; 2 pods would wait"));
  EXPECT_THAT(said.out, ContainsRegex("1  n-1, -2 +2 +0  n-1-new-[123] cpu 75%"));
  EXPECT_THAT(said.out, ContainsRegex("end  the spare ones +2 +2  "))
      << "big-a-1 and big-a-2 take n-1 and n-2";
  EXPECT_THAT(said.out, Not(HasSubstr("no pod would wait"))) << "more of them would not help";
  EXPECT_THAT(out({"drain", "n-1", "--rolling", "1", "--spare", "2", "--like", "n-3"}),
              HasSubstr("with 2 spare nodes like n-3"));
  EXPECT_THAT(run({"drain", "n-1", "--rolling", "1", "--spare", "2", "--like", "n9"}).err,
              HasSubstr("there is no node n9"));
}

std::string empty_nodes(int count, const std::string& prefix) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    out += fmt::format(
        "---\n{{apiVersion: v1, kind: Node, metadata: {{name: {}{}, labels: {{pool: x}}}}, "
        "status: {{allocatable: {{cpu: 100m, memory: 1Gi, pods: \"9\"}}}}}}\n",
        prefix, i);
  }
  return out;
}

TEST_F(OnADump, AnUpgradeOfManyNodes) {
  const auto upgrade = [&](const std::string& nodes, const char* at_a_time) {
    return run(
        {"drain", "-l", "pool=x", "--rolling", at_a_time, "--cluster", directory_.write("x.yaml", nodes)});
  };
  EXPECT_THAT(upgrade(empty_nodes(40, "x-"), "1").out,
              StartsWith("40 nodes in 40 steps of 1; nothing would wait.\n"));
  const auto most = empty_nodes(100, "x-");
  EXPECT_THAT(upgrade(most, "1").err,
              HasSubstr("100 steps are more than 95 in one question; try --rolling 2\n"));
  EXPECT_THAT(upgrade(most, "2").out, StartsWith("100 nodes in 50 steps of 2; nothing would wait.\n"));
  const auto names = empty_nodes(1500, "a-node-with-a-name-as-clouds-give-it-");
  EXPECT_THAT(upgrade(names, "64").err, HasSubstr("1500 nodes are too many for one question; name fewer"));
}

TEST_F(OnADump, NodesThatFail) {
  const auto said = run({"drain", "-l", "pool=a", "--fail"});
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.out, StartsWith("0 of 2 pods have a new place; 2 would wait.\n"));
  EXPECT_THAT(said.out, ContainsRegex("shop/web-a-1 +n-1 "));
  EXPECT_THAT(said.out, HasSubstr("Free afterwards: 4 cpu, 8Gi memory.\nNothing was changed.\n"));
  EXPECT_EQ(out({"drain", "n-1", "n-2", "--fail"}), said.out);
  EXPECT_THAT(out({"drain", "n-1", "--fail", "-o", "json"}), HasSubstr("goneWithNodes"));
}

TEST_F(OnADump, NodesForWhatWaits) {
  const auto file = directory_.write("shapes.yaml",
                                     "shapes:\n"
                                     "- {name: m.16x64, allocatable: {cpu: 16, memory: 64Gi}}\n"
                                     "- {name: s.4x8, allocatable: {cpu: 3.5, memory: 8Gi}}\n");
  const auto said = run({"nodes", "--for-pending", "--shapes", file});
  EXPECT_EQ(said.err, "");
  EXPECT_EQ(said.code, 3) << "one pod fits on no shape";
  EXPECT_EQ(said.out,
            "5 pods wait. Fewest additions:\n"
            "  SHAPE                   NODES  TAKES  OF                                         LEFT OVER\n"
            "  m.16x64 (16 cpu, 64Gi)      2      4  shop/big-a, ml/nightly-1 and ml/nightly-2  8 cpu, 128Gi "
            "memory\n"
            "  none fits                   -      1  shop/sel                                   no shape has "
            "disk=nvme\n"
            "Not counted: 1 is gated.\n"
            "Nothing was added. To do it: add 2 nodes of m.16x64.\n"
            "Can be removed now: n-3 (no pod moves).\n");
  const auto like = run({"nodes", "--for-pending"});
  EXPECT_EQ(
      like.out,
      "5 pods wait. Fewest additions:\n"
      "  SHAPE                  NODES  TAKES  OF            LEFT OVER\n"
      "  like n-1 (4 cpu, 8Gi)      2      2  shop/big-a    2 cpu, 16Gi memory\n"
      "  none fits                  -      1  shop/sel      no shape has disk=nvme\n"
      "  none fits                  -      1  ml/nightly-1  asks for 9 cpu, and the largest shape has 4\n"
      "  none fits                  -      1  ml/nightly-2  asks for 9 cpu, and the largest shape has 4\n"
      "Not counted: 1 is gated.\n"
      "Nothing was added. To do it: add 2 nodes like n-1.\n"
      "Can be removed now: n-3 (no pod moves).\n");
  const auto document = json::parse(out({"nodes", "--for-pending", "--shapes", file, "-o", "json"}));
  EXPECT_EQ(document.at("kind"), "List") << "a report of each namespace";
  EXPECT_EQ(document.at("items").at(0).at("status").at("nodesWanted").at("isFewest"), true);
}

TEST_F(OnADump, NodesThatCouldGo) {
  const auto said = run({"nodes", "--could-go", "-n", "shop"});
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out,
            "1 of 3 nodes can be removed; no pod moves.\n"
            "  STEP  NODE  MOVE  WHERE\n"
            "     1  n-3      0\n"
            "What blocks the others:\n"
            "  2 nodes  would take pending pods  n-1: pod big-a-1 waits, and fits there once it is empty\n"
            "Nothing was drained. In this order, each with its command:\n"
            "  podium drain n-3 --cluster DUMP\n");
  EXPECT_EQ(out({"nodes", "--could-go", "-o", "name"}), "node/n-3\n");
  EXPECT_EQ(out({"nodes", "--could-go", "-A"}), out({"nodes", "--could-go"}));
}

TEST_F(OnADump, NodesNamesPodsOfTheNamespaceThatWasAskedIn) {
  const auto of_shop = out({"nodes", "--for-pending", "-n", "shop"});
  EXPECT_THAT(of_shop, HasSubstr("5 pods wait."));
  EXPECT_THAT(of_shop, HasSubstr("shop/big-a"));
  EXPECT_THAT(of_shop, Not(HasSubstr("ml/nightly")));
  EXPECT_EQ(out({"nodes", "--for-pending", "-A", "-n", "shop"}), out({"nodes", "--for-pending"}));
}

TEST_F(OnADump, AllFaultsOfAShapesFileHaveTheirLine) {
  const auto file = directory_.write("shapes.yaml",
                                     "shapes:\n"
                                     "- name: A\n"
                                     "  allocatable:\n"
                                     "    cpu: many\n"
                                     "- name: b\n"
                                     "  like: n-1\n"
                                     "  taints: [{key: a, effect: No}]\n"
                                     "  prize: 3\n"
                                     "more: 1\n");
  auto said = run({"nodes", "--for-pending", "--shapes", file});
  EXPECT_EQ(said.code, 2);
  for (std::size_t at; (at = said.err.find(file)) != said.err.npos;)
    said.err.replace(at, file.size(), "FILE");
  EXPECT_EQ(said.err,
            "podium nodes: FILE:2: shapes[0].name: \"A\" is not a valid name\n"
            "FILE:4: shapes[0].allocatable.cpu: must be a quantity, such as 16 or 64Gi\n"
            "FILE:5: shapes[1]: has the labels, taints, devices and CSI limits of the node that it is like\n"
            "FILE:8: shapes[1].prize: unknown field\n"
            "FILE:9: more: unknown field\n");
  EXPECT_THAT(run({"nodes", "--for-pending", "--shapes", directory_.write("none.yaml", "a: 1\n")}).err,
              HasSubstr("unknown field"));
  const auto list = directory_.write("list.yaml", "# of nodes\n- {name: a}\n");
  EXPECT_EQ(run({"nodes", "--for-pending", "--shapes", list}).err,
            "podium nodes: " + list + ":2: is a list; the list of shapes is the field `shapes` of a map\n");
  const auto text = directory_.write("text.yaml", "\n\nshapes\n");
  EXPECT_THAT(run({"nodes", "--for-pending", "--shapes", text}).err,
              StartsWith("podium nodes: " + text + ":3: "));
  EXPECT_THAT(run({"nodes"}).err, HasSubstr("give one of --for-pending and --could-go"));
  EXPECT_THAT(run({"nodes", "--could-go", "--for-pending"}).err, HasSubstr("give one of"));
  EXPECT_THAT(run({"nodes", "--could-go", "--shapes", file}).err, HasSubstr("--shapes: needs --for-pending"));
}

}  // namespace
}  // namespace podium::kubectl
