#include "scheduler/plugins/dynamic_resources/device_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "base/text_hash.h"
#include "scheduler/devices/allocator.h"
#include "scheduler/devices/inventories.h"
#include "scheduler/plugins/dynamic_resources/search_memo.h"

namespace podium::plugins {
namespace {

// A step takes 10 to 100 ns. Upstream's search of 10 s (its default) corresponds to 5 million steps here.
constexpr std::int64_t kStepsASecond = 500'000, kMostSteps = 5'000'000;
// Step budget over all nodes: enough for ordinary searches, and for a few hard ones (kStepsOfRiddles).
constexpr std::int64_t kStepsANode = 10'000, kStepsOfRiddles = 20'000'000;
// Step budget of a hurried search: enough if the first devices match, or none.
constexpr std::int64_t kHurriedSteps = 100'000, kHurriedStepsANode = 1'000;

// Share IDs are random UUIDs upstream. Here they derive from the UIDs and versions of the claims, so that
// equal snapshots give equal answers. A claim is allocated once at each of its versions.
class ShareIds {
 public:
  ShareIds(const std::vector<ClaimPtr>& claims, std::string_view node) : seed_(stable_hash(node)) {
    for (const auto& claim : claims) {
      seed_ = hash_mix(seed_, stable_hash(claim->meta.uid));
      seed_ = hash_mix(seed_, stable_hash(claim->meta.resource_version));
    }
  }
  std::string operator()() {
    const auto high = hash_mix(seed_, ++drawn_), low = hash_mix(seed_, ++drawn_);
    return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                       high & 0xfff, 0x8000 | ((low >> 48) & 0x3fff), low & 0xffff'ffff'ffff);
  }

 private:
  std::uint64_t seed_, drawn_ = 0;
};

class Search final : public DeviceSearch {
 public:
  Search(const cluster::Snapshot& snapshot, std::vector<ClaimPtr> claims,
         std::shared_ptr<devices::Selectors> selectors, devices::Inventories::Ptr inventory,
         std::shared_ptr<SearchMemos> memos, SearchLimits limits)
      : snapshot_(snapshot),
        limits_(limits),
        left_(limits.of_nodes),
        searched_(snapshot.chunks()),
        claims_(std::move(claims)),
        selectors_(std::move(selectors)),
        inventory_(std::move(inventory)),
        memos_(std::move(memos)),
        memo_(memos_->take(snapshot, claims_, inventory_)),
        allocator_(claims_, {.inventory = *inventory_,
                             .allocated = snapshot.objects().devices_in_use(),
                             .selectors = *selectors_,
                             .find_class =
                                 [&objects = snapshot.objects()](std::string_view name) {
                                   return objects.find<api::DeviceClass>("", name);
                                 },
                             .taint_rules = &snapshot.objects().taint_rules()}) {}
  ~Search() override {
    if (memo_) memos_->give_back(std::move(memo_));
  }

  DevicesFound at(cluster::Row row) const override {
    using End = DevicesFound::End;
    const bool is_first = !searched_.test(row);
    if (is_first && left_ <= 0) return {End::timed_out};
    const auto& node = snapshot_.entry(row).node;
    const auto* known = memo_ ? memo_->find(row, node) : nullptr;
    if (known && known->steps <= limits_.on_node) {
      count_steps(row, known->steps);
      return {known->end};
    }
    devices::StepBudget steps{limits_.on_node};
    const auto found = found_by(allocator_.allocate(*node, steps));
    const auto spent = limits_.on_node - steps.left;
    count_steps(row, spent);
    keep(row, node, found.end, spent - steps.once);
    return found;
  }

  std::vector<api::Allocation> allocations(cluster::Row row) const override {
    const auto& node = *snapshot_.entry(row).node;
    devices::StepBudget steps{limits_.on_node};
    const auto outcome = allocator_.allocate(node, steps);
    const auto* solution = std::get_if<devices::Solution>(&outcome);
    if (!solution) return {};
    return allocator_.allocations(*solution, node.meta.name, ShareIds(claims_, node.meta.name));
  }

  void tally(cluster::Row row, devices::Tally& to) const override {
    allocator_.tally(*snapshot_.entry(row).node, to);
  }

 private:
  static DevicesFound found_by(const devices::AllocationOutcome& outcome) {
    using End = DevicesFound::End;
    if (std::holds_alternative<devices::Solution>(outcome)) return {End::found};
    if (const auto* failure = std::get_if<devices::Failure>(&outcome)) return {End::failed, failure->message};
    const auto* no = std::get_if<devices::NoFit>(&outcome);
    if (!no) return {End::timed_out};
    return {no->invalid_pools ? End::invalid_pools : End::none};
  }

  void count_steps(cluster::Row row, std::int64_t spent) const {
    if (searched_.test(row)) return;
    searched_.set(row);
    left_ -= spent;
  }
  void keep(cluster::Row row, const api::NodePtr& node, DevicesFound::End end, std::int64_t steps) const {
    using End = DevicesFound::End;
    if (!memo_ || end == End::failed || end == End::timed_out) return;
    // A node that reaches many pools of a network is another one after each allocation of their devices.
    constexpr std::size_t kMostPools = 8;
    const auto pools = allocator_.last_pools();
    if (pools.size() <= kMostPools)
      memo_->add(row, node, {end, steps}, SearchMemo::Pools(pools.begin(), pools.end()));
  }

  const cluster::Snapshot& snapshot_;
  const SearchLimits limits_;
  mutable std::int64_t left_;           // steps, over all nodes
  mutable cluster::NodeMask searched_;  // rows that were searched
  const std::vector<ClaimPtr> claims_;
  const std::shared_ptr<devices::Selectors> selectors_;
  const devices::Inventories::Ptr inventory_;
  const std::shared_ptr<SearchMemos> memos_;
  mutable std::unique_ptr<SearchMemo> memo_;  // null: nothing is kept
  mutable devices::Allocator allocator_;      // its answers do not depend on earlier ones
};

}  // namespace

SearchLimits SearchLimits::of(std::chrono::nanoseconds filter_timeout, std::size_t nodes, bool is_hurried) {
  const auto count = static_cast<std::int64_t>(nodes);
  const auto nanos = filter_timeout.count();
  const bool is_shorter = nanos > 0 && filter_timeout < std::chrono::seconds(kMostSteps / kStepsASecond);
  const auto on_node =
      is_shorter ? std::max<std::int64_t>(1, nanos * kStepsASecond / std::nano::den) : kMostSteps;
  if (is_hurried) return {std::min(on_node, kHurriedSteps), kHurriedSteps + count * kHurriedStepsANode};
  return {on_node, kStepsOfRiddles + count * kStepsANode};
}

StartSearch device_search(std::chrono::nanoseconds filter_timeout) {
  return [filter_timeout, selectors = std::make_shared<devices::Selectors>(),
          inventories = std::make_shared<devices::Inventories>(), memos = std::make_shared<SearchMemos>()](
             const cluster::Snapshot& snapshot, std::vector<ClaimPtr> claims) {
    return std::make_unique<Search>(
        snapshot, std::move(claims), selectors, inventories->of(snapshot.objects()), memos,
        SearchLimits::of(filter_timeout, snapshot.node_count(), snapshot.moment().is_hurried));
  };
}

}  // namespace podium::plugins
