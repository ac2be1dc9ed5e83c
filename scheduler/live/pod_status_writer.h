// PodStatusWriter: writes the status of unscheduled pods: the PodScheduled condition and
// status.nominatedNodeName, which the cluster autoscaler and others read.
//
// It is the only writer of both, so writes stay in order. Per pod UID only the newest condition and
// the newest nomination are kept, and one write is in flight at a time. A failed write is retried
// after a backoff, unless a newer one replaces it. A pod that is deleted, recreated or bound is dropped: each
// write is for one resourceVersion, so a late one does not overwrite what the binding sets.
// Nominations go before conditions. A status that the pod already has is not written again, unless the watch
// has not shown the previous write yet.
//
// Bounded: above `capacity` pods, the oldest entry of the namespace with the most entries is dropped; the
// pod's next attempt writes again. A namespace that refuses writes does not delay others.
// Owner: the Engine; `gate` is empty before this is destroyed.
// Threads: all functions from any thread, except that the coroutines withdraw() and drain() run on
// `io`, as the requests do. `io` has one thread.
// Errors: logged once a minute per cause; withdraw() also returns its own.
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

namespace podium::metrics {
class Samples;
}

namespace podium::live {

struct PodStatusOptions {
  std::size_t capacity = 10'000;
  unsigned workers = 4;
  Backoff backoff{};
};

class PodStatusWriter final : public cycle::Nominator {
 public:
  PodStatusWriter(client::Api& api, async::Gate& gate, boost::asio::any_io_executor io,
                  PodStatusOptions options = {});
  ~PodStatusWriter() override;

  // Sets PodScheduled=False with this reason and message. `nominated_node` as in Announcer::failed.
  void not_scheduled(const cluster::PodInfo& pod, std::string reason, std::string message,
                     std::optional<std::string> nominated_node = std::nullopt);
  void nominate(const cluster::PodInfo& pod, std::string node) override;
  void forget(const std::string& pod_uid) override;
  // Clears the nomination and returns the result of the first try; a failed one is still retried. A
  // deleted pod is not an error.
  client::Task<Result<void>> withdraw(cluster::PodInfoPtr pod);

  // Writes the queued entries, and those that arrive until it ends. At the latest it ends at the limit and
  // drops what is left, conditions without a nomination at the minor limit; later entries are also dropped.
  client::Task<void> drain(async::DrainLimits limits);
  async::WritersCounts counts() const;
  void sample_metrics(metrics::Samples& out) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::live
