#include "scheduler/plugins/dynamic_resources/search_memo.h"

#include <algorithm>
#include <utility>

namespace podium::plugins {

SearchMemo::SearchMemo(const cluster::Snapshot& snapshot, const std::vector<ClaimPtr>& claims,
                       devices::Inventories::Ptr inventory)
    : claims_(claims),
      inventory_(std::move(inventory)),
      classes_(snapshot.objects().all<api::DeviceClass>()),
      in_use_(snapshot.objects().devices_in_use()) {}

bool SearchMemo::is_for(const cluster::Snapshot& snapshot, const std::vector<ClaimPtr>& claims,
                        const devices::Inventories::Ptr& inventory) const {
  const auto asks_for_the_same = [](const ClaimPtr& a, const ClaimPtr& b) {
    return a == b || a->spec == b->spec;
  };
  return inventory == inventory_ && std::ranges::equal(claims, claims_, asks_for_the_same) &&
         classes_.is(snapshot.objects().all<api::DeviceClass>());
}

void SearchMemo::renew(const cluster::Snapshot& snapshot) {
  const auto& now = snapshot.objects().devices_in_use();
  for (auto& known : nodes_) {
    if (!known.node) continue;
    const auto is_same = [&](const cluster::PoolId* pool) { return now.has_same_use(*pool, in_use_); };
    if (!std::ranges::all_of(known.pools, is_same)) known = {};
  }
  in_use_ = now;
}

void SearchMemo::add(cluster::Row row, api::NodePtr node, Answer answer, Pools pools) {
  if (row >= nodes_.size()) nodes_.resize(row + 1);
  nodes_[row] = {std::move(node), answer, std::move(pools)};
}

std::unique_ptr<SearchMemo> SearchMemos::take(const cluster::Snapshot& snapshot,
                                              const std::vector<ClaimPtr>& claims,
                                              const devices::Inventories::Ptr& inventory) {
  if (!snapshot.objects().taint_rules().empty() || claims.size() > kMostClaims) return nullptr;
  for (auto claim = claims.begin(); claim != claims.end(); ++claim) {
    if (std::find(claims.begin(), claim, *claim) != claim) return nullptr;
  }
  std::unique_ptr<SearchMemo> memo;
  {
    const std::lock_guard lock(mutex_);
    const auto it = std::ranges::find_if(
        kept_, [&](const auto& each) { return each->is_for(snapshot, claims, inventory); });
    if (it != kept_.end()) {
      memo = std::move(*it);
      kept_.erase(it);
    }
  }
  if (memo)
    memo->renew(snapshot);
  else
    memo = std::make_unique<SearchMemo>(snapshot, claims, inventory);
  return memo;
}

void SearchMemos::give_back(std::unique_ptr<SearchMemo> memo) {
  std::unique_ptr<SearchMemo> dropped;  // outside the lock: it may have many nodes
  const std::lock_guard lock(mutex_);
  kept_.insert(kept_.begin(), std::move(memo));
  if (kept_.size() <= kMost) return;
  dropped = std::move(kept_.back());
  kept_.pop_back();
}

}  // namespace podium::plugins
