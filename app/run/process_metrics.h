// Metrics that any Kubernetes component has: of its requests, of its lease, of its feature gates, and of
// itself as a process of Linux.
//
// Names, labels and buckets after component-base's restclient, leaderelection and feature metrics and
// client_golang's process collector. Threads: safe from any.
#pragma once

#include <prometheus/registry.h>

#include <mutex>
#include <string>
#include <vector>

#include "client/http/observed_transport.h"
#include "scheduler/config/feature_gates.h"
#include "scheduler/cycle/labelled.h"

namespace podium::app::run {

class ProcessMetrics {
 public:
  explicit ProcessMetrics(prometheus::Registry& registry);

  void request(const std::string& host, const client::Exchange& exchange);
  void leads(bool leads);
  // What --feature-gates came to.
  void gates(const config::FeatureGates& gates);
  // What /proc says of this process now; nothing of what cannot be read.
  static std::vector<prometheus::MetricFamily> of_process();

 private:
  std::mutex mutex_;  // guards these
  cycle::Counters requests_, retries_;
  cycle::Histograms request_seconds_, request_bytes_, reply_bytes_;
  cycle::Gauges leader_, gates_;
};

}  // namespace podium::app::run
