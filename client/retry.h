// Retry: whether and when a failed call is retried. RateLimit: a token bucket for calls.
//
// Pure, except for Random. Threads: a Retry belongs to one call; a RateLimit may be shared between threads.
// Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"

namespace podium::client {

// Upper bound on Retry-After, in seconds. A load balancer may ask for an hour; podium must not stall as long.
constexpr int kMaxRetryAfter = 30;

// What is tried again of a write that the server may have processed. Only for a write with the same effect
// however often it takes place, such as the binding of a UID.
enum class Repeats : std::uint8_t {
  nothing,
  errors,                // 500 and 503, three times
  errors_and_conflicts,  // also 409
};

class Retry {
 public:
  Retry(bool reads, Random& random, Repeats repeats = Repeats::nothing)
      : reads_(reads), repeats_(repeats), random_(random) {}

  // Delay before the next try; nullopt if a retry cannot help or is not safe. Doubles from 100 ms to 5 s,
  // minus up to half at random. With Retry-After: that (at most kMaxRetryAfter) plus a tenth of the backoff.
  // For Repeats: 10, 50 and 250 ms, plus up to a tenth at random. Source: client-go retry.DefaultBackoff.
  std::optional<std::chrono::milliseconds> after(const Error& error);

 private:
  bool is_retryable(const Error& error) const;
  bool is_repeatable(const Error& error) const;
  const bool reads_;  // the call is a read
  const Repeats repeats_;
  Random& random_;
  unsigned failures_ = 0;
  std::size_t repeated_ = 0;
};

// A token bucket: `qps` calls a second, with bursts of up to `burst`.
class RateLimit {
 public:
  RateLimit(double qps, double burst, Steady now);
  // Takes one token. Returns how long the caller has to wait before it sends.
  std::chrono::nanoseconds take(Steady now);

 private:
  std::mutex mutex_;
  const double qps_, burst_;
  double tokens_;
  Steady last_;
};

}  // namespace podium::client
