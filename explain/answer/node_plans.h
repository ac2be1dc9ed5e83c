// NodePlans: choices of nodes to add, so that the pods that wait are placed: a greedy cover, then fewer or
// cheaper nodes by trial.
//
// A node takes minutes to join. By then the pods that fit on the existing nodes are there. So these are
// placed first, and each choice is tried on a fork of that: the other waiting pods are placed in the order of
// the queue. Nothing follows from sums of resources. Of more than kMostExhaustive shapes, estimates say which
// to try first (pod_prices.h).
//
// Owner: one search. Threads: none. Errors: none; the budget may end the search at any time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "explain/answer/node_shapes.h"
#include "explain/answer/pod_groups.h"
#include "explain/answer/pod_prices.h"
#include "explain/answer/room_bound.h"
#include "explain/answer/waiting.h"

namespace podium::explain {

using ShapeCounts = std::vector<std::int32_t>;  // nodes by shape

// A choice of nodes, and where the pods go with them.
struct NodePlan {
  ShapeCounts counts;
  cluster::Snapshot fork;
  Places places = {};
  std::map<cluster::Row, std::size_t> shape_of = {};  // of the added nodes

  std::size_t placed() const { return count_placed(places); }
};

class NodePlans {
 public:
  // Keeps references to all arguments. `now`: the existing nodes, with the pods that fit there.
  // A cheaper plan keeps the groups that are whole.
  NodePlans(const KnownShapes& shapes, const Waiters& waiters, const PodGroups& groups, const Budget& budget,
            const NodePlan& now)
      : known_(shapes),
        shapes_(shapes.list),
        waiters_(waiters),
        groups_(groups),
        budget_(budget),
        now_(now) {}

  // A choice of nodes with which all pods that some shape can hold are placed. If the budget ends, the choice
  // places some of the pods.
  struct Cover {
    NodePlan plan;
    bool is_whole = true;
  };
  Cover cover();

  // Looks for a choice that costs less and places no fewer pods: takes nodes away, and swaps them.
  // `is_finished`: no node can be left out. `is_fewest`: every choice that costs less was tried.
  struct Best {
    NodePlan plan;
    bool is_finished = false, is_fewest = false;
  };
  Best make_cheaper(NodePlan plan);

  void add(std::size_t shape, std::int32_t count, NodePlan& plan) const;
  // Whether the shape and the question allow one more node.
  bool may_add_one(std::size_t shape, const NodePlan& plan) const;
  std::int64_t price_of(const ShapeCounts& counts) const;  // in millionths; the number, without prices

 private:
  // Lower is better, from left to right: the price or the number, the number, the sizes.
  using Cost = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

  bool has_time() const { return explain::has_time(budget_); }
  bool may_add(const ShapeCounts& counts) const;
  // Places the pods with these nodes. nullopt: the budget has ended.
  std::optional<NodePlan> try_counts(const ShapeCounts& counts) const;
  Cost cost_of(const ShapeCounts& counts) const;
  Cost cost_of_one(std::size_t shape) const;
  std::vector<std::size_t> by_cost() const;
  std::vector<std::int32_t> gains(const Places& before, const Places& after) const;
  std::int32_t repeats(const std::vector<std::int32_t>& gain, const Places& before) const;
  double node_price(std::size_t shape) const;
  double bonus(std::size_t shape) const;
  void price_pods();
  std::vector<double> first_gains(const Places& places) const;
  std::vector<std::size_t> promising(const NodePlan& plan) const;
  double gain(const Places& before, const Places& after) const;
  bool is_better(std::size_t shape, double gain, std::size_t other, double other_gain) const;
  struct Step;
  bool add_greedily(NodePlan& plan, NodePlan* tried = nullptr) const;
  bool find_step(const NodePlan& plan, std::vector<double>& gains, std::optional<Step>& best) const;
  bool repeat(Step step, NodePlan& plan) const;
  std::optional<NodePlan> widen(const NodePlan& plan) const;
  std::size_t most_placed(const ShapeCounts& counts);
  bool takes(const ShapeCounts& counts);
  void take_away();
  struct Cheaper;
  bool collect(std::size_t shape, Cost cost, Cheaper& cheaper) const;
  bool try_all_cheaper();
  bool swap_one();

  const KnownShapes& known_;
  const std::vector<KnownShape>& shapes_;
  const Waiters& waiters_;
  const PodGroups& groups_;
  const Budget& budget_;
  const NodePlan& now_;
  // The most pods with a place: on the existing nodes, and more on a node of each shape.
  struct MostPlaced {
    RoomBound bound;
    std::size_t now = 0;
    RoomBound::Room room = {};
    std::vector<std::size_t> on_shape = {};
    std::vector<RoomBound::Room> room_of_shape = {};
  };
  std::optional<MostPlaced> bound_;
  std::optional<PodPrices> prices_;
  std::vector<bool> needless_;  // by shape
  Best best_;
};

}  // namespace podium::explain
