// PageListener: a browser that leaves while podium's reply is awaited ends the request to podium.
#include "app/kubectl/page_listener.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "async/nap.h"

namespace podium::kubectl {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Replies to /v1/now immediately and to /v1/changes never; counts the requests that it holds.
class WaitingPodium final : public client::Transport {
 public:
  client::Task<Result<client::Response>> send(client::Request request) override {
    if (request.target == "/v1/now") co_return client::Response{200, "now"};
    struct Place {
      explicit Place(int& held) : held(held) { ++held; }
      ~Place() { --held; }
      int& held;
    };
    const Place place(held);
    co_await async::nap(std::chrono::hours(1));
    co_await async::nap(std::chrono::hours(1));  // throws if the request is cancelled
    co_return client::Response{200, "late"};
  }
  client::Task<Result<std::unique_ptr<client::Stream>>> open(client::Request) override {
    co_return fail(Error::Kind::unavailable, "not asked");
  }
  void close() override {}

  int held = 0;
};

struct Proxy {
  Proxy() {
    door.serve_at(port);
    async::spawn(gate, io.get_executor(), "listen", listener.run());
  }
  ~Proxy() {
    listener.stop();
    gate.cancel();
    io.restart();
    io.run();
  }
  // Runs what is due, until the condition holds. False: it does not within the longest time a test may take.
  bool until(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      io.restart();
      io.run_one_for(std::chrono::milliseconds(100));
    }
    return true;
  }
  tcp::socket ask(const std::string& target, const std::string& after = "") {
    tcp::socket socket(io);
    socket.connect({asio::ip::address_v4::loopback(), port});
    const auto text =
        fmt::format("GET /s3cret{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n{}", target, port, after);
    asio::write(socket, asio::buffer(text));
    return socket;
  }
  std::string reply_on(tcp::socket& socket) {
    std::string out;
    bool ended = false;
    asio::async_read(socket, asio::dynamic_buffer(out), [&](error_code, std::size_t) { ended = true; });
    EXPECT_TRUE(until([&] { return ended; }));
    return out;
  }

  asio::io_context io;
  std::shared_ptr<WaitingPodium> podium = std::make_shared<WaitingPodium>();
  async::Gate gate;
  PageDoor door{podium, "s3cret"};
  PageListener listener{io.get_executor(), door, gate};
  std::uint16_t port = listener.listen(0).value();
};

TEST(PageListener, EndsTheRequestsOfABrowserThatLeaves) {
  Proxy proxy;
  std::vector<tcp::socket> views;
  for (int i = 0; i < 8; ++i) {
    views.push_back(proxy.ask("/v1/changes"));
    ASSERT_TRUE(proxy.until([&] { return proxy.podium->held == i + 1; }));
  }
  views[0].close();  // a reset follows, or an end of stream
  ASSERT_TRUE(proxy.until([&] { return proxy.podium->held == 7; }));
  views[1].set_option(asio::socket_base::linger(true, 0));
  views[1].close();
  ASSERT_TRUE(proxy.until([&] { return proxy.podium->held == 6; }));
  for (auto& view : views) {
    error_code ignored;
    view.close(ignored);
  }
  EXPECT_TRUE(proxy.until([&] { return proxy.podium->held == 0; }));
  EXPECT_TRUE(proxy.until([&] { return proxy.gate.inside() == 1; })) << "the listener alone is left";
}

TEST(PageListener, AnswersABrowserThatStays) {
  Proxy proxy;
  auto waits = proxy.ask("/v1/changes");
  ASSERT_TRUE(proxy.until([&] { return proxy.podium->held == 1; }));
  auto asks = proxy.ask("/v1/now");
  EXPECT_TRUE(proxy.reply_on(asks).ends_with("\r\n\r\nnow"));
  EXPECT_EQ(proxy.podium->held, 1) << "the end of one request does not end the other";
}

TEST(PageListener, KeepsTheRequestOfABrowserThatSendsMore) {
  Proxy proxy;
  auto waits = proxy.ask("/v1/changes");
  ASSERT_TRUE(proxy.until([&] { return proxy.podium->held == 1; }));
  asio::write(waits, asio::buffer("more", 4));
  auto asks = proxy.ask("/v1/now");  // arrives later
  EXPECT_TRUE(proxy.reply_on(asks).ends_with("now"));
  EXPECT_EQ(proxy.podium->held, 1);
}

TEST(PageListener, AnEndlessChunkExtensionOrTrailerEndsTheConnection) {
  Proxy proxy;
  for (const std::string begin : {"1;", "0\r\nx: "}) {
    SCOPED_TRACE(begin);
    tcp::socket socket(proxy.io);
    socket.connect({asio::ip::address_v4::loopback(), proxy.port});
    asio::write(socket,
                asio::buffer("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + begin));
    bool ended = false;
    const std::string megabytes(32 * 1024 * 1024, 'a');
    asio::async_write(socket, asio::buffer(megabytes),
                      [&](error_code error, std::size_t) { ended = !!error; });
    EXPECT_TRUE(proxy.until([&] { return ended; }));
  }
}

TEST(PageListener, ClosesTheOldestSilentConnectionIfAllAreTaken) {
  Proxy proxy;
  auto waits = proxy.ask("/v1/changes");
  ASSERT_TRUE(proxy.until([&] { return proxy.podium->held == 1; }));
  std::vector<tcp::socket> silent;
  for (std::size_t i = 0; i < 2 * PageListener::kConnections; ++i) {
    silent.emplace_back(proxy.io).connect({asio::ip::address_v4::loopback(), proxy.port});
    proxy.io.restart();
    proxy.io.poll();
  }
  auto asks = proxy.ask("/v1/now");
  EXPECT_TRUE(proxy.reply_on(asks).ends_with("\r\n\r\nnow"));
  EXPECT_EQ(proxy.podium->held, 1) << "a request that is answered is not one of them";
}

TEST(PageListener, EndsAllWithItsGate) {
  Proxy proxy;
  auto waits = proxy.ask("/v1/changes");
  ASSERT_TRUE(proxy.until([&] { return proxy.podium->held == 1; }));
  proxy.listener.stop();
  proxy.gate.cancel();
  EXPECT_TRUE(proxy.until([&] { return proxy.gate.inside() == 0 && proxy.podium->held == 0; }));
}

}  // namespace
}  // namespace podium::kubectl
