// Inventories: the index of the slices, kept until one changes.
//
// Role: what-ifs may use an older state than live decisions, so it keeps two.
// Owner: a plugin. Threads: any number of threads at the same time. Errors: none.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "scheduler/cluster/cluster_objects.h"
#include "scheduler/devices/inventory.h"

namespace podium::devices {

class Inventories {
 public:
  using Ptr = std::shared_ptr<const Inventory>;

  Ptr of(const cluster::Objects& objects);

 private:
  struct Kept {
    std::shared_ptr<const void> version;
    Ptr inventory;
  };

  // The inventory of the version and true, or the latest one, which may be null, and false.
  std::pair<Ptr, bool> known(const std::shared_ptr<const void>& version);

  std::mutex mutex_;
  std::array<Kept, 2> kept_;  // the latest first
};

}  // namespace podium::devices
