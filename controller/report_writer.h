// ReportWriter: keeps a SchedulingReport for every pod in step with its decisions, and never in a binding's
// way.
//
// A decision is projected on the scheduling strand and queued, coalesced by pod. Writers give way to bindings
// (Precedence), create the report under the pod's own name and fill in its status, several reports at once. A
// name that podium's own report of a dead pod bears is taken over; one that another object bears gives a
// short suffix. A pod that cannot be placed has its one report rewritten when something but counters and
// times has changed, or once a minute. First reports go before rewritten ones.
//
// A namespace that does not take reports (a quota, a policy, a webhook) waits by itself. Where the API server
// has no such kind or is away, all writing pauses with one warning; scheduling never notices. What does not
// fit into the queue, or has waited for longer than the TTL, is dropped and counted. At the bound of kept
// reports a new one waits until Retention has made room.
//
// Owner: the process, which destroys it when `gate` is empty. Threads: the Recorder functions on the
// scheduling strand; requests run on `io`; counts() from any thread. Errors: none leave; what cannot be
// written is logged once a cause and counted.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "async/gate.h"
#include "base/fair_queue_options.h"
#include "client/api.h"
#include "client/precedence.h"
#include "controller/report.h"
#include "controller/retention.h"
#include "scheduler/config/config.h"
#include "scheduler/framework/recorder.h"

namespace podium::controller {

struct ReportCounts {
  std::uint64_t written = 0;    // statuses that the API server has taken
  std::uint64_t dropped = 0;    // by the queue's bounds, or a stop
  std::uint64_t failed = 0;     // refused by the API server for good
  std::uint64_t unchanged = 0;  // rewrites that were not worth a request
  std::size_t waiting = 0;
};

// Between the tries of a report.
struct ReportBackoffs {
  Backoff item{std::chrono::milliseconds(500), std::chrono::seconds(30)};
  Backoff of_namespace{std::chrono::seconds(1), std::chrono::minutes(1)};
  Backoff all{std::chrono::seconds(1), std::chrono::seconds(10)};
};

class ReportWriter final : public framework::Recorder {
 public:
  // `announce` is told the best nodes of a pod that was bound, where events.bestNodes is on; it may be empty.
  using Announce = std::function<void(const cluster::PodInfo&, const ReportStatus&)>;

  ReportWriter(client::Api& api, const client::Precedence& precedence, Retention& retention,
               const config::Podium& options, async::Gate& gate, boost::asio::any_io_executor io,
               Announce announce, ReportBackoffs backoffs = {});
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
  std::unique_ptr<Impl> impl_;
  boost::unordered_flat_map<std::string, ReportStatus> binding_;  // by pod UID: decided, and being bound
};

}  // namespace podium::controller
