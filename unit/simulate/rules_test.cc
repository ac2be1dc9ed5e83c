// The rules between pods hold as kube-scheduler's filters apply them.
#include "simulate/cluster/rules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "api/decode/decode.h"
#include "api/values/pod.h"
#include "simulate/server/cpu_requests.h"

namespace podium::simulate {
namespace {

constexpr const char* kHost = "kubernetes.io/hostname";

const Topology& topology() {
  static const Topology nodes{{"n0", {{"zone", "z0"}, {kHost, "n0"}}},
                              {"n1", {{"zone", "z1"}, {kHost, "n1"}}},
                              {"n2", {{"zone", "z0"}, {kHost, "n2"}}}};
  return nodes;
}

Neighbour pod(const std::string& app, const std::string& node = "", std::vector<Rule> rules = {}) {
  return {.uid = app + node, .name = app, .ns = "shop", .app = app, .node = node, .rules = std::move(rules)};
}

bool broken(const Neighbour& one, const std::string& node, const std::vector<Neighbour>& others) {
  return !broken_rules(one, node, others, topology()).empty();
}

TEST(Rules, AntiAffinityHoldsInBothDirections) {
  const Rule far{Rule::Kind::anti_affinity, "web", "zone"};
  EXPECT_TRUE(broken(pod("db", "", {far}), "n2", {pod("web", "n0")}));
  EXPECT_FALSE(broken(pod("db", "", {far}), "n1", {pod("web", "n0")}));
  EXPECT_TRUE(broken(pod("web"), "n2", {pod("db", "n0", {far})}));
  auto elsewhere = pod("web", "n0");
  elsewhere.ns = "batch";
  EXPECT_FALSE(broken(pod("db", "", {far}), "n2", {elsewhere}));
}

TEST(Rules, TheFirstPodOfAGroupMayBeAnywhere) {
  const Rule near{Rule::Kind::affinity, "web", kHost};
  EXPECT_TRUE(broken(pod("db", "", {near}), "n0", {}));
  EXPECT_FALSE(broken(pod("db", "", {near}), "n0", {pod("web", "n0")}));
  EXPECT_FALSE(broken(pod("web", "", {near}), "n0", {}));
  EXPECT_TRUE(broken(pod("web", "", {near}), "n0", {pod("web", "n1")}));
}

TEST(Rules, EveryBrokenRuleIsNamed) {
  const Rule near{Rule::Kind::affinity, "cache", kHost}, far{Rule::Kind::anti_affinity, "web", "zone"};
  EXPECT_EQ(
      broken_rules(pod("db", "", {near, far}), "n2", {pod("web", "n0"), pod("cache", "n1")}, topology()),
      (std::set<std::string>{"affinity to cache in its kubernetes.io/hostname",
                             "anti-affinity with web on n0"}));
}

TEST(Rules, SpreadCountsDomainsThatThePodMayUse) {
  const Rule spread{Rule::Kind::spread, "web", "zone"};
  EXPECT_TRUE(broken(pod("web", "", {spread}), "n2", {pod("web", "n0")}));
  EXPECT_FALSE(broken(pod("web", "", {spread}), "n1", {pod("web", "n0")}));
  auto bound_to_zone = pod("web", "", {spread});
  bound_to_zone.zone_wanted = "z0";
  EXPECT_FALSE(broken(bound_to_zone, "n2", {pod("web", "n0")}));
  auto leaving = pod("web", "n0");
  leaving.leaves = true;
  EXPECT_FALSE(broken(pod("web", "", {spread}), "n2", {leaving}));
}

TEST(Rules, AreReadFromJsonAndFromPodiumsPodAlike) {
  const auto value =
      json::parse(R"({"metadata":{"name":"a","namespace":"shop","uid":"u","labels":{"app":"web"}},
      "spec":{"nodeName":"n0","priority":7,"nodeSelector":{"zone":"z0"},"containers":[],
      "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"zone","labelSelector":{"matchLabels":{"app":"db"}}}]}},
      "topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",
        "labelSelector":{"matchLabels":{"app":"web"}}}]}})");
  const auto decoded = api::decode_pod(value);
  ASSERT_TRUE(decoded);
  for (const auto& one : {neighbour_of(value), neighbour_of(*decoded)}) {
    EXPECT_EQ(one.name + one.uid + one.app + one.node + one.zone_wanted, "shop/auwebn0z0");
    EXPECT_EQ(one.priority, 7);
    ASSERT_EQ(one.rules.size(), 2u);
    EXPECT_EQ(one.rules[0].kind, Rule::Kind::anti_affinity);
    EXPECT_EQ(one.rules[0].app + one.rules[0].key, "dbzone");
    EXPECT_EQ(one.rules[1].kind, Rule::Kind::spread);
    EXPECT_EQ(one.rules[1].max_skew, 2);
  }
}

// As AggregateContainerRequests of component-helpers v0.37 counts a pod with a resize in progress.
TEST(Requests, CountTheGreatestOfAskedAllocatedAndInUse) {
  auto value = json::parse(R"({"spec":{"nodeName":"n0","containers":[{"name":"main","resources":
      {"requests":{"cpu":"300m"}}}]},"status":{}})");
  EXPECT_EQ(counted_cpu(value), 300);
  set_allocated_cpu(value, 500);
  EXPECT_EQ(counted_cpu(value), 500);
  set_cpu_in_use(value, 400);
  EXPECT_EQ(counted_cpu(value), 500);
  set_requested_cpu(value, 900);
  EXPECT_EQ(counted_cpu(value), 900);
  set_resize_pending(value, "Deferred");
  EXPECT_EQ(counted_cpu(value), 900);
  set_resize_pending(value, "Infeasible");
  EXPECT_EQ(counted_cpu(value), 500);
  set_resize_pending(value, "");
  EXPECT_EQ(counted_cpu(value), 900);
}

}  // namespace
}  // namespace podium::simulate
