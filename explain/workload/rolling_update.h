// RollingUpdate: how many pods a Deployment's controller creates and deletes at a time to replace them, or on
// how many nodes a DaemonSet's controller does so.
//
// Threads: values. Errors: none; a strategy that is not valid reads as the default.
// Sources: pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts),
// pkg/controller/daemon/update.go (updatedDesiredNodeCounts).
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>

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
  bool rounds_up = false;  // percentages that may be missing

  Steps steps(std::int32_t replicas) const;
};

// nullopt: the Deployment deletes all pods first (Recreate).
std::optional<RollingUpdate> read_rolling_update(const boost::json::value& deployment);
// nullopt: the DaemonSet deletes the old pod of a node before it creates the new one, which then only needs
// the place of the old one.
std::optional<RollingUpdate> read_surge(const boost::json::value& daemon_set);

// Why existing pods of the workload keep their template when that of the workload changes: a pause, OnDelete,
// a partition, or a controller that replaces no pods; empty: they are replaced.
std::string kept_template(const boost::json::value& workload);

}  // namespace podium::explain
