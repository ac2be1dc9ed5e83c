// Whether and when a failed call is sent again, and how many calls may start a second.
//
// Pure but for Random. Threads: a Retry belongs to one call; a RateLimit may be shared.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "base/result.h"

namespace podium::client {

// A load balancer may ask for an hour, after which nobody would know why podium stands still: Retry-After
// counts up to this many seconds.
constexpr int kMaxRetryAfter = 30;

class Retry {
 public:
  Retry(bool reads, Random& random) : reads_(reads), random_(random) {}

  // How long to wait before the next try; nullopt where another try can't help or is not safe. Retry-After is
  // a lower bound, up to kMaxRetryAfter; without one the waits double from 100 ms to 5 s, each cut by up to a
  // half at random.
  std::optional<std::chrono::milliseconds> after(const Error& error);

 private:
  bool mendable(const Error& error) const;
  const bool reads_;  // the call changes nothing
  Random& random_;
  int failures_ = 0;
};

// A token bucket: so many calls a second, with bursts.
class RateLimit {
 public:
  RateLimit(double qps, double burst, Steady now);
  // Takes a place in line; how long to wait for it.
  std::chrono::nanoseconds take(Steady now);

 private:
  std::mutex mutex_;
  const double qps_, burst_;
  double tokens_;
  Steady last_;
};

}  // namespace podium::client
