// Metrics that any Kubernetes component has: of its requests, of its lease, and of itself as a process of
// Linux.
//
// Names, labels and buckets after component-base's restclient and leaderelection metrics and client_golang's
// process collector. Threads: safe from any.
#pragma once

#include <prometheus/registry.h>

#include <mutex>
#include <string>
#include <vector>

#include "client/observed_transport.h"
#include "scheduler/cycle/labelled.h"

namespace podium::app::run {

class ProcessMetrics {
 public:
  explicit ProcessMetrics(prometheus::Registry& registry);

  void request(const std::string& host, const client::Exchange& exchange);
  void leads(bool leads);
  // What /proc says of this process now; nothing of what cannot be read.
  static std::vector<prometheus::MetricFamily> of_process();

 private:
  std::mutex mutex_;  // guards these
  cycle::Counters requests_;
  cycle::Histograms request_seconds_;
  cycle::Gauges leader_;
};

}  // namespace podium::app::run
