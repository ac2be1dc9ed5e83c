// What a pod asks for: what the scheduler counts, within bounds.
#include "explain/workload/pod_asks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/values/pod.h"

namespace podium::explain {
namespace {

using testing::ElementsAre;
using testing::Pair;

api::ResourceList amounts(const char* cpu, const char* memory) {
  return {{"cpu", *api::Quantity::parse(cpu)}, {"memory", *api::Quantity::parse(memory)}};
}

TEST(PodAsks, AreTheSumOfTheContainers) {
  api::Pod pod;
  for (const char* cpu : {"500m", "1"}) pod.containers.emplace_back().requests = amounts(cpu, "1Gi");
  pod.resource_claims = {{.name = "gpu", .claim_name = {}, .template_name = {}}};
  const auto asks = asks_of(pod);
  EXPECT_THAT(asks.requests, ElementsAre(Pair("cpu", "1500m"), Pair("memory", "2147483648")));
  EXPECT_THAT(asks.claims, ElementsAre("gpu"));
}

TEST(PodAsks, CountAnInitContainerThatAsksForMore) {
  api::Pod pod;
  pod.containers.emplace_back().requests = amounts("1", "1Gi");
  pod.init_containers.emplace_back().requests = amounts("8", "512Mi");
  EXPECT_THAT(asks_of(pod).requests, ElementsAre(Pair("cpu", "8"), Pair("memory", "1073741824")));
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
  EXPECT_EQ(asks.requests.size(), 32u);
  EXPECT_EQ(asks.claims.size(), 16u);
  EXPECT_EQ(asks.selector.size(), 16u);
}

}  // namespace
}  // namespace podium::explain
