// ServerTime: estimates the API server's time from the timestamps in its replies.
//
// Owner: Retention. Threads: not thread-safe. Errors: none.
#pragma once

#include <algorithm>
#include <optional>

#include "base/clock.h"

namespace podium::controller {

class ServerTime {
 public:
  void is(Wall server, Steady now) { ahead_ = server.time_since_epoch() - now.time_since_epoch(); }
  void is_at_least(Wall server, Steady now) {
    const auto ahead = server.time_since_epoch() - now.time_since_epoch();
    if (!ahead_ || ahead > *ahead_) ahead_ = ahead;
  }
  // The server's time, at least; nullopt while nothing is known.
  std::optional<Wall> now(Steady at) const {
    if (!ahead_) return std::nullopt;
    return Wall(std::chrono::duration_cast<Wall::duration>(at.time_since_epoch() + *ahead_));
  }
  // The least time that has passed since `server`; 0 while nothing is known.
  Steady::duration since(Wall server, Steady now) const {
    return std::max(Steady::duration::zero(), -until(server, now).value_or(Steady::duration::zero()));
  }
  // The most time until `server`, negative where it has passed; nullopt while nothing is known.
  std::optional<Steady::duration> until(Wall server, Steady now) const {
    if (!ahead_) return std::nullopt;
    return server.time_since_epoch() - now.time_since_epoch() - *ahead_;
  }

 private:
  std::optional<Steady::duration> ahead_;  // server time minus steady time
};

}  // namespace podium::controller
