// WhatIfController: answers what-ifs, the SchedulingReports that users create with dryRun: true.
//
// Watches only those (a selectable field) and queues their names. To answer one, it reads the report,
// forks the snapshot on the scheduling strand, evaluates the fork on a worker, and patches the
// status. When the spec changes it answers again. It never changes the scheduler's state.
//
// Questions and answers are queued round-robin by namespace, so one namespace delays another by one
// entry at most. If the queue is full, the question is refused (TooManyQuestions); if the queue of
// refusals is also full, the controller lists all what-ifs until each is answered. Failures are retried
// after a backoff, per question and per namespace. A question may use whatIf.deadline of CPU time.
//
// A question with spec.refreshSeconds is asked periodically, by the same queues, after those that were not
// answered yet. Its next turn comes that time after its answer. The answer is written if it differs from
// the last one, else once a minute.
//
// Memory: the names of queued questions; one report of at most kObjectBytes per worker, and what its question
// adds to the fork (answer/fork_memory.h); the waiting answers, bounded in total and per namespace.
//
// Owner: the Engine; it cancels and drains the gate before `workers` stop and before this is destroyed.
// Threads: all functions on `io`, which has one thread; stop(), answered(), waiting() and refreshed() from
// any. run() on the leader only.
// Errors: an invalid request is answered with Accepted=False; other failures are logged and retried.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/gate.h"
#include "base/instant.h"
#include "client/api.h"
#include "client/watch/reflector.h"
#include "controller/retention/retention.h"
#include "controller/what_if/refreshes.h"
#include "scheduler/cluster/pod_info.h"
#include "scheduler/config/values/config.h"

namespace podium::metrics {
class Samples;
}

namespace podium::cluster {
class Snapshot;
}

namespace podium::controller {

class Asker;

// A what-if whose answer was written.
struct WhatIfEnd {
  std::string result;  // the outcome; if it was refused, the reason of its condition Accepted=False
  bool refused = false;
  Steady::duration duration{};  // since podium saw the what-if
};

class WhatIfController {
 public:
  using Fork = std::function<async::Task<cluster::Snapshot>()>;
  using Waiting = std::function<async::Task<std::vector<cluster::PodInfoPtr>>()>;
  using Ended = std::function<void(const WhatIfEnd&)>;  // called on `io`

  // `relist`: see ReflectorOptions.
  WhatIfController(client::Api& api, Retention& retention, const config::Config& config, async::Gate& gate,
                   boost::asio::any_io_executor io, boost::asio::any_io_executor workers, Fork fork,
                   Ended ended = {}, Waiting waiting = {},
                   std::chrono::milliseconds relist = client::ReflectorOptions{}.relist);
  ~WhatIfController();
  client::Task<void> run();        // until stop()
  void stop();                     // running evaluations end soon; their answers are not written
  Asker& asker();                  // any thread; evaluates the questions; other parts may also use it
  std::uint64_t answered() const;  // answers written so far, refusals included
  std::size_t waiting() const;     // any thread; queued what-ifs without an answer
  std::vector<Refreshes::Answered> refreshed() const;  // any thread; the last answers
  void sample_metrics(metrics::Samples& out) const;    // any thread

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::controller
