// The projection of decisions onto report statuses.
#include "explain/report/report.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "explain/report/json.h"
#include "explain/report/project.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/load.h"
#include "scheduler/framework/placement.h"
#include "scheduler/framework/profile.h"
#include "unit/support/builders.h"

namespace podium::explain {
namespace {

using test::node;
using test::pod;
using Names = std::vector<std::string>;

const framework::Profile& default_profile() {
  static const auto kDefaults = config::load("", "default").value();
  return *kDefaults.profiles[0];
}

framework::Decision decide(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  const auto info = cluster::make_pod_info(std::make_shared<const api::Pod>(pod));
  return framework::evaluate(*info, snapshot, default_profile());
}

ReportStatus report_on(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  return project(*cluster::make_pod_info(std::make_shared<const api::Pod>(pod)), decide(pod, snapshot),
                 snapshot);
}

ReportStatus report_on(const framework::Decision& decision) {
  return project(*cluster::make_pod_info(pod("web").ptr()), decision, {});
}

test::NodeBuilder machine(const std::string& name, std::string_view cpu = "4") {
  return node(name).cap("cpu", cpu).cap("memory", "8Gi").cap("pods", "110");
}

cluster::Snapshot snapshot_of(std::initializer_list<test::NodeBuilder> nodes) {
  cluster::Snapshot snapshot;
  for (const auto& n : nodes) snapshot.set_node(n.ptr());
  return snapshot;
}

// Rejections as "plugin: reason: nodes: examples".
std::vector<std::string> lines(const std::vector<ReportRejection>& rejections) {
  std::vector<std::string> out;
  for (const auto& r : rejections) {
    auto line = r.plugin + ": " + r.reason + ": " + std::to_string(r.nodes) + ":";
    for (const auto& example : r.examples) line += " " + example;
    out.push_back(std::move(line));
  }
  return out;
}

// --- project ---

TEST(Project, CordonedNodesLeadOnlyIfOneHasRoom) {
  const auto first_reason = [](std::string_view cpu, bool is_full) {
    auto snapshot = snapshot_of({machine("n1", "2")});
    for (const char* name : {"c1", "c2"}) {
      auto cordoned = machine(name).build();
      cordoned.unschedulable = true;
      snapshot.set_node(test::share(cordoned));
      if (is_full) snapshot.add_pod(cluster::make_pod_info(pod(name).req("cpu", "3").node(name).ptr()));
    }
    const auto status = report_on(pod("big").req("cpu", cpu).build(), snapshot);
    EXPECT_EQ(status.rejections.size(), 2u);
    return status.rejections.front().reason;
  };
  EXPECT_EQ(first_reason("3", false), "node(s) were unschedulable");
  EXPECT_EQ(first_reason("3", true), "Insufficient cpu");
  EXPECT_EQ(first_reason("64", false), "Insufficient cpu") << "no node has so much";
}

TEST(Project, CordonedNodesDoNotLeadIfTheyAreForOtherPods) {
  const auto reasons = [](auto change) {
    auto snapshot = snapshot_of({machine("n1", "1").label("pool", "a")});
    for (const char* name : {"c1", "c2"}) {
      auto cordoned = change(machine(name)).build();
      cordoned.unschedulable = true;
      snapshot.set_node(test::share(cordoned));
    }
    const auto status = report_on(pod("big").req("cpu", "2").node_selector("pool", "a").build(), snapshot);
    return status.rejections.front().reason + "; " + main_reason(status);
  };
  EXPECT_EQ(reasons([](auto node) { return node; }), "Insufficient cpu; Insufficient cpu")
      << "they lack the label";
  const auto kCordoned = "node(s) were unschedulable; node(s) were unschedulable";
  EXPECT_EQ(reasons([](auto node) {
              return node.label("pool", "a").taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
            }),
            kCordoned);
  EXPECT_EQ(reasons([](auto node) { return node.label("pool", "a").taint("gpu", "", "NoSchedule"); }),
            "Insufficient cpu; Insufficient cpu");
}

// Most nodes are not for the pod. That says less than what the others lack.
TEST(Project, TheSummaryHasTheMainReason) {
  const auto snapshot =
      snapshot_of({machine("n1", "1").label("pool", "a"), machine("b1"), machine("b2"), machine("b3")});
  auto status = report_on(pod("big").req("cpu", "2").node_selector("pool", "a").build(), snapshot);
  status.outcome = kUnschedulable;
  EXPECT_EQ(status.rejections.front().nodes, 3u);
  EXPECT_EQ(main_reason(status), "Insufficient cpu");
  EXPECT_EQ(summary_of(status).reason, "Insufficient cpu (1 of 4 nodes)");
}

TEST(Project, TotalsAreTheWeightedSumsOfTheStrategies) {
  auto snapshot = snapshot_of(
      {machine("n1", "2").zone("a"), machine("n2", "4").zone("a").label("disk", "ssd"),
       machine("n3", "16").zone("b").taint("soft", "", "PreferNoSchedule"), machine("n4", "1").zone("b")});
  snapshot.add_pod(cluster::make_pod_info(pod("db").label("app", "db").req("cpu", "1").node("n3").ptr()));
  const auto web = pod("web")
                       .req("cpu", "1500m")
                       .prefer_node(7, test::node_term({test::in("disk", {"ssd"})}))
                       .prefer_affinity(30, test::term("topology.kubernetes.io/zone").label("app", "db"))
                       .build();
  const auto status = report_on(web, snapshot);

  EXPECT_EQ(status.node_counts.total, 4u);
  EXPECT_EQ(status.node_counts.evaluated, 4u);
  EXPECT_EQ(status.node_counts.feasible, 3u);
  std::map<std::string, std::int64_t> sums, totals;
  for (const auto& strategy : status.strategies) {
    ASSERT_EQ(strategy.top_nodes.size(), 3u) << strategy.name;
    for (const auto& [host, score] : strategy.top_nodes) {
      EXPECT_GE(score, 0);
      EXPECT_LE(score, 100);
      sums[host] += strategy.weight * score;
    }
  }
  for (const auto& [node, score, each] : status.top_nodes) {
    totals[node] = score;
    ASSERT_EQ(each.size(), status.strategies.size());
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < each.size(); ++i) sum += status.strategies[i].weight * each[i];
    EXPECT_EQ(sum, score) << "any row can be checked by hand: " << node;
  }
  EXPECT_EQ(sums, totals);
  ASSERT_EQ(status.top_nodes.size(), 3u);
  ASSERT_TRUE(status.choice);
  EXPECT_EQ(status.choice->node, status.top_nodes[0].node);
  EXPECT_EQ(status.choice->score, status.top_nodes[0].score);
  EXPECT_EQ(status.choice->tied_nodes, 1u);
  EXPECT_EQ(status.choice->margin, status.top_nodes[0].score - status.top_nodes[1].score);
  EXPECT_GT(status.top_nodes[0].score, status.top_nodes[1].score);
  EXPECT_GT(status.top_nodes[1].score, status.top_nodes[2].score);
  EXPECT_EQ(status.message, "");
  EXPECT_EQ(lines(status.rejections), std::vector<std::string>{"NodeResourcesFit: Insufficient cpu: 1: n4"});
}

Names names_of(const auto& scores) {
  Names names;
  for (const auto& score : scores) names.push_back(score.node);
  return names;
}

TEST(Project, TheChosenNodeIsFirstWhateverTheTies) {
  cluster::Snapshot snapshot;
  for (int i = 30; i > 10; --i) snapshot.set_node(machine("n" + std::to_string(i)).ptr());
  snapshot.set_node(machine("small", "2").ptr());
  const Names by_name{"n11", "n12", "n13", "n14", "n15", "n16", "n17", "n18", "n19", "n20"};
  std::set<std::string> chosen;
  for (int i = 0; i < 40; ++i) {
    const auto status =
        report_on(pod("web").uid("uid-" + std::to_string(i)).req("cpu", "1").req("memory", "2Gi"), snapshot);
    ASSERT_TRUE(status.choice);
    chosen.insert(status.choice->node);
    auto expected = by_name;
    std::erase(expected, status.choice->node);
    expected.resize(8);
    expected.insert(expected.begin(), status.choice->node);
    expected.emplace_back("small");  // the runner-up: its lead would have no name
    EXPECT_EQ(names_of(status.top_nodes), expected);
    EXPECT_EQ(status.choice->tied_nodes, 20u);
    EXPECT_EQ(status.choice->score, status.top_nodes[1].score);
    ASSERT_TRUE(status.choice->margin) << "the small node has a lower score";
    EXPECT_GT(*status.choice->margin, 0);
    for (const auto& strategy : status.strategies) EXPECT_EQ(strategy.top_nodes.size(), 5u);
  }
  EXPECT_GT(chosen.size(), 5u) << "ties are drawn by the UID";
}

TEST(Project, ATieOfAllHasNoMargin) {
  const auto status = report_on(pod("web").req("cpu", "1"), snapshot_of({machine("n1"), machine("n2")}));
  EXPECT_EQ(status.choice->tied_nodes, 2u);
  EXPECT_FALSE(status.choice->margin);
}

TEST(Project, ARejectionSaysWhatIsMissingAndWhetherPreemptionMayHelp) {
  auto snapshot = snapshot_of({machine("full", "4"), machine("fuller", "4"), machine("small", "1"),
                               machine("tainted", "64").taint("gpu", "", "NoSchedule")});
  snapshot.add_pod(cluster::make_pod_info(pod("a").req("cpu", "2500m").node("full").ptr()));
  snapshot.add_pod(cluster::make_pod_info(pod("b").req("cpu", "3").node("fuller").ptr()));
  const auto status = report_on(pod("web").req("cpu", "2").req("memory", "12Gi"), snapshot);
  std::vector<std::string> seen;
  for (const auto& r : status.rejections) {
    const auto least =
        r.shortfall ? r.shortfall->resource + " " + r.shortfall->least + " on " + r.shortfall->node : "-";
    seen.push_back(r.code + " " + std::to_string(r.nodes) + " " + least +
                   (r.preemption_may_help ? " preempt" : ""));
  }
  EXPECT_EQ(seen, (Names{"InsufficientResource 3 cpu 500m on full",
                         "InsufficientResource 3 memory 4Gi on full", "UntoleratedTaint 1 -"}))
      << "a pod that is too large for the node needs no preemption";
  EXPECT_EQ(status.rejections_total, 3u);
  const auto smaller = report_on(pod("web").req("cpu", "2"), snapshot);
  EXPECT_TRUE(smaller.rejections.at(0).preemption_may_help);
}

TEST(Project, NamesTheBudgetsThatTheVictimsViolate) {
  auto snapshot = snapshot_of({machine("n1", "12")});
  int pods = 0;
  const auto runs = [&](const char* ns, const std::string& app) {
    snapshot.add_pod(cluster::make_pod_info(pod("p" + std::to_string(++pods))
                                                .ns(ns)
                                                .label("app", app)
                                                .req("cpu", "1")
                                                .node("n1")
                                                .priority(1)
                                                .ptr()));
  };
  const auto guard = [&](const char* ns, const std::string& app, int allowed) {
    snapshot.objects().set(
        test::share(test::disruption_budget(ns, app, test::select_labels({{"app", app}}), allowed)));
  };
  const auto budgets = [&] {
    Names names;
    const auto preemption =
        report_on(pod("web").ns("shop").priority(9).req("cpu", "12"), snapshot).preemption;
    if (!preemption) return Names{"no preemption"};
    for (const auto& [ns, name] : preemption->violated_budgets) names.push_back(ns + "/" + name);
    names.push_back(std::to_string(preemption->violated_budgets_total));
    return names;
  };
  runs("shop", "free");
  runs("shop", "spare");
  guard("shop", "spare", 1);
  EXPECT_EQ(budgets(), Names{"0"});
  runs("shop", "db");
  runs("shop", "api");
  runs("batch", "db");
  for (const auto& [ns, app] : {std::pair{"shop", "db"}, {"shop", "api"}, {"batch", "db"}}) guard(ns, app, 0);
  EXPECT_EQ(budgets(), (Names{"shop/api", "shop/db", "batch/db", "3"})) << "its own namespace comes first";
  runs("shop", "db");
  EXPECT_EQ(budgets(), (Names{"shop/api", "shop/db", "batch/db", "3"})) << "two victims of one budget";
  for (int i = 0; i < 6; ++i) {
    runs("batch", "job-" + std::to_string(i));
    guard("batch", "job-" + std::to_string(i), 0);
  }
  const auto many = budgets();
  EXPECT_EQ(many.size(), kViolatedBudgets + 1);
  EXPECT_EQ(many.back(), "9");
}

TEST(Project, TooManyPodsLacksOne) {
  const auto snapshot = snapshot_of({node("n1").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "0")});
  const auto status = report_on(pod("web").req("cpu", "1"), snapshot);
  EXPECT_EQ(status.rejections.at(0).code, "TooManyPods");
  EXPECT_EQ(status.rejections.at(0).shortfall->resource, "pods");
  EXPECT_EQ(status.rejections.at(0).shortfall->least, "1");
}

TEST(Project, CountsTheNodesThatHaveNoneOfTheResource) {
  const auto gpus = [](const char* name, const char* count) {
    return machine(name, "4").cap("example.com/gpu", count);
  };
  const auto snapshot = snapshot_of({gpus("a", "1"), gpus("b", "0"), machine("c", "4"), machine("d", "4")});
  const auto status = report_on(pod("train").req("example.com/gpu", "2"), snapshot);
  ASSERT_EQ(status.rejections.at(0).nodes, 4u);
  EXPECT_EQ(status.rejections.at(0).shortfall->nodes_without, 3u);
  EXPECT_EQ(status.rejections.at(0).shortfall->node, "a");
  const auto cpu = report_on(pod("web").req("cpu", "5"), snapshot);
  EXPECT_EQ(cpu.rejections.at(0).shortfall->nodes_without, 0u);
}

TEST(Project, OfNodesThatLackEquallyMuchTheFirstByNameIsNearest) {
  const auto snapshot = snapshot_of({machine("c", "1"), machine("b", "2"), machine("a", "2")});
  const auto status = report_on(pod("web").req("cpu", "3"), snapshot);
  EXPECT_EQ(status.rejections.at(0).shortfall->least, "1");
  EXPECT_EQ(status.rejections.at(0).shortfall->node, "a");
}

TEST(Project, UntoleratedTaintsAreNamedThoseOfMostNodesFirst) {
  const auto seen = [](const api::Pod& asked) {
    const auto snapshot = snapshot_of(
        {machine("a").taint("x", "", "NoSchedule"), machine("b").taint("gpu", "a100", "NoSchedule"),
         machine("c").taint("gpu", "a100", "NoSchedule").taint("y", "", "NoExecute"),
         machine("d").taint("gpu", "a100", "NoSchedule").taint("soft", "", "PreferNoSchedule"),
         machine("e").taint("w", "1", "NoSchedule"),
         machine("f").unschedulable().taint("z", "", "NoSchedule")});
    const auto status = report_on(asked, snapshot);
    std::vector<std::string> out;
    for (const auto& rejection : status.rejections) {
      for (const auto& taint : rejection.taints) out.push_back(taint);
      if (rejection.code == "UntoleratedTaint") out.push_back(std::to_string(rejection.taints_total));
    }
    return out;
  };
  EXPECT_EQ(seen(pod("web")), (Names{"gpu=a100:NoSchedule", "w=1:NoSchedule", "x:NoSchedule", "4"}))
      << "z is of a node that is rejected for being cordoned";
  EXPECT_EQ(seen(pod("web").tolerate("gpu", "a100", "NoSchedule")),
            (Names{"w=1:NoSchedule", "x:NoSchedule", "y:NoExecute", "3"}));
}

TEST(Project, RejectionsAreGroupedMostNodesFirst) {
  const auto snapshot =
      snapshot_of({machine("t1").taint("gpu", "", "NoSchedule"), machine("n4", "1"), machine("n3", "1"),
                   machine("n2", "1"), machine("n1", "1"), machine("off").unschedulable()});
  const auto status = report_on(pod("web").req("cpu", "2"), snapshot);
  EXPECT_EQ(lines(status.rejections),
            (std::vector<std::string>{"NodeResourcesFit: Insufficient cpu: 4: n1 n2 n3",
                                      "NodeUnschedulable: node(s) were unschedulable: 1: off",
                                      "TaintToleration: node(s) had untolerated taint(s): 1: t1"}));
  EXPECT_EQ(status.node_counts.feasible, 0u);
  EXPECT_FALSE(status.choice);
  EXPECT_TRUE(status.top_nodes.empty());
  EXPECT_TRUE(status.strategies.empty());
  EXPECT_TRUE(status.message.starts_with("0/6 nodes are available: ")) << status.message;
}

TEST(Project, LongTextsAreCutBetweenCharacters) {
  const std::string euro = "\u20ac";  // three bytes
  const std::string a(8190, 'a');
  struct Case {
    const char* name;
    std::string message, cut;
  };
  const Case cases[] = {
      {"at the bound", a + "bc", a + "bc"},
      {"over the bound", a + "bcd", a + "bc"},
      {"a character over the bound is left out whole", a + euro, a},
      {"one that ends at the bound stays", a.substr(1) + euro + "d", a.substr(1) + euro},
  };
  for (const auto& c : cases) {
    framework::Decision decision;
    decision.message = c.message;
    EXPECT_EQ(report_on(decision).message, c.cut) << c.name;
  }
}

// The API server refuses a report with a longer name.
TEST(Project, WhatAReasonNamesIsCutAtTheBoundsOfTheCrd) {
  api::Volume scratch;
  scratch.name = std::string(63, 'v');
  scratch.kind = api::Volume::Kind::ephemeral;
  const auto status = report_on(pod(std::string(253, 'p')).volume(scratch), snapshot_of({machine("n1")}));
  ASSERT_EQ(status.rejections.size(), 1u);
  EXPECT_EQ(status.rejections[0].code, "ClaimNotCreated");
  EXPECT_EQ(status.rejections[0].about,
            (framework::Topics{{framework::Topic::claim, std::string(253, 'p')}}));
}

TEST(Project, AClassOrALabelThatDoesNotExistHasSimilarOnes) {
  auto snapshot = snapshot_of({machine("n1").label("topology.kubernetes.io/zone", "a")});
  for (const auto* name : {"fast-ssd", "slow"})
    snapshot.objects().set<api::StorageClass>(test::share(test::storage_class(name, "csi", true)));
  const auto similar = [&](test::PodBuilder asked) {
    const auto status = report_on(asked, snapshot);
    return status.rejections.empty() ? Names{"no rejection"} : status.rejections[0].similar;
  };
  const auto of_claim = [&](const char* storage_class) {
    snapshot.objects().set<api::PersistentVolumeClaim>(
        test::share(test::persistent_volume_claim("default", "data", "1Gi", storage_class)));
    return similar(pod("db").claim("data"));
  };
  EXPECT_EQ(of_claim("fast-sdd"), Names{"fast-ssd"});
  EXPECT_EQ(of_claim("nvme"), Names());
  const auto spread = [&](const char* key) {
    return similar(pod("web").label("app", "web").spread(test::spread(key).label("app", "web")));
  };
  EXPECT_EQ(spread("topology.kubernetes.io/zoen"), Names{"topology.kubernetes.io/zone"});
  EXPECT_EQ(spread("zone"), Names{"topology.kubernetes.io/zone"}) << "the name after the prefix";
  EXPECT_EQ(spread("rack"), Names());
  EXPECT_EQ(similar(pod("web").affinity(test::term("topology.kubernetes.io/zones").label("app", "db"))),
            Names{"topology.kubernetes.io/zone"});
}

// As a DaemonSet's controller pins its pods.
TEST(Project, TheReasonOfTheNodeThatAPodNamesComesFirst) {
  const auto snapshot = snapshot_of({machine("n1"), machine("n2"), machine("n3", "1")});
  api::NodeSelectorTerm named;
  named.match_fields = {{"metadata.name", api::Requirement::Op::in, {"n3"}}};
  const auto status = report_on(pod("log").req("cpu", "2").require_node(named), snapshot);
  ASSERT_EQ(status.rejections.size(), 2u);
  EXPECT_EQ(status.rejections[0].code, "InsufficientResource");
  EXPECT_EQ(status.rejections[1].code, "ExcludedByName");
  EXPECT_EQ(status.rejections[1].nodes, 2u);
}

// A binding does not wait for its report, so the pod may have its node when it is made.
TEST(Project, SaysTheSameOnceThePodHasItsNode) {
  const auto gpus = [](const char* name, const char* count) {
    return machine(name).cap("example.com/gpu", count);
  };
  auto snapshot = snapshot_of({gpus("chosen", "2"), gpus("too-few", "1"),
                               gpus("tainted", "2").taint("gpu", "", "NoSchedule"), machine("none"),
                               machine("small", "1").cap("example.com/gpu", "2"), gpus("no-volume", "2"),
                               gpus("crowded", "2").cap("pods", "0"), gpus("cordoned", "2").unschedulable()});
  snapshot.objects().set<api::StorageClass>(
      test::share(test::storage_class("local", "kubernetes.io/no-provisioner", true)));
  auto volume = test::persistent_volume("v", "5Gi", "local");
  volume.node_affinity = {test::node_term({test::in("kubernetes.io/hostname", {"chosen"})})};
  snapshot.objects().set<api::PersistentVolume>(test::share(volume));
  snapshot.objects().set<api::PersistentVolumeClaim>(
      test::share(test::persistent_volume_claim("default", "data", "5Gi", "local")));
  const auto asked = pod("train").req("cpu", "2").req("example.com/gpu", "2").claim("data").build();
  const auto info = cluster::make_pod_info(test::share(asked));
  const auto decision = decide(asked, snapshot);
  ASSERT_TRUE(decision.fits());

  const auto before = project(*info, decision, snapshot);
  EXPECT_EQ(before.rejections.size(), 6u);
  EXPECT_FALSE(framework::place(info, *decision.choice, default_profile(), snapshot));
  EXPECT_EQ(to_text(project(*info, decision, snapshot)), to_text(before));
}

TEST(Project, AFailureTakesThePlaceOfTheMessage) {
  framework::Decision decision;
  decision.message = "0/0 nodes are available";
  decision.error = "plugin \"X\" failed";
  EXPECT_EQ(report_on(decision).message, "plugin \"X\" failed");
}

// --- content_hash ---

TEST(ContentHash, CountersAreNotWorthARewrite) {
  const auto with = [](auto change) {
    ReportStatus status;
    status.outcome = "Unschedulable";
    status.message = "0/3 nodes are available: 2 a, 1 b.";
    status.node_counts = {3, 3, 0};
    status.rejections = {{.plugin = "A", .code = "X", .reason = "a", .nodes = 3},
                         {.plugin = "B", .reason = "b", .nodes = 2},
                         {.plugin = "C", .reason = "c", .nodes = 1}};
    change(status);
    return content_hash(status);
  };
  const auto before = with([](auto&) {});
  struct Case {
    const char* name;
    std::uint64_t hash;
    bool is_same;
  };
  const Case cases[] = {
      {"attempts", with([](auto& s) { s.attempts = 7; }), true},
      {"the time", with([](auto& s) { s.decided_at = Wall(std::chrono::seconds(7)); }), true},
      {"nodes", with([](auto& s) { s.node_counts.total = 4; }), true},
      {"nodes in the message", with([](auto& s) { s.message = "0/4 nodes are available"; }), true},
      {"the order of lesser reasons", with([](auto& s) { std::swap(s.rejections[1], s.rejections[2]); }),
       true},
      {"the main reason", with([](auto& s) { std::swap(s.rejections[0], s.rejections[1]); }), false},
      {"history", with([](auto& s) { s.history.resize(1); }), true},
      {"when it was gated", with([](auto& s) { s.gated.resize(1); }), true},
      {"outcome", with([](auto& s) { s.outcome = "Failed"; }), false},
      {"a reason", with([](auto& s) { s.rejections[0].reason = "d"; }), false},
      {"one reason more", with([](auto& s) { s.rejections.push_back({.plugin = "D", .reason = "d"}); }),
       false},
      {"another cause with the same text", with([](auto& s) { s.rejections[0].code = "Y"; }), false},
      {"the claim", with([](auto& s) { s.rejections[0].about = {{framework::Topic::claim, "c"}}; }), false},
      {"the taint", with([](auto& s) { s.rejections[0].taints = {"a=b:NoSchedule"}; }), false},
      {"the labels that it lacks", with([](auto& s) { s.rejections[0].parts = {{.requirement = "a=b"}}; }),
       false},
      {"help", with([](auto& s) { s.rejections[0].preemption_may_help = true; }), false},
      {"victims", with([](auto& s) { s.preemption = Preempted{"n1", {{"a", "b"}}, 1}; }), false},
      {"the budgets that they violate", with([](auto& s) {
         s.preemption = Preempted{"n1", {{"a", "b"}}, 1};
         s.preemption->violated_budgets = {{"a", "b"}};
       }),
       false},
      {"why it may not preempt", with([](auto& s) { s.no_preemption = "VictimsTerminate"; }), false},
      {"gates", with([](auto& s) { s.scheduling_gates = {"a"}; }), false},
      {"an error", with([](auto& s) {
         s.rejections.clear();
         s.message = "broken";
       }),
       false},
  };
  for (const auto& c : cases) EXPECT_EQ(c.hash == before, c.is_same) << c.name;
}

}  // namespace
}  // namespace podium::explain
