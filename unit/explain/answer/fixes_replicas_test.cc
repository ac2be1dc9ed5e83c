// Fixes for several replicas, new nodes by shape, and pairs of changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <memory>
#include <string>
#include <vector>

#include "explain/answer/fixes.h"
#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::node;
using test::pod;
using unit::run_pod;
using Lines = std::vector<std::string>;

ReportStatus ask_for_fixes(Question question, const cluster::Snapshot& snapshot, const Budget& budget = {}) {
  question.fixes = true;
  return answer(question, snapshot, unit::default_config(), budget);
}

// "type: message = fitting"
Lines lines_of(const ReportStatus& status) {
  Lines out;
  for (const auto& fix : status.answer->fixes) {
    out.push_back(
        fmt::format("{}: {} = {}{}", fix.type, fix.message, fix.may_be_more ? "at least " : "", fix.fitting));
  }
  return out;
}

Lines fixes(const api::Pod& pod, int replicas, const cluster::Snapshot& snapshot) {
  return lines_of(ask_for_fixes(unit::about(pod, replicas), snapshot));
}

void add_class(cluster::Snapshot& snapshot, const char* name, std::int32_t value) {
  auto made = std::make_shared<api::PriorityClass>();
  made->meta.name = name;
  made->value = value;
  snapshot.objects().set<api::PriorityClass>(std::move(made));
}

// --- all replicas change ---

TEST(FixesOfReplicas, AChangeOfTheTemplateChangesAll) {
  const auto snapshot = unit::nodes_of({{"a1", "4"}, {"a2", "4"}});
  EXPECT_EQ(fixes(pod("hog").req("cpu", "3500m"), 3, snapshot),
            (Lines{"RequestLess: request at most 2 of cpu in container c1, not 3500m = 3",
                   "AddNodes: one more node like a1 = 3"}))
      << "no replica makes room for another";
  EXPECT_EQ(fixes(pod("hog").req("cpu", "3500m"), 5, snapshot),
            (Lines{"RequestLess: request at most 1333m of cpu in container c1, not 3500m = 5",
                   "AddNodes: one more node like a1 = 3"}));
}

TEST(FixesOfReplicas, SayWhatTheyLeadTo) {
  const auto snapshot = unit::nodes_of({{"a1", "4"}, {"a2", "4"}});
  for (const auto* cpu : {"2", "2001m"}) {
    const auto status = unit::ask(pod("hog").req("cpu", cpu), 3, snapshot);
    EXPECT_EQ(status.answer->fitting, std::string_view(cpu) == "2" ? 3u : 2u) << cpu;
  }
}

TEST(FixesOfReplicas, WhereNotAllCanFitMoreDo) {
  cluster::Snapshot snapshot;
  for (const auto* name : {"a1", "a2"})
    snapshot.set_node(node(name).cap("cpu", "4").cap("memory", "8Gi").cap("pods", "2").ptr());
  EXPECT_EQ(fixes(pod("hog").req("cpu", "3500m"), 6, snapshot).front(),
            "RequestLess: request at most 2 of cpu in container c1, not 3500m = 4");
}

TEST(FixesOfReplicas, ATolerationIsOneOfAllReplicas) {
  cluster::Snapshot snapshot;
  snapshot.set_node(node("n1").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
  snapshot.set_node(node("gpu")
                        .cap("cpu", "9")
                        .cap("memory", "8Gi")
                        .cap("pods", "110")
                        .taint("gpu", "yes", "NoSchedule")
                        .ptr());
  const auto lines = fixes(pod("web").req("cpu", "3"), 6, snapshot);
  EXPECT_EQ(lines, (Lines{"RequestLess: request at most 666m of cpu in container c1, not 3 = 6",
                          "TolerateTaint: tolerate the taint gpu=yes:NoSchedule = 4",
                          "AddNodes: one more node like n1 = 2"}));
}

TEST(FixesOfReplicas, OnlyPodsOfOthersMakeRoom) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  run_pod(snapshot, pod("a").req("cpu", "2").priority(5).node("n1"));
  EXPECT_EQ(
      fixes(pod("web").req("cpu", "3"), 3, snapshot),
      (Lines{"RequestLess: request at most 2 of cpu in container c1, not 3 = 3",
             "FewerPods: 1 pod fewer on n1, its largest first = 2", "AddNodes: one more node like n1 = 2",
             "RaisePriority: a priority of at least 6: it would preempt 1 pod on n1 = 2"}));
}

TEST(FixesOfReplicas, APriorityPreemptsForEach) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  for (const auto& [name, on] : {std::pair{"a", "n1"}, {"b", "n1"}, {"c", "n2"}})
    run_pod(snapshot, pod(name).req("cpu", "2").priority(5).node(on));
  add_class(snapshot, "low", 5);
  add_class(snapshot, "high", 1000);
  add_class(snapshot, "higher", 2000);
  add_class(snapshot, "system-node-critical", 2'000'001'000);
  const auto status = ask_for_fixes(unit::about(pod("web").req("cpu", "4"), 2), snapshot);
  ASSERT_EQ(status.answer->fixes.size(), 4u);
  EXPECT_EQ(lines_of(status)[1],
            "RaisePriority: a priority of at least 6: it would preempt 3 pods on 2 nodes = 2");
  EXPECT_EQ(boost::json::serialize(status.answer->fixes[1].fields),
            R"({"priority":6,"priorityClassName":"high"})");
}

TEST(FixesOfReplicas, ANodeMoreHelpsNoPodOfADaemonSet) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  run_pod(snapshot, pod("a").req("cpu", "2").node("n1"));
  const auto question =
      unit::read(R"({"fixes": true, "template": {"apiVersion": "apps/v1", "kind": "DaemonSet",
      "metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"app": "d"}}, "template": {
      "metadata": {"labels": {"app": "d"}}, "spec": {"containers": [{"name": "c", "image": "i",
      "resources": {"requests": {"cpu": "3"}}}]}}}}})");
  ASSERT_TRUE(question) << question.error().message;
  const auto status = answer(*question, snapshot, unit::default_config());
  EXPECT_EQ(status.answer->fitting, 1u);
  EXPECT_EQ(lines_of(status),
            (Lines{"RequestLess: request at most 2 of cpu in container c, not 3 = 2",
                   "FewerPods: 1 pod fewer on n1, its largest first = 2",
                   "RaisePriority: a priority of at least 1: it would preempt 1 pod on n1 = 2"}));
}

TEST(FixesOfReplicas, ASetsClaimsAreMadeAgain) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  const auto question =
      unit::read(R"({"fixes": true, "template": {"apiVersion": "apps/v1", "kind": "StatefulSet",
      "metadata": {"name": "s"}, "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "s"}}, "template": {
      "metadata": {"labels": {"app": "s"}}, "spec": {"containers": [{"name": "c", "image": "i",
      "resources": {"requests": {"cpu": "3"}}}]}}}}})");
  ASSERT_TRUE(question) << question.error().message;
  EXPECT_EQ(lines_of(answer(*question, snapshot, unit::default_config())),
            (Lines{"RequestLess: request at most 2 of cpu in container c, not 3 = 3",
                   "AddNodes: one more node like n1 = 3"}));
}

TEST(FixesOfReplicas, OfANamedNodeSayHowManyFit) {
  const auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "2"}});
  auto question = unit::about(pod("web").req("cpu", "3"), 2);
  question.nodes = {"n2"};
  const auto status = ask_for_fixes(question, snapshot);
  EXPECT_EQ(status.answer->verdicts[0].would_fit_with, "request at most 2 of cpu in container c1, not 3");
  EXPECT_EQ(lines_of(status), (Lines{"RequestLess: request at most 2 of cpu in container c1, not 3 = 2",
                                     "AddNodes: one more node like n1 = 2"}))
      << "the fix for all is the same";
}

TEST(FixesOfReplicas, AreTriedWithAThousand) {
  cluster::Snapshot snapshot;
  snapshot.set_node(node("n1").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "5000").ptr());
  EXPECT_EQ(fixes(pod("web").req("cpu", "1"), kMostTried + 200, snapshot).front(),
            "RequestLess: request at most 4m of cpu in container c1, not 1 = at least 1000");
}

TEST(FixesOfReplicas, OfPrioritiesAreTriedWithAHundred) {
  cluster::Snapshot snapshot;
  snapshot.set_node(node("n1").cap("cpu", "200").cap("memory", "8Gi").cap("pods", "5000").ptr());
  for (int i = 0; i < 200; ++i)
    run_pod(snapshot, pod(fmt::format("a{}", i)).req("cpu", "1").priority(0).node("n1"));
  EXPECT_EQ(fixes(pod("web").req("cpu", "1"), kMostPreempting + 50, snapshot).at(1),
            "RaisePriority: a priority of at least 1: it would preempt 100 pods on n1 = at least 100");
}

// --- new nodes ---

test::NodeBuilder shaped(const std::string& name, const char* zone, const char* cpu) {
  return node(name)
      .zone(zone)
      .label("kubernetes.io/hostname", name)
      .label("example.com/instance", "i-" + name)
      .cap("cpu", cpu)
      .cap("memory", "8Gi")
      .cap("pods", "110");
}

// Twelve full nodes of one shape, ten of other shapes, and one with GPUs.
cluster::Snapshot many_shapes() {
  cluster::Snapshot snapshot;
  const char* zones[] = {"a", "b", "c"};
  for (int i = 0; i < 12; ++i) {
    const auto name = fmt::format("general-{:02}", i);
    snapshot.set_node(shaped(name, zones[i % 3], "4").label("pool", "general").ptr());
    run_pod(snapshot, pod("of-" + name).req("cpu", "4").node(name));
  }
  for (int i = 0; i < 10; ++i) {
    const auto name = fmt::format("odd-{}", i);
    for (const auto* half : {"x", "y"}) {
      snapshot.set_node(
          shaped(name + half, "a", "1").label("pool", fmt::format("p{}", i)).label("half", "1").ptr());
      run_pod(snapshot, pod("of-" + name + half).req("cpu", "1").node(name + half));
    }
  }
  snapshot.set_node(shaped("gpu-00", "b", "8").label("pool", "gpu").cap("example.com/gpu", "2").ptr());
  run_pod(snapshot, pod("of-gpu").req("example.com/gpu", "2").node("gpu-00"));
  return snapshot;
}

Lines added(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  Lines out;
  const auto status = ask_for_fixes(unit::about(pod, 1), snapshot);
  for (const auto& fix : status.answer->fixes) {
    if (fix.type == "AddNodes") out.push_back(fix.message);
  }
  return out;
}

TEST(NewNodes, AreOneOfEachShapeTheNearestFirst) {
  auto snapshot = many_shapes();
  run_pod(snapshot, pod("more").req("cpu", "8").node("gpu-00"));
  EXPECT_EQ(added(pod("web").req("cpu", "3"), snapshot),
            (Lines{"one more node like general-00", "one more node like gpu-00"}));
}

TEST(NewNodes, ARareShapeIsFound) {
  EXPECT_EQ(added(pod("web").req("example.com/gpu", "1"), many_shapes()), Lines{"one more node like gpu-00"});
}

TEST(NewNodes, ALabelOfThePodsConstraintsMakesAShape) {
  auto snapshot = many_shapes();
  EXPECT_EQ(added(pod("web").req("cpu", "3").node_selector("topology.kubernetes.io/zone", "c"), snapshot),
            Lines{"one more node like general-02"});
  EXPECT_EQ(added(pod("web").req("cpu", "3").node_selector("example.com/instance", "i-general-07"), snapshot),
            Lines{"one more node like general-07"});
}

TEST(FixesOfReplicas, EqualCordonedNodesAreOneFix) {
  cluster::Snapshot snapshot;
  const auto cordoned = [](const char* name, const char* cpu = "4") {
    return node(name).cap("cpu", cpu).cap("memory", "8Gi").cap("pods", "110").unschedulable().ptr();
  };
  const auto uncordoning = [&](const api::Pod& asked, int replicas = 1) {
    auto lines = fixes(asked, replicas, snapshot);
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("Uncordon"); });
    return lines;
  };
  for (const auto* name : {"n1", "n2", "n3", "n4", "n5"}) snapshot.set_node(cordoned(name));
  const auto web = pod("web").req("cpu", "3").build();
  EXPECT_EQ(uncordoning(web), Lines{"UncordonNode: uncordon n1 or one of 4 like it = 1"});
  run_pod(snapshot, pod("a").req("cpu", "500m").node("n2"));
  EXPECT_EQ(uncordoning(web),
            (Lines{"UncordonNode: uncordon n1 or one of 3 like it = 1", "UncordonNode: uncordon n2 = 1"}))
      << "it has less room";
  // Those that take the pod come first: only some are tried.
  run_pod(snapshot, pod("b").req("cpu", "2").node("n1"));
  snapshot.set_node(cordoned("n0", "2"));
  EXPECT_EQ(uncordoning(web),
            (Lines{"UncordonNode: uncordon n2 = 1", "UncordonNode: uncordon n3 or one of 2 like it = 1"}));
  run_pod(snapshot, pod("c").req("cpu", "2").node("n4"));
  EXPECT_EQ(uncordoning(web),
            (Lines{"UncordonNode: uncordon n2 = 1", "UncordonNode: uncordon n3 or another one like it = 1"}));
}

// --- pairs ---

auto small(const char* name) { return node(name).cap("cpu", "2").cap("memory", "4Gi").cap("pods", "110"); }

TEST(Pairs, AreTriedWhereNoSingleChangeHelps) {
  cluster::Snapshot tainted, labelled, cordoned;
  tainted.set_node(small("n1").taint("gpu", "yes", "NoSchedule").ptr());
  labelled.set_node(small("n1").label("disk", "hdd").taint("gpu", "yes", "NoSchedule").ptr());
  cordoned.set_node(small("n1").unschedulable().ptr());
  struct Case {
    const char* name;
    api::Pod pod;
    const cluster::Snapshot& snapshot;
    Lines fixes;
  };
  const Case cases[] = {
      {"a toleration and a request",
       pod("web").req("cpu", "3"),
       tainted,
       {"Pair: tolerate the taint gpu=yes:NoSchedule and request at most 2 of cpu in container c1, not 3 = "
        "1"}},
      {"a toleration and a selector",
       pod("web").node_selector("disk", "ssd"),
       labelled,
       {"Pair: tolerate the taint gpu=yes:NoSchedule and no nodeSelector disk=ssd = 1"}},
      {"a node and a request",
       pod("web").req("cpu", "3"),
       cordoned,
       {"Pair: uncordon n1 and request at most 2 of cpu in container c1, not 3 = 1",
        "Pair: one more node like n1 and request at most 2 of cpu in container c1, not 3 = 1"}},

  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(fixes(c.pod, 1, c.snapshot), c.fixes);
  }
}

TEST(Pairs, OfRequestsReduceBothByAsLittleAsPossible) {
  cluster::Snapshot snapshot;
  snapshot.set_node(node("cpu").cap("cpu", "16").cap("memory", "8Gi").cap("pods", "110").ptr());
  snapshot.set_node(node("memory-01").cap("cpu", "4").cap("memory", "128Gi").cap("pods", "110").ptr());
  run_pod(snapshot, pod("a").req("cpu", "1250m").req("memory", "22Gi").node("memory-01"));
  const auto asked = pod("huge").req("cpu", "32").req("memory", "256Gi").build();
  EXPECT_EQ(fixes(asked, 1, snapshot).front(), "Pair: request at most 2750m cpu and 106Gi memory = 1");
  const auto status = ask_for_fixes(unit::about(asked, 1), snapshot);
  EXPECT_EQ(boost::json::serialize(status.answer->fixes[0].fields),
            R"({"changes":[{"type":"RequestLess","resource":"cpu","atMost":"2750m","container":"c1"},)"
            R"({"type":"RequestLess","resource":"memory","atMost":"106Gi","container":"c1"}]})");
  EXPECT_FALSE(status.answer->no_fix_helps);
}

TEST(Pairs, ThatNoneHelpsIsSaid) {
  cluster::Snapshot snapshot;
  snapshot.set_node(
      small("n1").label("disk", "hdd").taint("gpu", "yes", "NoSchedule").taint("b", "", "NoExecute").ptr());
  auto question = unit::about(pod("web").req("cpu", "3").node_selector("disk", "ssd"), 1);
  const auto status = ask_for_fixes(question, snapshot);
  EXPECT_EQ(lines_of(status), Lines{});
  EXPECT_TRUE(status.answer->no_fix_helps);
  EXPECT_FALSE(unit::ask(pod("web").req("cpu", "3"), 1, snapshot).answer->no_fix_helps) << "nobody asked";

  // At any end of the time, no untried fix is reported.
  int looks = 0;
  ask_for_fixes(question, snapshot, [&] { return ++looks > 0; });
  for (const int most : {2, looks / 2, looks - 1}) {
    int left = most;
    const auto cut = ask_for_fixes(question, snapshot, [&] { return left-- > 0; });
    EXPECT_FALSE(cut.answer && cut.answer->no_fix_helps) << most << " of " << looks << " looks";
  }
}

}  // namespace
}  // namespace podium::explain
