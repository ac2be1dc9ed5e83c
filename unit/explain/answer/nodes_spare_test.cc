// The nodes that can be removed: each step places all pods again, and what blocks a node has its name.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "unit/explain/answer/asking.h"
#include "unit/support/seed.h"

namespace podium::explain {
namespace {

using cluster::Snapshot;
using test::node;
using test::pod;
using testing::HasSubstr;
using Pods = std::vector<cluster::PodInfoPtr>;

test::PodBuilder web(const std::string& name, const std::string& on, const char* cpu = "1") {
  return pod(name)
      .ns("shop")
      .uid(name)
      .label("app", "web")
      .owner("ReplicaSet", "web")
      .req("cpu", cpu)
      .node(on);
}

ReportStatus could_go(const Snapshot& snapshot, const Pods& waiting = {}, const Budget& budget = {},
                      const Namespaces& seen = {}) {
  auto question = unit::read(R"({"search": {"couldGo": {}}})").value();
  question.seen_namespaces = seen;
  return answer(question, snapshot, unit::default_config(), budget, {}, waiting);
}

// "n2: web-1→n1; n3:"
std::string steps(const ReportStatus& status) {
  if (!status.answer || !status.answer->nodes_spare) return status.message;
  std::string out;
  for (const auto& each : status.answer->nodes_spare->nodes) {
    out += fmt::format("{}{}:", out.empty() ? "" : "; ", each.node);
    for (const auto& moved : each.pods) out += fmt::format(" {}→{}", moved.name, moved.node);
  }
  return out;
}

std::string blocked(const ReportStatus& status) {
  std::string out;
  for (const auto& each : status.answer->nodes_spare->blocked)
    out += fmt::format("{} {} {}: {}\n", each.nodes, each.code, each.examples.front(), each.reason);
  return out;
}

TEST(NodesSpare, NodesGoWhileAllTheirPodsFitElsewhere) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}, {"n3", "4"}});
  unit::run_pod(snapshot, web("a", "n1", "2"));
  unit::run_pod(snapshot, web("b", "n2", "2"));
  unit::run_pod(snapshot, pod("log").owner("DaemonSet", "log").node("n3"));
  const auto status = could_go(snapshot);
  EXPECT_EQ(steps(status), "n3:; n1: a→n2");
  EXPECT_EQ(status.answer->asked, 3u);
  EXPECT_EQ(blocked(status), "1 LastNode n2: it is the last node\n");
  EXPECT_EQ(status.outcome, "Fits");
  EXPECT_TRUE(status.answer->nodes_spare->is_finished);
  EXPECT_TRUE(status.answer->nodes_spare->cordon_first);
  EXPECT_EQ(status.answer->nodes_spare->pods_moved, 1u);
}

// As in the answer about a drain: the pod that terminates is gone when the others are placed.
TEST(NodesSpare, APodThatTerminatesDoesNotKeepOthersAway) {
  auto snapshot = unit::nodes_of({});
  for (const char* name : {"n1", "n2"})
    snapshot.set_node(
        node(name).label("zone", "a").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
  unit::run_pod(snapshot, pod("old")
                              .ns("shop")
                              .uid("old")
                              .label("app", "old")
                              .owner("ReplicaSet", "old")
                              .node("n1")
                              .terminating());
  unit::run_pod(snapshot, web("a", "n1").anti_affinity(test::term("zone").label("app", "old")));
  unit::run_pod(snapshot, pod("alone").ns("shop").uid("alone").node("n2"));
  EXPECT_EQ(steps(could_go(snapshot)), "n1: a→n2");
}

TEST(NodesSpare, TheLastNodeCountsAndSaysWhatElseBlocksIt) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  unit::run_pod(snapshot, web("a", "n1"));
  unit::run_pod(snapshot, web("b", "n1"));
  const auto status = could_go(snapshot);
  EXPECT_EQ(status.answer->asked, 1u);
  EXPECT_EQ(status.answer->fitting, 0u);
  EXPECT_EQ(blocked(status), "1 LastNode n1: it is the last node\n");
  snapshot.objects().set(
      test::share(test::disruption_budget("shop", "web", test::select_labels({{"app", "web"}}), 1)));
  EXPECT_EQ(blocked(could_go(snapshot)),
            "1 Budget n1: budget web allows 1 disruption, and 2 of its pods are there\n");
}

// Else all nodes of an empty cluster could go, except its control plane.
TEST(NodesSpare, OneNodeStaysThatTakesAnyPod) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  snapshot.set_node(node("n3").cap("cpu", "4").cap("pods", "110").taint("gpu", "", "NoSchedule").ptr());
  snapshot.set_node(node("n4").cap("cpu", "4").cap("pods", "110").unschedulable().ptr());
  const auto status = could_go(snapshot);
  EXPECT_EQ(steps(status), "n1:; n3:; n4:");
  EXPECT_EQ(blocked(status), "1 LastNode n2: it is the last node that takes pods without tolerations\n");
}

TEST(NodesSpare, NothingGoesWhereNothingFits) {
  auto snapshot = unit::two_nodes();
  unit::run_pod(snapshot, web("a", "n1", "3"));
  unit::run_pod(snapshot, web("b", "n2", "2"));
  const auto status = could_go(snapshot);
  EXPECT_EQ(status.outcome, "DoesNotFit");
  EXPECT_EQ(blocked(status),
            "2 NoRoom n1: pod a has no other place: the other node does not have enough free cpu\n");
}

TEST(NodesSpare, NamesOtherNamespacesThatTheAskerMaySee) {
  auto snapshot = unit::two_nodes();
  unit::run_pod(snapshot, pod("bare").ns("other").req("cpu", "1").node("n2"));
  const auto status = could_go(snapshot, {}, {}, {"other"});
  EXPECT_THAT(blocked(status),
              HasSubstr("NoController n2: pod other/bare has no controller that recreates it"));
  ASSERT_TRUE(status.answer->nodes_spare);
  EXPECT_FALSE(status.answer->nodes_spare->blocked.front().is_unnamed);
}

TEST(NodesSpare, WhatBlocksANodeIsNamed) {
  struct Case {
    const char* name;
    std::function<void(Snapshot&)> on_n2;
    std::string says;
  };
  const auto run = [](const test::PodBuilder& built) {
    return [built](Snapshot& snapshot) { unit::run_pod(snapshot, built); };
  };
  const auto set_node = [](auto edit) {
    return [edit](Snapshot& snapshot) {
      auto copy = *snapshot.entry(*snapshot.find_row("n2")).node;
      edit(copy);
      snapshot.set_node(test::share(std::move(copy)));
    };
  };
  const Case cases[] = {
      {"bare", run(pod("bare").ns("shop").req("cpu", "1").node("n2")),
       "NoController n2: pod bare has no controller that recreates it"},
      {"bare elsewhere", run(pod("bare").ns("other").req("cpu", "1").node("n2")),
       "NoController n2: a pod of another namespace has no controller that recreates it"},
      {"not safe", run(web("a", "n2").annotation("cluster-autoscaler.kubernetes.io/safe-to-evict", "false")),
       "NotSafeToEvict n2: pod a has the annotation cluster-autoscaler.kubernetes.io/safe-to-evict: false"},
      {"karpenter", run(web("a", "n2").annotation("karpenter.sh/do-not-disrupt", "true")),
       "DoNotDisrupt n2: pod a has the annotation karpenter.sh/do-not-disrupt: true"},
      {"emptyDir", run(web("a", "n2").volume({.name = "scratch", .id = "emptyDir"})),
       "LocalData n2: pod a has data on the node: emptyDir scratch"},
      {"hostPath elsewhere",
       run(pod("b").ns("other").owner("ReplicaSet", "r").volume({.name = "x", .id = "hostPath"}).node("n2")),
       "LocalData n2: a pod of another namespace has data on the node"},
      {"node disabled", set_node([](api::Node& node) {
         node.meta.annotations.set("cluster-autoscaler.kubernetes.io/scale-down-disabled", "true");
       }),
       "ScaleDownDisabled n2: it has the annotation cluster-autoscaler.kubernetes.io/scale-down-disabled: "
       "true"},
      {"node karpenter",
       set_node([](api::Node& node) { node.meta.annotations.set("karpenter.sh/do-not-disrupt", "true"); }),
       "DoNotDisrupt n2: it has the annotation karpenter.sh/do-not-disrupt: true"},
      {"control plane",
       set_node([](api::Node& node) { node.meta.labels.set("node-role.kubernetes.io/control-plane", ""); }),
       "ControlPlane n2: it is a control-plane node"},
      {"local volume", run(web("a", "n2").node_selector("only", "n2")),
       "NoRoom n2: pod a has no other place: the other node does not match the pod's node "
       "selector or affinity"},
      {"budget",
       [](Snapshot& snapshot) {
         unit::run_pod(snapshot, web("a", "n2"));
         unit::run_pod(snapshot, web("b", "n2"));
         snapshot.objects().set(
             test::share(test::disruption_budget("shop", "web", test::select_labels({{"app", "web"}}), 1)));
       },
       "Budget n2: budget web allows 1 disruption, and 2 of its pods are there"},
      {"two budgets",
       [](Snapshot& snapshot) {
         unit::run_pod(snapshot, web("a", "n2"));
         for (const char* name : {"x", "y"})
           snapshot.objects().set(
               test::share(test::disruption_budget("shop", name, test::select_labels({{"app", "web"}}), 1)));
       },
       "Budget n2: pod a is selected by several budgets"},
      {"nominated",
       [](Snapshot& snapshot) {
         snapshot.nominate(cluster::make_pod_info(pod("waits").req("cpu", "1").ptr()), "n2");
       },
       "Nominated n2: it is nominated for a pod that waits for evictions"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "4"}});
    // n1 stays for another reason.
    if (std::string_view(c.name).starts_with("bare"))
      unit::run_pod(snapshot, web("keeps", "n1").annotation("karpenter.sh/do-not-disrupt", "true"));
    else
      unit::run_pod(snapshot, pod("keeps").ns("shop").req("cpu", "1").node("n1"));
    c.on_n2(snapshot);
    const auto status = could_go(snapshot);
    EXPECT_EQ(steps(status), "");
    EXPECT_THAT(blocked(status), HasSubstr(c.says + "\n"));
  }
}

// Next to kube-scheduler, most pods are its own.
TEST(NodesSpare, TheOnlyProfileAnswersForPodsOfOtherSchedulers) {
  auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "4"}});
  unit::run_pod(snapshot, pod("keeps").ns("shop").req("cpu", "1").node("n1"));
  unit::run_pod(snapshot, web("a", "n2").scheduler("other"));
  const auto status = could_go(snapshot);
  EXPECT_EQ(steps(status), "n2: a→n1");
  EXPECT_THAT(status.answer->not_modelled,
              testing::ElementsAre(
                  "schedulers other than default-scheduler (their pods are evaluated with its profile)"));
  auto config = unit::default_config();
  auto second = std::make_shared<framework::Profile>(*config.profiles.front());
  second->scheduler_name = "second";
  config.profiles.push_back(std::move(second));
  auto question = unit::read(R"({"search": {"couldGo": {}}})").value();
  EXPECT_THAT(blocked(answer(question, snapshot, config, {}, {}, {})),
              HasSubstr("OtherScheduler n2: pod a has another scheduler\n"));
}

TEST(NodesSpare, SafeToEvictAndDaemonSetsDoNotBlock) {
  auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "4"}});
  unit::run_pod(snapshot, pod("keeps").ns("shop").req("cpu", "1").node("n1"));
  unit::run_pod(snapshot,
                web("a", "n2").annotation("cluster-autoscaler.kubernetes.io/safe-to-evict", "true"));
  unit::run_pod(
      snapshot,
      pod("log").owner("DaemonSet", "log").annotation("karpenter.sh/do-not-disrupt", "true").node("n2"));
  unit::run_pod(snapshot, pod("static").annotation("kubernetes.io/config.mirror", "x").node("n2"));
  EXPECT_EQ(steps(could_go(snapshot)), "n2: a→n1");
}

TEST(NodesSpare, ANodeThatAPodThatWaitsCouldHaveStays) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, pod("keeps").ns("shop").req("cpu", "1").node("n1"));
  unit::run_pod(snapshot, web("a", "n2"));
  EXPECT_EQ(steps(could_go(snapshot)), "n2: a→n1");
  const Pods large{cluster::make_pod_info(pod("large").ns("shop").uid("l").req("cpu", "4").ptr())};
  EXPECT_THAT(blocked(could_go(snapshot, large)),
              HasSubstr("Wanted n2: pod large waits, and fits there once it is empty"));
  const Pods fits{cluster::make_pod_info(pod("fits").ns("shop").uid("f").req("cpu", "3").ptr())};
  EXPECT_EQ(steps(could_go(snapshot, fits)), "") << "it takes the room on one of the nodes";
  const Pods huge{cluster::make_pod_info(pod("huge").ns("shop").uid("h").req("cpu", "5").ptr())};
  EXPECT_EQ(steps(could_go(snapshot, huge)), "n2: a→n1") << "no node helps it";
}

void cordon_node(Snapshot& snapshot, const char* name) {
  auto copy = *snapshot.entry(*snapshot.find_row(name)).node;
  copy.unschedulable = true;
  snapshot.set_node(test::share(std::move(copy)));
}

TEST(NodesSpare, SaysWhichNodesAreCordonedAlready) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}, {"n3", "4"}});
  cordon_node(snapshot, "n3");
  unit::run_pod(snapshot, web("a", "n1", "2"));
  unit::run_pod(snapshot, web("b", "n2", "2"));
  const auto status = could_go(snapshot);
  EXPECT_EQ(steps(status), "n3:; n1: a→n2");
  const auto& nodes = status.answer->nodes_spare->nodes;
  EXPECT_TRUE(nodes.at(0).is_cordoned);
  EXPECT_FALSE(nodes.at(1).is_cordoned);
}

// A pod that waits takes the place that an eviction makes before the evicted pod is created again.
TEST(NodesSpare, APodThatWaitsTakesTheZoneOfAnEvictedOne) {
  Snapshot snapshot;
  for (const auto& [name, zone] : {std::pair{"n1", "a"}, {"n2", "a"}})
    snapshot.set_node(node(name).zone(zone).cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
  const auto apart = test::term("topology.kubernetes.io/zone").label("app", "db");
  const auto db = [&](const char* name) {
    return pod(name).ns("shop").uid(name).label("app", "db").owner("StatefulSet", "db").anti_affinity(apart);
  };
  unit::run_pod(snapshot, db("db-0").node("n1"));
  unit::run_pod(snapshot, pod("stays").ns("shop").uid("stays").node("n2"));
  EXPECT_EQ(steps(could_go(snapshot)), "n1: db-0→n2");
  const auto status = could_go(snapshot, Pods{cluster::make_pod_info(db("db-1").ptr())});
  EXPECT_EQ(steps(status), "");
  EXPECT_THAT(blocked(status), HasSubstr("1 NoRoom n1: pod db-0 has no other place"));
}

// Else the answer about missing nodes would uncordon what this one takes away.
TEST(NodesSpare, ACordonedNodeThatAPodThatWaitsCouldHaveStays) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}, {"n3", "4"}, {"n4", "1"}});
  for (const char* name : {"n2", "n3", "n4"}) cordon_node(snapshot, name);
  unit::run_pod(snapshot, pod("keeps").ns("shop").req("cpu", "3").node("n1"));
  const auto waits = [](const char* cpu, const char* ns = "shop") {
    return Pods{cluster::make_pod_info(pod("w").ns(ns).uid("w").req("cpu", cpu).ptr())};
  };
  EXPECT_EQ(steps(could_go(snapshot)), "n2:; n3:; n4:");
  const auto status = could_go(snapshot, waits("4"));
  EXPECT_EQ(steps(status), "n3:; n4:") << "one of the two is enough";
  EXPECT_THAT(blocked(status), HasSubstr("1 Wanted n2: pod w waits, and fits there once it is uncordoned\n"));
  EXPECT_THAT(blocked(could_go(snapshot, waits("4", "bank"))),
              HasSubstr("Wanted n2: a pod of another namespace waits, and fits there once it is uncordoned"));
  EXPECT_EQ(steps(could_go(snapshot, waits("5"))), "n2:; n3:; n4:") << "no node helps it";
  EXPECT_EQ(steps(could_go(snapshot, waits("1"))), "n2:; n3:; n4:") << "it fits on n1";
}

// It does not run anywhere yet: nothing evicts it, and no controller has to create it again.
TEST(NodesSpare, ABarePodThatWaitsKeepsNoNodeThatItDoesNotNeed) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  const auto waits = [](const char* cpu) {
    return Pods{cluster::make_pod_info(pod("w").ns("shop").uid("w").req("cpu", cpu).ptr())};
  };
  const auto status = could_go(snapshot, waits("3"));
  ASSERT_EQ(status.answer->nodes_spare->nodes.size(), 1u) << "one of the two is enough for it";
  EXPECT_EQ(status.answer->nodes_spare->pods_moved, 0u) << "it waits, and does not move";
  unit::run_pod(snapshot, pod("keeps").ns("shop").req("cpu", "2").node("n1"));
  EXPECT_EQ(blocked(could_go(snapshot, waits("3"))),
            "1 NoController n1: pod keeps has no controller that recreates it\n"
            "1 Wanted n2: pod w waits, and has no other place\n");
}

TEST(NodesSpare, PodsOfOtherNamespacesAreCountedAndNotNamed) {
  auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "4"}});
  unit::run_pod(snapshot, pod("keeps").ns("shop").req("cpu", "1").node("n1"));
  unit::run_pod(snapshot, web("a", "n2"));
  unit::run_pod(snapshot, pod("secret").ns("other").owner("ReplicaSet", "r").req("cpu", "1").node("n2"));
  const auto status = could_go(snapshot);
  EXPECT_EQ(steps(status), "n2: a→n1");
  EXPECT_EQ(status.answer->nodes_spare->nodes[0].pods_moved, 2u);
  EXPECT_EQ(status.answer->nodes_spare->nodes[0].pods_total, 1u);
}

TEST(NodesSpare, TheExampleIsANodeWhoseReasonMayBeNamed) {
  auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "4"}});
  unit::run_pod(snapshot, pod("secret").ns("other").req("cpu", "1").node("n1"));
  unit::run_pod(snapshot, pod("bare").ns("shop").req("cpu", "1").node("n2"));
  EXPECT_EQ(blocked(could_go(snapshot)), "2 NoController n2: pod bare has no controller that recreates it\n");
}

// Nodes with owned pods, from a seed.
Snapshot draw_cluster(std::uint64_t seed, int most_nodes = 7) {
  std::mt19937_64 random(seed);
  const auto number = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  Snapshot snapshot;
  const int nodes = number(3, most_nodes);
  for (int n = 0; n < nodes; ++n) {
    const auto name = fmt::format("n{}", n);
    snapshot.set_node(node(name)
                          .label("kubernetes.io/hostname", name)
                          .label("disk", number(0, 1) ? "ssd" : "hdd")
                          .cap("cpu", std::to_string(number(3, 8)))
                          .cap("pods", "8")
                          .ptr());
    int left = static_cast<int>(snapshot.allocatable_milli_cpu[*snapshot.find_row(name)]);
    for (int p = 0; p < number(0, 4); ++p) {
      const auto cpu = 250 * number(1, 8);
      left -= cpu;
      if (left < 0) break;
      const auto text = fmt::format("{}m", cpu);
      auto built = web(fmt::format("p{}-{}", n, p), name, text.c_str());
      if (number(0, 4) == 0) built.anti_affinity(test::term("kubernetes.io/hostname").label("app", "web"));
      if (number(0, 5) == 0) built.node_selector("disk", "ssd");
      unit::run_pod(snapshot, built);
    }
  }
  return snapshot;
}

// Each step is possible after those before it, and no other node can be removed after the last.
TEST(NodesSpare, EachStepIsPossibleAndNoneIsLeft) {
  const auto first = podium::test::drawn_seed();
  for (std::uint64_t seed = first; seed < first + 40; ++seed) {
    SCOPED_SEED(seed);
    auto snapshot = draw_cluster(seed);
    const auto status = could_go(snapshot);
    ASSERT_TRUE(status.answer) << status.message;
    const auto& spare = *status.answer->nodes_spare;
    EXPECT_TRUE(spare.is_finished);
    auto pods = snapshot.pod_total();
    for (const auto& step : spare.nodes) {
      std::vector<api::Pod> moved;
      for (const auto& each : step.pods) {
        auto copy = *(*snapshot.find_pod(each.name))->pod;
        copy.node_name = each.node;
        moved.push_back(copy);
      }
      ASSERT_EQ(moved.size(), snapshot.entry(*snapshot.find_row(step.node)).pods.size())
          << "every pod has a place";
      snapshot.remove_node(step.node);
      for (const auto& each : moved) {
        ASSERT_TRUE(snapshot.find_row(each.node_name)) << each.node_name;
        unit::run_pod(snapshot, each);
        const auto row = *snapshot.find_row(each.node_name);
        EXPECT_LE(snapshot.requested_milli_cpu[row], snapshot.allocatable_milli_cpu[row]);
        EXPECT_LE(snapshot.pod_count[row], snapshot.allocatable_pods[row]);
      }
    }
    EXPECT_EQ(snapshot.pod_total(), pods);
    if (!spare.cordon_first && spare.nodes.size() > 1) continue;
    EXPECT_EQ(
        status.answer->asked, status.answer->fitting + [&] {
          std::size_t blocked = 0;
          for (const auto& each : spare.blocked) blocked += each.nodes;
          return blocked;
        }());
  }
}

// True if each pod has a place when the nodes are drained one after the other, all cordoned first.
bool all_go(const std::vector<std::string>& nodes, const Snapshot& snapshot) {
  std::string changes;
  for (const auto& name : nodes)
    changes += fmt::format(R"({{"type": "CordonNode", "nodeName": "{}"}}, )", name);
  for (const auto& name : nodes)
    changes += fmt::format(R"({{"type": "DrainNode", "nodeName": "{}"}}, )", name);
  changes.resize(changes.size() - 2);
  const auto question = unit::read(unit::web("\"changes\": [" + changes + "]"));
  const auto status = answer(question.value(), snapshot, unit::default_config(), {}, {}, {});
  EXPECT_TRUE(status.answer) << status.message;
  return status.answer && std::ranges::all_of(status.answer->changes, [](const auto& change) {
           return change.pods_pending.value_or(0) == 0;
         });
}

// A set of this size, and an order. Empty: none.
std::vector<std::string> any_that_goes(std::size_t size, const Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const auto row : snapshot.rows_by_name()) names.emplace_back(snapshot.node_name(row));
  std::vector<char> is_in(names.size());
  std::fill_n(is_in.begin(), size, 1);
  do {
    std::vector<std::string> set;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_in[i]) set.push_back(names[i]);
    }
    do {
      if (all_go(set, snapshot)) return set;
    } while (std::ranges::next_permutation(set).found);
  } while (std::ranges::prev_permutation(is_in).found);
  return {};
}

TEST(NodesSpare, NoLargerSetCouldGoOnASmallCluster) {
  const auto first = podium::test::drawn_seed();
  std::size_t improved = 0;
  for (std::uint64_t seed = first; seed < first + 12; ++seed) {
    SCOPED_SEED(seed);
    const auto snapshot = draw_cluster(seed, 5);
    const auto status = could_go(snapshot);
    ASSERT_TRUE(status.answer) << status.message;
    const auto& spare = *status.answer->nodes_spare;
    EXPECT_TRUE(spare.is_largest);
    if (spare.nodes_total + 1 == snapshot.node_count()) continue;
    ++improved;
    EXPECT_THAT(any_that_goes(spare.nodes_total + 1, snapshot), testing::IsEmpty());
  }
  EXPECT_GT(improved, 0u);
}

// The greedy passes begin with the node that runs the fewest pods and the smallest one.
TEST(NodesSpare, ASetThatNoGreedyOrderFindsIsFound) {
  auto snapshot = unit::nodes_of({{"n1", "10"}, {"n2", "10"}, {"n3", "10"}, {"n4", "10"}});
  unit::run_pod(snapshot, web("a", "n1", "6"));
  unit::run_pod(snapshot, web("b", "n2", "4"));
  unit::run_pod(snapshot, web("c", "n2", "4"));
  unit::run_pod(snapshot, web("d", "n3", "4"));
  unit::run_pod(snapshot, web("e", "n3", "4"));
  unit::run_pod(snapshot, web("f", "n4", "6"));
  const auto status = could_go(snapshot);
  EXPECT_TRUE(status.answer->nodes_spare->is_largest);
  EXPECT_THAT(any_that_goes(status.answer->nodes_spare->nodes_total + 1, snapshot), testing::IsEmpty());
}

TEST(NodesSpare, ABudgetThatEnds) {
  const auto snapshot = draw_cluster(3);
  int all = 0;
  could_go(snapshot, {}, [&] { return ++all, true; });
  for (int most = 0; most < all; ++most) {
    int asked = 0;
    const auto status = could_go(snapshot, {}, [&] { return ++asked <= most; });
    if (!status.answer) {
      EXPECT_THAT(unit::condition(status, "Accepted"), HasSubstr(kDeadlineExceeded));
      continue;
    }
    const bool is_finished = status.answer->nodes_spare->is_finished;
    EXPECT_EQ(unit::condition(status, "Complete").contains(kDeadlineExceeded), !is_finished) << most;
    EXPECT_LE(asked - most, 50);
  }
}

}  // namespace
}  // namespace podium::explain
