// What a decision about a pod with many resources costs follows from the pod's bytes.
#include <gtest/gtest.h>

#include <string>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/decision.h"
#include "scheduler/plugins/node_resources/shortfall.h"
#include "unit/scheduler/plugins/ask.h"
#include "unit/support/cost.h"

namespace podium::plugins::node_resources_cost_test {
namespace {

using podium::test::Cost;
using podium::test::cost_of;
using podium::test::is_linear;
using test::info;
using test::make;
using test::node;
using test::pod;
using test::Snapshot;
using test::snapshot_of;

std::string resource(std::size_t i) { return "vendor.example.com/item-" + std::to_string(100'000 + i); }

// The requests are made as a list, since the builder looks for the name at each call.
template <typename T>
T with(T object, api::ResourceList T::* list, std::size_t n, std::size_t from = 0) {
  for (std::size_t i = from; i < n; ++i)
    (object.*list).emplace_back(resource(i), api::Quantity::from_units(1));
  return object;
}
api::Pod asking(std::size_t n, std::string node = "") {
  api::Pod made = pod("p").container("c").node(std::move(node));
  made.containers.write().front() = with(made.containers.front(), &api::Container::requests, n);
  return made;
}

// Filter, reasons and shortfalls.
Cost decide(const cluster::PodInfo& pod, const Snapshot& snapshot) {
  const auto plugin = make(make_node_resources_fit);
  return cost_of([&] {
    const auto prepared = dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(pod, snapshot);
    auto nodes = snapshot.present();
    framework::Decision decision;
    decision.rejections = framework::Rejections(snapshot.chunks());
    prepared.filter->filter(nodes, decision.rejections);
    shortfalls(pod, decision, snapshot);
    snapshot.present().each([&](cluster::Row row) { prepared.filter->check(row, {}); });
  });
}

struct Case {
  const char* name;
  Snapshot (*snapshot)(std::size_t n);
};
const Case kCases[] = {
    {"no node has them", [](std::size_t) { return snapshot_of({node("a"), node("b"), node("c")}); }},
    {"one node has them",
     [](std::size_t n) {
       return snapshot_of({node("a"), with(node("b").build(), &api::Node::allocatable, n), node("c")});
     }},
    {"nodes have parts of them",
     [](std::size_t n) {
       return snapshot_of({with(node("a").build(), &api::Node::allocatable, n / 2), node("b"),
                           with(node("c").build(), &api::Node::allocatable, n, n / 2)});
     }},
    {"placed pods ask for them",
     [](std::size_t n) { return snapshot_of({node("a"), node("b")}, {asking(n, "a")}); }},
};

TEST(NodeResourcesCost, FollowsFromThePod) {
  constexpr std::size_t kMany = 2000;
  for (const auto& c : kCases) {
    const auto cost = [&](std::size_t n) { return decide(*info(asking(n)), c.snapshot(n)); };
    EXPECT_TRUE(is_linear(kMany, cost(kMany), cost(2 * kMany))) << c.name;
  }
}

// Ports of the same number are distinguished by their addresses.
TEST(NodePortsCost, FollowsFromThePods) {
  const auto with_ports = [](const char* net, std::size_t n, std::string node) {
    api::Pod made = pod(net).container("c").node(std::move(node));
    for (std::size_t i = 0; i < n; ++i)
      made.containers.write().front().ports.push_back({.host_port = 80, .host_ip = net + std::to_string(i)});
    return made;
  };
  const auto cost = [&](std::size_t n) {
    const auto snapshot = snapshot_of({node("a")}, {with_ports("10.0.0.", n, "a")});
    const auto waiting = info(with_ports("10.1.0.", n, ""));
    const auto plugin = make(make_node_ports);
    return cost_of([&] {
      auto nodes = snapshot.present();
      framework::Rejections out(snapshot.chunks());
      dynamic_cast<const framework::FilterPlugin&>(*plugin)
          .prepare_filter(*waiting, snapshot)
          .filter->filter(nodes, out);
      EXPECT_TRUE(nodes.test(0));
    });
  };
  EXPECT_TRUE(is_linear(2000, cost(2000), cost(4000)));
}

}  // namespace
}  // namespace podium::plugins::node_resources_cost_test
