// NominationWriter: status.nominatedNodeName of pods whose binding may take long, for the cluster autoscaler
// and others.
//
// One request at a time, so that a nomination and its withdrawal stay in order; of what waits for a pod the
// newest counts. What does not fit into `capacity` is dropped, the oldest first: nobody relies on it.
// Threads: as Nominator; requests run on the executor given. Errors: logged; a pod that is gone is no error.
// Source: pkg/scheduler/schedule_one.go bindingCycle (NominatedNodeNameForExpectation).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "async/gate.h"
#include "client/api.h"
#include "scheduler/cycle/seams.h"

namespace podium::cycle {

class NominationWriter final : public Nominator {
 public:
  NominationWriter(client::Api& api, async::Gate& gate, boost::asio::any_io_executor io,
                   std::size_t capacity = 10'000);
  ~NominationWriter() override;
  void nominate(const cluster::PodInfo& pod, std::string node) override;
  void forget(const std::string& pod_uid) override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::cycle
