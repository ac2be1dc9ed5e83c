// podium's own metrics, "podium_…", for events that this process counts. The other parts declare their
// metrics where they count (Engine::sample_metrics). docs/metrics.md is generated from both.
//
// Owner: Process. Threads: request() from any; the others on the I/O thread. The registry may be collected
// from any thread.
#pragma once

#include <prometheus/registry.h>

#include <mutex>
#include <string>

#include "client/http/observed_transport.h"
#include "controller/what_if/what_if_controller.h"
#include "metrics/labelled.h"

namespace podium::app::run {

class PodiumMetrics {
 public:
  explicit PodiumMetrics(prometheus::Registry& registry);
  void request(const client::Exchange& exchange);
  void what_if_ended(const controller::WhatIfEnd& end);
  void api_reply(const std::string& path, int code);  // of the API for programs
  void decision_line(bool was_written);               // any thread

 private:
  std::mutex mutex_;  // guards failures_
  metrics::Counters failures_, what_ifs_answered_, what_ifs_refused_, api_replies_;
  prometheus::Histogram& what_if_seconds_;
  prometheus::Family<prometheus::Counter>& decision_lines_;
  prometheus::Counter &lines_written_, &lines_dropped_;
};

}  // namespace podium::app::run
