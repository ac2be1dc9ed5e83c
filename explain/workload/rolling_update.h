// RollingUpdate: how many pods a Deployment's controller creates and deletes at a time to replace them.
//
// Threads: values. Errors: none; a strategy that is not valid reads as the default.
// Source: pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts).
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>

namespace podium::explain {

struct RollingUpdate {
  // A number of pods, or a percentage of the replicas.
  struct Bound {
    std::int32_t number = 25;
    bool is_percent = true;
  };
  struct Steps {
    std::int32_t surge = 0;        // pods in addition to the replicas
    std::int32_t unavailable = 0;  // replicas that may be missing
  };
  Bound max_surge = {}, max_unavailable = {};

  Steps steps(std::int32_t replicas) const;
};

// nullopt: the Deployment deletes all pods first (Recreate).
std::optional<RollingUpdate> read_rolling_update(const boost::json::value& deployment);

}  // namespace podium::explain
