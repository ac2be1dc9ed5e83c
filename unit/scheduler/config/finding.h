// Loads a configuration and returns "valid" or the findings.
#pragma once

#include <string>
#include <string_view>

#include "scheduler/config/load.h"

namespace podium::config {

inline constexpr std::string_view kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

inline std::string finding(std::string_view text, const framework::Features& features = {}) {
  const auto config = load(text, "c.yaml", {{features, {}}, {}});
  return config ? "valid" : config.error().message;
}

struct Finding {
  std::string input, finding;
};

}  // namespace podium::config
