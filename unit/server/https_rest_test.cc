// Handlers that wait for something to happen (Request::rest): they hold no slot, and end with their client.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "unit/server/https_client.h"
#include "unit/server/running_server.h"

namespace podium::server {
namespace {

// Replies to "/rest" once it is released or its client has left.
class RestingHandler {
 public:
  Handler handler() {
    return [this](Request request) { return reply(this, std::move(request)); };
  }
  void release() { released_ = true; }
  void wait_for(int requests) const {
    while (resting_ != requests) std::this_thread::yield();
  }
  int ended_early() const { return ended_early_; }

 private:
  static async::Task<Reply> reply(RestingHandler* self, Request request) {
    if (request.path != "/rest") co_return Reply(200, "ok");
    ++self->resting_;
    bool stays = true;
    while (stays && !self->released_) stays = co_await request.rest(std::chrono::seconds(1));
    if (!stays) ++self->ended_early_;
    --self->resting_;
    co_return Reply(200, "rested");
  }
  std::atomic<int> resting_{0}, ended_early_{0};
  std::atomic<bool> released_{false};
};

constexpr auto kGet = "GET /rest HTTP/1.1\r\nHost: l\r\n\r\n";

TEST(HttpsServerRest, HoldsNoSlotOfRequests) {
  RestingHandler resting;
  RunningServer server({.connections = 8, .connections_per_peer = 8}, resting.handler());
  std::vector<std::unique_ptr<HttpsClient>> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(std::make_unique<HttpsClient>(server.port()));
    clients.back()->send(kGet);
    resting.wait_for(i + 1);
  }
  EXPECT_EQ(HttpsClient(server.port()).get("/other"), "200 text/plain; charset=utf-8: ok");
  resting.release();
  server.advance(std::chrono::seconds(2));
  for (auto& client : clients) EXPECT_EQ(client->next_reply(), "200: rested");
  EXPECT_EQ(clients.front()->get("/other"), "200 text/plain; charset=utf-8: ok")
      << "the connection continues";
}

TEST(HttpsServerRest, EndsWithItsClient) {
  RestingHandler resting;
  RunningServer server({}, resting.handler());
  {
    HttpsClient client(server.port());
    client.send(kGet);
    resting.wait_for(1);
  }
  resting.wait_for(0);
  EXPECT_EQ(resting.ended_early(), 1);
}

TEST(HttpsServerRest, EndsWithTheServer) {
  RestingHandler resting;
  RunningServer server({}, resting.handler());
  HttpsClient client(server.port());
  client.send(kGet);
  resting.wait_for(1);
  server.close();
  resting.wait_for(0);
  EXPECT_EQ(resting.ended_early(), 1);
}

TEST(HttpsServerRest, ItsConnectionMakesWayForNewOnes) {
  RestingHandler resting;
  RunningServer server({.connections = 4, .connections_per_peer = 4}, resting.handler());
  std::vector<std::unique_ptr<HttpsClient>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<HttpsClient>(server.port()));
    clients.back()->send(kGet);
    resting.wait_for(i + 1);
  }
  EXPECT_EQ(HttpsClient(server.port()).get("/other"), "200 text/plain; charset=utf-8: ok");
  resting.wait_for(3);
  EXPECT_EQ(resting.ended_early(), 1);
}

}  // namespace
}  // namespace podium::server
