// Writers: workers run only while an item is ready; nothing polls.
#include "async/writers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <map>
#include <thread>

#include "async/nap.h"
#include "base/clock.h"
#include "base/random.h"

namespace podium::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using Strings = std::vector<std::string>;
using W = Writers<std::string>;

struct NoJitter final : Random {
  std::uint64_t next() override { return 0; }
};

WritersOptions options(unsigned workers = 2, std::size_t concurrent = 1) {
  WritersOptions made;
  made.name = "test";
  made.workers = workers;
  made.most_in_batch = concurrent;
  made.queue.item = made.queue.of_namespace = made.queue.all = {1ms, 4ms};
  return made;
}

struct Writing {
  explicit Writing(WritersOptions options = async::options())
      : writers(std::move(options), system_clock(), random, gate, io.get_executor(),
                [this](std::vector<W::Item>& batch) { return write(this, &batch); }) {}
  ~Writing() {
    gate.cancel();
    io.restart();
    io.run();
  }

  static Task<void> write(Writing* self, std::vector<W::Item>* batch) {
    self->most_concurrent = std::max(self->most_concurrent, ++self->concurrent);
    if (self->takes.count() > 0) co_await nap(self->takes);
    --self->concurrent;
    for (const auto& key : std::exchange(self->arriving, {})) self->push(key);
    if (self->fills) self->writers.fill(*batch);
    self->batches.push_back(batch->size());
    for (auto& item : *batch) {
      self->tried.push_back(item.value);
      if (const auto it = self->fails.find(item.key); it != self->fails.end() && it->second.first-- > 0) {
        item.outcome = it->second.second;
      } else {
        self->written.push_back(item.value);
      }
    }
  }
  void push(const std::string& key) { writers.push(key.substr(0, 1), key, key); }
  void run() {
    io.restart();
    io.run();
  }
  void drain(DrainLimits limits, W::IsMinor is_minor = {}) {
    auto done = asio::co_spawn(io, writers.drain(limits, std::move(is_minor)), asio::use_future);
    io.restart();
    while (done.wait_for(0s) != std::future_status::ready) io.run_one();
  }

  NoJitter random;
  asio::io_context io;
  Gate gate;
  std::chrono::milliseconds takes{0};
  std::map<std::string, std::pair<int, Outcome>> fails;  // by key: how often, and how
  bool fills = false;
  Strings arriving;  // pushed while the next batch waits
  Strings tried, written;
  std::vector<std::size_t> batches;  // their sizes
  int concurrent = 0, most_concurrent = 0;
  W writers;
};

TEST(Writers, WriteWhatIsPushedAndLeaveTheGateEmpty) {
  Writing w;
  for (const char* key : {"a1", "a2", "b1"}) w.push(key);
  w.run();
  EXPECT_THAT(w.written, testing::UnorderedElementsAre("a1", "a2", "b1"));
  EXPECT_EQ(w.writers.counts().done, 3u);
  EXPECT_EQ(w.gate.inside(), 0u);
}

TEST(Writers, RunAsManyConcurrentlyAsAllowed) {
  Writing w(options(3));
  w.takes = 2ms;
  for (int i = 0; i < 12; ++i) w.push("a" + std::to_string(i));
  w.run();
  EXPECT_EQ(w.most_concurrent, 3);
  EXPECT_EQ(w.written.size(), 12u);
}

TEST(Writers, HandOutBatches) {
  Writing w(options(1, 8));
  for (int i = 0; i < 12; ++i) w.push("a" + std::to_string(i));
  int batches = 0;
  w.takes = 1ms;
  while (w.written.size() < 12) {
    const auto before = w.written.size();
    w.io.run_one();
    if (w.written.size() > before) ++batches;
  }
  EXPECT_EQ(batches, 2);
}

TEST(Writers, FillABatchThatHasWaited) {
  Writing w(options(1, 3));
  w.fills = true;
  w.takes = 1ms;
  w.arriving = {"b1", "a1", "c1", "d1"};  // a1 is in progress, and written again
  w.push("a1");
  w.run();
  EXPECT_THAT(w.batches, testing::ElementsAre(3, 2));
  EXPECT_THAT(w.written, testing::UnorderedElementsAre("a1", "b1", "c1", "a1", "d1"));
  EXPECT_EQ(w.writers.counts().done, 5u);
}

TEST(Writers, TryAgainAfterTheBackoff) {
  Writing w;
  w.fails = {
      {"a1", {3, Outcome::retry}}, {"b1", {2, Outcome::retry_namespace}}, {"c1", {1, Outcome::retry_all}}};
  for (const char* key : {"a1", "b1", "b2", "c1", "d1"}) w.push(key);
  w.run();
  EXPECT_THAT(w.written, testing::UnorderedElementsAre("a1", "b1", "b2", "c1", "d1"));
  EXPECT_EQ(w.tried.size(), 11u);
  EXPECT_EQ(w.gate.inside(), 0u);
}

TEST(Writers, APushIntoAHeldNamespaceIsWrittenWhenItOpens) {
  auto slow = options();
  slow.queue.of_namespace = {20ms, 20ms};
  Writing w(slow);
  w.fails = {{"a1", {1, Outcome::retry_namespace}}};
  w.push("a1");
  while (w.tried.empty()) w.io.run_one();
  w.writers.forget("a1");
  w.push("a2");
  w.run();
  EXPECT_THAT(w.written, testing::ElementsAre("a2"));
}

TEST(Writers, AnEarlierBackoffWakesTheSleeper) {
  auto mixed = options(1);
  mixed.queue.of_namespace = {1h, 1h};
  Writing w(mixed);
  w.fails = {{"a1", {1, Outcome::retry_namespace}}, {"b1", {1, Outcome::retry}}};
  w.push("a1");
  while (w.tried.empty()) w.io.run_one();
  w.io.poll();  // sleeps for an hour
  w.push("b1");
  while (w.written.empty()) w.io.run_one();
  EXPECT_EQ(w.written, Strings{"b1"});
  EXPECT_EQ(w.gate.inside(), 1u) << "the sleeper alone";
}

TEST(Writers, DrainWritesWhatIsThereWithoutBackoffs) {
  auto long_backoff = options(2);
  long_backoff.queue.item = {1h, 1h};
  Writing w(long_backoff);
  w.fails = {{"a1", {1, Outcome::retry}}, {"b1", {9, Outcome::retry}}};
  for (const char* key : {"a1", "b1"}) w.push(key);
  while (w.tried.size() < 2) w.io.run_one();
  w.io.poll();
  w.push("c1");
  w.drain(1h);
  EXPECT_THAT(w.written, testing::UnorderedElementsAre("a1", "c1"));
  EXPECT_EQ(w.writers.counts().dropped, 1u) << "b1 is not tried for ever";
  EXPECT_EQ(w.writers.push("d", "d1", "d1"), W::Pushed::refused);
  EXPECT_EQ(w.writers.counts().dropped, 2u);
  w.run();
  EXPECT_EQ(w.gate.inside(), 0u);
}

TEST(Writers, DrainEndsAtItsDeadline) {
  Writing w(options(1));
  w.takes = 1h;
  for (const char* key : {"a1", "a2", "a3"}) w.push(key);
  w.drain(5ms);
  EXPECT_EQ(w.written, Strings());
  EXPECT_EQ(w.writers.counts().dropped, 2u);
  EXPECT_EQ(w.writers.counts().busy, 1u);
}

TEST(Writers, DrainGivesUpMinorValuesFirst) {
  Writing w(options(1));
  w.takes = 1ms;
  for (int i = 0; i < 300; ++i) w.push("a minor " + std::to_string(i));
  for (const char* key : {"a1", "a2", "a3"}) w.push(key);
  w.drain({1h, 20ms}, [](const std::string& value) { return value.contains("minor"); });
  EXPECT_THAT(w.written, testing::IsSupersetOf({"a1", "a2", "a3"}));
  EXPECT_THAT(w.written, testing::Contains("a minor 0"));
  const auto counts = w.writers.counts();
  EXPECT_GT(counts.dropped, 0u);
  EXPECT_EQ(counts.done + counts.dropped, 303u);
  EXPECT_EQ(w.writers.push("d", "d1", "d1"), W::Pushed::refused);
}

TEST(Writers, DrainOfMinorValuesEndsWithTheLastOne) {
  Writing w;
  for (const char* key : {"a1", "a2", "a3"}) w.push(key);
  w.drain({1h, 30min}, [](const std::string&) { return true; });
  EXPECT_EQ(w.written.size(), 3u);
  EXPECT_EQ(w.writers.counts().dropped, 0u);
}

TEST(Writers, DrainOfNothingReturnsImmediately) {
  Writing w;
  w.drain(1h);
  EXPECT_EQ(w.writers.counts().dropped, 0u);
}

TEST(Writers, AClosedGateStartsNothing) {
  Writing w;
  w.gate.close();
  w.push("a1");
  w.run();
  EXPECT_EQ(w.written, Strings());
  EXPECT_EQ(w.writers.counts().waiting, 1u);
}

// Producers on several threads; the newest value of each key is written.
TEST(Writers, TakePushesFromAnyThread) {
  constexpr int kThreads = 4, kKeys = 8, kRounds = 300;
  struct Newest {
    static Task<void> write(std::map<std::string, int>* newest, std::vector<Writers<int>::Item>* batch) {
      for (auto& item : *batch) {
        (*newest)[item.key] = item.value;
        if (item.tries == 0 && item.value % 7 == 0) item.outcome = Outcome::retry;
      }
      co_return;
    }
  };
  std::map<std::string, int> newest;
  NoJitter random;
  asio::io_context io;
  auto work = asio::make_work_guard(io);
  Gate gate;
  Writers<int> writers(
      options(3, 4), system_clock(), random, gate, io.get_executor(),
      [&](std::vector<Writers<int>::Item>& batch) { return Newest::write(&newest, &batch); });
  std::jthread runs([&] { io.run(); });
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, ns = std::to_string(thread)] {
        for (int round = 1; round <= kRounds; ++round) {
          for (int key = 0; key < kKeys; ++key)
            writers.push(ns, ns + "/" + std::to_string(key), int{round}, key % 2);
        }
      });
    }
  }
  asio::co_spawn(io, writers.drain(1h), asio::use_future).get();
  work.reset();
  runs.join();
  EXPECT_EQ(newest.size(), std::size_t{kThreads * kKeys});
  for (const auto& [key, value] : newest) EXPECT_EQ(value, kRounds) << key;
  EXPECT_EQ(gate.inside(), 0u);
}

}  // namespace
}  // namespace podium::async
