// The metrics that every Kubernetes component has: requests, lease, feature gates, and the Linux process.
//
// Sources of names, labels and buckets: component-base's restclient, leaderelection and feature
// metrics, and client_golang's process collector.
//
// Owner: Process. Threads: all functions from any thread.
#pragma once

#include <prometheus/registry.h>

#include <mutex>
#include <string>
#include <vector>

#include "client/http/observed_transport.h"
#include "metrics/labelled.h"
#include "scheduler/config/gates/feature_gates.h"

namespace podium::app::run {

class ProcessMetrics {
 public:
  explicit ProcessMetrics(prometheus::Registry& registry);

  void request(const std::string& host, const client::Exchange& exchange);
  void leads(bool leads);
  // The effective feature gates.
  void gates(const config::FeatureGates& gates);
  // This process' current values from /proc; omits what cannot be read.
  static std::vector<prometheus::MetricFamily> of_process();

 private:
  std::mutex mutex_;  // guards the members below
  metrics::Counters requests_, retries_;
  metrics::Histograms request_seconds_, request_bytes_, reply_bytes_;
  metrics::Gauges leader_, gates_;
};

}  // namespace podium::app::run
