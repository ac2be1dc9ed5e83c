// BindingHealth: whether podium may bind pods, judged by the last bindings.
//
// Unhealthy after a 403 for a missing right, until a binding succeeds or none has been refused for kForget:
// without pods to bind, nothing shows that the right was granted. Refusals of admission for one pod do not
// count, so that no tenant can make podium unready.
//
// Owner: ApiBinder. Threads: any.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "client/request_errors.h"

namespace podium::live {

class BindingHealth {
 public:
  static constexpr std::chrono::minutes kForget{2};  // a refused pod is tried again within seconds

  void bound() {
    const std::lock_guard lock(mutex_);
    refusal_.clear();
  }
  void failed(const Error& error, Steady now) {
    if (!client::lacks_right(error)) return;
    const std::lock_guard lock(mutex_);
    refusal_ = error.text();
    refused_at_ = now;
  }
  std::optional<std::string> why_unhealthy(Steady now) const {
    const std::lock_guard lock(mutex_);
    if (refusal_.empty() || now - refused_at_ >= kForget) return std::nullopt;
    return "bindings are refused: " + refusal_;
  }

 private:
  mutable std::mutex mutex_;
  std::string refusal_;  // empty: none since the last success
  Steady refused_at_{};
};

}  // namespace podium::live
