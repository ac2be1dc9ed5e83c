// The condition and the nomination of a pod that was turned down, as they go to the API server.
#include "scheduler/cycle/condition_writer.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <future>

#include "unit/client/client_loop.h"
#include "unit/support/builders.h"
#include "unit/support/http_script.h"

namespace podium::cycle {
namespace {

namespace json = boost::json;
using test::pod;

class ConditionWriterTest : public testing::Test {
 protected:
  static constexpr const char* kWhy = "0/1 nodes are available: 1 Insufficient cpu.";

  void write(const api::Pod& pod, std::optional<std::string> nominated_node, std::string message = kWhy) {
    writer_.write(*cluster::make_pod_info(std::make_shared<const api::Pod>(pod)), "Unschedulable",
                  std::move(message), std::move(nominated_node));
  }
  // The status in the patch that arrived as the n-th, counted from 0.
  json::value status(std::size_t n) {
    EXPECT_GT(server_.wait_requests(n + 1), n);
    const auto request = server_.requests().at(n);
    EXPECT_EQ(request.headers.at("content-type"), "application/strategic-merge-patch+json");
    return json::parse(request.body).at("status");
  }
  static test::PodBuilder told(std::string nominated_node = "") {
    auto made = pod("p").condition("PodScheduled", "False", "Unschedulable", kWhy);
    return nominated_node.empty() ? made : made.nominated(nominated_node);
  }

  unit::HttpScript server_;
  client::ClientLoop loop_;
  client::ScopedTransport transport_{loop_, client::config_for(server_.url())};
  client::Api api_{transport_.shared(), system_clock(), system_random()};
  ConditionWriter writer_{api_, loop_.executor(), 10, 1};
};

TEST_F(ConditionWriterTest, TheNominationGoesWithTheCondition) {
  server_.always(unit::replying(200, "{}"));
  const struct {
    const char* name;
    std::optional<std::string> nominated_node;
    json::value want;  // what the patch has as nominatedNodeName
  } cases[] = {{"left alone", std::nullopt, "absent"}, {"set", "n1", "n1"}, {"cleared", "", nullptr}};
  std::size_t request = 0;
  for (const auto& c : cases) {
    write(pod("p").nominated("n0"), c.nominated_node);
    const auto patch = status(request++);
    const auto* sent = patch.as_object().if_contains("nominatedNodeName");
    EXPECT_EQ(sent ? *sent : json::value("absent"), c.want) << c.name;
    EXPECT_EQ(patch.at("conditions").at(0).at("message"), kWhy) << c.name;
  }
}

TEST_F(ConditionWriterTest, TheTimeOfTransitionIsWrittenWhereTheStatusChanges) {
  server_.always(unit::replying(200, "{}"));
  const struct {
    const char* name;
    api::Pod pod;
    bool written;
  } cases[] = {
      {"no condition yet", pod("p"), true},
      {"another one only", pod("p").condition("Ready", "False"), true},
      {"it was true", pod("p").condition("PodScheduled", "True"), true},
      {"false for another reason", pod("p").condition("PodScheduled", "False", "SchedulingGated"), false},
      {"false with another text", pod("p").condition("PodScheduled", "False", "Unschedulable", "what it was"),
       false},
  };
  std::size_t request = 0;
  for (const auto& c : cases) {
    write(c.pod, std::nullopt);
    const auto condition = status(request++).at("conditions").at(0);
    EXPECT_EQ(condition.at("type"), "PodScheduled") << c.name;
    EXPECT_EQ(condition.at("reason"), "Unschedulable") << c.name;
    EXPECT_EQ(condition.as_object().contains("lastTransitionTime"), c.written) << c.name;
    EXPECT_EQ(condition.as_object().contains("lastProbeTime"), true) << c.name;
  }
}

TEST_F(ConditionWriterTest, WhatThePodHasIsNotWritten) {
  server_.always(unit::replying(200, "{}"));
  write(told(), std::nullopt);
  write(told(), "");
  write(told("n1"), "n1");
  EXPECT_EQ(writer_.waiting(), 0u);
  write(told("n1"), "n2");
  EXPECT_EQ(status(0).at("nominatedNodeName"), "n2");
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(ConditionWriterTest, ANominationThatWaitsIsNotLost) {
  std::promise<void> answer;
  server_.then([go = answer.get_future().share()](unit::HttpExchange& exchange) {  // keeps the one writer
                                                                                   // busy
    go.wait();
    exchange.reply(200, "{}");
  });
  server_.always(unit::replying(200, "{}"));
  write(pod("other"), std::nullopt);
  ASSERT_EQ(server_.wait_requests(1), 1u);
  write(pod("p"), "n1");
  write(pod("p"), std::nullopt, "another text");
  EXPECT_EQ(writer_.waiting(), 1u);
  answer.set_value();
  const auto patch = status(1);
  EXPECT_EQ(patch.at("nominatedNodeName"), "n1");
  EXPECT_EQ(patch.at("conditions").at(0).at("message"), "another text");
}

}  // namespace
}  // namespace podium::cycle
