// The metrics of /metrics/slis: the last result of each health check, and a counter per result.
//
// Owner: DiagnosticsServer. Threads: one at a time.
// Source: k8s.io/component-base/metrics/prometheus/slis.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <string>

namespace podium::app::run {

class HealthMetrics {
 public:
  HealthMetrics();
  // `type` is the endpoint: "healthz", "livez" or "readyz".
  void observe(const std::string& type, const std::string& name, bool healthy);
  std::string text() const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Gauge>& last_;
  prometheus::Family<prometheus::Counter>& total_;
};

}  // namespace podium::app::run
