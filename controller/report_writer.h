// ReportWriter: writes a SchedulingReport for every pod and keeps it up to date, without delaying
// bindings.
//
// A decision is projected on the scheduling strand and queued, coalesced by pod. Workers yield to
// bindings (Precedence), create the report under the pod's own name and fill in its status, several
// reports per batch. If the name is taken by podium's report on an earlier pod of that name, that
// report is replaced; if by any other object, the new report gets a suffix. An unschedulable pod's
// report is rewritten when its content has changed, or after a minute. New reports go before rewrites.
//
// A namespace that refuses reports (quota, policy, webhook) backs off alone. If the CRD is missing or
// the API server is unavailable, all writing pauses with one warning; scheduling is not affected.
// Reports that exceed the queue's capacity, or wait for longer than the TTL, are dropped and counted.
// At reports.maxReports new reports wait until Retention has deleted old ones.
//
// Owner: the Engine; `gate` is empty before this is destroyed. Threads: the Recorder functions on the
// scheduling strand; requests and drain() on `io`; counts() from any thread.
// Errors: none leave; failures are logged, rate-limited, and counted.
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
  std::uint64_t written = 0;    // accepted by the API server
  std::uint64_t dropped = 0;    // by the queue's bounds, or at shutdown
  std::uint64_t failed = 0;     // refused by the API server, not retried
  std::uint64_t unchanged = 0;  // rewrites skipped because the content is the same
  std::size_t waiting = 0;      // in the queue now
};

// Backoffs between the tries of a report: of the report, of its namespace, of all reports.
struct ReportBackoffs {
  Backoff item{std::chrono::milliseconds(500), std::chrono::seconds(30)};
  Backoff of_namespace{std::chrono::seconds(1), std::chrono::minutes(1)};
  Backoff all{std::chrono::seconds(1), std::chrono::seconds(10)};
};

class ReportWriter final : public framework::Recorder {
 public:
  // Called on the strand with a bound pod and its report, where events.bestNodes is on; may be empty.
  using Announce = std::function<void(const cluster::PodInfo&, const ReportStatus&)>;

  ReportWriter(client::Api& api, const client::Precedence& precedence, Retention& retention,
               const config::Podium& options, async::Gate& gate, boost::asio::any_io_executor io,
               Announce announce, ReportBackoffs backoffs = {});
  ~ReportWriter() override;

  void decided(const framework::Attempt&, const framework::Decision&, const cluster::Snapshot&) override;
  void binding_ended(const cluster::PodInfo&, const framework::BindResult&) override;
  void forgotten(std::string_view pod_uid) override;

  // Writes what is queued; drops what is left at the deadline.
  client::Task<void> drain(std::chrono::milliseconds deadline);
  ReportCounts counts() const;

 private:
  struct Impl;
  bool wanted(const cluster::PodInfo& pod, bool fits) const;
  void enqueue(const cluster::PodInfo& pod, ReportStatus status);

  const config::Podium& options_;
  Announce announce_;
  std::unique_ptr<Impl> impl_;
  boost::unordered_flat_map<std::string, ReportStatus> binding_;  // by pod UID: pods in the binding cycle
};

}  // namespace podium::controller
