#include "scheduler/cluster/pods_by_importance.h"

#include <algorithm>

#include "api/values/pod.h"

namespace podium::cluster {

Wall start_of(const PodInfo& pod) { return pod->start_time.value_or(Wall::max()); }

PodsByImportance::PodsByImportance(const std::vector<PodInfoPtr>& pods) {
  pods_.reserve(pods.size());
  for (const auto& pod : pods) {
    const auto& requests = pod->requests;
    pods_.push_back({.start = start_of(*pod),
                     .requests = {requests.milli_cpu, requests.memory, requests.ephemeral_storage},
                     .priority = pod->priority,
                     .index = static_cast<std::uint32_t>(pods_.size())});
  }
  std::ranges::stable_sort(pods_, is_more_important);
}

std::span<const RankedPod> PodsByImportance::below(std::int32_t priority) const {
  const auto first =
      std::ranges::partition_point(pods_, [&](const RankedPod& pod) { return pod.priority >= priority; });
  return {first, pods_.end()};
}

}  // namespace podium::cluster
