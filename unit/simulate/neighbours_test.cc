// Kubelets, the disruption controller and the recount of lives with neighbours.
#include "simulate/cluster/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <memory>
#include <utility>

#include "api/decode/decode.h"
#include "async/virtual_time.h"
#include "scheduler/cluster/snapshot.h"
#include "simulate/cluster/budgets.h"
#include "simulate/cluster/cluster.h"
#include "simulate/observers/neighbour_observer.h"
#include "simulate/observers/recount.h"
#include "simulate/server/cpu_requests.h"
#include "simulate/server/object_history.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

struct Town {
  Town() {
    store.create({"nodes", "", "n0"}, json::parse(R"({"metadata":{"labels":{"zone":"z0"}},"spec":{},
        "status":{"allocatable":{"cpu":"4","pods":"6"}}})"),
                 kPeople);
    neighbours.rest();
    budgets.rest();
  }
  void pass(std::chrono::seconds wait) {
    for (const auto end = time.now() + wait; time.now() < end;) {
      if (!agenda.run_due()) time.advance(std::min(agenda.next(), end) - time.now());
    }
    agenda.run_due();
  }
  Key pod(const std::string& name, std::int64_t cpu) {
    const Key key{"pods", "shop", name};
    auto value = json::parse(R"({"metadata":{"labels":{"app":"web"}},"spec":{"nodeName":"n0","containers":[
        {"name":"main","resources":{"requests":{"cpu":"0m"}}}]},"status":{"phase":"Running"}})");
    set_requested_cpu(value, cpu);
    store.create(key, std::move(value), kPeople);
    pass(10s);
    return key;
  }
  void resize(const Key& key, std::int64_t cpu) {
    auto value = store.find(key)->value;
    set_requested_cpu(value, cpu);
    store.update(key, std::move(value), kPeople);
    pass(10s);
  }
  std::int64_t counted(const Key& key) { return counted_cpu(store.find(key)->value); }
  std::int64_t granted(const Key& key) { return granted_cpu(store.find(key)->value); }
  cluster::Snapshot snapshot() {
    cluster::Snapshot out;
    for (const auto& node : store.all("nodes"))
      out.set_node(std::make_shared<api::Node>(*api::decode_node(node->value)));
    for (const auto& pod : store.all("pods"))
      out.add_pod(cluster::make_pod_info(std::make_shared<api::Pod>(*api::decode_pod(pod->value))));
    return out;
  }

  async::VirtualTime time{Wall(1'700'000'000s), Steady(1'000'000s)};
  Agenda agenda{time};
  Store store{time};
  Neighbours neighbours{store, agenda, Dice(1)};
  Budgets budgets{store, agenda, Dice(2)};
};

TEST(Neighbours, AKubeletGrantsAResizeThatFits) {
  Town town;
  const auto pod = town.pod("a", 1000);
  EXPECT_EQ(town.granted(pod), 1000);
  town.resize(pod, 3000);
  EXPECT_EQ(town.granted(pod), 3000);
  town.resize(pod, 500);
  EXPECT_EQ(town.granted(pod), 500);
  EXPECT_EQ(town.counted(pod), 500);
}

TEST(Neighbours, AKubeletDefersAndRefusesWhatDoesNotFit) {
  Town town;
  const auto pod = town.pod("a", 1000);
  town.pod("b", 2000);
  town.resize(pod, 2500);
  EXPECT_EQ(town.granted(pod), 1000);
  EXPECT_EQ(town.counted(pod), 2500);  // it waits for room, which a scheduler keeps for it
  town.resize(pod, 5000);
  EXPECT_EQ(town.counted(pod), 1000);  // never
}

TEST(Budgets, TheStatusFollowsThePods) {
  Town town;
  const auto pod = town.pod("a", 1000);
  const Key key{kBudgets, "shop", "web"};
  town.store.create(
      key, json::parse(R"({"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"web"}}}})"), kPeople);
  town.pass(5s);
  EXPECT_FALSE(allows_disruption(town.store.find(key)->value));
  town.pod("b", 1000);
  EXPECT_TRUE(allows_disruption(town.store.find(key)->value));
  town.store.remove(pod, kPeople);
  town.pass(5s);
  EXPECT_FALSE(allows_disruption(town.store.find(key)->value));
}

TEST(NeighbourObserver, AnEngineKeepsAwayOnlyOnNodesThatItHasRead) {
  Town town;
  NeighbourObserver observer(town.store, town.agenda);
  town.store.on_commit([&](const Commit& commit) { observer.committed(commit); });
  const Key node{"nodes", "", "n0"};
  const auto pod = town.pod("a", 1000);
  const Key other{"pods", "shop", "b"};
  town.store.create(other, json::parse(R"({"metadata":{"labels":{"app":"web"}},"spec":{"nodeName":"n0",
      "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"zone","labelSelector":{"matchLabels":{"app":"web"}}}]}}},"status":{}})"),
                    kPeople);
  const auto repels = [&] {
    return observer.repels(town.store.find(pod)->value, "podium-1", town.time.now()) != nullptr;
  };
  EXPECT_FALSE(repels());
  observer.read_nodes("podium-1", town.store.find(node)->text());
  EXPECT_TRUE(repels());
  const auto made = town.store.find(node)->value;
  town.store.remove(node, kPeople);
  town.store.create(node, made, kPeople);
  town.pass(10s);
  EXPECT_FALSE(repels()) << "the engine's watch does not show the new node yet";
  observer.read_nodes("podium-1", town.store.find(node)->text());
  EXPECT_TRUE(repels());
}

TEST(Recount, FindsWhatASnapshotDoesNotHave) {
  Town town;
  const auto pod = town.pod("a", 1000);
  const auto before = town.snapshot();
  EXPECT_EQ(miscounted(before, town.store), std::nullopt);

  town.resize(pod, 1500);
  EXPECT_NE(miscounted(before, town.store), std::nullopt);
  EXPECT_EQ(miscounted(town.snapshot(), town.store), std::nullopt);

  const auto resized = town.snapshot();
  auto relabelled = town.store.find(pod)->value;
  relabelled.as_object()["metadata"].as_object()["labels"].as_object()["app"] = "db";
  town.store.update(pod, std::move(relabelled), kPeople);
  EXPECT_NE(miscounted(resized, town.store), std::nullopt);
  EXPECT_EQ(miscounted(town.snapshot(), town.store), std::nullopt);
}

// Another engine has bound the company of a pod, which this engine takes for waiting and decides on later.
TEST(NeighbourObserver, APodOfALaterDecisionIsNotCompany) {
  Town town;
  const Key first{"pods", "shop", "first"};
  town.store.create(first,
                    json::parse(R"({"metadata":{"labels":{"app":"web"}},"spec":{"affinity":{"podAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone",
      "labelSelector":{"matchLabels":{"app":"web"}}}]}}},"status":{}})"),
                    kPeople);
  NeighbourObserver observer(town.store, town.agenda);
  town.store.on_commit([&](const Commit& commit) { observer.committed(commit); });
  const auto company = uid_of(town.store.find(town.pod("company", 1000))->value);
  auto snapshot = town.snapshot();
  auto assumed = *api::decode_pod(town.store.find(first)->value);
  assumed.node_name = "n1";
  api::Node other;
  other.meta.name = "n1";
  other.meta.labels = {{"zone", "z1"}};
  snapshot.set_node(std::make_shared<api::Node>(other));
  snapshot.add_pod(cluster::make_pod_info(std::make_shared<api::Pod>(assumed)));
  EXPECT_EQ(observer.begins("podium-1", snapshot, assumed.meta.uid, "n1"), std::nullopt);
  observer.read_placed("podium-1", company);
  EXPECT_NE(observer.begins("podium-1", snapshot, assumed.meta.uid, "n1"), std::nullopt);
  // A pod that was on that node when the engine decided, and whose binding was refused since.
  const Key refused{"pods", "shop", "refused"};
  town.store.create(refused, json::parse(R"({"metadata":{"labels":{"app":"web"}},"spec":{},"status":{}})"),
                    kPeople);
  auto before = town.snapshot();
  auto its = *api::decode_pod(town.store.find(refused)->value);
  its.node_name = "n1";
  before.set_node(std::make_shared<api::Node>(other));
  before.add_pod(cluster::make_pod_info(std::make_shared<api::Pod>(its)));
  EXPECT_EQ(observer.begins("podium-1", before, its.meta.uid, "n1"), std::nullopt);
  EXPECT_NE(observer.begins("podium-1", snapshot, assumed.meta.uid, "n1"), std::nullopt);
  observer.refused("podium-1", its.meta.uid);
  EXPECT_EQ(observer.begins("podium-1", snapshot, assumed.meta.uid, "n1"), std::nullopt);
  town.pass(1s);
  EXPECT_NE(observer.begins("podium-1", snapshot, assumed.meta.uid, "n1"), std::nullopt);
}

TEST(History, AnEngineMayDecideOnWhatItHasReadAndOnAllSince) {
  Town town;
  History history("pods");
  town.store.on_commit([&](const Commit& commit) { history.committed(commit); });
  const auto pod = town.pod("a", 1000);
  const auto uid = uid_of(town.store.find(pod)->value);
  const auto at_first = history.possible(uid, "podium-1", town.time.now()).size();
  history.read("podium-1", town.store.find(pod)->text(), town.time.now());
  EXPECT_EQ(history.possible(uid, "podium-1", town.time.now()).size(), 1u);
  EXPECT_EQ(history.possible(uid, "podium-2", town.time.now()).size(), at_first);
  const auto read_at = town.time.now();
  town.resize(pod, 1500);
  const auto since = history.possible(uid, "podium-1", town.time.now());
  ASSERT_GT(since.size(), 1u);
  EXPECT_EQ(counted_cpu(since.front()->value), 1000);
  EXPECT_EQ(counted_cpu(since.back()->value), 1500);
  EXPECT_EQ(history.possible(uid, "podium-1", read_at - 1s).size(), at_first + since.size() - 1);
  town.store.remove(pod, kPeople);
  EXPECT_TRUE(history.possible(uid, "podium-1", town.time.now()).empty());
}

TEST(History, AnAssumedPodMayHaveAnyEarlierVersion) {
  Town town;
  History history("pods");
  town.store.on_commit([&](const Commit& commit) { history.committed(commit); });
  const Key pod{"pods", "shop", "a"};
  auto value = json::parse(R"({"metadata":{},"spec":{"containers":[
      {"name":"main","resources":{"requests":{"cpu":"1000m"}}}]},"status":{"phase":"Pending"}})");
  town.store.create(pod, std::move(value), kPeople);
  const auto uid = uid_of(town.store.find(pod)->value);
  const auto placed = [&] { return history.possible_of_placed(uid, "podium-1", town.time.now()); };
  town.resize(pod, 1500);
  history.read("podium-1", town.store.find(pod)->text(), town.time.now());
  EXPECT_EQ(counted_cpu(history.possible(uid, "podium-1", town.time.now()).front()->value), 1500);
  ASSERT_FALSE(placed().empty());
  EXPECT_EQ(counted_cpu(placed().front()->value), 1000) << "it was read without a node";
  auto bound = town.store.find(pod)->value;
  bound.at("spec").as_object()["nodeName"] = "n1";
  town.store.update(pod, std::move(bound), kPeople);
  history.read("podium-1", town.store.find(pod)->text(), town.time.now());
  EXPECT_EQ(placed().size(), 1u);
}

}  // namespace
}  // namespace podium::simulate
