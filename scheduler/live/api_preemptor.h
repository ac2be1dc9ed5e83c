// ApiPreemptor: carries out a preemption through the API server. Clears the nominations of lower-priority
// pods on the node, then evicts the victims one after the other.
//
// A victim gets the condition DisruptionTarget and is then deleted gracefully, by UID: a pod
// recreated under its name is never evicted by mistake. A victim that is already gone is skipped. The
// first failed eviction ends the preemption; the preemptor is then retried after a backoff.
//
// Owner: the Engine; `gate` is empty before this is destroyed.
// Threads: preempt() from the strand; requests run on `io`, which must be the PodStatusWriter's;
// outcomes are posted to the strand.
// Errors: in the PreemptionOutcome. Source: pkg/scheduler/framework/preemption/executor.go.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>

#include "async/gate.h"
#include "client/api.h"
#include "log/limit.h"
#include "scheduler/cycle/seams.h"
#include "scheduler/live/pod_status_writer.h"

namespace podium::live {

class ApiPreemptor final : public cycle::Preemptor {
 public:
  using Ended = std::function<void(const cycle::PreemptionOrder& order, const cycle::PreemptionOutcome&)>;

  ApiPreemptor(client::Api& api, PodStatusWriter& statuses, async::Gate& gate,
               boost::asio::any_io_executor io, boost::asio::any_io_executor strand, Ended ended);
  void preempt(cycle::PreemptionOrder order) override;

 private:
  static client::Task<void> run(ApiPreemptor* self, cycle::PreemptionOrder order);
  void post_outcome(cycle::PreemptionOrder order, cycle::PreemptionOutcome outcome);

  client::Api& api_;
  PodStatusWriter& statuses_;
  async::Gate& gate_;
  const boost::asio::any_io_executor io_, strand_;
  const Ended ended_;
  LogLimit log_;
};

// Executes one order; exposed for tests against a scripted server.
client::Task<cycle::PreemptionOutcome> run_preemption(client::Api& api, PodStatusWriter& statuses,
                                                      cycle::PreemptionOrder order);

}  // namespace podium::live
