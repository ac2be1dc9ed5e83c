// FairQueue: bounds, fairness between namespaces, separate backoffs.
#include "async/fair_queue.h"
#include "base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace podium {
namespace {

using namespace std::chrono_literals;
using async::FairQueue, async::FairQueueOptions, async::Outcome;
using Strings = std::vector<std::string>;

// No jitter: backoffs have their full length.
struct NoJitter final : Random {
  std::uint64_t next() override { return 0; }
};

struct Text {
  std::string text, extra;
  void replaces(Text&& old) {
    if (extra.empty()) extra = std::move(old.extra);
  }
};

// A queue with a manual clock. Item "a/x" is in namespace a.
struct Queue {
  explicit Queue(FairQueueOptions options = {}) : queue(options, random) {}

  using Pushed = FairQueue<Text>::Pushed;
  Pushed push(const std::string& key, unsigned lane = 0, Text text = {}) {
    if (text.text.empty()) text.text = key;
    return queue.push(key.substr(0, key.find('/')), key, std::move(text), lane, now);
  }
  void push_all(const Strings& keys, unsigned lane = 0) {
    for (const auto& key : keys) push(key, lane);
  }
  // Takes items and leaves them in progress.
  Strings take(std::size_t most = 1'000) {
    Strings out;
    for (auto& item : queue.take(now, most)) {
      out.push_back(item.value.text);
      taken.push_back(std::move(item));
    }
    return out;
  }
  // Finishes the oldest item in progress.
  void end(Outcome outcome = Outcome::done, std::chrono::milliseconds at_least = 0ms) {
    auto item = std::move(taken.front());
    taken.erase(taken.begin());
    item.outcome = outcome;
    item.at_least = at_least;
    queue.finish(std::move(item), now);
  }
  void end_all(Outcome outcome = Outcome::done) {
    while (!taken.empty()) end(outcome);
  }
  // Takes and finishes one item at a time.
  Strings work(std::size_t most = 1'000) {
    Strings out;
    while (out.size() < most) {
      const auto one = take(1);
      if (one.empty()) break;
      out.push_back(one[0]);
      end();
    }
    return out;
  }
  std::optional<std::chrono::milliseconds> ready_in() const {
    const auto at = queue.next_ready();
    if (!at) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::milliseconds>(*at - now);
  }

  Steady now{1h};
  NoJitter random;
  FairQueue<Text> queue;
  std::vector<FairQueue<Text>::Taken> taken;
};

FairQueueOptions with_backoffs() {
  FairQueueOptions options;
  options.item = {100ms, 1s};
  options.of_namespace = {1s, 10s};
  options.all = {2s, 8s};
  return options;
}

TEST(FairQueue, GoesRoundByNamespaceOldestFirst) {
  Queue q;
  q.push_all({"a/1", "a/2", "a/3", "b/1", "c/1", "c/2"});
  EXPECT_EQ(q.take(), (Strings{"a/1", "b/1", "c/1", "a/2", "c/2", "a/3"}));
  EXPECT_EQ(q.queue.waiting(), 0u);
  EXPECT_EQ(q.queue.busy(), 6u);
  q.end_all();
  EXPECT_EQ(q.queue.namespaces(), 0u);
  EXPECT_EQ(q.queue.done(), 6u);
}

TEST(FairQueue, ABatchHasAtMostWhatWasAskedFor) {
  Queue q;
  q.push_all({"a/1", "a/2", "b/1"});
  EXPECT_EQ(q.take(2), (Strings{"a/1", "b/1"}));
  EXPECT_EQ(q.take(2), (Strings{"a/2"}));
  EXPECT_EQ(q.take(2), Strings());
}

TEST(FairQueue, ANewerValueKeepsThePlaceAndMayTakeOver) {
  Queue q;
  q.push("a/1", 0, {"old", "kept"});
  q.push("a/2");
  EXPECT_EQ(q.push("a/1", 0, {"new", ""}), Queue::Pushed::replaced);
  EXPECT_EQ(q.queue.waiting(), 2u);
  EXPECT_EQ(q.take(), (Strings{"new", "a/2"}));
  EXPECT_EQ(q.taken[0].value.extra, "kept");
}

TEST(FairQueue, TheNextValueOfAKeyInFlightWaits) {
  Queue q;
  q.push("a/1", 0, {"first", ""});
  EXPECT_EQ(q.take(), Strings{"first"});
  EXPECT_FALSE(q.queue.contains("a/1"));
  EXPECT_EQ(q.push("a/1", 0, {"second", ""}), Queue::Pushed::queued);
  EXPECT_EQ(q.push("a/1", 0, {"third", ""}), Queue::Pushed::replaced);
  EXPECT_TRUE(q.queue.contains("a/1"));
  EXPECT_EQ(q.take(), Strings());
  EXPECT_EQ(q.ready_in(), std::nullopt);
  q.end();
  EXPECT_EQ(q.take(), Strings{"third"});
  q.end();
  EXPECT_EQ(q.queue.namespaces(), 0u);
}

TEST(FairQueue, LaneOneHasATurnInSome) {
  FairQueueOptions options;
  options.lower_lanes_every = 4;
  Queue q(options);
  q.push_all({"a/r1", "a/r2", "a/r3"}, 1);
  q.push_all({"a/1", "a/2", "a/3", "b/4", "b/5", "b/6"});
  EXPECT_EQ(q.take(), (Strings{"a/1", "b/4", "a/2", "a/r1", "b/5", "a/3", "b/6", "a/r2", "a/r3"}));
}

// However much comes in on the first lane, each other one is served.
TEST(FairQueue, NoLaneStarves) {
  FairQueueOptions options;
  options.lower_lanes_every = 3;
  Queue q(options);
  q.push_all({"a/r1", "a/r2"}, 2);
  q.push_all({"a/p1", "a/p2", "a/p3", "a/p4"}, 1);
  q.push_all({"b/1", "b/2", "b/3", "b/4", "b/5", "b/6", "b/7", "b/8", "b/9"});
  EXPECT_EQ(q.take(), (Strings{"b/1", "b/2", "a/p1", "b/3", "b/4", "a/p2", "b/5", "b/6", "a/r1", "b/7", "b/8",
                               "a/p3", "b/9", "a/p4", "a/r2"}));
}

TEST(FairQueue, ANewerValueMovesToTheBetterLaneNotToTheWorse) {
  Queue q;
  q.push_all({"a/1", "a/2"}, 1);
  q.push("b/1", 0);
  q.push("a/2", 0, {"moved", ""});
  q.push("b/1", 1, {"stays", ""});
  EXPECT_EQ(q.take(), (Strings{"stays", "moved", "a/1"}));
}

TEST(FairQueue, AFailedItemWaitsForItsOwnBackoffOnly) {
  Queue q(with_backoffs());
  q.push_all({"a/1", "a/2"});
  q.take(1);
  q.end(Outcome::retry);
  EXPECT_EQ(q.work(), Strings{"a/2"});
  EXPECT_EQ(q.ready_in(), 100ms);
  q.now += 100ms;
  for (const auto wait : {200ms, 400ms, 800ms, 1'000ms, 1'000ms}) {
    EXPECT_EQ(q.take(), Strings{"a/1"});
    q.end(Outcome::retry);
    EXPECT_EQ(q.ready_in(), wait);
    EXPECT_EQ(q.take(), Strings());
    q.now += wait;
  }
  EXPECT_EQ(q.take(), Strings{"a/1"});
  EXPECT_EQ(q.taken[0].tries, 6u);
}

TEST(FairQueue, TheServersRetryAfterCountsWithinTheLongest) {
  Queue q(with_backoffs());
  q.push("a/1");
  q.take();
  q.end(Outcome::retry, 300ms);
  EXPECT_EQ(q.ready_in(), 300ms);
  q.now += 300ms;
  q.take();
  q.end(Outcome::retry, 1h);
  EXPECT_EQ(q.ready_in(), 1s);
}

TEST(FairQueue, ARetryAfterCountsEvenIfAnotherItemEndsTheBackoff) {
  for (const auto outcome : {Outcome::retry, Outcome::retry_namespace, Outcome::retry_all}) {
    Queue q(with_backoffs());
    q.push_all({"a/1", "a/2"});
    q.take();
    q.end(outcome, 300ms);
    q.end();
    EXPECT_EQ(q.take(), Strings{});
    q.now += 300ms;
    EXPECT_EQ(q.take(), Strings{"a/1"});
  }
}

TEST(FairQueue, ANamespaceThatIsRefusedHoldsUpNoOther) {
  Queue q(with_backoffs());
  q.push_all({"a/1", "a/2", "a/3", "b/1", "b/2"});
  EXPECT_EQ(q.take(3), (Strings{"a/1", "b/1", "a/2"}));
  q.end(Outcome::retry_namespace);
  q.end(Outcome::done);
  q.end(Outcome::retry_namespace);  // failed with the first
  EXPECT_EQ(q.work(), Strings{"b/2"});
  EXPECT_EQ(q.ready_in(), 1s);
  q.now += 1s;
  EXPECT_EQ(q.take(), Strings{"a/1"}) << "one goes ahead";
  EXPECT_EQ(q.ready_in(), std::nullopt);
  q.push("b/3");
  EXPECT_EQ(q.take(), Strings{"b/3"});
  q.end(Outcome::retry_namespace);
  EXPECT_EQ(q.ready_in(), 2s);
  q.end();
  q.now += 2s;
  EXPECT_EQ(q.take(), Strings{"a/1"});
  q.end();
  EXPECT_EQ(q.take(), (Strings{"a/2", "a/3"})) << "it has succeeded, the others follow";
}

TEST(FairQueue, ANamespacesBackoffIsKeptWhileNothingWaits) {
  Queue q(with_backoffs());
  q.push("a/1");
  q.take();
  q.end(Outcome::retry_namespace);
  q.queue.forget("a/1");
  q.push("a/2");
  EXPECT_EQ(q.take(), Strings());
  EXPECT_EQ(q.ready_in(), 1s);
  q.queue.forget("a/2");
  q.now += 1s;
  q.take();
  EXPECT_EQ(q.queue.namespaces(), 0u);
}

TEST(FairQueue, WhatConcernsEverythingPausesEverything) {
  Queue q(with_backoffs());
  q.push_all({"a/1", "b/1", "c/1"});
  EXPECT_EQ(q.take(2), (Strings{"a/1", "b/1"}));
  q.end(Outcome::retry_all);
  q.end(Outcome::retry_all);
  EXPECT_EQ(q.take(), Strings());
  EXPECT_EQ(q.ready_in(), 2s);
  q.now += 2s;
  EXPECT_EQ(q.take().size(), 1u) << "one goes ahead";
  EXPECT_EQ(q.take(), Strings());
  q.end(Outcome::retry_all);
  EXPECT_EQ(q.ready_in(), 4s);
  q.now += 4s;
  q.take();
  q.end();
  EXPECT_EQ(q.take().size(), 2u);
}

TEST(FairQueue, ARefusedItemEndsAPause) {
  Queue q(with_backoffs());
  q.push_all({"a/1", "a/2"});
  q.take();
  q.end(Outcome::retry_all);
  q.end(Outcome::failed);
  EXPECT_EQ(q.take(), Strings{"a/1"}) << "the server has answered about the other";
  EXPECT_EQ(q.queue.failed(), 1u);
}

TEST(FairQueue, ANewerValueTakesThePlaceOfOneThatHasFailed) {
  Queue q(with_backoffs());
  q.push("a/1", 0, {"old", "kept"});
  q.take();
  q.push("a/1", 0, {"new", ""});
  q.end(Outcome::retry);
  EXPECT_EQ(q.queue.waiting(), 1u);
  EXPECT_EQ(q.take(), Strings()) << "the key has its back-off";
  q.now += 100ms;
  EXPECT_EQ(q.take(), Strings{"new"});
  EXPECT_EQ(q.taken[0].value.extra, "kept");
  EXPECT_EQ(q.queue.dropped(), 0u);
}

TEST(FairQueue, TriesHaveABound) {
  auto options = with_backoffs();
  options.most_tries = 2;
  Queue q(options);
  q.push("a/1");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(q.take(), Strings{"a/1"});
    q.end(Outcome::retry);
    q.now += 1s;
  }
  EXPECT_EQ(q.take(), Strings());
  EXPECT_EQ(q.queue.dropped(), 1u);
  EXPECT_EQ(q.queue.namespaces(), 0u);
}

TEST(FairQueue, WhatFailsTooLateIsDroppedWithAllOfItsAge) {
  auto options = with_backoffs();
  options.most_age = 5s;
  Queue q(options);
  q.push_all({"a/1", "a/2", "b/1"});
  q.now += 4s;
  q.push("a/3");
  q.now += 1s;
  q.take(1);
  q.end(Outcome::retry_namespace);
  EXPECT_EQ(q.queue.dropped(), 2u) << "a/1, and a/2 with it";
  EXPECT_TRUE(q.queue.contains("a/3"));
  EXPECT_EQ(q.work(), Strings{"b/1"}) << "age alone drops nothing";
}

TEST(FairQueue, WhenFullTheFullestNamespaceMakesRoom) {
  FairQueueOptions options;
  options.capacity = 4;
  Queue q(options);
  q.push_all({"b/1", "a/1", "a/2"});
  q.push("a/3", 1);
  EXPECT_EQ(q.push("b/2"), Queue::Pushed::queued);
  EXPECT_FALSE(q.queue.contains("a/3")) << "the lowest lane goes first";
  q.push("c/1");
  EXPECT_FALSE(q.queue.contains("a/1") && q.queue.contains("b/1"));
  EXPECT_EQ(q.queue.waiting(), 4u);
  EXPECT_EQ(q.queue.dropped(), 2u);
}

TEST(FairQueue, WhenFullItRefusesIfConfigured) {
  FairQueueOptions options;
  options.capacity = 3;
  options.per_namespace = 2;
  options.refuse_when_full = true;
  Queue q(options);
  q.push_all({"a/1", "a/2"});
  EXPECT_EQ(q.push("a/3"), Queue::Pushed::refused);
  EXPECT_EQ(q.push("a/1"), Queue::Pushed::replaced);
  EXPECT_EQ(q.push("b/1"), Queue::Pushed::queued);
  EXPECT_EQ(q.push("c/1"), Queue::Pushed::refused);
  EXPECT_EQ(q.take(), (Strings{"a/1", "b/1", "a/2"}));
  EXPECT_EQ(q.queue.dropped(), 2u);
}

TEST(FairQueue, ANamespaceHasABoundOfItsOwn) {
  FairQueueOptions options;
  options.per_namespace = 1;
  Queue q(options);
  q.push_all({"a/1", "b/1", "a/2"});
  EXPECT_EQ(q.take(), (Strings{"b/1", "a/2"}));
}

TEST(FairQueue, WhatComesBackIsTakenThoughItIsFull) {
  auto options = with_backoffs();
  options.capacity = 1;
  Queue q(options);
  q.push("a/1");
  q.take();
  q.push("a/2");
  q.end(Outcome::retry);
  EXPECT_EQ(q.queue.waiting(), 2u);
  q.push("a/3");
  EXPECT_FALSE(q.queue.contains("a/1")) << "what has failed makes room first";
}

TEST(FairQueue, ForgetsAKey) {
  Queue q(with_backoffs());
  q.push_all({"a/1", "a/2", "a/3"});
  q.take(1);
  for (const char* key : {"a/1", "a/2", "unknown"}) q.queue.forget(key);
  q.end(Outcome::retry);
  EXPECT_EQ(q.work(), Strings{"a/3"});
  EXPECT_EQ(q.queue.waiting(), 0u);
  EXPECT_EQ(q.queue.dropped(), 0u);
}

TEST(FairQueue, AStopWaitsForNoBackoffAndTriesNothingTwice) {
  Queue q(with_backoffs());
  q.push_all({"a/1", "b/1", "b/2", "c/1"});
  q.take(2);
  q.end(Outcome::retry);
  q.end(Outcome::retry_namespace);
  EXPECT_EQ(q.take(), Strings{"c/1"});
  q.end(Outcome::retry_all);
  q.queue.flush_now(q.now);
  Strings tried;
  for (auto one = q.take(); !one.empty(); one = q.take()) {
    tried.insert(tried.end(), one.begin(), one.end());
    q.end_all(Outcome::retry);
  }
  EXPECT_THAT(tried, testing::UnorderedElementsAre("a/1", "b/1", "b/2", "c/1"));
  EXPECT_EQ(q.queue.dropped(), 4u);
  EXPECT_EQ(q.queue.namespaces(), 0u);
}

TEST(FairQueue, ClearingCountsWhatItDrops) {
  Queue q(with_backoffs());
  q.push_all({"a/1", "a/2", "b/1", "b/2"});
  q.take(2);
  q.push("a/1");
  q.end(Outcome::done);
  q.end(Outcome::retry);
  q.queue.clear();
  EXPECT_EQ(q.queue.waiting(), 0u);
  EXPECT_EQ(q.queue.dropped(), 4u);
  EXPECT_EQ(q.queue.namespaces(), 0u);
}

TEST(FairQueue, TakesValuesThatOnlyMove) {
  NoJitter random;
  FairQueue<std::unique_ptr<int>> queue({}, random);
  queue.push("a", "1", std::make_unique<int>(1), 0, Steady(1s));
  queue.push("a", "1", std::make_unique<int>(2), 0, Steady(1s));
  auto taken = queue.take(Steady(1s), 9);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(*taken[0].value, 2);
}

TEST(FairQueueDeathTest, FinishesOnlyATakenItem) {
  Queue q;
  q.push("a/1");
  q.take();
  auto twice = q.taken.front();
  q.end();
  EXPECT_DEATH(q.queue.finish(std::move(twice), q.now), "check failed at .*State::busy.*a/1");
}

}  // namespace
}  // namespace podium
