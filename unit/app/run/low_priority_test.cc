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

TEST(LowPriorityThreads, EachYieldsAndNoOther) {
  constexpr std::size_t kThreads = 3;
  const int before = priority();
  LowPriorityThreads threads(kThreads);
  int seen[kThreads] = {};
  std::latch all(kThreads);
  for (auto& each : seen) {
    boost::asio::post(threads.get_executor(), [&each, &all] {
      each = priority();
      all.arrive_and_wait();
    });
  }
  threads.join();
  for (const int each : seen) EXPECT_EQ(each, std::min(before + kNiceIncrement, 19));
  EXPECT_EQ(priority(), before);
}

TEST(LowPriorityThreads, EndWithHandlersLeft) {
  std::latch begun(1), ends(1);
  int ran = 0;
  {
    LowPriorityThreads threads(1);
    boost::asio::post(threads.get_executor(), [&] {
      begun.count_down();
      ends.wait();
      ++ran;
    });
    begun.wait();
    ends.count_down();
  }
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace podium::app::run
