// RoomBound: how many of the pods that wait nodes can take at most, by the number of pods, cpu and memory.
//
// Rules out choices of nodes that cannot hold as many pods as another one, without placing them.
//
// Threads: const members may be called concurrently. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explain/answer/waiting.h"

namespace podium::explain {

class RoomBound {
 public:
  // Sums up the pods without a place. Bounds nothing if a profile does not filter by resources, or a pod asks
  // for less than nothing.
  RoomBound(const Waiters& waiters, const Places& places);

  struct Room {
    std::int64_t pods = 0, milli_cpu = 0, memory = 0;
    void add(const Room& other, std::int64_t times);  // at least once
  };
  static Room room_on(const api::Node& node);  // if it is empty
  static Room room_on(const cluster::Snapshot& fork);

  std::size_t on_node(const api::Node& node) const;  // if it is empty
  std::size_t on_nodes(const cluster::Snapshot& fork) const;
  std::size_t in(const Room& room) const;  // as if it were on one node

 private:
  // The least that 0, 1, 2, … pods ask for together.
  using Sums = std::vector<std::int64_t>;
  static Sums sums_of(std::vector<std::int64_t> requests);
  static std::size_t fitting(const Sums& sums, std::int64_t free);
  std::size_t fitting(std::int64_t pods, std::int64_t milli_cpu, std::int64_t memory) const;

  std::size_t pods_ = 0;
  bool is_bound_ = true;
  Sums milli_cpu_, memory_;
};

}  // namespace podium::explain
