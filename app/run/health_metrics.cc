#include "app/run/health_metrics.h"

#include <prometheus/text_serializer.h>

#include "metrics/families.h"

namespace podium::app::run {

HealthMetrics::HealthMetrics()
    : last_(metrics::gauges(registry_, "kubernetes_healthcheck",
                            "Result of the last health check: 1 healthy, 0 unhealthy.")),
      total_(metrics::counters(registry_, "kubernetes_healthchecks_total",
                               "Number of health checks, by status.")) {}

void HealthMetrics::observe(const std::string& type, const std::string& name, bool healthy) {
  last_.Add({{"name", name}, {"type", type}}).Set(healthy ? 1 : 0);
  total_.Add({{"name", name}, {"status", healthy ? "success" : "error"}, {"type", type}}).Increment();
}

std::string HealthMetrics::text() const {
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

}  // namespace podium::app::run
