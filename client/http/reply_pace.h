// ReplyPace: how long a server takes for one of many requests that were sent at once, by the batches of late.
//
// Each reply of a batch costs a wake-up where it is read as it comes, and nobody waits for the first of them.
// So a batch is left alone until most of its replies should be there, and then looked at a few times.
// Threads: any.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>

namespace podium::client {

class ReplyPace {
 public:
  using Time = std::chrono::microseconds;
  static constexpr Time kShortest{25'000}, kLongest{500'000};

  // Between the last byte written and the first read, and between reads after that.
  Time before_the_first(std::size_t requests) const { return bounded(expected(requests) * 3 / 4); }
  Time between(std::size_t requests) const { return bounded(expected(requests) / 8); }

  // A batch was answered. What was waited too long is in `time` as well, so that a server that has become
  // faster is noticed bit by bit.
  void answered(std::size_t requests, Time time) {
    const auto each = time.count() / static_cast<Time::rep>(std::max<std::size_t>(requests, 1));
    const auto known = each_.load(std::memory_order_relaxed);
    each_.store(known == 0 ? each : (known + each) / 2, std::memory_order_relaxed);
  }

 private:
  Time expected(std::size_t requests) const {
    return Time(each_.load(std::memory_order_relaxed) * static_cast<Time::rep>(requests));
  }
  static Time bounded(Time rest) { return std::clamp(rest, kShortest, kLongest); }

  std::atomic<Time::rep> each_{0};  // 0: no batch yet
};

}  // namespace podium::client
