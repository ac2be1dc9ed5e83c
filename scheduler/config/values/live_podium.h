// LivePodium: the PodiumConfiguration that is in force. Its switches may change while the program runs.
//
// Owner: the Engine. Threads: any. Errors: none.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "scheduler/config/values/config.h"

namespace podium::config {

class LivePodium {
 public:
  explicit LivePodium(Podium first) : now_(std::make_shared<const Podium>(std::move(first))) {}

  // Stays as it is for as long as the caller holds it.
  std::shared_ptr<const Podium> now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  void replace(Podium next) {
    auto made = std::make_shared<const Podium>(std::move(next));
    const std::lock_guard lock(mutex_);
    now_ = std::move(made);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Podium> now_;
};

}  // namespace podium::config
