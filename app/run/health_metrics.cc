#include "app/run/health_metrics.h"

#include <prometheus/text_serializer.h>

namespace podium::app::run {

HealthMetrics::HealthMetrics()
    : last_(prometheus::BuildGauge()
                .Name("kubernetes_healthcheck")
                .Help("The last outcome of a health check: 1 healthy, 0 not.")
                .Register(registry_)),
      total_(prometheus::BuildCounter()
                 .Name("kubernetes_healthchecks_total")
                 .Help("Outcomes of health checks.")
                 .Register(registry_)) {}

void HealthMetrics::observe(const std::string& type, const std::string& name, bool healthy) {
  last_.Add({{"name", name}, {"type", type}}).Set(healthy ? 1 : 0);
  total_.Add({{"name", name}, {"status", healthy ? "success" : "error"}, {"type", type}}).Increment();
}

std::string HealthMetrics::text() const {
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

}  // namespace podium::app::run
