#include "scheduler/devices/extended_requests.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "unit/support/cost.h"

namespace podium::devices {
namespace {

const std::string kGpu = "example.com/gpu", kNic = "example.com/nic";

api::Container container(std::string name, api::ResourceList requests, bool restart_always = false) {
  api::Container made;
  made.name = std::move(name);
  made.requests = std::move(requests);  // sorted by name
  made.restart_always = restart_always;
  return made;
}

std::pair<std::string, api::Quantity> of(const std::string& resource, std::int64_t count) {
  return {resource, api::Quantity::from_units(count)};
}

struct Texts {
  std::vector<std::string> requests, mappings;
  bool operator==(const Texts&) const = default;
};

Texts asked(const api::Pod& pod, std::vector<std::string> resources) {
  const auto made =
      extended_requests(pod, resources, [](std::string_view name) { return fmt::format("of-{}", name); });
  Texts texts;
  for (const auto& each : made.requests) {
    texts.requests.push_back(
        fmt::format("{} {} {}", each.name, each.exactly->count, each.exactly->device_class));
    EXPECT_EQ(each.exactly->mode, api::ExactRequest::Mode::exact_count);
  }
  for (const auto& each : made.mappings) {
    texts.mappings.push_back(fmt::format("{} {} {}", each.container, each.resource, each.request));
  }
  return texts;
}

TEST(ExtendedRequests, EachContainerHasItsOwnByTheResourcesPlaceAmongAllItsRequests) {
  api::Pod pod;
  pod.containers = {container("a", {of("cpu", 1), of(kGpu, 1), of(kNic, 2)}), container("b", {of(kNic, 3)})};
  EXPECT_EQ(asked(pod, {kGpu, kNic}).requests,
            (std::vector<std::string>{"container-0-request-1 1 of-example.com/gpu",
                                      "container-0-request-2 2 of-example.com/nic",
                                      "container-1-request-0 3 of-example.com/nic"}));
  EXPECT_EQ(asked(pod, {kGpu}).mappings,
            (std::vector<std::string>{"a example.com/gpu container-0-request-1"}))
      << "the node's device plugin has the other resource";
}

TEST(ExtendedRequests, NamesAreSortedAsTexts) {
  api::Pod pod;
  for (int i = 0; i < 11; ++i) pod.containers.push_back(container(fmt::format("c{}", i), {of(kGpu, 1)}));
  const auto requests = asked(pod, {kGpu}).requests;
  EXPECT_EQ(requests[1], "container-1-request-0 1 of-example.com/gpu");
  EXPECT_EQ(requests[2], "container-10-request-0 1 of-example.com/gpu");
}

TEST(ExtendedRequests, AnInitContainerTakesTheDevicesOfThoseThatRunAfterIt) {
  api::Pod pod;
  pod.init_containers = {container("init", {of(kGpu, 2)})};
  pod.containers = {container("a", {of(kGpu, 1)}), container("b", {of(kGpu, 1)})};
  EXPECT_EQ(asked(pod, {kGpu}), (Texts{.requests = {"container-1-request-0 1 of-example.com/gpu",
                                                    "container-2-request-0 1 of-example.com/gpu"},
                                       .mappings = {"a example.com/gpu container-1-request-0",
                                                    "b example.com/gpu container-2-request-0",
                                                    "init example.com/gpu container-1-request-0",
                                                    "init example.com/gpu container-2-request-0"}}));
}

TEST(ExtendedRequests, WhatInitContainersMissIsAskedForOnceAndTheLargestCounts) {
  api::Pod pod;
  pod.init_containers = {container("one", {of(kGpu, 2)}), container("two", {of(kGpu, 4)}),
                         container("three", {of(kGpu, 3)})};
  pod.containers = {container("main", {of(kGpu, 1)})};
  EXPECT_EQ(
      asked(pod, {kGpu}),
      (Texts{.requests = {"container-1-request-0 3 of-example.com/gpu",
                          "container-3-request-0 1 of-example.com/gpu"},
             .mappings = {
                 "main example.com/gpu container-3-request-0", "one example.com/gpu container-3-request-0",
                 "one example.com/gpu container-1-request-0", "two example.com/gpu container-3-request-0",
                 "two example.com/gpu container-1-request-0", "three example.com/gpu container-3-request-0",
                 "three example.com/gpu container-1-request-0"}}));
}

TEST(ExtendedRequests, ASidecarKeepsItsDevicesFromThoseBeforeItOnly) {
  api::Pod pod;
  pod.init_containers = {container("before", {of(kGpu, 1)}), container("sidecar", {of(kGpu, 1)}, true),
                         container("after", {of(kGpu, 1)})};
  pod.containers = {container("main", {of("cpu", 1)})};
  EXPECT_EQ(asked(pod, {kGpu}), (Texts{.requests = {"container-1-request-0 1 of-example.com/gpu",
                                                    "container-2-request-0 1 of-example.com/gpu"},
                                       .mappings = {"sidecar example.com/gpu container-1-request-0",
                                                    "before example.com/gpu container-1-request-0",
                                                    "after example.com/gpu container-2-request-0"}}));
}

TEST(ExtendedRequests, ManySidecarsAndInitContainersCostByTheirNumber) {
  EXPECT_TRUE(test::is_linear(200, [](std::size_t n) -> test::Work {
    auto pod = std::make_shared<api::Pod>();
    for (std::size_t i = 0; i < n; ++i)
      pod->init_containers.push_back(container(fmt::format("init-{}", i), {of(kGpu, 1'000'000)}));
    for (std::size_t i = 0; i < n; ++i)
      pod->init_containers.push_back(container(fmt::format("sidecar-{}", i), {of(kGpu, 1)}, true));
    pod->containers = {container("c", {of(kGpu, 1)})};
    return [pod] { asked(*pod, {kGpu}); };
  }));
}

TEST(ExtendedRequests, CountsDoNotOverflow) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  api::Pod pod;
  pod.init_containers = {container("init", {of(kGpu, kMost)})};
  pod.containers = {container("a", {of(kGpu, kMost - 1)}), container("b", {of(kGpu, kMost - 1)})};
  EXPECT_EQ(asked(pod, {kGpu}).requests.size(), 2u) << "those of a and b are enough";
}

TEST(ExtendedRequests, NothingIsAskedForNothing) {
  api::Pod pod;
  pod.containers = {container("a", {of(kGpu, 0)}), container("b", {of("cpu", 1)}),
                    container("c", {{kGpu, api::Quantity::from_milli(500)}})};
  EXPECT_EQ(asked(pod, {kGpu}), Texts{});
}

}  // namespace
}  // namespace podium::devices
