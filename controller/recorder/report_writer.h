// ReportWriter: writes a SchedulingReport for every pod and keeps it up to date without delaying bindings.
//
// Reports wait in a queue, coalesced by pod. Workers yield to bindings (Precedence), create the report under
// the pod's own name and fill in its status, several reports per batch. If the name is taken by podium's
// report on an earlier pod of that name, that report is replaced; if by any other object, the new report gets
// a suffix. The report of a waiting pod (unschedulable or gated) is rewritten when something other than a
// counter has changed, or after a minute. New reports go before rewrites.
//
// A namespace that refuses reports (quota, policy, webhook) backs off alone. If the CRD is missing or
// the API server is unavailable, all writing pauses with one warning; scheduling is not affected.
// Reports that exceed the queue's capacity, or wait for longer than the TTL, are dropped and counted.
// If a budget is used up, a new report replaces an old one, which is deleted in the same batch.
//
// Owner: the Engine; `gate` is empty before this is destroyed. Threads: write(), name_of() and forget() on
// the scheduling strand; requests and drain() on `io`; counts() from any thread.
// Errors: none leave; failures are logged, rate-limited, and counted.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "async/fair_queue_options.h"
#include "async/gate.h"
#include "client/api.h"
#include "client/precedence.h"
#include "controller/report/report_requests.h"
#include "controller/retention/retention.h"
#include "explain/report/report.h"
#include "scheduler/config/values/live_podium.h"

namespace podium::metrics {
class Samples;
}

namespace podium::controller {

struct ReportCounts {
  std::uint64_t written = 0;    // accepted by the API server
  std::uint64_t dropped = 0;    // by the queue's bounds, or at shutdown
  std::uint64_t failed = 0;     // refused by the API server, not retried
  std::uint64_t unchanged = 0;  // rewrites skipped because the content is the same
  std::uint64_t retried = 0;    // failed writes that are retried
  std::size_t waiting = 0;      // in the queue now
};

// Backoffs between the tries of a report: of the report, of its namespace, of all reports.
struct ReportBackoffs {
  Backoff item{std::chrono::milliseconds(500), std::chrono::seconds(30)};
  Backoff of_namespace{std::chrono::seconds(1), std::chrono::minutes(1)};
  Backoff all{std::chrono::seconds(1), std::chrono::seconds(10)};
};

class ReportWriter {
 public:
  ReportWriter(client::Api& api, const client::Precedence& precedence, Retention& retention,
               const config::LivePodium& settings, async::Gate& gate, boost::asio::any_io_executor io,
               ReportBackoffs backoffs = {});
  ~ReportWriter();

  // packed: the status.
  void write(const ReportOwner& pod, const explain::ReportStatus& status, std::string packed);
  // The report's name, or its future name unless that is taken.
  std::string name_of(const ReportOwner& pod) const;
  // The pod no longer exists. Its report is still written if it is queued: the decision was made.
  void forget(std::string_view pod_uid);

  // Writes the queued reports; drops the rest at the limit, and those of pods that wait at the minor limit.
  client::Task<void> drain(async::DrainLimits limits);
  ReportCounts counts() const;
  void sample_metrics(metrics::Samples& out) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::controller
