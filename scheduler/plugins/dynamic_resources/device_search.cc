#include "scheduler/plugins/dynamic_resources/device_search.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <utility>
#include <variant>

#include "scheduler/cluster/hash.h"
#include "scheduler/devices/allocator.h"

namespace podium::plugins {
namespace {

// On one node, as long as other pods can bear to wait. Upstream has a time limit (filterTimeout).
constexpr std::int64_t kSteps = 5'000'000;

// The index of the slices, kept until one changes. What-ifs may ask of an older state than the live
// decisions, so that two are kept. Threads: any number of threads may ask at a time.
class Inventories {
 public:
  using Ptr = std::shared_ptr<const devices::Inventory>;

  Ptr of(const cluster::Objects& objects) {
    const auto latest = known(objects.slices_version());
    if (latest.second) return latest.first;
    std::vector<std::shared_ptr<const api::ResourceSlice>> slices;
    for (const auto& [key, slice] : objects.all<api::ResourceSlice>()) slices.push_back(slice);
    // Not under the lock: other threads go on with what they know.
    auto made = std::make_shared<const devices::Inventory>(slices, devices::Features(), latest.first.get());
    const std::scoped_lock lock(mutex_);
    kept_[1] = std::exchange(kept_[0], {objects.slices_version(), made});
    return made;
  }

 private:
  struct Kept {
    std::shared_ptr<const void> version;
    Ptr inventory;
  };

  // The inventory of the version and true; else the latest one, which may be null.
  std::pair<Ptr, bool> known(const std::shared_ptr<const void>& version) {
    const std::scoped_lock lock(mutex_);
    for (const auto& kept : kept_) {
      if (kept.inventory && kept.version == version) return {kept.inventory, true};
    }
    return {kept_[0].inventory, false};
  }

  std::mutex mutex_;
  std::array<Kept, 2> kept_;  // the latest first
};

// A random UUID upstream. Here the claims, which are allocated once at each of their versions, draw it, since
// equal snapshots have equal answers.
class ShareIds {
 public:
  ShareIds(const std::vector<ClaimPtr>& claims, std::string_view node) : seed_(cluster::hash_text(node)) {
    for (const auto& claim : claims) {
      seed_ = cluster::hash_mix(seed_, cluster::hash_text(claim->meta.uid));
      seed_ = cluster::hash_mix(seed_, cluster::hash_text(claim->meta.resource_version));
    }
  }
  std::string operator()() {
    const auto high = cluster::hash_mix(seed_, ++drawn_), low = cluster::hash_mix(seed_, ++drawn_);
    return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                       high & 0xfff, 0x8000 | ((low >> 48) & 0x3fff), low & 0xffff'ffff'ffff);
  }

 private:
  std::uint64_t seed_, drawn_ = 0;
};

class Search final : public DeviceSearch {
 public:
  Search(const cluster::Snapshot& snapshot, std::vector<ClaimPtr> claims,
         std::shared_ptr<devices::Selectors> selectors, Inventories::Ptr inventory)
      : snapshot_(snapshot),
        claims_(std::move(claims)),
        selectors_(std::move(selectors)),
        inventory_(std::move(inventory)),
        allocator_(claims_, {.inventory = *inventory_,
                             .allocated = snapshot.objects().devices_in_use(),
                             .selectors = *selectors_,
                             .find_class = [&objects = snapshot.objects()](std::string_view name) {
                               return objects.find<api::DeviceClass>("", name);
                             }}) {}

  DevicesFound at(cluster::Row row) const override {
    using End = DevicesFound::End;
    const auto& node = *snapshot_.entry(row).node;
    devices::Steps steps{kSteps};
    auto outcome = allocator_.allocate(node, steps);
    if (auto* failure = std::get_if<devices::Failure>(&outcome)) return {End::failed, {}, failure->message};
    if (const auto* no = std::get_if<devices::NoFit>(&outcome))
      return {no->invalid_pools ? End::invalid_pools : End::none};
    const auto* solution = std::get_if<devices::Solution>(&outcome);
    if (!solution) return {End::timed_out};
    return {End::found, allocator_.allocations(*solution, node.meta.name, ShareIds(claims_, node.meta.name))};
  }

  void tally(cluster::Row row, devices::Tally& to) const override {
    allocator_.tally(*snapshot_.entry(row).node, to);
  }

 private:
  const cluster::Snapshot& snapshot_;
  const std::vector<ClaimPtr> claims_;
  const std::shared_ptr<devices::Selectors> selectors_;
  const Inventories::Ptr inventory_;
  mutable devices::Allocator allocator_;  // its answers do not depend on earlier ones
};

}  // namespace

StartSearch device_search() {
  return [selectors = std::make_shared<devices::Selectors>(), inventories = std::make_shared<Inventories>()](
             const cluster::Snapshot& snapshot, std::vector<ClaimPtr> claims) {
    return std::make_unique<Search>(snapshot, std::move(claims), selectors,
                                    inventories->of(snapshot.objects()));
  };
}

}  // namespace podium::plugins
