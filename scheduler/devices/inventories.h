// Inventories: the index of the slices, kept until one changes.
//
// Role: what-ifs may ask of an older state than the live decisions, so that two are kept.
// Owner: a plugin. Threads: any number of threads may ask at a time. Errors: none.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "scheduler/cluster/objects.h"
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

  // The inventory of the version and true; else the latest one, which may be null.
  std::pair<Ptr, bool> known(const std::shared_ptr<const void>& version);

  std::mutex mutex_;
  std::array<Kept, 2> kept_;  // the latest first
};

}  // namespace podium::devices
