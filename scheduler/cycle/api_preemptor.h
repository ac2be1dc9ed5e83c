// ApiPreemptor: makes room through the API server: has the nominations of less important pods on the node
// withdrawn, and evicts the victims one after the other.
//
// A victim first gets the condition DisruptionTarget, and is then deleted gracefully, by UID: a pod that was
// made anew under its name is never evicted by mistake. One that is gone already is none to wait for. The
// first victim that cannot be evicted ends it: the preemptor is to be tried again rather than to wait.
//
// Threads: preempt() from the strand; the requests run on `io`, which is the one of the PodStatusWriter; the
// outcome is posted to the strand.
// Errors: in the outcome. Source: pkg/scheduler/framework/preemption/executor.go.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>

#include "async/gate.h"
#include "client/api.h"
#include "scheduler/cycle/pod_status_writer.h"
#include "scheduler/cycle/seams.h"

namespace podium::cycle {

class ApiPreemptor final : public Preemptor {
 public:
  using Ended = std::function<void(const PreemptionOrder& order, const PreemptionOutcome&)>;

  ApiPreemptor(client::Api& api, PodStatusWriter& statuses, async::Gate& gate,
               boost::asio::any_io_executor io, boost::asio::any_io_executor strand, Ended ended);
  void preempt(PreemptionOrder order) override;

 private:
  static client::Task<void> run(ApiPreemptor* self, PreemptionOrder order);
  void tell(PreemptionOrder order, PreemptionOutcome outcome);

  client::Api& api_;
  PodStatusWriter& statuses_;
  async::Gate& gate_;
  const boost::asio::any_io_executor io_, strand_;
  const Ended ended_;
};

// One order from the first request to the outcome; exposed for tests against a scripted server.
client::Task<PreemptionOutcome> make_room(client::Api& api, PodStatusWriter& statuses, PreemptionOrder order);

}  // namespace podium::cycle
