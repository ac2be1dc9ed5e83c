// Nodes for the pods that wait, of some hundred shapes, as a cloud's catalogue has.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "explain/answer/node_search.h"
#include "explain/question/search_spec.h"
#include "unit/explain/answer/nodes_wanted.h"

namespace podium::explain {
namespace {

using unit::choice_in;
using unit::full_cluster;
using unit::many;
using unit::one_of;
using unit::Pods;
using unit::search;
using unit::waits;

constexpr std::size_t kMostAsked = 30'000;

struct Family {
  const char* name;
  int gib_per_cpu;
  double price_per_cpu;
};
constexpr Family kFamilies[] = {{"c", 2, 0.043}, {"m", 4, 0.05}, {"r", 8, 0.066}};
constexpr int kSizes[] = {1, 2, 4, 8, 16, 32, 48, 64, 96};
constexpr const char* kZones[] = {"a", "b", "c"};

std::string shape(const Family& family, int size, int generation, const char* zone) {
  return fmt::format(
      R"({{"name": "{0}{1}.{2}x.{3}", "allocatable": {{"cpu": {2}, "memory": "{4}Gi"}}, "price": {5:.4f},
          "labels": {{"topology.kubernetes.io/zone": "{3}", "node.kubernetes.io/instance-type": "{0}{1}.{2}x"}}}})",
      family.name, generation, size, zone, size * family.gib_per_cpu,
      size * family.price_per_cpu * (1 + 0.02 * (7 - generation)));
}

// Those of the last generation are the cheapest.
std::string catalogue(int generations) {
  std::string out;
  for (const auto& family : kFamilies) {
    for (const auto size : kSizes) {
      for (int generation = 8 - generations; generation <= 7; ++generation) {
        for (const auto* zone : kZones)
          out += (out.empty() ? "" : ", ") + shape(family, size, generation, zone);
      }
    }
  }
  return out;
}

Pods waiting() {
  Pods out;
  const auto add = [&out](int count, auto&& make) {
    for (int i = 0; i < count; ++i) out.push_back(waits(make(i)));
  };
  add(200, [](int i) { return one_of("web", i, "500m").req("memory", "1Gi"); });
  add(40, [](int i) { return one_of("db", i, "4").req("memory", "30Gi"); });
  add(30, [](int i) {
    return one_of("near", i, "3").req("memory", "11Gi").node_selector("topology.kubernetes.io/zone", "b");
  });
  return out;
}

double price(const ReportStatus& status) { return std::stod(status.answer->nodes_wanted->price); }

// Most shapes are older and dearer than another one. The other search has 15 of the rest.
TEST(NodesCatalogue, AllShapesAreTriedWithinABudget) {
  std::size_t left = kMostAsked;
  const Budget budget = [&left] { return left > 0 && --left > 0; };
  const auto status = search(catalogue(4), waiting(), full_cluster(), budget);
  ASSERT_EQ(status.outcome, "Fits") << status.message;
  const auto& wanted = *status.answer->nodes_wanted;
  EXPECT_EQ(wanted.shapes_tried, 324u);
  EXPECT_EQ(wanted.shapes_total, 324u);
  EXPECT_EQ(wanted.not_tried, 0u) << "the cover takes the smaller part of the budget";
  left = kMostAsked;
  std::string few;
  for (const auto size : {4, 8, 16, 32, 64}) {
    for (const auto& family : kFamilies) few += (few.empty() ? "" : ", ") + shape(family, size, 7, "b");
  }
  const auto of_few = search(few, waiting(), full_cluster(), budget);
  EXPECT_LE(price(status), price(of_few)) << choice_in(status) << " and " << choice_in(of_few);
}

// A pod that no shape takes costs no trial of each shape.
TEST(NodesCatalogue, WhatNoShapeHoldsIsNamed) {
  auto all = many("web", 10, "3");
  all.push_back(waits(one_of("h100", 0, "1").node_selector("gpu-model", "h100")));
  std::size_t asked = 0;
  const auto status = search(catalogue(1), all, full_cluster(), [&] { return ++asked < kMostAsked; });
  EXPECT_THAT(choice_in(status), testing::HasSubstr("none (1 h100): no shape has gpu-model=h100"));
  EXPECT_EQ(status.answer->fitting, 10u);
  EXPECT_EQ(status.answer->nodes_wanted->not_tried, 0u);
}

TEST(NodesCatalogue, HasABound) {
  std::string shapes;
  for (std::size_t i = 0; i <= kMostShapes; ++i)
    shapes += fmt::format(R"({}{{"name": "s{}", "allocatable": {{"cpu": 1}}}})", i ? ", " : "", i);
  EXPECT_EQ(choice_in(search(shapes, {}, full_cluster())),
            "spec.search.forPending.shapes: must have at most 512 items");
}

// An accelerator has many attributes, and a shape may have 128 of them.
TEST(NodesCatalogue, DevicesOfAllShapesHaveABound) {
  std::string shapes;
  for (int i = 0; i < 33; ++i)
    shapes += fmt::format(
        R"({}{{"name": "s{}", "allocatable": {{"cpu": 1}}, "devices": [{{"driver": "gpu.example.com", "count": 128}}]}})",
        i ? ", " : "", i);
  EXPECT_EQ(
      choice_in(search(shapes, {}, full_cluster())),
      "spec.search.forPending.shapes[32].devices[0].count: the shapes have at most 4096 devices together");
}

}  // namespace
}  // namespace podium::explain
