// Families of metrics in a registry, for what is counted as it happens.
//
// Threads: as prometheus::Registry. Errors: none; a name has one family.
#pragma once

#include <prometheus/registry.h>

#include <vector>

#include "metrics/samples.h"

namespace podium::metrics {

prometheus::Family<prometheus::Counter>& counters(prometheus::Registry& registry, const char* name,
                                                  const char* help);
prometheus::Family<prometheus::Gauge>& gauges(prometheus::Registry& registry, const char* name,
                                              const char* help);
prometheus::Family<prometheus::Histogram>& histograms(prometheus::Registry& registry, const char* name,
                                                      const char* help);

// The same form as a registry's families.
std::vector<prometheus::MetricFamily> to_families(const Samples& samples);

}  // namespace podium::metrics
