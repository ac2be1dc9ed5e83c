#include "app/run/low_priority.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <latch>

namespace podium::app::run {
namespace {

int priority() { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); }

TEST(LowPriority, EveryThreadOfThePoolGivesWayAndNoOther) {
  constexpr std::size_t kThreads = 3;
  const int before = priority();
  boost::asio::thread_pool pool(kThreads);
  lower_priority(pool, kThreads);
  int seen[kThreads] = {};
  std::latch all(kThreads);
  for (auto& each : seen) {
    boost::asio::post(pool, [&each, &all] {
      each = priority();
      all.arrive_and_wait();
    });
  }
  pool.join();
  for (const int each : seen) EXPECT_EQ(each, std::min(before + kNiceIncrement, 19));
  EXPECT_EQ(priority(), before);
}

}  // namespace
}  // namespace podium::app::run
