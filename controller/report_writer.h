// ReportWriter: writes a SchedulingReport for every pod and keeps it up to date without delaying bindings.
//
// A decision is projected on the scheduling strand and queued, coalesced by pod. Workers yield to
// bindings (Precedence), create the report under the pod's own name and fill in its status, several
// reports per batch. If the name is taken by podium's report on an earlier pod of that name, that
// report is replaced; if by any other object, the new report gets a suffix. The report of a pod that waits
// (unschedulable, or gated) is rewritten when something but a counter has changed, or after a minute. New
// reports go before rewrites. Its last attempts and its preemption stay in it (ReportHistory).
//
// A namespace that refuses reports (quota, policy, webhook) backs off alone. If the CRD is missing or
// the API server is unavailable, all writing pauses with one warning; scheduling is not affected.
// Reports that exceed the queue's capacity, or wait for longer than the TTL, are dropped and counted.
// Where a budget is used up, a new report takes the place of an old one, which is deleted in the same batch.
// The settings are read for each decision; they may change while the program runs.
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
#include <set>
#include <string>
#include <utility>

#include "async/gate.h"
#include "base/fair_queue_options.h"
#include "client/api.h"
#include "client/precedence.h"
#include "controller/report.h"
#include "controller/report_history.h"
#include "controller/retention.h"
#include "scheduler/config/live_podium.h"
#include "scheduler/framework/recorder.h"

namespace podium::controller {

struct ReportCounts {
  std::uint64_t written = 0;    // accepted by the API server
  std::uint64_t dropped = 0;    // by the queue's bounds, or at shutdown
  std::uint64_t failed = 0;     // refused by the API server, not retried
  std::uint64_t unchanged = 0;  // rewrites skipped because the content is the same
  std::uint64_t retried = 0;    // failed writes that are tried again
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
  // Called on the strand with a bound pod, its report and the report's name, where events.bestNodes is on.
  // No name: the pod gets no report. May be empty.
  using Announce = std::function<void(const cluster::PodInfo&, const ReportStatus&, const std::string& name)>;

  ReportWriter(client::Api& api, const client::Precedence& precedence, Retention& retention,
               const config::LivePodium& settings, async::Gate& gate, boost::asio::any_io_executor io,
               Announce announce, ReportBackoffs backoffs = {});
  ~ReportWriter() override;

  // Called on the strand with each attempt's end and its report, whether or not the report is written.
  using Ended = std::function<void(const cluster::PodInfo&, const ReportStatus&)>;
  void tell(Ended ended) { ended_ = std::move(ended); }  // before the first decision

  void decided(const framework::Attempt&, const framework::Decision&, const cluster::Snapshot&) override;
  void binding_ended(const cluster::PodInfo&, const framework::BindResult&) override;
  void gated(const cluster::PodInfo&, const std::set<std::string>& plugins, const cluster::Snapshot&,
             Wall now) override;
  void forgotten(std::string_view pod_uid) override;

  // Writes what is queued; drops what is left at the deadline.
  client::Task<void> drain(std::chrono::milliseconds deadline);
  ReportCounts counts() const;

 private:
  struct Impl;
  // A pod in its binding cycle.
  struct Binding {
    ReportStatus status;
    bool in_scope;  // its namespace gets reports
  };
  void enqueue(const cluster::PodInfo& pod, ReportStatus status);
  void end_attempt(const cluster::PodInfo& pod, ReportStatus& status, const char* outcome);

  const config::LivePodium& settings_;
  Announce announce_;
  Ended ended_;
  std::unique_ptr<Impl> impl_;
  boost::unordered_flat_map<std::string, Binding> binding_;  // by pod UID
  ReportHistory history_;
};

}  // namespace podium::controller
