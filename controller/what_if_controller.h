// WhatIfController: answers what-ifs, the SchedulingReports that users create with dryRun: true.
//
// Watches only those (a selectable field) and queues their names. To answer one, it reads the report,
// forks the snapshot on the scheduling strand, evaluates the fork on a worker, and patches the
// status. When the spec changes it answers again. It never changes the scheduler's state.
//
// Questions and answers are queued round-robin by namespace, so one namespace delays another by one
// entry at most. If the queue is full, the question is refused (TooManyQuestions); if the queue of
// refusals is full too, the controller lists all what-ifs until each is answered. Failures are retried
// after a backoff, per question and per namespace. A question may use whatIf.deadline of CPU time.
//
// Memory: the names of queued questions; one report of at most kObjectBytes per worker; the answers
// that wait to be written, bounded in total and per namespace.
//
// Owner: the Engine; it cancels and drains the gate before `workers` stop and before this is destroyed.
// Threads: all functions on `io`, which has one thread, except stop() and answered() from any thread.
// run() on the leader only.
// Errors: an invalid request is answered with Accepted=False; other failures are logged and retried.
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
  client::Task<void> run();        // until stop()
  void stop();                     // evaluations under way end soon; their answers are not written
  std::uint64_t answered() const;  // answers written so far

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::controller
