#include "client/observed_transport.h"

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
      return response;
    };
    scripted_->on_open = [](const Request&) -> Result<unit::StreamScript> {
      return unit::StreamScript{.status = 410};
    };
  }
  std::string told() const {
    std::string text;
    for (const auto& [method, status, duration] : told_) {
      text += std::string(text.empty() ? "" : ", ") + method + " " + std::to_string(status) + " " +
              std::to_string(duration / 1s) + "s";
    }
    return text;
  }

  unit::FakeClock clock_;
  std::shared_ptr<unit::ScriptedTransport> scripted_ = std::make_shared<unit::ScriptedTransport>();
  std::vector<std::tuple<std::string, int, std::chrono::nanoseconds>> told_;
  std::shared_ptr<Transport> observed_ = observe(scripted_, clock_, [this](const Exchange& exchange) {
    told_.emplace_back(exchange.method, exchange.status, exchange.duration);
  });
  ClientLoop loop_;
};

TEST_F(ObservedTransportTest, TellsOfEachRequestAndHowItEnded) {
  EXPECT_EQ(loop_.run(observed_->send(request("POST", "/pods")))->status, 201);
  EXPECT_FALSE(loop_.run(observed_->send(request("GET", "/gone"))));
  EXPECT_EQ((*loop_.run(observed_->open(request("GET", "/watch"))))->status(), 410);
  EXPECT_EQ(told(), "POST 201 1s, GET 0 1s, GET 410 0s");
}

TEST_F(ObservedTransportTest, RequestsThatGoTogetherHaveTheTimeOfAll) {
  const auto replies = loop_.run(observed_->send_all({request("POST", "/a"), request("PATCH", "/gone")}));
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_TRUE(replies[0]);
  EXPECT_FALSE(replies[1]);
  EXPECT_EQ(told(), "POST 201 2s, PATCH 0 2s");
}

}  // namespace
}  // namespace podium::client
