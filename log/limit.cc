#include "log/limit.h"

namespace podium {

bool LogLimit::allows(const std::string& cause, Steady now) {
  constexpr std::size_t kCauses = 256;
  const std::lock_guard lock(mutex_);
  std::erase_if(last_, [&](const auto& entry) { return now - entry.second >= every_; });
  if (last_.size() >= kCauses) last_.clear();
  return last_.emplace(cause, now).second;
}

}  // namespace podium
