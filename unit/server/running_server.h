// RunningServer: an HttpsServer on a free port of the loopback, with a thread of its own and a few routes.
//
// Owner: a test. Threads: the test's; advance() and close() hand over to the server's.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "async/virtual_time.h"
#include "server/https_server.h"
#include "unit/client/doubles.h"

namespace podium::server {

inline async::Task<Reply> echo(Request request) {
  auto body = co_await request.read_body(5'000);
  Reply out(body                              ? 200
            : body.error().status.code == 413 ? 413
                                              : 408,
            body ? std::move(*body) : body.error().message);
  out.headers.emplace_back("X-Type", request.content_type);
  co_return out;
}

inline async::Task<Reply> answer(Request request) {
  if (request.path == "/echo") co_return co_await echo(std::move(request));
  if (request.path == "/healthz") co_return Reply(200, "ok");
  if (request.path == "/readyz") co_return Reply(500, "not yet");
  if (request.path == "/configz") co_return Reply(200, "{}", "application/json");
  if (request.path == "/large") co_return Reply(200, std::string(3'000'000, 'x'));
  if (request.path == "/who") {
    co_return Reply(200, request.method + " " + request.query + " " + request.authorization + " " +
                             std::to_string(request.certificates->size()));
  }
  co_return Reply(404, "404 page not found\n");
}

// Joins when all coroutines of the server have ended.
class RunningServer {
 public:
  explicit RunningServer(ServerOptions options = {}, Handler handler = answer) {
    options.listen.address = "127.0.0.1";
    options.listen.port = 0;
    server_ = std::make_unique<HttpsServer>(gate_, io_.get_executor(), io_.get_executor(), clock_,
                                            std::move(options), std::move(handler));
    port_ = server_->listen().value();
    thread_ = std::thread([this] {
      async::VirtualTime time;
      time_ = &time;
      io_.run();
    });
  }
  ~RunningServer() {
    close();
    boost::asio::post(io_, [this] { gate_.cancel(); });
    thread_.join();
    EXPECT_EQ(gate_.inside(), 0u);
  }
  void close() {
    boost::asio::post(io_, [this] { server_->close(); });
  }
  // Moves the server's timers, second by second, and lets it do what is due.
  void advance(std::chrono::seconds by) {
    for (; by.count() > 0; by -= std::chrono::seconds(1)) {
      std::promise<void> moved;
      boost::asio::post(io_, [&] {
        const auto end = time_->now() + std::chrono::seconds(1);
        while (time_->now() < end) time_->advance(end - time_->now());
        moved.set_value();
      });
      moved.get_future().wait();
    }
  }
  std::uint16_t port() const { return port_; }
  unit::ManualClock& clock() { return clock_; }

 private:
  async::Gate gate_;
  unit::ManualClock clock_;
  boost::asio::io_context io_;
  std::unique_ptr<HttpsServer> server_;
  std::uint16_t port_ = 0;
  async::VirtualTime* time_ = nullptr;  // the thread's
  std::thread thread_;
};

}  // namespace podium::server
