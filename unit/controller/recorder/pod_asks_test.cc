// What a pod asks for: its containers' sum, within bounds.
#include "controller/recorder/pod_asks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podium::controller {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(PodAsks, AreTheSumOfTheContainers) {
  api::Pod pod;
  for (const char* cpu : {"500m", "1"}) {
    auto& container = pod.containers.emplace_back();
    container.requests = {{"cpu", *api::Quantity::parse(cpu)}, {"memory", *api::Quantity::parse("1Gi")}};
  }
  pod.resource_claims = {{.name = "gpu", .claim_name = {}, .template_name = {}}};
  const auto asks = asks_of(pod);
  EXPECT_THAT(asks->requests, ElementsAre(Pair("cpu", "1500m"), Pair("memory", "2147483648")));
  EXPECT_THAT(asks->claims, ElementsAre("gpu"));
}

TEST(PodAsks, HaveABound) {
  api::Pod pod;
  auto& container = pod.containers.emplace_back();
  std::vector<api::Labels::Entry> labels;
  for (int i = 0; i < 50; ++i) {
    const auto name = "example.com/" + std::to_string(i);
    container.requests.emplace_back(name, *api::Quantity::parse("1"));
    pod.resource_claims.push_back({.name = name, .claim_name = {}, .template_name = {}});
    labels.emplace_back(name, "x");
  }
  pod.node_selector = api::Labels(std::move(labels));
  const auto asks = asks_of(pod);
  EXPECT_EQ(asks->requests.size(), 8u);
  EXPECT_EQ(asks->claims.size(), 4u);
  EXPECT_EQ(asks->selector.size(), 4u);
}

}  // namespace
}  // namespace podium::controller
