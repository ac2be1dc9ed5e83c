// LogLimit: allows one log line per cause and time, so that a lasting fault does not fill the log.
//
// Threads: any. Errors: none. Beyond 256 causes it forgets all of them and may allow lines early.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "base/clock.h"

namespace podium {

class LogLimit {
 public:
  explicit LogLimit(std::chrono::seconds every = std::chrono::seconds(60)) : every_(every) {}

  bool allows(const std::string& cause, Steady now);

 private:
  const std::chrono::seconds every_;
  std::mutex mutex_;
  std::map<std::string, Steady> last_;
};

}  // namespace podium
