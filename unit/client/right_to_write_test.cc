// MayWrite is asked right before a request is sent, whatever it waited for.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "client/api.h"
#include "unit/client/transport_fixture.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;
using unit::HttpExchange;
using unit::replying;

class RightToWriteTest : public TransportTest {
 protected:
  ScopedTransport transport(std::size_t connections = 4, ClientConfig config = {}) {
    TransportLimits limits;
    limits.connections = connections;
    config.server = server_.url();
    return {loop_, std::move(config), limits, [this] {
              ++asked_;
              return may_write_ && (questions_ < 0 || questions_-- > 0);
            }};
  }
  static Request request(const std::string& method) {
    auto made = post_request("/" + method, method == "DELETE" ? "" : "x");
    made.method = method;
    return made;
  }
  static void expect_not_sent(const Error& error) {
    EXPECT_TRUE(is_not_leader(error)) << error.message;
    EXPECT_FALSE(error.maybe_applied);
  }

  std::atomic<bool> may_write_{true};
  std::atomic<int> questions_{-1};  // how many times the answer is still yes; negative: always
  std::atomic<int> asked_{0};
};

TEST_F(RightToWriteTest, OnlyReadsGoOutWithoutIt) {
  server_.always(replying(200, "{}"));
  auto transport = this->transport();
  may_write_ = false;
  for (const auto* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    SCOPED_TRACE(method);
    const auto answer = loop_.run(transport->send(request(method)));
    ASSERT_FALSE(answer);
    expect_not_sent(answer.error());
  }
  EXPECT_TRUE(loop_.run(transport->send(get_request("/GET"))));
  EXPECT_TRUE(loop_.run(transport->open(get_request("/watch"))));
  may_write_ = true;
  EXPECT_TRUE(loop_.run(transport->send(request("POST")))) << "it may come back";
  EXPECT_EQ(server_.requests().size(), 3u);
}

// Permission may be lost while the request waits for a slot, a connection or a token. Whenever that happens,
// either the request fails and the server gets nothing of it, or it is answered.
TEST_F(RightToWriteTest, WheneverItIsLostNothingIsHalfDone) {
  server_.always(replying(201, "{}"));
  bool refused = false, answered = false;
  for (int questions = 0; questions < 8; ++questions) {
    for (const bool batch : {false, true}) {
      SCOPED_TRACE(testing::Message() << questions << (batch ? " in a batch" : " alone"));
      auto transport = this->transport();
      const auto before = server_.requests().size();
      questions_ = questions;
      std::vector<Request> requests(batch ? 3 : 1, request("POST"));
      const auto sent = requests.size();
      std::vector<Result<Response>> answers;
      if (batch) {
        answers = loop_.run(transport->send_all(std::move(requests)));
      } else {
        answers.push_back(loop_.run(transport->send(std::move(requests.front()))));
      }
      ASSERT_EQ(answers.size(), sent);
      const bool went = answers.front().has_value();
      EXPECT_EQ(server_.requests().size() - before, went ? sent : 0u);
      for (const auto& answer : answers) {
        EXPECT_EQ(answer.has_value(), went);
        if (!answer) expect_not_sent(answer.error());
      }
      (went ? answered : refused) = true;
    }
  }
  EXPECT_TRUE(refused);
  EXPECT_TRUE(answered);
}

TEST_F(RightToWriteTest, WhatWaitedForAConnectionIsNotSent) {
  std::promise<void> answer;
  server_.then([&](HttpExchange& exchange) {
    answer.get_future().wait();
    exchange.reply(200, "{}");
  });
  server_.always(replying(200, "{}"));
  auto transport = this->transport(1);
  auto first = loop_.start(transport->send(request("POST")));
  ASSERT_EQ(server_.wait_requests(1), 1u);
  auto second = loop_.start(transport->send(request("POST")));
  std::vector<Request> more(2, request("POST"));
  auto batch = loop_.start(transport->send_all(std::move(more)));
  // The first has asked three times; each of the others asks once before it waits.
  while (asked_ < 5) std::this_thread::yield();
  may_write_ = false;
  answer.set_value();
  EXPECT_TRUE(first.get()) << "what is on the wire has its answer";
  const auto refused = second.get();
  ASSERT_FALSE(refused);
  expect_not_sent(refused.error());
  for (const auto& each : batch.get()) {
    ASSERT_FALSE(each);
    expect_not_sent(each.error());
  }
  EXPECT_EQ(server_.requests().size(), 1u);
  EXPECT_TRUE(loop_.run(transport->send(get_request("/GET"))));
  EXPECT_EQ(server_.connections(), 1) << "the connection was not spoilt";
}

class OtherToken final : public TokenSource {
 public:
  Result<std::string> current() override { return refreshed_ ? "new" : "old"; }
  void refresh() override { refreshed_ = true; }

 private:
  std::atomic<bool> refreshed_{false};
};

TEST_F(RightToWriteTest, NorIsWhatIsSentAgainWithANewToken) {
  server_.then([this](HttpExchange& exchange) {
    may_write_ = false;
    exchange.reply(401, "{}");
  });
  ClientConfig config;
  config.token = std::make_shared<OtherToken>();
  auto transport = this->transport(1, std::move(config));
  const auto answer = loop_.run(transport->send(request("POST")));
  ASSERT_FALSE(answer);
  expect_not_sent(answer.error());
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(RightToWriteTest, ACallIsNotTriedAgain) {
  server_.then([this](HttpExchange& exchange) {
    may_write_ = false;
    exchange.reply(429, "{}");
  });
  auto transport = this->transport();
  Api api(transport.shared(), system_clock(), system_random());
  const auto posted = loop_.run(api.post("/api/v1/namespaces/default/pods/p/binding", "{}"));
  ASSERT_FALSE(posted);
  expect_not_sent(posted.error());
  EXPECT_EQ(server_.requests().size(), 1u);
  const int asked = asked_;
  EXPECT_FALSE(loop_.run(api.post("/api/v1/namespaces/default/pods/p/binding", "{}")));
  EXPECT_EQ(asked_, asked + 1);
}

}  // namespace
}  // namespace podium::client
