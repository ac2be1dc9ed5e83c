// What a part shows at /metrics: its series and their values, to compare.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <string_view>

#include "metrics/samples.h"

namespace podium::unit {

// "podium_reports_pending", or with its label values "podium_blocked_pods{shop,InsufficientResource,cpu}".
using Sampled = std::map<std::string, double>;

// The part's series of the metrics whose names begin with `prefix`.
template <typename Part>
Sampled sampled(const Part& part, std::string_view prefix = "") {
  metrics::Samples samples;
  part.sample_metrics(samples);
  Sampled out;
  for (const auto& family : samples.families()) {
    const std::string name = family.name();
    if (!name.starts_with(prefix)) continue;
    for (const auto& [labels, value] : family.series())
      out[labels.empty() ? name : fmt::format("{}{{{}}}", name, fmt::join(labels, ","))] = value;
  }
  return out;
}

}  // namespace podium::unit
