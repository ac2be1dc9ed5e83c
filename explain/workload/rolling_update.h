// RollingUpdate: how many pods a workload's controller creates and deletes at a time to replace them: of a
// Deployment, a StatefulSet, or a DaemonSet, where it counts nodes.
//
// Threads: values. Errors: none; a strategy that is not valid reads as the default.
// Sources: pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts),
// pkg/controller/daemon/update.go (updatedDesiredNodeCounts),
// pkg/controller/statefulset/stateful_set_utils.go (getStatefulSetMaxUnavailable).
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
  bool rounds_up = false;      // percentages that may be missing
  std::int32_t partition = 0;  // StatefulSet: pods with a lower ordinal keep their template

  Steps steps(std::int32_t replicas) const;
};

// nullopt: the Deployment deletes all pods first (Recreate).
std::optional<RollingUpdate> read_rolling_update(const boost::json::value& deployment);
// nullopt: the pods keep their template until somebody deletes them (OnDelete).
std::optional<RollingUpdate> read_daemon_update(const boost::json::value& daemon_set);
std::optional<RollingUpdate> read_stateful_update(const boost::json::value& stateful_set);

// Why existing pods of the workload keep their template when that of the workload changes: a pause, OnDelete,
// a partition, or a controller that replaces no pods; empty: they are replaced.
std::string kept_template(const boost::json::value& workload);

}  // namespace podium::explain
