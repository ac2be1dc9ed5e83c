#include "client/events/event_recorder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>

#include "unit/client/object_server.h"

namespace podium::client {
namespace {

const Precedence kNobodyFirst{system_clock()};

namespace asio = boost::asio;
using namespace std::chrono_literals;

// "pod reason count" of the server's events, ordered by name.
std::vector<std::string> seen(const unit::ObjectServer& server) {
  std::vector<std::string> out;
  for (const auto& event : server.all("events")) {
    EXPECT_EQ(event.at("metadata").at("namespace"), "shop");
    const auto* series = event.as_object().if_contains("series");
    out.push_back(fmt::format("{} {} {}", event.at("regarding").at("name").as_string().c_str(),
                              event.at("reason").as_string().c_str(),
                              series ? series->at("count").as_int64() : 1));
  }
  return out;
}

EventRegarding pod(const std::string& name) { return {"v1", "Pod", "shop", name, "uid-" + name, "7"}; }

void drain(EventRecorder& recorder) {
  asio::io_context context;
  asio::co_spawn(context, recorder.run(), asio::detached);
  recorder.stop();
  context.run();
}

using Lines = std::vector<std::string>;

TEST(EventRecorder, WritesWhatIsQueuedWhenStopped) {
  unit::ObjectServer server;
  Api api(server.transport, system_clock(), system_random());
  EventRecorder recorder(api, kNobodyFirst, "default-scheduler", "host");
  recorder.record(pod("a"), "Normal", "Scheduled", "Binding", "one");
  recorder.record(pod("b"), "Warning", "FailedScheduling", "Scheduling", "two");
  drain(recorder);
  EXPECT_EQ(seen(server), (Lines{"a Scheduled 1", "b FailedScheduling 1"}));
  EXPECT_EQ(recorder.written(), 2u);
  EXPECT_EQ(recorder.dropped(), 0u);
}

TEST(EventRecorder, RepeatsBecomeASeries) {
  unit::ObjectServer server;
  Api api(server.transport, system_clock(), system_random());
  EventRecorder recorder(api, kNobodyFirst, "default-scheduler", "host");
  for (int i = 0; i < 5; ++i) {
    auto regarding = pod("a");
    regarding.resource_version = std::to_string(i);
    recorder.record(regarding, "Warning", "FailedScheduling", "Scheduling", "no room");
  }
  recorder.record(pod("a"), "Warning", "FailedScheduling", "Scheduling", "another note");
  drain(recorder);
  EXPECT_EQ(seen(server), (Lines{"a FailedScheduling 5", "a FailedScheduling 1"}));
}

TEST(EventRecorder, ASeriesWhoseEventIsForgottenIsCreatedAnew) {
  unit::ObjectServer server;
  server.refuse(1, Response{403, R"({"reason":"Forbidden"})"});
  Api api(server.transport, system_clock(), system_random());
  EventRecorder recorder(api, kNobodyFirst, "default-scheduler", "host", 100, 1);
  recorder.record(pod("a"), "Normal", "R", "A", "n");
  recorder.record(pod("a"), "Normal", "R", "A", "n");
  drain(recorder);
  EXPECT_EQ(seen(server), (Lines{"a R 2"}));
  EXPECT_EQ(recorder.dropped(), 1u);
}

TEST(EventRecorder, DropsTheOldestWhenItIsFull) {
  unit::ObjectServer server;
  Api api(server.transport, system_clock(), system_random());
  EventRecorder recorder(api, kNobodyFirst, "default-scheduler", "host", 3);
  for (int i = 0; i < 10; ++i) recorder.record(pod(fmt::format("p{}", i)), "Normal", "R", "A", "n");
  drain(recorder);
  EXPECT_EQ(seen(server), (Lines{"p7 R 1", "p8 R 1", "p9 R 1"}));
  EXPECT_EQ(recorder.dropped(), 7u);
}

TEST(EventRecorder, TriesAgainWhatMayPassAndDropsWhatIsRefused) {
  struct Case {
    const char* name;
    Result<Response> refusal;
    Lines seen;
    std::uint64_t dropped;
  };
  const std::vector<Case> cases = {
      {"server away", fail(Error::Kind::unavailable, "refused"), {"a R 1"}, 0},
      {"overloaded", Response{503, "{}"}, {"a R 1"}, 0},
      {"throttled", Response{429, "{}"}, {"a R 1"}, 0},
      {"namespace terminating", Response{403, R"({"reason":"Forbidden"})"}, {}, 1},
      {"invalid", Response{422, R"({"reason":"Invalid"})"}, {}, 1},
      {"already there: an earlier try went through", Response{409, R"({"reason":"AlreadyExists"})"}, {}, 0},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    unit::ObjectServer server;
    server.refuse(1, test.refusal);
    Api api(server.transport, system_clock(), system_random());
    EventRecorder recorder(api, kNobodyFirst, "default-scheduler", "host", 10, 1);
    recorder.record(pod("a"), "Normal", "R", "A", "n");
    drain(recorder);
    EXPECT_EQ(seen(server), test.seen);
    EXPECT_EQ(recorder.dropped(), test.dropped);
  }
}

TEST(EventRecorder, AStopEndsInTimeWithoutAServer) {
  unit::ObjectServer server;
  server.refuse(1'000'000, Response{503, "{}"});
  Api api(server.transport, system_clock(), system_random());
  EventRecorder recorder(api, kNobodyFirst, "default-scheduler", "host", 100, 2, 20ms);
  for (int i = 0; i < 10; ++i) recorder.record(pod(fmt::format("p{}", i)), "Normal", "R", "A", "n");
  drain(recorder);
  EXPECT_EQ(recorder.dropped(), 10u);
  EXPECT_EQ(recorder.written(), 0u);
}

TEST(EventRecorder, TakesEventsFromManyThreadsWhileItWrites) {
  unit::ObjectServer server;
  Api api(server.transport, system_clock(), system_random());
  EventRecorder recorder(api, kNobodyFirst, "default-scheduler", "host");
  asio::io_context context;
  asio::co_spawn(context, recorder.run(), asio::detached);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { context.run(); });
  std::vector<std::thread> recorders;
  for (int t = 0; t < 4; ++t) {
    recorders.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i)
        recorder.record(pod(fmt::format("p{}-{}", t, i)), "Normal", "R", "A", "n");
    });
  }
  for (auto& thread : recorders) thread.join();
  recorder.stop();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(server.all("events").size(), 2000u);
  EXPECT_EQ(recorder.written(), 2000u);
  EXPECT_EQ(recorder.dropped(), 0u);
}

}  // namespace
}  // namespace podium::client
