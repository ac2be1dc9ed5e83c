// LeaderElector: leader election on a Lease, by client-go's rules (tools/leaderelection).
//
// Acquires the lease when it is free, or when its record has not changed for leaseDuration on the local
// clock. Renews it every retryPeriod. Gives up when the lease has another holder, or after renewDeadline
// without a successful renewal. Releases it on stop. LeaderState decides the steps; run() sends the requests.
// Threads: run() on one executor, which also runs the callbacks.
// Errors: failed requests are logged and retried; run() returns Kind::unavailable, with the reason, when
// leadership is lost.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/api.h"

namespace podium::metrics {
class Samples;
}

namespace podium::client {

struct LeaderOptions {
  std::string lease_namespace, lease_name, identity;
  std::chrono::milliseconds lease_duration{15'000}, renew_deadline{10'000}, retry_period{2'000};
};

class LeaderElector {
 public:
  LeaderElector(Api& api, LeaderOptions options);
  ~LeaderElector();
  // Returns when leadership is lost, or after stop() has released the lease. Calls `on_started` when leading.
  Task<Result<void>> run(std::function<void()> on_started);
  void stop();  // thread-safe
  // Thread-safe. Compares with the clock, so it is already false in a process that was frozen past its renew
  // deadline. Transports for writes that only a leader may make ask this right before they send (MayWrite);
  // the lease has a transport that does not.
  bool leading() const;
  std::string holder() const;  // thread-safe; the lease's holder when last seen; empty: none
  // Thread-safe. Why the lease can be neither had nor renewed: its last two requests or more have failed, and
  // not because another was faster; nullopt: they have not.
  std::optional<std::string> why_unavailable() const;
  // Thread-safe. Time since the lease was last renewed; nullopt: not leading.
  std::optional<std::chrono::nanoseconds> since_renewal() const;
  void sample_metrics(metrics::Samples& out) const;  // thread-safe
  // Thread-safe. Time since run() last completed a step, a request or a wait; nullopt before run(). A step
  // takes at most the longer of half the renew deadline and 2.2 retry periods.
  std::optional<std::chrono::nanoseconds> since_last_step() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::client
