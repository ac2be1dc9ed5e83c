// BehindMutex: a value behind a mutex.
#include "base/behind_mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <type_traits>

namespace podium {
namespace {

// Nothing reaches the value without the mutex.
static_assert(!std::is_copy_constructible_v<BehindMutex<int>>);
static_assert(!std::is_copy_constructible_v<BehindMutex<int>::Held<int>>);

TEST(BehindMutex, OneThreadAtATimeReachesTheValue) {
  constexpr int kTimes = 10'000;
  BehindMutex<int> count;
  const auto add = [&] {
    for (int i = 0; i < kTimes; ++i) ++*count.hold();
  };
  std::thread other(add);
  add();
  other.join();
  const auto& read = count;
  EXPECT_EQ(*read.hold(), 2 * kTimes);
}

}  // namespace
}  // namespace podium
