// A Reflector and the real transport: streams that are cut at every byte, and stop() while a read is pending.
#include <gtest/gtest.h>

#include <thread>

#include "unit/client/reflector_fixture.h"
#include "unit/support/http_script.h"

namespace podium::client::reflector_test {
namespace {

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
    asio::io_context context;
    ClientConfig config;
    config.server = server.url();
    auto transport = make_transport(context.get_executor(), config);
    Api api(transport, system_clock(), system_random());
    Script run;
    Reflector reflector(api, run.options, run.diary);
    run.diary.reflector = &reflector;
    run.diary.until = "+b/2";
    asio::co_spawn(context, reflector.run(), [&](std::exception_ptr) { transport->close(); });
    std::thread thread([&] { context.run(); });
    thread.join();
    EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "synced", "~a/1", "+b/2"}));
  }
}

TEST(ReflectorOnTheWire, StopsFromAnotherThreadWhileItReads) {
  unit::HttpScript server;
  server.always([](unit::HttpExchange& exchange) {
    exchange.start_chunks();
    exchange.chunk(bookmark(9, true));
    exchange.wait_closed();
  });
  asio::io_context context;
  ClientConfig config;
  config.server = server.url();
  auto transport = make_transport(context.get_executor(), config);
  Api api(transport, system_clock(), system_random());
  Script run;
  Reflector reflector(api, run.options, run.diary);
  asio::co_spawn(context, reflector.run(), [&](std::exception_ptr) { transport->close(); });
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { context.run(); });
  server.wait_requests(1);
  reflector.stop();
  for (auto& thread : threads) thread.join();
  EXPECT_LE(run.diary.entries.size(), 1u);
}

}  // namespace
}  // namespace podium::client::reflector_test
