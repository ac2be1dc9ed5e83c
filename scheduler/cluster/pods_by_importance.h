// PodsByImportance: a node's pods as preemption compares them, in one array, so that a dry run does not read
// the pods.
//
// Pods are scattered in memory: reading thirty of them on each of thousands of nodes takes most of the
// time of a decision that preempts.
// Owner: a NodeEntry, which makes it on demand and drops it with each change. Threads: immutable.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/instant.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::cluster {

// A pod without a start time counts as the latest. Source: util.GetPodStartTime.
Wall start_of(const PodInfo& pod);

struct RankedPod {
  Wall start;
  std::array<std::int64_t, 3> requests;  // milli-CPUs, memory, ephemeral storage
  std::int32_t priority;
  std::uint32_t index;  // in NodeEntry::pods
};

// A higher priority first, then an earlier start. Source: util.MoreImportantPod.
inline bool is_more_important(const RankedPod& a, const RankedPod& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.start < b.start;
}

class PodsByImportance {
 public:
  explicit PodsByImportance(const std::vector<PodInfoPtr>& pods);

  // The pods of less than this priority; the more important first, equals in the order of the entry.
  std::span<const RankedPod> below(std::int32_t priority) const;

 private:
  std::vector<RankedPod> pods_;
};

}  // namespace podium::cluster
