// FairQueue under random use: nothing is lost, doubled or out of order.
#include "async/fair_queue.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "unit/support/seed.h"

namespace podium {
namespace {

using namespace std::chrono_literals;
using async::FairQueue, async::FairQueueOptions, async::Outcome;

// Random pushes, takes and outcomes. Invariants: a key is in progress at most once; its values increase;
// every lost value is counted; a namespace that backs off has at most one item in progress; in the end the
// newest value of every key is written.
class RandomRun {
 public:
  explicit RandomRun(unsigned seed) : random_(seed) {}

  void run() {
    for (int step = 0; step < 2'000 && !testing::Test::HasFailure(); ++step) {
      const auto what = at_most(9);
      if (what < 4) push();
      if (what >= 4 && what < 6) take(1 + at_most(4));
      if (what >= 6 && what < 9 && !taken_.empty()) end(random_outcome());
      if (what == 9) now_ += std::chrono::milliseconds(at_most(3'000));
      check();
    }
    // From now on every item succeeds, and time passes.
    for (int step = 0; step < 100'000 && (queue_.waiting() > 0 || !taken_.empty()); ++step) {
      if (!taken_.empty()) {
        end(Outcome::done);
      } else {
        const auto at = queue_.next_ready();
        ASSERT_TRUE(at) << queue_.waiting() << " wait for nothing";
        now_ = std::max(now_, *at);
        ASSERT_GT(take(4), 0u) << "it said that something is ready";
      }
      check();
    }
    EXPECT_EQ(queue_.waiting(), 0u);
    EXPECT_EQ(written_, pushed_);
    EXPECT_EQ(queue_.dropped(), 0u);
    now_ += 1h;
    take(1);
    EXPECT_EQ(queue_.namespaces(), 0u);
  }

 private:
  struct Mersenne final : Random {
    explicit Mersenne(unsigned seed) : source(seed) {}
    std::uint64_t next() override { return source(); }
    std::mt19937_64 source;
  };
  unsigned at_most(unsigned most) { return static_cast<unsigned>(random_.next() % (most + 1)); }

  Outcome random_outcome() {
    const Outcome all[] = {
        Outcome::done,     Outcome::done, Outcome::done, Outcome::retry, Outcome::retry_namespace,
        Outcome::retry_all};
    return all[at_most(5)];
  }
  void push() {
    const auto ns = std::string(1, static_cast<char>('a' + at_most(3)));
    const auto key = ns + std::to_string(at_most(9));
    queue_.push(ns, key, ++pushed_[key], at_most(1), now_);
  }
  std::size_t take(std::size_t most) {
    auto items = queue_.take(now_, most);
    EXPECT_LE(items.size(), most);
    for (auto& item : items) {
      for (const auto& other : taken_) EXPECT_NE(other.key, item.key) << "is in progress already";
      EXPECT_GT(item.value, written_[item.key]);
      taken_.push_back(std::move(item));
    }
    return items.size();
  }
  void end(Outcome outcome) {
    const auto it = taken_.begin() + at_most(static_cast<unsigned>(taken_.size()) - 1);
    auto item = std::move(*it);
    taken_.erase(it);
    item.outcome = outcome;
    if (outcome == Outcome::done) written_[item.key] = item.value;
    queue_.finish(std::move(item), now_);
  }
  void check() {
    EXPECT_EQ(queue_.busy(), taken_.size());
    for (const auto& [key, value] : pushed_) {
      const bool in_flight = std::ranges::any_of(taken_, [&](const auto& item) { return item.key == key; });
      EXPECT_TRUE(in_flight || queue_.contains(key) || written_[key] == value) << key << " is lost";
    }
  }

  static FairQueueOptions options() {
    FairQueueOptions made;
    made.item = {100ms, 1s};
    made.of_namespace = {1s, 10s};
    made.all = {2s, 8s};
    return made;
  }

  Mersenne random_;
  Steady now_{1h};
  FairQueue<int> queue_{options(), random_};
  std::vector<FairQueue<int>::Taken> taken_;
  std::map<std::string, int> pushed_, written_;
};

TEST(FairQueueRandom, KeepsItsPromisesWhateverHappens) {
  const auto first = static_cast<unsigned>(podium::test::drawn_seed());
  for (unsigned seed = first; seed < first + 20; ++seed) {
    SCOPED_SEED(seed);
    RandomRun(seed).run();
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace podium
