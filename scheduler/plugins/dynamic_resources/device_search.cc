#include "scheduler/plugins/dynamic_resources/device_search.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "scheduler/cluster/hash.h"
#include "scheduler/devices/allocator.h"
#include "scheduler/devices/inventories.h"

namespace podium::plugins {
namespace {

// On one node, as long as other pods can bear to wait. Upstream has a time limit (filterTimeout).
constexpr std::int64_t kSteps = 5'000'000;

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
         std::shared_ptr<devices::Selectors> selectors, devices::Inventories::Ptr inventory)
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
  const devices::Inventories::Ptr inventory_;
  mutable devices::Allocator allocator_;  // its answers do not depend on earlier ones
};

}  // namespace

StartSearch device_search() {
  return [selectors = std::make_shared<devices::Selectors>(),
          inventories = std::make_shared<devices::Inventories>()](const cluster::Snapshot& snapshot,
                                                                  std::vector<ClaimPtr> claims) {
    return std::make_unique<Search>(snapshot, std::move(claims), selectors,
                                    inventories->of(snapshot.objects()));
  };
}

}  // namespace podium::plugins
