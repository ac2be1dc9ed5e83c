// Untolerated: the taints for which TaintToleration rejected nodes.
//
// As in kube-scheduler, its reason does not name them. Reports read them from the same columns.
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/values/taint.h"
#include "api/values/tolerations.h"
#include "scheduler/framework/decision.h"

namespace podium::plugins {

// The taints of all nodes that the plugin rejected, each once, as kubectl writes them: "gpu=a100:NoSchedule".
// The most frequent first, then by text.
std::vector<std::string> untolerated_taints(const cluster::PodInfo& pod, const framework::Decision& decision,
                                            const cluster::Snapshot& snapshot);

// Counts the nodes that the plugin rejected and on which `is_wanted` holds for each untolerated taint.
std::size_t nodes_kept_away_only_by(bool (*is_wanted)(const api::Taint&), const cluster::PodInfo& pod,
                                    const framework::Decision& decision, const cluster::Snapshot& snapshot);

// The same of single nodes. A pod may have thousands of tolerations, so they are sorted once. The pod
// outlives it.
class Untolerated {
 public:
  explicit Untolerated(const api::Pod& pod);
  // The taints of one node, in its order.
  std::vector<std::string> on(const cluster::Snapshot& snapshot, cluster::Row row) const;

 private:
  api::Tolerations tolerations_;
};

// A toleration of the pod that differs from a taint in one part only, and so may be mistyped.
struct MissedToleration {
  enum class Part : std::uint8_t { value, effect, key };
  Part part = Part::value;
  std::string key;             // of the toleration
  std::string has, taint_has;  // this part of each; a value may be empty
};

// Returns the toleration that is nearest to one of the taints for which the plugin rejected nodes: it misses
// the value, else the effect, else the key. A toleration of a taint that some node has is not mistyped in its
// value or its key. `is_wanted`: whether the taint counts. Compares a bounded number of tolerations and
// taints. nullopt: none is near.
std::optional<MissedToleration> missed_toleration(bool (*is_wanted)(const api::Taint&),
                                                  const cluster::PodInfo& pod,
                                                  const framework::Decision& decision,
                                                  const cluster::Snapshot& snapshot);
// The same of the taints of one node.
std::optional<MissedToleration> missed_toleration(bool (*is_wanted)(const api::Taint&),
                                                  const cluster::PodInfo& pod,
                                                  const cluster::Snapshot& snapshot, cluster::Row row);

}  // namespace podium::plugins
