// Leader election on a Lease, after client-go's rules (tools/leaderelection).
//
// Acquire when the lease is free or its record has not changed for leaseDuration on the local clock; renew every
// retryPeriod; give up leadership when renewing has not worked for renewDeadline; release on stop.
// Threads: run() on one executor; callbacks are called there.
#pragma once

#include <functional>
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
  void stop();
  bool leading() const;  // thread-safe

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::client
