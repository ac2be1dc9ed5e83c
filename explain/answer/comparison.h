// Compares two configurations of the scheduler: places all pods of a cluster with each, on nodes without pods
// but for those that stay: of DaemonSets, static, terminating, and of other schedulers.
//
// Places in the order of the queue, without preemption: pods of higher priority come first. Running pods do
// not move when a configuration changes, so this is where pods would be if all were created again.
//
// Threads: pure functions on forks. Errors: none; a pod without a place is data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explain/answer/budget.h"
#include "explain/answer/fork_memory.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"

namespace podium::explain {

struct ComparedPod {
  std::string ns, name;
  std::string old_node, new_node;  // empty: no place
  std::string reason = {};         // why it has no place with one of the configurations
};

struct ZoneUse {
  std::string zone;
  std::size_t cpu_percent = 0, memory_percent = 0;  // requested, of what its nodes have; rounded down
};

struct WaitingFor {
  std::string reason;  // kube-scheduler's words: "Insufficient cpu"
  std::size_t pods = 0;
};

// With one configuration.
struct ComparedSide {
  std::size_t placed = 0;
  std::size_t nodes_in_use = 0;     // with pods other than those that stay
  std::vector<WaitingFor> waiting;  // the most pods first
  std::vector<ZoneUse> zones;       // by name; empty: no node has a zone
};

struct ConfigComparison {
  std::size_t pods = 0;  // that a profile of one of the configurations schedules
  std::size_t staying = 0, gated = 0, other_scheduler = 0;
  bool is_finished = true;    // false: the budget has ended, and nothing is usable
  bool is_too_large = false;  // the same: the copies of the pods would need more memory than allowed
  ComparedSide old_side, new_side;
  std::vector<ComparedPod> moved;         // placed with both, on different nodes
  std::vector<ComparedPod> lost, gained;  // placed with one of them only
};

// `waiting`: the pods without a node.
ConfigComparison compare_configs(const config::Config& old_config, const config::Config& new_config,
                                 const std::vector<cluster::PodInfoPtr>& waiting, const Budget& budget,
                                 const cluster::Snapshot& snapshot,
                                 ForkMemory memory = ForkMemory(ForkMemory::kAny));

}  // namespace podium::explain
