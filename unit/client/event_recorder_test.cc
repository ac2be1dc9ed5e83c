#include "client/events/event_recorder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <thread>

#include "async/virtual_time.h"
#include "base/clock.h"
#include "base/random.h"
#include "unit/async/virtual_run.h"
#include "unit/client/object_server.h"

namespace podium::client {
namespace {

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

// Notes the sizes of batches.
struct BatchedTransport final : Transport {
  explicit BatchedTransport(std::shared_ptr<Transport> transport) : to(std::move(transport)) {}
  Task<Result<Response>> send(Request request) override { return to->send(std::move(request)); }
  Task<std::vector<Result<Response>>> send_all(std::vector<Request> requests) override {
    batches.push_back(requests.size());
    return to->send_all(std::move(requests));
  }
  Task<Result<std::unique_ptr<Stream>>> open(Request request) override {
    return to->open(std::move(request));
  }
  void close() override { to->close(); }

  const std::shared_ptr<Transport> to;
  std::vector<std::size_t> batches;
};

// A recorder and the thread that it writes on, on virtual time.
struct Recording {
  explicit Recording(std::size_t capacity = 20'000, unsigned writers = 2)
      : recorder(api, none_first, gate, io.get_executor(),
                 {.controller = "default-scheduler",
                  .instance = "host",
                  .capacity = capacity,
                  .writers = writers}) {}
  ~Recording() {
    gate.cancel();
    run();
  }

  void record(const std::string& name, const std::string& note = "n") {
    recorder.record(pod(name), "Normal", "R", "A", note);
  }
  // Until nothing is left to do within the time.
  void run(Steady::duration most = 5min) { unit::run_for(io, time, most); }
  void drain(async::DrainLimits limits = 5s) {
    auto drained = asio::co_spawn(io, recorder.drain(limits), asio::use_future);
    run(limits.all);
    EXPECT_EQ(drained.wait_for(0s), std::future_status::ready);
  }

  async::VirtualTime time;
  asio::io_context io{1};
  async::Gate gate;
  unit::ObjectServer server;
  const std::shared_ptr<BatchedTransport> transport = std::make_shared<BatchedTransport>(server.transport);
  Precedence none_first{time};
  Api api{transport, time, system_random()};
  EventRecorder recorder;
};

using Lines = std::vector<std::string>;

TEST(EventRecorder, WritesWhatIsQueued) {
  Recording r;
  r.recorder.record(pod("a"), "Normal", "Scheduled", "Binding", "one");
  r.recorder.record(pod("b"), "Warning", "FailedScheduling", "Scheduling", "two");
  r.run();
  EXPECT_EQ(seen(r.server), (Lines{"a Scheduled 1", "b FailedScheduling 1"}));
  EXPECT_EQ(r.recorder.written(), 2u);
  EXPECT_EQ(r.recorder.dropped(), 0u);
}

TEST(EventRecorder, RepeatsBecomeASeries) {
  Recording r;
  for (int i = 0; i < 5; ++i) {
    auto regarding = pod("a");
    regarding.resource_version = std::to_string(i);
    r.recorder.record(regarding, "Warning", "FailedScheduling", "Scheduling", "no room");
  }
  r.recorder.record(pod("a"), "Warning", "FailedScheduling", "Scheduling", "another note");
  r.drain();
  EXPECT_EQ(seen(r.server), (Lines{"a FailedScheduling 5", "a FailedScheduling 1"}));
}

TEST(EventRecorder, TheCountOfAQuietSeriesIsWritten) {
  Recording r;
  r.recorder.start();
  r.record("a");
  r.run(1s);
  for (int i = 0; i < 9; ++i) r.record("a");
  r.run(1s);
  EXPECT_EQ(seen(r.server), Lines{"a R 2"});
  r.run(7min);
  EXPECT_EQ(seen(r.server), Lines{"a R 10"});
}

TEST(EventRecorder, AStopWritesTheCountsOfManySeriesTogether) {
  Recording r;
  constexpr int kSeries = 60;
  Lines expected;
  for (int repeat = 0; repeat < 5; ++repeat) {
    for (int i = 0; i < kSeries; ++i) r.record(fmt::format("p{}", 100 + i));
    r.run(1s);
  }
  for (int i = 0; i < kSeries; ++i) expected.push_back(fmt::format("p{} R 5", 100 + i));
  r.transport->batches.clear();
  r.drain();
  EXPECT_EQ(seen(r.server), expected);
  EXPECT_EQ(r.transport->batches, (std::vector<std::size_t>{32, 28}));
  EXPECT_EQ(r.recorder.dropped(), 0u);
}

// One event is gone, and one is refused.
TEST(EventRecorder, ABatchOfCountsCreatesWhatIsGone) {
  Recording r;
  for (const auto* name : {"a", "b", "c"}) r.record(name);
  r.run(1s);
  for (const auto& event : r.server.all("events")) {
    if (event.at("regarding").at("name") == "a")
      r.server.erase("events", "shop", unit::ObjectServer::text(event, "/metadata/name"));
  }
  int refused = 0;
  r.server.on_request = [&](const Request& request) -> std::optional<unit::ObjectServer::Reply> {
    if (request.method != "PATCH" || request.target.find("/b.") == std::string::npos) return std::nullopt;
    ++refused;
    return Response{403, "{}"};
  };
  for (const auto* name : {"a", "b", "c"}) r.record(name);
  r.run(1s);
  EXPECT_EQ(seen(r.server), (Lines{"a R 2", "b R 1", "c R 2"}));
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(r.recorder.dropped(), 1u);
}

TEST(EventRecorder, ASeriesWhoseEventIsForgottenIsCreatedAgain) {
  Recording r;
  r.server.refuse(1, Response{403, R"({"reason":"Forbidden"})"});
  r.record("a");
  r.run();
  EXPECT_EQ(r.recorder.dropped(), 1u);
  r.record("a");
  r.run();
  EXPECT_EQ(seen(r.server), (Lines{"a R 2"}));
}

TEST(EventRecorder, ARepeatBeforeTheFirstIsWrittenIsCreatedWithItsCount) {
  Recording r;
  r.record("a");
  r.record("a");
  r.run();
  EXPECT_EQ(seen(r.server), (Lines{"a R 2"}));
  EXPECT_EQ(r.server.transport->requests().size(), 1u);
}

TEST(EventRecorder, DropsTheOldestWhenItIsFull) {
  Recording r(3);
  for (int i = 0; i < 10; ++i) r.record(fmt::format("p{}", i));
  r.run();
  EXPECT_EQ(seen(r.server), (Lines{"p7 R 1", "p8 R 1", "p9 R 1"}));
  EXPECT_EQ(r.recorder.dropped(), 7u);
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
    Recording r(10, 1);
    r.server.refuse(1, test.refusal);
    r.record("a");
    r.run();
    EXPECT_EQ(seen(r.server), test.seen);
    EXPECT_EQ(r.recorder.dropped(), test.dropped);
  }
}

TEST(EventRecorder, OneOfABatchIsSentAgainAfterItsRetryAfter) {
  Recording r(10, 1);
  std::vector<Steady> sent;
  r.server.on_request = [&](const Request& request) -> std::optional<unit::ObjectServer::Reply> {
    if (request.body.find(R"("uid":"uid-b")") == std::string::npos) return std::nullopt;
    sent.push_back(r.time.now());
    if (sent.size() > 1) return std::nullopt;
    return Response{429, "{}", 3};
  };
  r.record("a");
  r.record("b");
  r.run();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_GE(sent[1] - sent[0], 3s);
  EXPECT_EQ(seen(r.server), (Lines{"a R 1", "b R 1"}));
}

TEST(EventRecorder, GivesUpAfterFiveTries) {
  Recording r;
  r.server.refuse(1'000'000, Response{500, "{}"});
  r.record("a");
  r.run();
  EXPECT_EQ(r.recorder.dropped(), 1u);
  EXPECT_EQ(r.server.transport->requests().size() % 5, 0u);  // Api has tries of its own in each
}

// The next leader tries the pods that wait, and warns again. A binding is announced by this one only.
TEST(EventRecorder, AStopGivesUpWarningsFirst) {
  Recording r(1000, 1);
  r.server.transport->latency = 100ms;
  for (int i = 0; i < 200; ++i)
    r.recorder.record(pod(fmt::format("waits-{}", i)), "Warning", "FailedScheduling", "Scheduling", "n");
  for (int i = 0; i < 3; ++i)
    r.recorder.record(pod(fmt::format("placed-{}", i)), "Normal", "Scheduled", "Binding", "n");
  r.drain({1min, 1s});
  const auto lines = seen(r.server);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(std::ranges::count(lines, fmt::format("placed-{} Scheduled 1", i)), 1);
  EXPECT_GT(r.recorder.dropped(), 0u);
  EXPECT_EQ(lines.size() + r.recorder.dropped(), 203u);
}

TEST(EventRecorder, AStopEndsInTimeWithoutAServer) {
  Recording r(100);
  r.server.refuse(1'000'000, Response{503, "{}"});
  for (int i = 0; i < 10; ++i) r.record(fmt::format("p{}", i));
  r.drain(20ms);
  EXPECT_EQ(r.recorder.written(), 0u);
  r.run();
  EXPECT_EQ(r.recorder.dropped(), 10u);
}

TEST(EventRecorder, TakesEventsFromManyThreadsWhileItWrites) {
  unit::ObjectServer server;
  Api api(server.transport, system_clock(), system_random());
  const Precedence none_first(system_clock());
  async::Gate gate;
  asio::io_context io{1};
  EventRecorder recorder(api, none_first, gate, io.get_executor(), {.controller = "default-scheduler"});
  std::vector<std::thread> recorders;
  std::atomic<bool> recorded{false};
  std::thread writer([&] {
    while (!recorded) io.restart(), io.run_for(1ms);
    io.restart();
    asio::co_spawn(io, recorder.drain(60s), asio::use_future);
    io.run();
  });
  for (int t = 0; t < 4; ++t) {
    recorders.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i)
        recorder.record(pod(fmt::format("p{}-{}", t, i)), "Normal", "R", "A", "n");
    });
  }
  for (auto& thread : recorders) thread.join();
  recorded = true;
  writer.join();
  EXPECT_EQ(server.all("events").size(), 2000u);
  EXPECT_EQ(recorder.written(), 2000u);
  EXPECT_EQ(recorder.dropped(), 0u);
}

TEST(EventRecorderDeathTest, StartsOnce) {
  Recording r;
  r.recorder.start();
  EXPECT_DEATH(r.recorder.start(), "check failed at .*started.*default-scheduler");
}

}  // namespace
}  // namespace podium::client
