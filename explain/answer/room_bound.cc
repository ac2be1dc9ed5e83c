#include "explain/answer/room_bound.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "scheduler/cluster/pod_requests.h"
#include "scheduler/cluster/resources.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::explain {
namespace {

bool filters_by_resources(const framework::Profile& profile) {
  return std::ranges::any_of(profile.filters, [](const auto& entry) {
    return entry.plugin && entry.filter && entry.name == framework::names::kNodeResourcesFit;
  });
}

}  // namespace

RoomBound::RoomBound(const Waiters& waiters, const Places& places) {
  std::map<const framework::Profile*, bool> filters;
  std::vector<std::int64_t> milli_cpu, memory;
  for (std::size_t i = 0; i < waiters.pods.size(); ++i) {
    if (i < places.size() && places[i]) continue;
    const auto& [pod, profile, kind] = waiters.pods[i];
    const auto [filter, is_new] = filters.try_emplace(profile);
    if (is_new) filter->second = filters_by_resources(*profile);
    is_bound_ = is_bound_ && filter->second && pod->requests.milli_cpu >= 0 && pod->requests.memory >= 0;
    milli_cpu.push_back(pod->requests.milli_cpu);
    memory.push_back(pod->requests.memory);
  }
  pods_ = milli_cpu.size();
  milli_cpu_ = sums_of(std::move(milli_cpu));
  memory_ = sums_of(std::move(memory));
}

RoomBound::Sums RoomBound::sums_of(std::vector<std::int64_t> requests) {
  std::ranges::sort(requests);
  Sums out{0};
  for (const auto each : requests) out.push_back(cluster::saturating_add(out.back(), each));
  return out;
}

// Pods that ask for nothing fit on a full node.
std::size_t RoomBound::fitting(const Sums& sums, std::int64_t free) {
  const auto more = std::ranges::upper_bound(sums, std::max<std::int64_t>(0, free));
  return static_cast<std::size_t>(more - sums.begin()) - 1;
}

std::size_t RoomBound::fitting(std::int64_t pods, std::int64_t milli_cpu, std::int64_t memory) const {
  if (!is_bound_) return pods_;
  const auto by_count = std::min(static_cast<std::size_t>(std::max<std::int64_t>(0, pods)), pods_);
  return std::min({by_count, fitting(milli_cpu_, milli_cpu), fitting(memory_, memory)});
}

void RoomBound::Room::add(const Room& other, std::int64_t times) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const auto sum = [times](std::int64_t a, std::int64_t b) {
    const auto each = std::max<std::int64_t>(0, b);
    return cluster::saturating_add(a, each > kMost / times ? kMost : each * times);
  };
  pods = sum(pods, other.pods);
  milli_cpu = sum(milli_cpu, other.milli_cpu);
  memory = sum(memory, other.memory);
}

RoomBound::Room RoomBound::room_on(const api::Node& node) {
  const auto has = cluster::to_resources(node.allocatable);
  return {cluster::allowed_pods(node), has.milli_cpu, has.memory};
}

RoomBound::Room RoomBound::room_on(const cluster::Snapshot& fork) {
  Room out;
  fork.present().each([&](cluster::Row row) {
    out.add({cluster::wrapping_minus(fork.allocatable_pods[row], fork.pod_count[row]),
             cluster::wrapping_minus(fork.allocatable_milli_cpu[row], fork.requested_milli_cpu[row]),
             cluster::wrapping_minus(fork.allocatable_memory[row], fork.requested_memory[row])},
            1);
  });
  return out;
}

std::size_t RoomBound::in(const Room& room) const { return fitting(room.pods, room.milli_cpu, room.memory); }

std::size_t RoomBound::on_node(const api::Node& node) const {
  const auto has = cluster::to_resources(node.allocatable);
  return fitting(cluster::allowed_pods(node), has.milli_cpu, has.memory);
}

std::size_t RoomBound::on_nodes(const cluster::Snapshot& fork) const {
  std::size_t out = 0;
  fork.present().each([&](cluster::Row row) {
    out += fitting(cluster::wrapping_minus(fork.allocatable_pods[row], fork.pod_count[row]),
                   cluster::wrapping_minus(fork.allocatable_milli_cpu[row], fork.requested_milli_cpu[row]),
                   cluster::wrapping_minus(fork.allocatable_memory[row], fork.requested_memory[row]));
  });
  return out;
}

}  // namespace podium::explain
