// ProgressLine: one line per minute on standard error, since a million lives take hours.
//
// Threads: one. Errors: none.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace podium::simulate {

class ProgressLine {
 public:
  // `total`: the lives of all workers; this worker runs a share of them.
  ProgressLine(std::uint64_t total, unsigned worker, unsigned workers)
      : share_((total + workers - 1 - worker) / workers), worker_(worker) {}

  void print(std::uint64_t lives, std::uint64_t failed) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::minutes(1);
    fmt::print(stderr, "worker {}: {} of {} lives, {} failed\n", worker_ + 1, lives, share_, failed);
  }

 private:
  const std::uint64_t share_;
  const unsigned worker_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::minutes(1);
};

}  // namespace podium::simulate
