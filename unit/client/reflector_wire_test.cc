// A Reflector and the real transport: streams that are cut at every byte, and stop() while a read is pending.
#include <gtest/gtest.h>

#include <thread>

#include "base/clock.h"
#include "base/random.h"
#include "unit/client/reflector_fixture.h"
#include "unit/support/http_script.h"

namespace podium::client::reflector_test {
namespace {

// A Reflector that reads from the server until it stops.
struct Wire {
  explicit Wire(const unit::HttpScript& server)
      : transport(make_transport(context.get_executor(), config_of(server))) {
    script.diary.reflector = &reflector;
  }
  static ClientConfig config_of(const unit::HttpScript& server) {
    ClientConfig config;
    config.server = server.url();
    return config;
  }
  void run(int count) {
    asio::co_spawn(context, reflector.run(), [this](std::exception_ptr) { transport->close(); });
    for (int i = 0; i < count; ++i) threads.emplace_back([this] { context.run(); });
  }
  void join() {
    for (auto& thread : threads) thread.join();
  }

  asio::io_context context;
  std::shared_ptr<Transport> transport;
  Api api{transport, system_clock(), system_random()};
  Script script;
  Reflector reflector{api, script.options, script.diary};
  std::vector<std::thread> threads;
};

TEST(ReflectorOnTheWire, SurvivesCutsAtEveryByteAndStops) {
  const std::string first = event("ADDED", "a", "1", 5) + bookmark(9, true);
  const std::string second = event("MODIFIED", "a", "1", 10);
  for (std::size_t cut = 0; cut <= second.size(); cut += 9) {
    SCOPED_TRACE(cut);
    unit::HttpScript server;
    server.then([&](unit::HttpExchange& exchange) {
      exchange.start_chunks();
      exchange.chunk(first);
      exchange.chunk(second.substr(0, cut));
      exchange.cut();
    });
    server.then(unit::replying(200, R"({"metadata":{"resourceVersion":"10"}})"));
    server.then([&](unit::HttpExchange& exchange) {
      exchange.start_chunks();
      exchange.chunk(second + event("ADDED", "b", "2", 12));
      exchange.wait_closed();
    });
    Wire wire(server);
    wire.script.diary.until = "+b/2";
    wire.run(1);
    wire.join();
    EXPECT_EQ(wire.script.diary.entries, (Lines{"+a/1", "synced", "~a/1", "+b/2"}));
  }
}

TEST(ReflectorOnTheWire, StopsFromAnotherThreadWhileItReads) {
  unit::HttpScript server;
  server.always([](unit::HttpExchange& exchange) {
    exchange.start_chunks();
    exchange.chunk(bookmark(9, true));
    exchange.wait_closed();
  });
  Wire wire(server);
  wire.run(2);
  server.wait_requests(1);
  wire.reflector.stop();
  wire.join();
  EXPECT_LE(wire.script.diary.entries.size(), 1u);
}

}  // namespace
}  // namespace podium::client::reflector_test
