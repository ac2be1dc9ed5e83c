// Leader election on a Lease, after client-go's rules (tools/leaderelection).
//
// Acquire when the lease is free or its record has not changed for leaseDuration on the local clock; renew
// every retryPeriod; give up leadership when another's name is seen on it, or when renewing has not worked
// for renewDeadline; release on stop. The steps are LeaderState's; run() is the loop that asks the server.
// Threads: run() on one executor; callbacks are called there.
// Errors: what the server refuses is logged and tried again; run() returns Kind::unavailable when leadership
// was lost, and says to whom.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/api.h"

namespace podium::client {

struct LeaderOptions {
  std::string lease_namespace, lease_name, identity;
  std::chrono::milliseconds lease_duration{15'000}, renew_deadline{10'000}, retry_period{2'000};
};

class LeaderElector {
 public:
  LeaderElector(Api& api, LeaderOptions options);
  ~LeaderElector();
  // Returns when leadership was lost, or after stop() with the lease released. `on_started` once leading.
  Task<Result<void>> run(std::function<void()> on_started);
  void stop();  // thread-safe
  // Thread-safe. Looks at the clock, so that it is false in a process that was frozen past its renew
  // deadline, before anything else has run in it. What only a leader may write goes through a transport that
  // asks this right before it sends (MayWrite); the lease itself goes through one that does not.
  bool leading() const;
  std::string holder() const;  // thread-safe; who holds the lease as last seen; empty: nobody
  // Thread-safe. How long ago run() has last made a step: a request that has ended, or a wait. A step takes
  // at most the longer of half the renew deadline and 2.2 retry periods. Nullopt before run().
  std::optional<std::chrono::nanoseconds> since_last_step() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::client
