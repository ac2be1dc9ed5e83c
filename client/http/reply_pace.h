// ReplyPace: estimates how long the server takes per request of a batch, from recent batches.
//
// Reading each reply as it arrives costs a wake-up per reply, and no one waits for the first one. So the
// client reads a batch only when most of its replies should have arrived, and then a few more times.
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

  // Pauses: from the last byte written to the first read, and between later reads.
  Time before_first_read(std::size_t requests) const { return bounded(expected(requests) * 3 / 4); }
  Time between_reads(std::size_t requests) const { return bounded(expected(requests) / 8); }

  // Records a batch. `time` includes pauses that were too long, so the estimate adapts to a faster server
  // only gradually, batch by batch.
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
