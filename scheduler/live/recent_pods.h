// RecentPods: makes equal lists of pods one list. A workload's pods have equal labels, containers and
// tolerations, which take more memory than what differs.
//
// Keeps some lists of pods that are gone: at most 17 lists of 4 KiB for each of 128 pods.
// Owner: the ClusterFeed. Threads: one at a time. Errors: none.
#pragma once

#include <array>
#include <cstddef>

#include "api/values/pod.h"

namespace podium::live {

class RecentPods {
 public:
  // Gives the pod the lists of earlier pods that are equal to its own.
  void share(api::Pod& pod);

 private:
  static constexpr std::size_t kMost = 64;
  using Samples = std::array<api::Pod, kMost>;  // only their lists

  Samples by_class_;  // namespace, labels and affinity: placed pods of a workload differ in their zone
  Samples by_owner_;  // a StatefulSet's pods each have labels of their own
};

}  // namespace podium::live
