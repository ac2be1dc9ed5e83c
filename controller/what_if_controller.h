// WhatIfController: answers the reports that users create with dryRun: true.
//
// Watches only those (a selectable field) and queues their names. When a question's turn comes, the report is
// read, a fork of the snapshot is taken on the scheduling strand, a pool of workers evaluates it, and the
// status is patched. A question is answered again when its spec changes. Nothing of the scheduler's own state
// is touched.
//
// Turns go round by namespace, for questions and for answers that are to be written: a namespace delays another
// by one of its own at most. A question that finds the queue full is refused (TooManyQuestions); where even
// the refusals are too many, the reports are listed until each has its answer. What fails is tried again after
// a back-off, by question and by namespace. A question has whatIf.deadline of CPU time.
//
// Memory: names of the questions that wait; one report of at most kObjectBytes for each worker; the answers
// that wait to be written, which are bounded in all and by namespace.
//
// Owner: the engine, which closes, cancels and drains the gate before it stops `workers` and destroys this.
// Threads: all functions on `io`, which has one thread, but for stop() and answered() from any; run() on the
// leader only; evaluation on `workers`.
// Errors: an invalid request is answered with Accepted=False; a failure is logged and tried again.
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
  void stop();               // what is being evaluated ends soon and is not written
  std::uint64_t answered() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::controller
