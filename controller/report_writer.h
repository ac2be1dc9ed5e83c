// ReportWriter: keeps a SchedulingReport for every pod in step with its decisions, and never in a binding's
// way.
//
// A decision is projected on the scheduling strand and put into a bounded queue, coalesced by pod; what does
// not fit is dropped, the oldest first, and counted. Writers give way to bindings (Precedence), create the
// report under the pod's own name (a name that is taken gets a short suffix) and fill in its status, several
// reports at once. A pod that cannot be placed has its one report rewritten with every attempt.
//
// Where the API server has no such kind, or does not let podium write it, writing pauses with one warning and
// goes on when it works again; scheduling never notices. At `max_reports` kept, no more are made (counted)
// until some have expired.
//
// Threads: the Recorder functions on the scheduling strand; requests run on `io`; counts() from any thread.
// Errors: none leave; what cannot be written is logged once a cause and counted.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "async/gate.h"
#include "client/api.h"
#include "client/precedence.h"
#include "controller/report.h"
#include "controller/retention.h"
#include "scheduler/config/config.h"
#include "scheduler/framework/recorder.h"

namespace podium::controller {

struct ReportCounts {
  std::uint64_t written = 0;  // statuses that the API server has taken
  std::uint64_t dropped = 0;  // by the queue's bound, the budget, or a stop
  std::uint64_t failed = 0;   // refused by the API server
  std::size_t waiting = 0;
};

class ReportWriter final : public framework::Recorder {
 public:
  // `announce` is told the best nodes of a pod that was bound, where events.bestNodes is on; it may be empty.
  using Announce = std::function<void(const cluster::PodInfo&, const ReportStatus&)>;

  ReportWriter(client::Api& api, const client::Precedence& precedence, Retention& retention,
               const config::Podium& options, async::Gate& gate, boost::asio::any_io_executor io,
               Announce announce);
  ~ReportWriter() override;

  void decided(const framework::Attempt&, const framework::Decision&, const cluster::Snapshot&) override;
  void binding_ended(const cluster::PodInfo&, const framework::BindResult&) override;
  void forgotten(std::string_view pod_uid) override;

  // Returns when everything that waits is written, or at the deadline, dropping the rest.
  client::Task<void> drain(std::chrono::milliseconds deadline);
  ReportCounts counts() const;

 private:
  struct Impl;
  bool wanted(const cluster::PodInfo& pod, bool fits) const;
  void enqueue(const cluster::PodInfo& pod, ReportStatus status);

  const config::Podium& options_;
  Announce announce_;
  std::shared_ptr<Impl> impl_;
  boost::unordered_flat_map<std::string, ReportStatus> binding_;  // by pod UID: decided, and being bound
};

}  // namespace podium::controller
