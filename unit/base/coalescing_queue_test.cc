// The queue of work that may be late: newest state of each key, bounded, with its workers counted.
#include "base/coalescing_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace podium {
namespace {

using Queue = CoalescingQueue<int>;
using Values = std::vector<int>;

// What a worker takes until nothing is left for it.
Values work(Queue& queue) {
  Values taken;
  while (auto value = queue.take()) taken.push_back(*value);
  return taken;
}

TEST(CoalescingQueue, GivesTheOldestFirst) {
  Queue queue(10, 1);
  EXPECT_TRUE(queue.push("a", 1));
  EXPECT_FALSE(queue.push("b", 2));
  EXPECT_FALSE(queue.push("c", 3));
  EXPECT_EQ(work(queue), (Values{1, 2, 3}));
  EXPECT_TRUE(queue.idle());
}

TEST(CoalescingQueue, AReplacementKeepsThePlace) {
  Queue queue(10, 1);
  (void)queue.push("a", 1);
  (void)queue.push("b", 2);
  (void)queue.push("a", 3);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(work(queue), (Values{3, 2}));
  EXPECT_EQ(queue.dropped(), 0u);
}

TEST(CoalescingQueue, AKeyThatWasTakenWaitsAnew) {
  Queue queue(10, 1);
  (void)queue.push("a", 1);
  (void)queue.push("b", 2);
  EXPECT_EQ(*queue.take(), 1);
  (void)queue.push("a", 3);
  EXPECT_EQ(work(queue), (Values{2, 3}));
}

TEST(CoalescingQueue, AKeyThatIsBeingWorkedOnIsNotTakenTwice) {
  Queue queue(10, 3);
  (void)queue.push("a", 1);
  {
    const auto first = queue.take();
    EXPECT_TRUE(queue.push("a", 2));
    EXPECT_TRUE(queue.push("b", 3));
    EXPECT_EQ(work(queue), (Values{3})) << "the second worker leaves the key to the first";
    EXPECT_FALSE(queue.idle());
    EXPECT_EQ(queue.size(), 1u);
    EXPECT_TRUE(queue.push("a", 4));
  }
  EXPECT_EQ(work(queue), (Values{4}));
  EXPECT_EQ(work(queue), Values{});
  EXPECT_EQ(work(queue), Values{});
  EXPECT_TRUE(queue.idle()) << "three were asked for";
}

TEST(CoalescingQueue, DropsTheOldestOverTheCapacityAndCountsIt) {
  Queue queue(2, 1);
  (void)queue.push("a", 1);
  (void)queue.push("b", 2);
  (void)queue.push("b", 3);  // a replacement takes no room
  EXPECT_EQ(queue.dropped(), 0u);
  (void)queue.push("c", 4);
  EXPECT_EQ(queue.dropped(), 1u);
  EXPECT_EQ(queue.size(), 2u);
  (void)queue.push("a", 5);  // was dropped: the youngest now
  EXPECT_EQ(queue.dropped(), 2u);
  EXPECT_EQ(work(queue), (Values{4, 5}));
}

TEST(CoalescingQueue, ForgetsOneKey) {
  Queue queue(10, 1);
  (void)queue.push("a", 1);
  (void)queue.push("b", 2);
  queue.forget("a");
  queue.forget("unknown");
  EXPECT_EQ(work(queue), (Values{2}));
  EXPECT_EQ(queue.dropped(), 0u);
}

TEST(CoalescingQueue, ClearingCountsWhatItDrops) {
  Queue queue(10, 1);
  (void)queue.push("a", 1);
  (void)queue.push("b", 2);
  queue.clear();
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.dropped(), 2u);
  EXPECT_FALSE(queue.idle()) << "its worker has not found out yet";
  EXPECT_FALSE(queue.take());
  EXPECT_TRUE(queue.idle());
}

TEST(CoalescingQueue, AsksForAsManyWorkersAsAllowed) {
  Queue queue(10, 2);
  EXPECT_TRUE(queue.push("a", 1));
  EXPECT_TRUE(queue.push("b", 2));
  EXPECT_FALSE(queue.push("c", 3));
  EXPECT_EQ(work(queue), (Values{1, 2, 3}));  // the first worker ends
  EXPECT_FALSE(queue.idle());
  EXPECT_TRUE(queue.push("d", 4)) << "one has ended, so there is room for another";
  EXPECT_FALSE(queue.push("e", 5));
  EXPECT_EQ(work(queue), (Values{4, 5}));
  EXPECT_EQ(work(queue), Values{});
  EXPECT_TRUE(queue.idle());
}

TEST(CoalescingQueue, TakesValuesThatOnlyMove) {
  CoalescingQueue<std::unique_ptr<int>> queue(1, 1);
  EXPECT_TRUE(queue.push("a", std::make_unique<int>(1)));
  EXPECT_FALSE(queue.push("a", std::make_unique<int>(2)));
  auto taken = queue.take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(**taken, 2);
}

// Producers push rising numbers for keys of their own, and work themselves whenever they are asked to.
TEST(CoalescingQueue, TheNewestOfEachKeyArrivesWhateverTheThreads) {
  constexpr int kProducers = 4, kKeys = 8, kRounds = 500;
  Queue queue(kProducers * kKeys, 2);
  std::array<std::vector<Values>, kProducers> taken;  // by thread, one list for each time it worked
  {
    std::vector<std::jthread> threads;
    for (int producer = 0; producer < kProducers; ++producer) {
      threads.emplace_back([&queue, &mine = taken[producer], producer] {
        for (int round = 1; round <= kRounds; ++round) {
          for (int k = 0; k < kKeys; ++k) {
            const int key = producer * kKeys + k;
            if (queue.push(std::to_string(key), key * 1000 + round)) mine.push_back(work(queue));
          }
        }
      });
    }
  }
  EXPECT_TRUE(queue.idle());
  EXPECT_EQ(queue.dropped(), 0u);
  std::vector<int> newest(kProducers * kKeys, 0);
  for (const auto& thread : taken) {
    for (const auto& values : thread) {
      for (const int value : values) newest[value / 1000] = std::max(newest[value / 1000], value % 1000);
    }
  }
  EXPECT_EQ(newest, std::vector<int>(kProducers * kKeys, kRounds));
}

// A state of two parts, of which the newer may leave one out.
struct TwoParts {
  std::string text, extra;
  void replaces(TwoParts&& old) {
    if (extra.empty()) extra = std::move(old.extra);
  }
};

TEST(CoalescingQueue, ANewerStateTakesOverWhatItDoesNotSay) {
  CoalescingQueue<TwoParts> queue(10, 1);
  (void)queue.push("a", {"old", "kept"});
  (void)queue.push("a", {"new", ""});
  EXPECT_TRUE(queue.contains("a"));
  {
    auto taken = queue.take();
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->text + " " + taken->extra, "new kept");
    EXPECT_FALSE(queue.contains("a"));
  }

  (void)queue.push("a", {"old", "lost"});
  (void)queue.push("a", {"new", "said"});
  auto taken = queue.take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->extra, "said");
}

TEST(CoalescingQueue, ABatchIsOfTheOldestAndOfDifferentKeys) {
  CoalescingQueue<std::string> queue(10, 1);
  for (const char* key : {"a", "b", "c"}) (void)queue.push(key, std::string(key) + "1");
  auto first = queue.take(2);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(*first[0] + *first[1], "a1b1");
  (void)queue.push("a", "a2");  // waits for a1
  auto second = queue.take(2);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(*second[0], "c1");
  first.clear();
  EXPECT_EQ(queue.take(2).size(), 1u);
  EXPECT_TRUE(queue.take(2).empty());
}

}  // namespace
}  // namespace podium
