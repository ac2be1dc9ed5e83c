// LogLimit: allows one log line per cause and time, so that a lasting fault does not fill the log.
//
// Threads: any. Errors: none. Beyond 256 causes it forgets all of them and may allow lines early.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/text_hash.h"

namespace podium {

class LogLimit {
 public:
  explicit LogLimit(std::chrono::seconds every = std::chrono::seconds(60)) : every_(every) {}

  bool allows(const std::string& cause, Steady now) {
    const std::lock_guard lock(mutex_);
    std::erase_if(last_, [&](const auto& entry) { return now - entry.second >= every_; });
    if (last_.size() >= kCauses) last_.clear();
    return last_.emplace(cause, now).second;
  }

 private:
  static constexpr std::size_t kCauses = 256;

  const std::chrono::seconds every_;
  std::mutex mutex_;
  std::unordered_map<std::string, Steady, TextHash> last_;
};

}  // namespace podium
