// The price of a pod: the largest part that it needs of a resource of the cheapest new node. The sum over the
// pods of a node says how well they use the node's price.
//
// Estimates from that how much a node is worth, without placing a pod: of some hundred shapes a search places
// the pods on the few that are worth the most.
//
// Owner: one search. Threads: none. Errors: none; the budget may end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "explain/answer/budget.h"
#include "explain/answer/waiting.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// An empty node, and its price in any unit.
struct PricedNode {
  cluster::Row row;
  double price;
};

class PodPrices {
 public:
  // Keeps a reference to the waiters. `nodes`: one of each shape, on the fork. A kind of pods gets a price
  // above 0, from the nodes on which its pods fit; if they fit on none now, from those that have as much as
  // they ask for. If the budget ends, the rest has the price 0.
  PodPrices(const Waiters& waiters, const std::vector<PricedNode>& nodes, const Budget& budget,
            const cluster::Snapshot& fork);

  double of(std::size_t kind) const { return prices_[kind]; }
  // Whether some kind of pods may fit on a node only after other pods are placed.
  bool has_dependent() const { return has_dependent_; }
  // The most that pods without a place are worth which fit on an empty node of each shape: by the number of
  // pods and each resource alone. Pods that may fit only next to others count as if they did.
  // Fewer elements if the budget ends.
  std::vector<double> most_on_nodes(const Places& places, const Budget& budget) const;
  // Whether the node has as much free as the other one, and takes all pods that the other one takes.
  bool takes_more(std::size_t node, std::size_t other) const;

 private:
  using Amounts = std::vector<std::int64_t>;
  bool fits(std::size_t kind, std::size_t node) const { return (fits_[node][kind / 64] >> (kind % 64)) & 1; }
  double most_on_node(std::size_t node, const Amounts& left) const;

  const Waiters& waiters_;
  bool has_dependent_ = false;
  std::vector<double> prices_;                    // by kind
  std::vector<std::vector<std::uint64_t>> fits_;  // by node: a bit for each kind
  // By dimension: the number of pods, cpu, memory and extended resources.
  std::vector<Amounts> asks_;                    // of each kind
  std::vector<std::vector<std::size_t>> order_;  // the kinds, those worth the most for their amount first
  std::vector<Amounts> free_;                    // by node, then dimension
};

}  // namespace podium::explain
