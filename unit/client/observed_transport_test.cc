#include "client/http/observed_transport.h"

#include <gtest/gtest.h>

#include <map>

#include "unit/client/client_loop.h"
#include "unit/client/doubles.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;

Request request(std::string method, std::string target) {
  Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  return request;
}

// A server that takes a second for each request, and refuses connections to /gone.
class ObservedTransportTest : public testing::Test {
 protected:
  ObservedTransportTest() {
    scripted_->on_send = [this](const Request& request) -> Result<Response> {
      clock_.advance(1s);
      if (request.target == "/gone") return fail(Error::Kind::unavailable, "refused");
      Response response;
      response.status = request.method == "POST" ? 201 : 200;
      response.body = "0123456789";
      return response;
    };
    scripted_->on_open = [](const Request&) -> Result<unit::StreamScript> {
      return unit::StreamScript{.status = 410};
    };
  }
  std::string observed() const {
    std::string text;
    for (const auto& [method, status, duration] : reported_) {
      text += std::string(text.empty() ? "" : ", ") + method + " " + std::to_string(status) + " " +
              std::to_string(duration / 1s) + "s";
    }
    return text;
  }

  unit::ManualClock clock_;
  std::shared_ptr<unit::ScriptedTransport> scripted_ = std::make_shared<unit::ScriptedTransport>();
  std::vector<std::tuple<std::string, int, std::chrono::nanoseconds>> reported_;
  std::vector<std::string> sizes_;  // "5 -> 10"; "-": no size
  std::vector<int> retries_;        // the statuses of the previous tries
  std::shared_ptr<Transport> observed_ = observe(scripted_, clock_, [this](const Exchange& exchange) {
    reported_.emplace_back(exchange.method, exchange.status, exchange.duration);
    const auto text = [](const auto& bytes) { return bytes ? std::to_string(*bytes) : "-"; };
    sizes_.push_back(text(exchange.request_bytes) + " -> " + text(exchange.reply_bytes));
    if (exchange.retries) retries_.push_back(*exchange.retries);
  });
  ClientLoop loop_;
};

TEST_F(ObservedTransportTest, ReportsEachRequestAndHowItEnded) {
  EXPECT_EQ(loop_.run(observed_->send(request("POST", "/pods")))->status, 201);
  EXPECT_FALSE(loop_.run(observed_->send(request("GET", "/gone"))));
  EXPECT_EQ((*loop_.run(observed_->open(request("GET", "/watch"))))->status(), 410);
  EXPECT_EQ(observed(), "POST 201 1s, GET 0 1s, GET 410 0s");
}

TEST_F(ObservedTransportTest, RequestsThatGoTogetherHaveTheTimeOfAll) {
  const auto replies = loop_.run(observed_->send_all({request("POST", "/a"), request("PATCH", "/gone")}));
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_TRUE(replies[0]);
  EXPECT_FALSE(replies[1]);
  EXPECT_EQ(observed(), "POST 201 2s, PATCH 0 2s");
}

TEST_F(ObservedTransportTest, ReportsTheSizesOfBodies) {
  auto post = request("POST", "/pods");
  post.body = "12345";
  EXPECT_TRUE(loop_.run(observed_->send(post)));
  post.target = "/gone";
  EXPECT_FALSE(loop_.run(observed_->send(post)));
  EXPECT_TRUE(loop_.run(observed_->send(request("GET", "/pods"))));
  loop_.run(observed_->send_all({post, request("PATCH", "/a")}));
  EXPECT_TRUE(loop_.run(observed_->open(request("GET", "/watch"))));
  EXPECT_EQ(sizes_,
            (std::vector<std::string>{"5 -> 10", "5 -> -", "0 -> 10", "5 -> -", "0 -> 10", "- -> -"}));
}

TEST_F(ObservedTransportTest, ReportsWhatIsSentAgain) {
  auto again = request("GET", "/pods");
  EXPECT_TRUE(loop_.run(observed_->send(again)));
  for (const int status : {503, 0}) {
    again.retries = status;
    EXPECT_TRUE(loop_.run(observed_->send(again)));
  }
  EXPECT_EQ(retries_, (std::vector<int>{503, 0}));
}

}  // namespace
}  // namespace podium::client
