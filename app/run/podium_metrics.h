// podium's own metrics, "podium_…": what it writes, what fails, and how far behind it is. docs/metrics.md
// describes each; a test compares.
//
// Most are copied from the parts' counts at each collection (set()), so the parts know no metrics.
//
// Owner: Process. Threads: set() on the strand; the others on the I/O thread. The registry may be collected
// from any thread.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/log_sink.h"
#include "async/writers.h"
#include "client/http/observed_transport.h"
#include "controller/recorder/decision_memory.h"
#include "controller/recorder/report_writer.h"
#include "controller/what_if/what_if_controller.h"
#include "explain/answer/answer.h"
#include "scheduler/cycle/labelled.h"

namespace podium::app::run {

class PodiumMetrics {
 public:
  // What the parts have counted so far, and their state now.
  struct State {
    controller::ReportCounts reports;
    std::size_t stored_decisions = 0;
    std::uint64_t stored_decision_bytes = 0, stored_what_if_bytes = 0;
    std::size_t stored_what_ifs = 0;
    std::uint64_t deleted = 0, deleted_early = 0;  // deleted_early is part of deleted
    std::chrono::nanoseconds overdue{};
    std::uint64_t events_written = 0, events_dropped = 0;
    std::size_t events_waiting = 0, what_ifs_waiting = 0;
    controller::DecisionMemory::Counts remembered;
    async::WritersCounts pod_statuses;
    std::vector<std::pair<std::string, bool>> watches;  // resource, and whether it works
    std::uint64_t undecodable = 0;
    std::optional<std::chrono::nanoseconds> since_renewal;
    std::optional<bool> crd_ready;
    std::vector<controller::Refreshes::Fitting> fitting;
    async::LogLosses log;
  };

  explicit PodiumMetrics(prometheus::Registry& registry);
  void set(const State& state);
  void request(const client::Exchange& exchange);
  void what_if_ended(const controller::WhatIfEnd& end);
  void api_reply(const std::string& path, int code);  // of the API for programs

 private:
  void set_fitting(const std::vector<controller::Refreshes::Fitting>& fitting);

  std::mutex mutex_;  // guards failures_
  cycle::Counters failures_;
  prometheus::Counter &reports_written_, &reports_unchanged_, &reports_failed_, &reports_dropped_,
      &reports_retried_, &events_written_, &events_dropped_, &statuses_written_, &statuses_failed_,
      &statuses_dropped_, &undecodable_;
  prometheus::Gauge &reports_pending_, &reports_overdue_, &events_pending_, &statuses_pending_,
      &what_ifs_pending_, &remembered_, &remembered_bytes_;
  cycle::Counters reports_deleted_, what_ifs_answered_, what_ifs_refused_, log_dropped_, api_replies_;
  cycle::Gauges reports_stored_, reports_stored_bytes_, watches_failing_;
  prometheus::Histogram& what_if_seconds_;
  // Families without a member until their value is known.
  prometheus::Family<prometheus::Gauge>&renewal_age_, &crd_ready_, &fitting_;
  std::map<std::pair<std::string, std::string>, prometheus::Gauge*> fittings_;  // by namespace and name
};

}  // namespace podium::app::run
