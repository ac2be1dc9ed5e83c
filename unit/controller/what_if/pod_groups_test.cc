// WhatIfController reads the PodGroups of the pods that a question is about, and no other ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode/decode.h"
#include "controller/what_if/admission_reader.h"
#include "unit/controller/what_if/asking_controller.h"

namespace podium::controller {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using unit::ObjectServer;

// A pod of a group, of Kubernetes or of the coscheduling plugin.
cluster::PodInfoPtr member(const std::string& group, int number, bool is_of_kubernetes = true,
                           const std::string& ns = "shop") {
  auto pod = test::pod(fmt::format("{}-{}", group, number)).ns(ns).req("cpu", "3");
  if (!is_of_kubernetes) pod.label("scheduling.x-k8s.io/pod-group", group);
  api::Pod made = pod;
  if (is_of_kubernetes) made.meta.annotations.set(api::kSchedulingGroup, group);
  return cluster::make_pod_info(test::share(made));
}

json::value gang(const std::string& name, int minimum, const std::string& ns = "shop") {
  return json::parse(fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"{}"}},"spec":{{"schedulingPolicy":{{"gang":{{"minCount":{}}}}}}}}})",
      name, ns, minimum));
}

struct Groups : unit::ServedApi {
  api::AdmissionObjects read(std::string_view spec) {
    const auto text = fmt::format(
        R"({{"metadata":{{"name":"q","namespace":"shop","uid":"u","generation":1}},"spec":{}}})", spec);
    const auto question = explain::read_question(explain::scan_report(text).value(), {});
    EXPECT_TRUE(question) << question.error().message;
    std::optional<api::AdmissionObjects> out;
    boost::asio::co_spawn(
        io, reader.read(std::make_shared<const explain::Question>(*question)),
        [&](std::exception_ptr, api::AdmissionObjects objects) { out = std::move(objects); });
    io.restart();
    while (!out && io.run_one() > 0) {
    }
    return out.value();
  }
  std::vector<std::string> reads() const {
    auto out = server.requests("GET");
    std::erase_if(out, [](const std::string& line) { return line.find("podgroups") == line.npos; });
    return out;
  }

  std::vector<cluster::PodInfoPtr> waiting;
  AdmissionReader reader{
      api, [this]() -> client::Task<std::vector<cluster::PodInfoPtr>> { return waiting_pods(this); }};

 private:
  static client::Task<std::vector<cluster::PodInfoPtr>> waiting_pods(Groups* self) {
    co_return self->waiting;
  }
};

constexpr std::string_view kForPending = R"({"dryRun":true,"search":{"forPending":{}}})";

TEST(PodGroupsOfQuestions, OfThePodsThatWait) {
  Groups w;
  w.server.put("podgroups", gang("train", 4));
  w.server.put("podgroups", gang("other", 9));
  w.waiting = {member("train", 0), member("train", 1), member("none", 0)};
  const auto read = w.read(kForPending);
  EXPECT_EQ(read.group_minimums, (api::PodGroupMinimums{{{"shop", "train"}, 4}}));
  EXPECT_TRUE(read.has_all_group_minimums) << "the other group has no PodGroup";
  EXPECT_EQ(w.reads().size(), 2u) << "one of each group that waits";
}

TEST(PodGroupsOfQuestions, OfThePodThatIsAskedAbout) {
  Groups w;
  w.server.put("podgroups", gang("train", 4));
  const auto read = w.read(R"({"dryRun":true,"template":{"spec":{"schedulingGroup":{"podGroupName":"train"},
      "containers":[{"name":"c","image":"i"}]}}})");
  EXPECT_EQ(read.group_minimums, (api::PodGroupMinimums{{{"shop", "train"}, 4}}));
  EXPECT_TRUE(w.read(R"({"dryRun":true,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})")
                  .group_minimums.empty());
  EXPECT_EQ(w.reads().size(), 1u);
}

// An API server without the kind answers 404 about the path, not about the object.
TEST(PodGroupsOfQuestions, AKindThatIsNotServedIsAskedForOnce) {
  Groups w;
  w.server.on_request = [](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.target.find("podgroups") == std::string::npos) return std::nullopt;
    return client::Response{404, "404 page not found\n"};
  };
  for (int i = 0; i < 20; ++i) w.waiting.push_back(member(fmt::format("g{}", i), 0));
  const auto read = w.read(kForPending);
  EXPECT_TRUE(read.group_minimums.empty());
  EXPECT_TRUE(read.has_all_group_minimums) << "there are none";
  EXPECT_EQ(w.reads().size(), 1u);
}

TEST(PodGroupsOfQuestions, WhatMayNotBeReadIsSaid) {
  Groups w;
  w.server.on_request = [](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.target.find("podgroups") == std::string::npos) return std::nullopt;
    return client::Response{403, R"({"kind":"Status","code":403,"reason":"Forbidden"})"};
  };
  for (int i = 0; i < 20; ++i) w.waiting.push_back(member(fmt::format("g{}", i), 0));
  EXPECT_FALSE(w.read(kForPending).has_all_group_minimums);
  EXPECT_EQ(w.reads().size(), 1u);
}

TEST(PodGroupsOfQuestions, HaveABound) {
  Groups w;
  for (std::size_t i = 0; i <= AdmissionReader::kMostGroups; ++i) {
    const auto name = fmt::format("g{}", i);
    w.server.put("podgroups", gang(name, 2));
    w.waiting.push_back(member(name, 0));
  }
  const auto read = w.read(kForPending);
  EXPECT_EQ(read.group_minimums.size(), AdmissionReader::kMostGroups);
  EXPECT_FALSE(read.has_all_group_minimums);
}

TEST(PodGroupsOfQuestions, OfOneNamespaceDoNotUseUpTheBound) {
  Groups w;
  for (std::size_t i = 0; i < 2 * AdmissionReader::kMostGroups; ++i) {
    const auto name = fmt::format("g{}", i);
    w.server.put("podgroups", gang(name, 2));
    w.waiting.push_back(member(name, 0));
  }
  w.server.put("podgroups", gang("small", 3, "zoo"));
  w.waiting.push_back(member("small", 0, true, "zoo"));
  const auto read = w.read(kForPending);
  EXPECT_EQ(read.group_minimums.size(), AdmissionReader::kMostGroups);
  EXPECT_TRUE(read.group_minimums.contains({"zoo", "small"}));
}

// An API server that answers late holds up no question for long, and the next question has what was read.
TEST(PodGroupsOfQuestions, AreReadWithinATimeAndKept) {
  Groups w;
  for (std::size_t i = 0; i < AdmissionReader::kMostGroups; ++i) {
    const auto name = fmt::format("g{}", i);
    w.server.put("podgroups", gang(name, 2));
    w.waiting.push_back(member(name, 0));
  }
  auto each = std::chrono::milliseconds(AdmissionReader::kReading) / 4;
  w.server.on_request = [&](const client::Request&) -> std::optional<ObjectServer::Reply> {
    w.clock.advance(each);
    return std::nullopt;
  };
  EXPECT_FALSE(w.read(kForPending).has_all_group_minimums);
  EXPECT_EQ(w.reads().size(), 4u);
  each = {};
  EXPECT_TRUE(w.read(kForPending).has_all_group_minimums);
  const auto reads = w.reads().size();
  EXPECT_TRUE(w.read(kForPending).has_all_group_minimums);
  EXPECT_EQ(w.reads().size(), reads) << "they are kept for some seconds, all of them";
}

// Each of the two kinds has its own group of the API. No name of a pod leads to another path.
TEST(PodGroupsOfQuestions, TheKindIsThatOfThePod) {
  Groups w;
  w.waiting = {member("a", 0), member("b", 0, false), member("../c", 0)};
  w.read(kForPending);
  const auto reads = w.reads();
  ASSERT_EQ(reads.size(), 2u);
  EXPECT_THAT(reads[0], HasSubstr("/apis/scheduling.x-k8s.io/v1alpha1/namespaces/shop/podgroups/b"));
  EXPECT_THAT(reads[1], HasSubstr("/apis/scheduling.k8s.io/v1beta1/namespaces/shop/podgroups/a"));
}

}  // namespace
}  // namespace podium::controller
