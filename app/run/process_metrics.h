// Metrics that any Kubernetes component has: of its requests, of its lease, and of itself as a process of
// Linux.
//
// Names, labels and buckets after component-base's restclient and leaderelection metrics and client_golang's
// process collector. Threads: safe from any.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>
#include <vector>

#include "client/observed_transport.h"

namespace podium::app::run {

class ProcessMetrics {
 public:
  explicit ProcessMetrics(prometheus::Registry& registry);

  void request(const std::string& host, const client::Exchange& exchange);
  void leads(bool leads);
  // What /proc says of this process now; nothing of what cannot be read.
  static std::vector<prometheus::MetricFamily> of_process();

 private:
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Histogram>& request_seconds_;
  prometheus::Family<prometheus::Gauge>& leader_;
};

}  // namespace podium::app::run
