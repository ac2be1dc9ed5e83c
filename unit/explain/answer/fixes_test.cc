// Fixes: each single change that would let a pod fit, and none that would not.
#include "explain/answer/fixes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::node;
using test::pod;
using unit::run_pod;
using Lines = std::vector<std::string>;

auto big(const char* name, const char* cpu = "4") {
  return node(name).cap("cpu", cpu).cap("memory", "8Gi").cap("pods", "110");
}

ReportStatus ask_for_fixes(const api::Pod& pod, const cluster::Snapshot& snapshot,
                           std::vector<std::string> nodes = {}) {
  auto question = unit::about(pod, 1);
  question.fixes = true;
  question.nodes = std::move(nodes);
  return answer(question, snapshot, unit::default_config());
}

// "type: message -> node"
Lines fixes(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  Lines out;
  const auto status = ask_for_fixes(pod, snapshot);
  for (const auto& fix : status.answer->fixes)
    out.push_back(fmt::format("{}: {} -> {}", fix.type, fix.message, fix.node));
  return out;
}

TEST(Fixes, AKubeletOfAnotherOperatingSystemRunsNoPod) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").label("kubernetes.io/os", "linux").ptr());
  auto question = unit::about(pod("web").node_selector("kubernetes.io/os", "windows"), 1);
  question.fixes = true;
  const auto found = [&] { return answer(question, snapshot, unit::default_config()).answer->fixes.size(); };
  EXPECT_EQ(found(), 1u) << "no node selector";
  question.subject->os = "windows";
  EXPECT_EQ(found(), 0u);
  question.nodes = {"n1"};
  EXPECT_EQ(found(), 0u);
}

TEST(Fixes, EachIsTheOnlyChangeThatIsNeeded) {
  cluster::Snapshot tainted, plain, cordoned, labelled;
  tainted.set_node(big("n1").taint("dedicated", "gpu", "NoSchedule").ptr());
  tainted.set_node(big("n2").taint("dedicated", "gpu", "NoSchedule").taint("b", "", "NoExecute").ptr());
  plain.set_node(big("n1").ptr());
  cordoned.set_node(
      big("n1").unschedulable().taint("node.kubernetes.io/unschedulable", "", "NoSchedule").ptr());
  labelled.set_node(big("n1").label("disk", "hdd").zone("zone-a").ptr());
  struct Case {
    const char* name;
    api::Pod pod;
    const cluster::Snapshot& snapshot;
    Lines fixes;
  };
  const Case cases[] = {
      {"a taint", pod("web"), tainted, {"TolerateTaint: tolerate the taint dedicated=gpu:NoSchedule -> n1"}},
      {"more CPU than any node has",
       pod("web").req("cpu", "5"),
       plain,
       {"RequestLess: request at most 4 of cpu in container c1, not 5 -> n1"}},
      {"more memory than any node has",
       pod("web").req("memory", "9Gi"),
       plain,
       {"RequestLess: request at most 8Gi of memory in container c1, not 9Gi -> n1"}},
      {"more of both: no single change helps",
       pod("web").req("cpu", "5").req("memory", "9Gi"),
       plain,
       {"Pair: request at most 4 cpu and 8Gi memory -> n1"}},
      {"an init container",
       pod("web").req("cpu", "1").init_container("i").req("cpu", "5"),
       plain,
       {"RequestLess: request at most 4 of cpu in init container i, not 5 -> n1"}},
      {"both kinds of containers",
       pod("web").req("cpu", "6").init_container("i").req("cpu", "5"),
       plain,
       {"Pair: request at most 4 of cpu in container c1, not 6 and request at most 4 of cpu in init "
        "container "
        "i, not 5 -> n1"}},
      {"a pod's own request, which its containers allow to be less",
       pod("web").req("cpu", "3").pod_req("cpu", "5"),
       plain,
       {"RequestLess: request at most 4 of cpu for the whole pod, not 5 -> n1"}},
      {"a pod's own request, which its containers do not allow to be so much less",
       pod("web").req("cpu", "4500m").pod_req("cpu", "5"),
       plain,
       {}},
      {"a node selector",
       pod("web").node_selector("disk", "ssd"),
       labelled,
       {"WithoutNodeSelector: no nodeSelector disk=ssd -> n1"}},
      {"two keys of which one matches",
       pod("web").node_selector("disk", "hdd").node_selector("gpu", "a"),
       labelled,
       {"WithoutNodeSelector: no nodeSelector gpu=a -> n1"}},
      {"a node affinity",
       pod("web").require_node(test::node_term({test::in("disk", {"ssd"}), test::exists("disk")})),
       labelled,
       {"WithoutNodeAffinity: no required node affinity for disk In [ssd] -> n1"}},
      {"a term that selects no node",
       pod("web").require_node(test::node_term({})),
       labelled,
       {"WithoutNodeAffinity: no required node affinity -> n1"}},
      {"a pod affinity",
       pod("web").affinity(test::term("kubernetes.io/hostname").label("app", "db")),
       labelled,
       {"WithoutPodAffinity: no required pod affinity over kubernetes.io/hostname -> n1"}},
      {"one of two pod affinities over one key",
       pod("web")
           .label("app", "web")
           .affinity(test::term("kubernetes.io/hostname").label("app", "web"))
           .affinity(test::term("kubernetes.io/hostname").label("app", "db")),
       labelled,
       {"WithoutPodAffinity: no required pod affinity over kubernetes.io/hostname (term 2 of 2) -> n1"}},
      {"a spread over a key that no node has",
       pod("web").label("app", "web").spread(test::spread("rack").label("app", "web")),
       labelled,
       {"SpreadScheduleAnyway: whenUnsatisfiable: ScheduleAnyway for the spreading over rack -> n1"}},
      {"a cordoned node",
       pod("web"),
       cordoned,
       {"UncordonNode: uncordon n1 -> n1", "AddNodes: one more node like n1 -> n1-new-1"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(fixes(c.pod, c.snapshot), c.fixes);
  }
}

// Most keys that no node has and that resemble another one are mistyped.
TEST(Fixes, AreTheSimilarKeysThatNodesHave) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").label("disktype", "ssd").zone("a").label("kubernetes.io/hostname", "n1").ptr());
  const auto web = [] { return pod("web").label("app", "web"); };
  EXPECT_EQ(fixes(web().node_selector("disktpye", "ssd"), snapshot),
            (Lines{"RenameKey: key disktype, not disktpye, in the nodeSelector -> n1",
                   "WithoutNodeSelector: no nodeSelector disktpye=ssd -> n1"}));
  EXPECT_EQ(fixes(web().node_selector("disktpye", "hdd"), snapshot),
            Lines{"WithoutNodeSelector: no nodeSelector disktpye=hdd -> n1"})
      << "no node has this value";
  EXPECT_EQ(fixes(web().require_node(test::node_term({test::in("disktpye", {"ssd"})})), snapshot).front(),
            "RenameKey: key disktype, not disktpye, in the required node affinity -> n1");
  EXPECT_EQ(fixes(web().affinity(test::term("kubernetes.io/hostnam").label("app", "web")), snapshot).front(),
            "RenameKey: topologyKey kubernetes.io/hostname, not kubernetes.io/hostnam, for the required pod "
            "affinity -> n1");
  EXPECT_EQ(
      fixes(web().spread(test::spread("topology.kubernetes.io/zones").label("app", "web")), snapshot).front(),
      "RenameKey: topologyKey topology.kubernetes.io/zone, not topology.kubernetes.io/zones, for the "
      "spreading "
      "-> n1");
}

// Each of them is compared with the keys of all nodes.
TEST(Fixes, AreNoSimilarKeysBeyondTheFirstSixteenThatNoNodeHas) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").label("disktype", "ssd").ptr());
  for (const int others : {15, 16}) {
    auto web = pod("web");
    for (int i = 0; i < others; ++i)
      web.require_node(test::node_term({test::in(fmt::format("absent-{}", i), {"x"})}));
    const auto found = fixes(web.require_node(test::node_term({test::in("disktpye", {"ssd"})})), snapshot);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().starts_with("RenameKey: key disktype"), others == 15) << found.front();
  }
}

// The tainted node has none of the pods, so the skew excludes the full nodes.
TEST(Fixes, ASpreadingMayLeaveOutTaintedNodes) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("cp").taint("control-plane", "", "NoSchedule").ptr());
  snapshot.set_node(big("n1").ptr());
  run_pod(snapshot, pod("a").label("app", "web").node("n1"));
  const auto found =
      fixes(pod("web").label("app", "web").spread(test::spread("kubernetes.io/hostname").label("app", "web")),
            snapshot);
  ASSERT_GE(found.size(), 3u);
  EXPECT_EQ(found[1],
            "SpreadHonorTaints: nodeTaintsPolicy: Honor for the spreading over kubernetes.io/hostname -> n1");
  EXPECT_EQ(found[2],
            "SpreadScheduleAnyway: whenUnsatisfiable: ScheduleAnyway for the spreading over "
            "kubernetes.io/hostname -> n1");
}

TEST(Fixes, ASpreadingMayLeaveOutNodesThatItsAffinityExcludes) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").label("pool", "a").ptr());
  snapshot.set_node(big("n2").label("pool", "b").ptr());
  run_pod(snapshot, pod("a").label("app", "web").node("n1"));
  api::TopologySpreadConstraint spread = test::spread("kubernetes.io/hostname").label("app", "web");
  spread.honor_node_affinity = false;
  api::Pod asked = pod("web").label("app", "web").node_selector("pool", "a");
  asked.topology_spread = {spread};
  const std::string honor =
      "SpreadHonorNodeAffinity: nodeAffinityPolicy: Honor for the spreading over kubernetes.io/hostname -> "
      "n1";
  EXPECT_THAT(fixes(asked, snapshot), testing::Contains(honor));
  asked.topology_spread.write().front().honor_node_affinity = true;
  EXPECT_EQ(unit::ask(asked, 1, snapshot).outcome, "Fits") << "what it says";
  asked.topology_spread.write().front().honor_node_affinity = false;
  run_pod(snapshot, pod("full").req("cpu", "4").node("n1"));
  asked = pod("web").label("app", "web").node_selector("pool", "a").req("cpu", "1");
  asked.topology_spread = {spread};
  EXPECT_THAT(fixes(asked, snapshot), testing::Not(testing::Contains(honor))) << "n1 is full";
}

// Terms are ORed, and one without requirements selects nothing.
TEST(Fixes, OfTermsWithOneRequirementEachRemoveTheAffinity) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").label("disk", "hdd").label("gen", "5").ptr());
  const auto ssd = test::node_term({test::in("disk", {"ssd"})});
  EXPECT_EQ(
      fixes(pod("web").require_node(ssd).require_node(test::node_term({test::in("zone", {"x"})})), snapshot),
      Lines{"WithoutNodeAffinity: no required node affinity -> n1"});
  const auto two = test::node_term({test::in("disk", {"ssd"}), test::in("gen", {"5"})});
  EXPECT_EQ(fixes(pod("web").require_node(ssd).require_node(two), snapshot),
            (Lines{"WithoutNodeAffinity: no required node affinity for disk In [ssd] -> n1",
                   "WithoutNodeAffinity: no required node affinity -> n1"}));
}

// The API server refuses minDomains with ScheduleAnyway, and the same key and whenUnsatisfiable twice.
TEST(Fixes, OfASpreadingAreOnesThatTheApiServerAccepts) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").zone("a").ptr());
  snapshot.set_node(big("n2").zone("b").ptr());
  for (const auto* name : {"n1", "n2"}) run_pod(snapshot, pod(name).label("app", "web").node(name));
  const auto by_zone = [] { return test::spread(std::string(api::label::zone)).label("app", "web"); };
  EXPECT_EQ(
      fixes(pod("web").label("app", "web").spread(by_zone().min_domains(3)), snapshot),
      (Lines{
          "SpreadWithoutMinDomains: no minDomains for the spreading over topology.kubernetes.io/zone -> n1",
          "SpreadScheduleAnyway: whenUnsatisfiable: ScheduleAnyway and no minDomains for the spreading over "
          "topology.kubernetes.io/zone -> n1",
          "RaisePriority: a priority of at least 1: it would preempt 1 pod on n1 -> n1"}));
  run_pod(snapshot, pod("more").label("app", "web").node("n1"));
  snapshot.set_node(big("n2", "1m").zone("b").ptr());
  const auto found = fixes(
      pod("web").req("cpu", "1").label("app", "web").spread(by_zone()).spread(by_zone().schedule_anyway()),
      snapshot);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(
      found[0],
      "SpreadScheduleAnyway: no DoNotSchedule for the spreading over topology.kubernetes.io/zone, only its "
      "ScheduleAnyway -> n1");
}

// A controller removes such a taint once the node is usable, and until then nothing would start the pod.
TEST(Fixes, AreNoTolerationsOfANodesState) {
  const auto with_taint = [](const char* key, bool host_network = false) {
    cluster::Snapshot snapshot;
    snapshot.set_node(big("n1").taint(key, "", "NoSchedule").ptr());
    auto asked = pod("web").build();
    asked.host_network = host_network;
    return fixes(asked, snapshot);
  };
  const Lines only_new{"AddNodes: one more node like n1 -> n1-new-1"};
  for (const auto* key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/network-unavailable", "ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted",
        "node.cilium.io/agent-not-ready", "node.cloudprovider.kubernetes.io/uninitialized",
        "node.kubernetes.io/memory-pressure", "node.kubernetes.io/unschedulable"})
    EXPECT_EQ(with_taint(key), only_new) << key;
  EXPECT_EQ(with_taint("node.kubernetes.io/network-unavailable", true), only_new) << "of the host's network";
  const auto tolerated = [](const std::string& key) {
    return fmt::format("TolerateTaint: tolerate the taint {}:NoSchedule -> n1", key);
  };
  EXPECT_EQ(with_taint("node.kubernetes.io/os").front(), tolerated("node.kubernetes.io/os"))
      << "people reserve nodes with it";
}

// What admission adds to a pod, or refuses, is there again with the changed manifest.
// kube-scheduler's preemption would wait for the end of that pod too.
TEST(Fixes, APodThatTerminatesNeedsNoHigherPriority) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").ptr());
  run_pod(snapshot, pod("old").req("cpu", "4").node("n1").terminating());
  const auto found = fixes(pod("web").req("cpu", "4"), snapshot);
  EXPECT_THAT(found, testing::Contains("FewerPods: the end of 1 pod that terminates on n1 -> n1"));
  EXPECT_THAT(found, testing::Each(testing::Not(testing::HasSubstr("priority"))));
  snapshot.set_node(big("n2", "8").ptr());
  run_pod(snapshot, pod("other").req("cpu", "8").node("n2"));
  EXPECT_THAT(
      fixes(pod("web").req("cpu", "8"), snapshot),
      testing::Contains("RaisePriority: a priority of at least 1: it would preempt 1 pod on n2 -> n2"));
}

TEST(Fixes, AreNotUndoneByAdmission) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").ptr());
  const auto found = [&](const std::string& object, const std::string& spec) {
    Lines out;
    const auto status =
        unit::ask(R"({"fixes": true, "changes": [{"type": "AddObjects", "objects": [)" + object +
                      R"(]}], "template": {"spec": {)" + spec + R"("containers": [{"name": "c", "image": "i",
            "resources": {"requests": {"cpu": "5"}}}]}}})",
                  snapshot);
    if (!status.answer) return Lines{status.message};
    for (const auto& fix : status.answer->fixes) out.push_back(fix.message);
    return out;
  };
  const auto range = [](const std::string& least) {
    return R"({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": [{"type": "Container", "min": {"cpu": ")" +
           least + R"("}}]}})";
  };
  EXPECT_EQ(found(range("3"), ""), Lines{"request at most 4 of cpu in container c, not 5"});
  EXPECT_EQ(found(range("4500m"), ""), Lines{});
  const std::string kata =
      R"({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"}, "handler": "k",
          "scheduling": {"nodeSelector": {"runtime": "kata"}}})";
  EXPECT_EQ(found(kata, R"("runtimeClassName": "kata", )"), Lines{}) << "the class adds the selector";
  EXPECT_EQ(found(kata, R"("runtimeClassName": "kata", "nodeSelector": {"runtime": "kata"}, )"), Lines{})
      << "as the API server answers a dry run";
  EXPECT_EQ(found(kata, R"("nodeSelector": {"runtime": "kata"}, )"),
            Lines{"no nodeSelector runtime=kata and request at most 4 of cpu in container c, not 5"});
}

// The API server refuses pods of a class whose quota is used up.
TEST(Fixes, NameNoClassWithoutQuota) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").ptr());
  run_pod(snapshot, pod("low").req("cpu", "4").node("n1"));
  api::PriorityClass high;
  high.meta.name = "high";
  high.value = 9;
  snapshot.objects().set(test::share(high));
  const auto class_with = [&](const char* used) {
    auto question = unit::about(pod("web").req("cpu", "1"), 1);
    question.fixes = true;
    api::ResourceQuota quota;
    quota.meta.name = "of-high";
    quota.scopes = {{.key = "PriorityClass", .op = api::Requirement::Op::in, .values = {"high"}}};
    quota.hard = {{"pods", *api::Quantity::parse("2")}};
    quota.used = {{"pods", *api::Quantity::parse(used)}};
    api::AdmissionObjects objects;
    objects.quotas = {quota};
    const auto status = answer(question, snapshot, unit::default_config(), {}, objects);
    for (const auto& fix : status.answer->fixes) {
      if (fix.type != "RaisePriority") continue;
      const auto* name = fix.fields.if_contains("priorityClassName");
      return name ? std::string(name->get_string()) : "none";
    }
    return std::string("no fix");
  };
  EXPECT_EQ(class_with("1"), "high");
  EXPECT_EQ(class_with("2"), "none");
}

TEST(Fixes, OfAFullNode) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").ptr());
  snapshot.set_node(big("n2").ptr());
  for (const auto& [name, on, cpu, priority] : {std::tuple{"a", "n1", "1", 100},
                                                {"b", "n1", "2", 100},
                                                {"c", "n1", "1", 5},
                                                {"d", "n2", "1", 100},
                                                {"e", "n2", "3", 100}})
    run_pod(snapshot, pod(name).req("cpu", cpu).priority(priority).node(on));
  EXPECT_EQ(fixes(pod("web").req("cpu", "3"), snapshot),
            (Lines{"FewerPods: 1 pod fewer on n2, its largest first -> n2",
                   "AddNodes: one more node like n1 -> n1-new-1",
                   "RaisePriority: a priority of at least 101: it would preempt 1 pod on n2 -> n2"}));
  EXPECT_EQ(fixes(pod("web").req("cpu", "1").priority(5), snapshot).back(),
            "RaisePriority: a priority of at least 6: it would preempt 1 pod on n1 -> n1");
}

// Preemption chooses static pods too, but their kubelet runs them again.
TEST(Fixes, APriorityThatEvictsAStaticPodHelpsNothing) {
  const auto raises = [](test::PodBuilder other, std::vector<std::string> nodes = {}) {
    cluster::Snapshot snapshot;
    snapshot.set_node(big("n1").ptr());
    run_pod(snapshot, other.req("cpu", "3").node("n1"));
    const auto status = ask_for_fixes(pod("web").req("cpu", "2"), snapshot, std::move(nodes));
    return std::ranges::any_of(status.answer->fixes,
                               [](const ReportFix& fix) { return fix.type == "RaisePriority"; });
  };
  const auto mirror = pod("a").annotation("kubernetes.io/config.mirror", "hash");
  EXPECT_TRUE(raises(pod("a")));
  EXPECT_TRUE(raises(pod("a"), {"n1"}));
  EXPECT_FALSE(raises(mirror));
  EXPECT_FALSE(raises(mirror, {"n1"}));
}

TEST(Fixes, NeverTakePodsAwayThatTheClusterNeeds) {
  const auto has_fewer = [](test::PodBuilder other) {
    cluster::Snapshot snapshot;
    snapshot.set_node(big("n1").ptr());
    run_pod(snapshot, other.req("cpu", "3").node("n1"));
    const auto lines = fixes(pod("web").req("cpu", "2"), snapshot);
    return std::ranges::any_of(lines, [](const auto& line) { return line.starts_with("FewerPods"); });
  };
  EXPECT_TRUE(has_fewer(pod("a").priority(1'999'999'999)));
  EXPECT_FALSE(has_fewer(pod("a").priority(2'000'000'000)));
  EXPECT_FALSE(has_fewer(pod("a").priority(2'000'001'000)));
  EXPECT_FALSE(has_fewer(pod("a").annotation("kubernetes.io/config.mirror", "hash"))) << "a static pod";
}

TEST(Fixes, TheLargestRequestThatFitsIsFound) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").ptr());
  run_pod(snapshot, pod("a").req("cpu", "2750m").priority(0).node("n1"));
  auto asked = pod("web").container("small").req("cpu", "250m").container("big").req("cpu", "3").build();
  const auto status = ask_for_fixes(asked, snapshot);
  ASSERT_FALSE(status.answer->fixes.empty());
  EXPECT_EQ(boost::json::serialize(status.answer->fixes[0].fields),
            R"({"resource":"cpu","atMost":"1","container":"big"})");
  asked.containers.write()[1].requests = {{"cpu", test::quantity("1")}};
  EXPECT_EQ(unit::ask(asked, 1, snapshot).outcome, "Fits") << "what it says";
  asked.containers.write()[1].requests = {{"cpu", test::quantity("1001m")}};
  EXPECT_EQ(unit::ask(asked, 1, snapshot).outcome, "DoesNotFit") << "and no more than that";
}

TEST(Fixes, OfANamedNodeAreNotRepeatedForAllNodes) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").ptr());
  run_pod(snapshot, pod("a").req("cpu", "4").priority(0).node("n1"));
  const auto status = ask_for_fixes(pod("web").req("cpu", "3").priority(0), snapshot, {"n1"});
  const auto count = std::ranges::count(status.answer->fixes, "RaisePriority", &ReportFix::type);
  EXPECT_EQ(count, 1) << "of a named node it says: it would preempt pods on n1";
}

TEST(Fixes, OfANamedNode) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").ptr());
  snapshot.set_node(big("n2", "2").taint("a", "b", "NoSchedule").ptr());
  snapshot.set_node(big("n3", "2").ptr());
  const auto status = ask_for_fixes(pod("web").req("cpu", "3"), snapshot, {"n1", "n2", "n3"});
  EXPECT_EQ(status.outcome, "Fits");
  ASSERT_EQ(status.answer->verdicts.size(), 3u);
  EXPECT_EQ(status.answer->verdicts[0].would_fit_with, "");
  EXPECT_EQ(status.answer->verdicts[1].would_fit_with,
            "tolerate the taint a=b:NoSchedule and request at most 2 of cpu in container c1, not 3")
      << "one toleration is not enough";
  EXPECT_EQ(status.answer->verdicts[2].would_fit_with, "request at most 2 of cpu in container c1, not 3");
  ASSERT_EQ(status.answer->fixes.size(), 2u);
  EXPECT_EQ(status.answer->fixes[0].node, "n2");
  EXPECT_EQ(status.answer->fixes[1].node, "n3");
}

TEST(Fixes, ForAllNodesDoNotRepeatThoseOfANamedNode) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").taint("a", "b", "NoSchedule").ptr());
  snapshot.set_node(big("n2", "8").taint("a", "b", "NoSchedule").ptr());
  const auto status = ask_for_fixes(pod("web").req("cpu", "3"), snapshot, {"n1"});
  ASSERT_EQ(status.answer->fixes.size(), 1u);
  EXPECT_EQ(status.answer->fixes[0].message, "tolerate the taint a=b:NoSchedule");
  EXPECT_EQ(status.answer->fixes[0].node, "n1");
}

TEST(Fixes, EndWithTheBudget) {
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").ptr());
  auto question = unit::about(pod("web").req("cpu", "5"), 1);
  question.fixes = true;
  int looks = 0;
  const auto status = answer(question, snapshot, unit::default_config(), [&] { return looks++ < 4; });
  EXPECT_EQ(status.outcome, "DoesNotFit");
  EXPECT_TRUE(status.answer->fixes.empty()) << "an amount that may not be the largest is not reported";
}

// A change of their template changes all pods of a controller, so one cannot take the place of another.
TEST(Fixes, DoNotEvictThePodsOfTheSameController) {
  const auto of = [](const char* name, const char* controller) {
    return pod(name).ns("shop").owner("ReplicaSet", controller).req("cpu", "3");
  };
  cluster::Snapshot snapshot;
  snapshot.set_node(big("n1").ptr());
  run_pod(snapshot, of("web-1", "web").node("n1"));
  auto question = unit::about(of("web-2", "web"), 1);
  question.fixes = true;
  const auto types = [&](const cluster::Snapshot& on) {
    Lines out;
    const auto status = answer(question, on, unit::default_config());
    for (const auto& fix : status.answer->fixes) out.push_back(fix.type);
    return out;
  };
  EXPECT_EQ(types(snapshot), (Lines{"RequestLess", "AddNodes"}));
  question.nodes = {"n1"};
  EXPECT_EQ(types(snapshot), (Lines{"RequestLess", "AddNodes"}));
  question.nodes = {};
  cluster::Snapshot other;
  other.set_node(big("n1").ptr());
  run_pod(other, of("api-1", "api").node("n1"));
  EXPECT_EQ(types(other), (Lines{"RequestLess", "FewerPods", "AddNodes", "RaisePriority"}));
}

}  // namespace
}  // namespace podium::explain
