#include "server/user_limits.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"

namespace podium::server {

double UserLimits::tokens(const User& user, Steady now) const {
  return std::min(options_.burst, user.tokens + in_seconds(now - user.filled) * options_.per_second);
}

// First the users whose bucket would be full anyway, then all without a request in progress.
void UserLimits::forget_some(Steady now) {
  std::erase_if(users_, [&](const auto& entry) {
    return entry.second.in_progress == 0 && tokens(entry.second, now) >= options_.burst;
  });
  if (users_.size() < options_.users) return;
  std::erase_if(users_, [](const auto& entry) { return entry.second.in_progress == 0; });
}

UserLimits::User& UserLimits::find(const std::string& name, Steady now) {
  if (const auto it = users_.find(name); it != users_.end()) return it->second;
  if (users_.size() >= options_.users) forget_some(now);
  auto& made = users_[name];
  made.tokens = options_.burst;
  made.filled = now;
  return made;
}

UserLimits::Admission UserLimits::admit(const std::string& name, Steady now) {
  const auto refused = [](std::string why, double seconds) {
    return Admission{{}, std::move(why), std::chrono::seconds(std::max(1L, std::lround(std::ceil(seconds))))};
  };
  if (in_progress_ >= options_.active_in_all) return refused("too many requests are in progress", 1);
  auto& user = find(name, now);
  if (user.in_progress >= options_.active) return refused("too many of your requests are in progress", 1);
  const double left = tokens(user, now);
  if (left < 1) return refused("too many requests per second", (1 - left) / options_.per_second);
  user.tokens = left - 1;
  user.filled = now;
  ++user.in_progress;
  ++in_progress_;
  // A user with a request in progress is not forgotten, and the map does not move its elements.
  return {Slot(&user, [this](User* one) { --one->in_progress, --in_progress_; }), "", {}};
}

}  // namespace podium::server
