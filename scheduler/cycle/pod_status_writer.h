// PodStatusWriter: what the scheduler wants in the status of pods that are not placed: the PodScheduled
// condition and status.nominatedNodeName, which the cluster autoscaler and others read.
//
// It is the one writer of both, so that they stay in order: of each pod, by UID, the newest wanted state
// counts, condition and nomination apart; while a write of a pod is under way the next one waits; what has
// failed is tried again after a back-off, and never over something newer. A pod that is gone, or replaced by
// another of its name, is forgotten. Nominations and withdrawals go before conditions. A condition and a
// nomination that the pod has already are not written.
//
// Bounded: of more than `capacity` pods the oldest of the namespace with the most are dropped, since the
// pod's next attempt writes again. One namespace that refuses does not hold up others.
// Threads: all functions from any thread, withdraw() runs on `io`, as the requests do; `io` runs one thing
// at a time. Owner: destroyed when the gate is empty.
// Errors: logged once a minute for each cause; withdraw() gives its own.
// Source: pkg/scheduler/schedule_one.go (bindingCycle, handleSchedulingFailure).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <optional>
#include <string>

#include "async/writers.h"
#include "client/api.h"
#include "scheduler/cluster/pod_info.h"
#include "scheduler/cycle/seams.h"

namespace podium::cycle {

struct PodStatusOptions {
  std::size_t capacity = 10'000;
  unsigned workers = 4;
  Backoff backoff{};
};

class PodStatusWriter final : public Nominator {
 public:
  PodStatusWriter(client::Api& api, async::Gate& gate, boost::asio::any_io_executor io,
                  PodStatusOptions options = {});
  ~PodStatusWriter() override;

  // PodScheduled is False for this reason. `nominated_node` as in Announcer::failed.
  void not_scheduled(const cluster::PodInfo& pod, std::string reason, std::string message,
                     std::optional<std::string> nominated_node = std::nullopt);
  void nominate(const cluster::PodInfo& pod, std::string node) override;
  void forget(const std::string& pod_uid) override;
  // Clears the nomination. Returns what has come of the first try; where that has failed it is tried again
  // all the same. A pod that is gone is no error.
  client::Task<Result<void>> withdraw(cluster::PodInfoPtr pod);

  // Writes what waits and takes nothing any more; what is left at the deadline is dropped.
  client::Task<void> drain(std::chrono::milliseconds deadline);
  async::WritersCounts counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::cycle
