#include "explain/answer/needless_shapes.h"

#include <algorithm>
#include <string>

namespace podium::explain {
namespace {

// What the nodes of two shapes must have in common to be compared.
struct Compared {
  bool all_labels = false, taints = false;
  LabelKeys keys = {};

  explicit Compared(const Waiters& waiters) {
    std::vector<bool> seen(waiters.kinds);
    for (const auto& waiter : waiters.pods) {
      if (seen[waiter.kind]) continue;
      seen[waiter.kind] = true;
      const auto& pod = *waiter.pod->pod;
      all_labels = all_labels || has_read_volume(pod) || !pod.resource_claims.empty();
      if (pod.pod_affinity.required.empty() && pod.pod_anti_affinity.required.empty() &&
          pod.topology_spread.empty())
        continue;
      taints = true;
      keys.merge(keys_of_constraints(pod));
    }
    keys.erase(std::string(api::label::hostname));
  }

  bool are_alike(const api::Node& a, const api::Node& b) const {
    if ((all_labels || taints) && a.taints != b.taints) return false;
    if (all_labels) return a.meta.labels == b.meta.labels;
    return std::ranges::all_of(keys, [&](const std::string& key) {
      const auto *mine = a.meta.labels.find(key), *its = b.meta.labels.find(key);
      return mine && its ? *mine == *its : mine == its;
    });
  }
};

bool has_as_much(const api::Node& node, const api::Node& other) {
  return std::ranges::all_of(other.allocatable, [&](const auto& amount) {
    const auto* mine = api::find_resource(node.allocatable, amount.first);
    return mine ? *mine >= amount.second : amount.second.is_zero();
  });
}

}  // namespace

std::vector<bool> needless_shapes(const KnownShapes& shapes, const PodPrices& prices, const Waiters& waiters,
                                  const Budget& budget) {
  const Compared compared(waiters);
  const auto& list = shapes.list;
  // Without prices a smaller node is better than a larger one.
  const auto costs_at_most = [&](const KnownShape& mine, const KnownShape& its) {
    return shapes.is_priced ? *mine.shape.price <= *its.shape.price
                            : mine.model.node->allocatable == its.model.node->allocatable;
  };
  const auto replaces = [&](std::size_t i, std::size_t other) {
    const auto &mine = list[i], &its = list[other];
    if (!costs_at_most(mine, its) || mine.most < its.most) return false;
    // Devices and volumes are not compared.
    if (!mine.model.slices.empty() || !its.model.slices.empty()) return false;
    if (mine.model.drivers || its.model.drivers) return false;
    return prices.takes_more(i, other) && has_as_much(*mine.model.node, *its.model.node) &&
           compared.are_alike(*mine.model.node, *its.model.node);
  };
  std::vector<bool> out(list.size());
  for (std::size_t i = 0; i < list.size() && has_time(budget); ++i) {
    for (std::size_t other = 0; other < list.size() && !out[i]; ++other)
      out[i] = other != i && replaces(other, i) && (other < i || !replaces(i, other));
  }
  return out;
}

}  // namespace podium::explain
