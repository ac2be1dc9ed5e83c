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
  // The server's time is `server` now.
  void saw(Wall server, Steady now) { ahead_ = server.time_since_epoch() - now.time_since_epoch(); }
  // It is that or later: something exists that was made at that time.
  void saw_at_least(Wall server, Steady now) {
    const auto ahead = server.time_since_epoch() - now.time_since_epoch();
    if (!ahead_ || ahead > *ahead_) ahead_ = ahead;
  }
  // A lower bound of the server's time; nullopt while it is unknown.
  std::optional<Wall> now(Steady at) const {
    if (!ahead_) return std::nullopt;
    return Wall(std::chrono::duration_cast<Wall::duration>(at.time_since_epoch() + *ahead_));
  }
  // A lower bound of the time since `server`; 0 while it is unknown.
  Steady::duration since(Wall server, Steady now) const {
    return std::max(Steady::duration::zero(), -until(server, now).value_or(Steady::duration::zero()));
  }
  // An upper bound of the time until `server`, negative if it has passed; nullopt while it is unknown.
  std::optional<Steady::duration> until(Wall server, Steady now) const {
    if (!ahead_) return std::nullopt;
    return server.time_since_epoch() - now.time_since_epoch() - *ahead_;
  }

 private:
  std::optional<Steady::duration> ahead_;  // server time minus steady time
};

}  // namespace podium::controller
