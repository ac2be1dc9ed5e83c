// WhatIfController: answers the reports that users create with dryRun: true.
//
// Watches only those (a selectable field), takes a copy of the snapshot from the scheduling strand, evaluates
// on a pool of its own with bounded workers, and patches the status. A question is answered again when its
// spec changes. Nothing of the scheduler's own state is touched.
//
// Threads: run() on `io`, on the leader only; evaluation on the worker pool.
// Errors: a question that makes no sense is answered with Accepted=False; one that cannot be answered now is asked again by
// the next list.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "async/gate.h"
#include "client/api.h"
#include "controller/retention.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/config.h"

namespace podium::controller {

class WhatIfController {
 public:
  using Fork = std::function<client::Task<cluster::Snapshot>()>;

  WhatIfController(client::Api& api, Retention& retention, const config::Config& config, async::Gate& gate,
                   boost::asio::any_io_executor io, boost::asio::any_io_executor workers, Fork fork);
  ~WhatIfController();
  client::Task<void> run();  // until stop()
  void stop();
  std::uint64_t answered() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::controller
