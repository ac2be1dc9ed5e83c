// HttpsServer under a crowd: idle and silent connections, slow requests, and free slots for probes.
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "unit/server/https_client.h"
#include "unit/server/running_server.h"

namespace podium::server {
namespace {

// Connections that send nothing; some have not finished their handshake.
class IdleConnections {
 public:
  IdleConnections(std::uint16_t port, int count) {
    for (int i = 0; i < count; ++i) {
      if (i % 2 == 0) {
        shaken_.push_back(std::make_unique<HttpsClient>(port));
      } else {
        raw_.emplace_back(io_);
        raw_.back().connect({asio::ip::make_address("127.0.0.1"), port});
      }
    }
  }

 private:
  asio::io_context io_;
  std::vector<std::unique_ptr<HttpsClient>> shaken_;
  std::vector<tcp::socket> raw_;
};

TEST(HttpsServer, IdleConnectionsDoNotSilenceProbes) {
  RunningServer server;
  const IdleConnections idle(server.port(), 150);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(HttpsClient(server.port()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
}

// A handler whose replies to "/slow" wait until they are released.
class SlowHandler {
 public:
  Handler handler() {
    return [this](Request request) { return reply(this, std::move(request)); };
  }
  void release() { released_ = true; }
  void wait_for(int requests) const {
    while (waiting_ < requests) std::this_thread::yield();
  }

 private:
  static async::Task<Reply> reply(SlowHandler* self, Request request) {
    if (request.path != "/slow") co_return Reply(200, "ok");
    ++self->waiting_;
    const auto executor = co_await asio::this_coro::executor;
    while (!self->released_) co_await asio::post(executor, asio::use_awaitable);
    co_return Reply(200, "done");
  }
  std::atomic<int> waiting_{0};
  std::atomic<bool> released_{false};
};

TEST(HttpsServer, SlowRequestsLeaveRoomForProbes) {
  SlowHandler slow;
  RunningServer server({.connections = 8, .connections_per_peer = 8, .probes = {"/healthz"}}, slow.handler());
  std::vector<std::future<std::string>> replies;
  for (int i = 0; i < 2; ++i) {
    replies.push_back(
        std::async(std::launch::async, [&] { return HttpsClient(server.port()).get("/slow"); }));
  }
  slow.wait_for(2);
  EXPECT_EQ(HttpsClient(server.port()).get("/slow"),
            "503 text/plain; charset=utf-8: too many requests in progress\n");
  EXPECT_EQ(HttpsClient(server.port()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
  slow.release();
  for (auto& reply : replies) EXPECT_EQ(reply.get(), "200 text/plain; charset=utf-8: done");
  EXPECT_EQ(HttpsClient(server.port()).get("/slow"), "200 text/plain; charset=utf-8: done");
}

// Clients of one address that ask for much and read nothing.
std::vector<std::unique_ptr<HttpsClient>> deaf_crowd(std::uint16_t port, int count) {
  std::vector<std::unique_ptr<HttpsClient>> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(std::make_unique<HttpsClient>(port));
    for (int j = 0; j < 20; ++j) out.back()->send("GET /large HTTP/1.1\r\nHost: l\r\n\r\n");
  }
  return out;
}

TEST(HttpsServer, WhoDoesNotReadTakesNoSlotOfOthers) {
  RunningServer server({.probes = {"/healthz"}});
  const auto deaf = deaf_crowd(server.port(), 40);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(HttpsClient(server.port()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
    EXPECT_EQ(HttpsClient(server.port()).get("/configz"), "200 application/json: {}");
  }
}

TEST(HttpsServer, WhoOwesABodyThatIsNotReadTakesNoSlotOfOthers) {
  RunningServer server({.probes = {"/healthz"}});
  std::vector<std::unique_ptr<HttpsClient>> owing;
  for (int i = 0; i < 40; ++i) {
    owing.push_back(std::make_unique<HttpsClient>(server.port()));
    owing.back()->send("POST /healthz HTTP/1.1\r\nHost: l\r\nContent-Length: 10\r\n\r\n");
  }
  EXPECT_EQ(HttpsClient(server.port()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
  EXPECT_EQ(HttpsClient(server.port()).get("/configz"), "200 application/json: {}");
}

TEST(HttpsServer, BodiesInProgressTakeNoSlotOfOthers) {
  RunningServer server({.connections = 32, .connections_per_peer = 16});
  std::vector<std::unique_ptr<HttpsClient>> slow;
  for (int i = 0; i < 12; ++i) {
    slow.push_back(std::make_unique<HttpsClient>(server.port()));
    slow.back()->send("POST /echo HTTP/1.1\r\nHost: l\r\nContent-Length: 10\r\n\r\n12345");
  }
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(HttpsClient(server.port()).get("/configz"), "200 application/json: {}");
  int answered = 0, refused = 0;
  for (auto& one : slow) {
    one->send("67890");
    const auto reply = one->next_reply();
    answered += reply == "200: 1234567890";
    refused += reply.starts_with("408");
  }
  EXPECT_EQ(answered, 6) << "the share of an address";
  EXPECT_EQ(refused, 6);
}

TEST(HttpsServer, ConnectionsThatSendNothingEnd) {
  RunningServer server;
  asio::io_context io;
  tcp::socket silent(io);
  silent.connect({asio::ip::make_address("127.0.0.1"), server.port()});
  HttpsClient idle(server.port());
  ASSERT_EQ(idle.get("/healthz"), "200 text/plain; charset=utf-8: ok");
  server.advance(std::chrono::seconds(11));  // longer than a handshake may take
  char byte = 0;
  error_code ended;
  silent.read_some(asio::buffer(&byte, 1), ended);
  EXPECT_EQ(ended, asio::error::eof);
  EXPECT_EQ(idle.get("/healthz"), "200 text/plain; charset=utf-8: ok") << "it may be idle for a minute";
  server.advance(std::chrono::seconds(61));
  EXPECT_TRUE(idle.read_unasked());
}

TEST(HttpsServer, AHandlerMayTakeLongerThanAStep) {
  SlowHandler slow;
  RunningServer server({}, slow.handler());
  auto reply = std::async(std::launch::async, [&] { return HttpsClient(server.port()).get("/slow"); });
  slow.wait_for(1);
  server.advance(std::chrono::seconds(30));
  slow.release();
  EXPECT_EQ(reply.get(), "200 text/plain; charset=utf-8: done");
}

}  // namespace
}  // namespace podium::server
