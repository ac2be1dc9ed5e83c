// The configuration without a file.
#pragma once

#include "scheduler/config/load.h"

namespace podium::unit {

inline const config::Config& default_config() {
  static const auto config = config::load("", "default").value();
  return config;
}

}  // namespace podium::unit
