#include "client/retry.h"

#include <algorithm>
#include <array>

#include "base/backoff.h"
#include "base/clock.h"
#include "client/request_errors.h"

namespace podium::client {

using std::chrono::milliseconds;

namespace {

constexpr Backoff kRetryPauses{milliseconds(100), milliseconds(5'000)};
constexpr std::array kRepeatWaits{milliseconds(10), milliseconds(50), milliseconds(250)};

}  // namespace

bool Retry::is_retryable(const Error& error) const {
  if (error.kind == Error::Kind::unavailable) return !error.maybe_applied;
  switch (error.status.code) {
    case 429:
      return true;
    case 503:
      // Retry-After means that the server has rejected the request without processing it.
      return reads_ || error.status.retry_after > 0;
    case 500:
    case 502:
      return reads_;
    case 504:
      // The caller has to give up the version.
      return reads_ && !is_ahead_of_server(error);
    default:
      return false;
  }
}

// Source: pkg/scheduler/util/utils.go Retriable, RetriableWithConflict. A refused connection is retryable.
bool Retry::is_repeatable(const Error& error) const {
  if (repeats_ == Repeats::nothing || error.kind != Error::Kind::status) return false;
  const auto code = error.status.code;
  return code == 500 || code == 503 || (code == 409 && repeats_ == Repeats::errors_and_conflicts);
}

std::optional<milliseconds> Retry::after(const Error& error) {
  const bool retries = is_retryable(error);
  if (!retries && (!is_repeatable(error) || repeated_ == kRepeatWaits.size())) return std::nullopt;
  const auto jitter = random_.unit();
  auto wait =
      retries ? std::chrono::duration_cast<milliseconds>(kRetryPauses.after(++failures_, jitter))
              : std::chrono::duration_cast<milliseconds>(kRepeatWaits.at(repeated_++) * (1 + jitter / 10));
  if (error.status.retry_after > 0)
    wait = std::chrono::seconds(std::min(error.status.retry_after, kMaxRetryAfter)) + wait / 10;
  return wait;
}

RateLimit::RateLimit(double qps, double burst, Steady now)
    : qps_(qps), burst_(std::max(burst, 1.0)), tokens_(burst_), last_(now) {}

std::chrono::nanoseconds RateLimit::take(Steady now) {
  std::lock_guard lock(mutex_);
  if (now > last_) {
    tokens_ = std::min(burst_, tokens_ + qps_ * in_seconds(now - last_));
    last_ = now;
  }
  tokens_ -= 1;
  if (tokens_ >= 0) return std::chrono::nanoseconds(0);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(-tokens_ / qps_));
}

}  // namespace podium::client
