#include "metrics/families.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <cstddef>
#include <utility>

namespace podium::metrics {

prometheus::Family<prometheus::Counter>& counters(prometheus::Registry& registry, const char* name,
                                                  const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Gauge>& gauges(prometheus::Registry& registry, const char* name,
                                              const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Histogram>& histograms(prometheus::Registry& registry, const char* name,
                                                      const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

std::vector<prometheus::MetricFamily> to_families(const Samples& samples) {
  std::vector<prometheus::MetricFamily> out;
  for (const auto& family : samples.families()) {
    const bool counts = family.type() == Family::Type::counter;
    auto& made = out.emplace_back();
    made.name = family.name();
    made.help = family.help();
    made.type = counts ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
    for (const auto& series : family.series()) {
      auto& metric = made.metric.emplace_back();
      for (std::size_t i = 0; i < family.labels().size(); ++i)
        metric.label.push_back({family.labels()[i], series.label_values.at(i)});
      (counts ? metric.counter.value : metric.gauge.value) = series.value;
    }
  }
  return out;
}

}  // namespace podium::metrics
