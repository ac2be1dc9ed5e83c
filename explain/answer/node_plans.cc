#include "explain/answer/node_plans.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "explain/answer/fork_memory.h"
#include "explain/answer/needless_shapes.h"

namespace podium::explain {
namespace {

using cluster::Row;

constexpr std::size_t kMostChoices = 256;  // that are tried to show that none costs less
constexpr int kMostRounds = 8;             // of adding nodes after a trial left pods without a place
constexpr double kUnknownGain = 1e200;     // times a price of 0 it is a number

}  // namespace

std::int64_t NodePlans::price_of(const ShapeCounts& counts) const { return std::get<0>(cost_of(counts)); }

// Whether the question may add this many nodes: of all shapes, and with the memory that it has. Two forks
// exist at the same time.
bool NodePlans::may_add(const ShapeCounts& counts) const {
  std::int64_t nodes = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > shapes_[i].most) return false;
    nodes += counts[i];
    bytes += 2 * static_cast<std::size_t>(counts[i]) * shapes_[i].model.memory;
  }
  return nodes <= kMostAddedNodes && bytes <= ForkMemory::kMost;
}

bool NodePlans::may_add_one(std::size_t shape, const NodePlan& plan) const {
  auto counts = plan.counts;
  ++counts[shape];
  return may_add(counts);
}

NodePlans::Cost NodePlans::cost_of(const ShapeCounts& counts) const {
  std::int64_t price = 0, nodes = 0, size = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    nodes += counts[i];
    size += counts[i] * shapes_[i].size;
    price += counts[i] * (known_.is_priced ? *shapes_[i].shape.price : 1);
  }
  return {price, nodes, size};
}

void NodePlans::add(std::size_t shape, std::int32_t count, NodePlan& plan) const {
  if (count <= 0) return;
  const auto names = add_nodes(shapes_[shape].model, count, budget_, plan.fork);
  for (const auto& name : names) plan.shape_of[*plan.fork.find_row(name)] = shape;
  plan.counts[shape] += count;
}

std::optional<NodePlan> NodePlans::try_counts(const ShapeCounts& counts) const {
  if (!has_time()) return std::nullopt;
  auto plan = now_;
  for (std::size_t i = 0; i < counts.size(); ++i) add(i, counts[i], plan);
  if (!place_waiters(waiters_, budget_, plan.places, plan.fork)) return std::nullopt;
  return plan;
}

// Pods by kind that have a place in `after` only.
std::vector<std::int32_t> NodePlans::gains(const Places& before, const Places& after) const {
  std::vector<std::int32_t> out(waiters_.kinds);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] && !before[i]) ++out[waiters_.pods[i].kind];
  }
  return out;
}

// How many nodes of the shape, that this one is the first of, would take the same pods.
std::int32_t NodePlans::repeats(const std::vector<std::int32_t>& gain, const Places& before) const {
  std::vector<std::int32_t> left(waiters_.kinds);
  for (std::size_t i = 0; i < before.size(); ++i) left[waiters_.pods[i].kind] += before[i] ? 0 : 1;
  auto times = kMostAddedNodes;
  for (std::size_t kind = 0; kind < gain.size(); ++kind) {
    if (gain[kind] > 0) times = std::min(times, left[kind] / gain[kind]);
  }
  return std::max(1, times);
}

// One more node of a shape.
struct NodePlans::Step {
  NodePlan plan;
  std::size_t shape = 0;
  double gain = 0;
};

double NodePlans::node_price(std::size_t shape) const {
  return known_.is_priced ? static_cast<double>(*shapes_[shape].shape.price) : 1.0;
}

void NodePlans::price_pods() {
  auto one_of_each = now_;
  for (std::size_t i = 0; i < shapes_.size(); ++i) add(i, 1, one_of_each);
  std::vector<std::optional<Row>> rows(shapes_.size());
  for (const auto& [row, shape] : one_of_each.shape_of) rows[shape] = row;
  std::vector<PricedNode> nodes;
  for (std::size_t i = 0; i < rows.size() && rows[i]; ++i) nodes.push_back({*rows[i], node_price(i)});
  prices_.emplace(waiters_, nodes, budget_, one_of_each.fork);
  needless_.assign(shapes_.size(), false);
  if (shapes_.size() > kMostExhaustive && nodes.size() == shapes_.size())
    needless_ = needless_shapes(known_, *prices_, waiters_, budget_);
}

// What a node of each shape may gain at most, before it is tried.
std::vector<double> NodePlans::first_gains(const Places& places) const {
  if (shapes_.size() <= kMostExhaustive) return std::vector<double>(shapes_.size(), kUnknownGain);
  auto out = prices_->most_on_nodes(places, budget_);
  out.resize(shapes_.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (needless_[i]) out[i] = 0;
  }
  return out;
}

// The prices of the pods that have a place in `after` only. The number of pods would say little: a node that
// one large pod fills is as well used as one with many small pods.
double NodePlans::gain(const Places& before, const Places& after) const {
  double sum = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] && !before[i]) sum += prices_->of(waiters_.pods[i].kind);
  }
  return sum;
}

// Adds nodes, always of the shape whose price is used best, until no shape takes a pod.
// False: the budget has ended. Each time the plan has doubled, places the pods again in the queue's order,
// and keeps that plan in `tried`.
bool NodePlans::add_greedily(NodePlan& plan, NodePlan* tried) const {
  auto gains = first_gains(plan.places);
  for (bool is_known = false;;) {
    std::optional<Step> best;
    if (!find_step(plan, gains, best)) return false;
    if (best) {
      is_known = true;
      if (!repeat(std::move(*best), plan)) return false;
      if (!tried || plan.shape_of.size() < 2 * tried->shape_of.size()) continue;
      auto again = try_counts(plan.counts);
      if (!again) return false;
      *tried = std::move(*again);
      continue;
    }
    // Pods may need those that were placed since (affinity), so a shape may now take more than before.
    if (!std::exchange(is_known, false)) return true;
    gains = first_gains(plan.places);
  }
}

// Finds the best shape for one more node. `gains` has the gain of each shape when it was tried last, which is
// seldom less than it is now: a shape that was worse than the best then is not tried again. False: the budget
// has ended.
bool NodePlans::find_step(const NodePlan& plan, std::vector<double>& gains, std::optional<Step>& best) const {
  std::vector<std::size_t> order(shapes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return is_better(a, gains[a], b, gains[b]); });
  for (const auto shape : order) {
    if (gains[shape] == 0) continue;
    if (best && !is_better(shape, gains[shape], best->shape, best->gain)) break;
    if (!may_add_one(shape, plan)) continue;
    auto trial = plan;
    add(shape, 1, trial);
    if (!place_waiters(waiters_, budget_, trial.places, trial.fork)) return false;
    gains[shape] = gain(plan.places, trial.places);
    if (gains[shape] == 0 || (best && !is_better(shape, gains[shape], best->shape, best->gain))) continue;
    best = Step{std::move(trial), shape, gains[shape]};
  }
  return true;
}

// Takes the step, with as many more nodes of its shape as would take the same pods.
bool NodePlans::repeat(Step step, NodePlan& plan) const {
  auto& next = step.plan;
  auto more = repeats(gains(plan.places, next.places), plan.places) - 1;
  auto counts = next.counts;
  for (; more > 0; --more) {
    counts[step.shape] = next.counts[step.shape] + more;
    if (may_add(counts)) break;
  }
  add(step.shape, more, next);
  // The trial has placed all that fit on one node more.
  if (more > 0 && !place_waiters(waiters_, budget_, next.places, next.fork)) return false;
  plan = std::move(next);
  return true;
}

// In a catalogue the price often grows with the size. Then large nodes come first: fewer of them are placed
// sooner, and smaller ones may replace the last ones.
double NodePlans::bonus(std::size_t shape) const {
  if (!known_.is_priced || shapes_.size() <= kMostExhaustive) return 1;
  constexpr double kOfTwice = 0.005;  // of a node with twice the price
  return 1 + kOfTwice * std::log2(std::max(1.0, node_price(shape)));
}

bool NodePlans::is_better(std::size_t shape, double gain, std::size_t other, double other_gain) const {
  const auto mine = gain * node_price(other) * bonus(shape),
             its = other_gain * node_price(shape) * bonus(other);
  if (mine != its) return mine > its;
  return std::pair(node_price(shape), shapes_[shape].size) <
         std::pair(node_price(other), shapes_[other].size);
}

// The scheduler places pods on the chosen nodes in another order than the cover, so it may need more of them.
NodePlans::Cover NodePlans::cover() {
  price_pods();
  auto greedy = now_, tried = now_;
  if (!add_greedily(greedy, &tried)) return {std::move(tried), false};
  const auto target = greedy.placed();
  auto plan = greedy.counts == now_.counts ? now_ : try_counts(greedy.counts);
  for (int round = 0; plan && plan->placed() < target && round < kMostRounds; ++round) {
    auto more = *plan;
    if (!add_greedily(more) || more.counts == plan->counts) break;
    auto next = try_counts(more.counts);
    if (!next) break;
    plan = std::move(next);
  }
  // With one more node, pods may leave room on others to pods that fit on no shape.
  while (plan && plan->placed() < waiters_.pods.size()) {
    auto more = widen(*plan);
    if (!more) break;
    plan = std::move(more);
  }
  if (!plan) return {std::move(tried), false};
  const bool is_whole = plan->placed() == waiters_.pods.size() || has_time();
  return {std::move(*plan), is_whole};
}

// The shapes that are worth a trial for the pods without a place: all, or of many those that may gain most.
std::vector<std::size_t> NodePlans::promising(const NodePlan& plan) const {
  const auto gains = first_gains(plan.places);
  std::vector<std::size_t> out;
  for (std::size_t shape = 0; shape < shapes_.size(); ++shape) {
    if (gains[shape] > 0) out.push_back(shape);
  }
  if (out.size() <= kMostExhaustive) return out;
  std::ranges::stable_sort(out,
                           [&](std::size_t a, std::size_t b) { return is_better(a, gains[a], b, gains[b]); });
  out.resize(kMostExhaustive);
  return out;
}

// Returns a plan that places more pods, with one more node of a shape, or some more of each. nullopt: none
// was found.
std::optional<NodePlan> NodePlans::widen(const NodePlan& plan) const {
  const auto shapes = promising(plan);
  std::vector<ShapeCounts> tries;
  for (const auto shape : shapes) {
    tries.push_back(plan.counts);
    ++tries.back()[shape];
  }
  for (const std::int32_t more : {1, 4}) {
    tries.push_back(plan.counts);
    for (const auto shape : shapes) {
      auto& count = tries.back()[shape];
      count = std::min(count + more, shapes_[shape].most);
    }
  }
  for (const auto& counts : tries) {
    if (!may_add(counts)) continue;
    auto more = try_counts(counts);
    if (more && more->placed() > plan.placed()) return more;
  }
  return std::nullopt;
}

// Pods without a place fit on no existing node, unless they may fit once others are placed.
std::size_t NodePlans::most_placed(const ShapeCounts& counts) {
  if (!bound_) {
    bound_.emplace(MostPlaced{.bound = RoomBound(waiters_, now_.places), .now = now_.placed()});
    if (prices_->has_dependent()) {
      bound_->now += bound_->bound.on_nodes(now_.fork);
      bound_->room = RoomBound::room_on(now_.fork);
    }
    for (const auto& each : shapes_) {
      bound_->on_shape.push_back(bound_->bound.on_node(*each.model.node));
      bound_->room_of_shape.push_back(RoomBound::room_on(*each.model.node));
    }
  }
  auto most = bound_->now;
  auto room = bound_->room;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    most += static_cast<std::size_t>(counts[i]) * bound_->on_shape[i];
    room.add(bound_->room_of_shape[i], counts[i]);
  }
  return std::min(most, now_.placed() + bound_->bound.in(room));
}

// Whether no fewer pods are placed with these nodes, which cost less; they are then the best.
bool NodePlans::takes(const ShapeCounts& counts) {
  if (!may_add(counts) || cost_of(counts) >= cost_of(best_.plan.counts)) return false;
  if (most_placed(counts) < best_.plan.placed()) return false;
  auto plan = try_counts(counts);
  if (!plan || plan->placed() < best_.plan.placed() || !are_whole(groups_, plan->places)) return false;
  best_.plan = std::move(*plan);
  return true;
}

NodePlans::Best NodePlans::make_cheaper(NodePlan plan) {
  best_ = {.plan = std::move(plan)};
  do {
    take_away();
  } while (has_time() && !try_all_cheaper() && swap_one());
  best_.is_finished = best_.is_fewest || has_time();
  return std::move(best_);
}

// Takes single nodes away until none can be left out. The number to try is halved and doubled.
void NodePlans::take_away() {
  for (bool has_changed = true; std::exchange(has_changed, false);) {
    for (const auto shape : by_cost()) {
      std::int32_t fewer = std::max(1, best_.plan.counts[shape] / 2);
      while (best_.plan.counts[shape] > 0 && has_time()) {
        fewer = std::min(fewer, best_.plan.counts[shape]);
        auto counts = best_.plan.counts;
        counts[shape] -= fewer;
        if (takes(counts))
          has_changed = true;
        else if (fewer == 1)
          break;
        else
          fewer /= 2;
      }
    }
  }
}

// The shapes, those with the highest cost first.
std::vector<std::size_t> NodePlans::by_cost() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < shapes_.size(); ++i) out.push_back(i);
  std::ranges::stable_sort(out,
                           [this](std::size_t a, std::size_t b) { return cost_of_one(a) > cost_of_one(b); });
  return out;
}
NodePlans::Cost NodePlans::cost_of_one(std::size_t shape) const {
  return {known_.is_priced ? *shapes_[shape].shape.price : 1, 1, shapes_[shape].size};
}

// The choices that cost less than the best by price and number. Of equal ones the sizes do not count.
struct NodePlans::Cheaper {
  std::pair<std::int64_t, std::int64_t> least;  // of the best
  ShapeCounts counts;                           // that are collected now
  std::vector<ShapeCounts> out = {};
};

// Collects the choices up to the bound. `cost`: of the shapes before this one. False: there are more.
bool NodePlans::collect(std::size_t shape, Cost cost, Cheaper& cheaper) const {
  if (cheaper.out.size() > kMostChoices || !has_time()) return false;
  auto& counts = cheaper.counts;
  if (shape == counts.size()) {
    cheaper.out.push_back(counts);
    return true;
  }
  const auto [more_price, more_nodes, more_size] = cost_of_one(shape);
  auto& [price, nodes, size] = cost;
  bool is_all = true;
  for (counts[shape] = 0; counts[shape] <= shapes_[shape].most && is_all; ++counts[shape]) {
    if (std::pair(price, nodes) >= cheaper.least) break;
    is_all = collect(shape + 1, cost, cheaper);
    price += more_price;
    nodes += more_nodes;
    size += more_size;
  }
  counts[shape] = 0;
  return is_all;
}

// Tries all choices that cost less, if they are few. True: none is cheaper than the best.
bool NodePlans::try_all_cheaper() {
  const auto [price, nodes, size] = cost_of(best_.plan.counts);
  Cheaper cheaper{.least = {price, nodes}, .counts = ShapeCounts(shapes_.size())};
  if (!collect(0, {}, cheaper)) return false;
  std::ranges::stable_sort(cheaper.out, {}, [this](const ShapeCounts& each) { return cost_of(each); });
  for (const auto& each : cheaper.out) {
    if (!has_time()) return false;
    if (takes(each)) break;
  }
  return best_.is_fewest = has_time();
}

// One or two nodes for one or two of another shape, if that costs less: those that cost the least first.
bool NodePlans::swap_one() {
  struct Swap {
    Cost cost;
    std::size_t a, b, to;  // b: the number of shapes: only one node goes
    std::int32_t added;
  };
  const auto count = shapes_.size();
  const auto best = cost_of(best_.plan.counts);
  const auto plus = [](Cost cost, const Cost& other, std::int64_t times) {
    std::get<0>(cost) += times * std::get<0>(other);
    std::get<1>(cost) += times * std::get<1>(other);
    std::get<2>(cost) += times * std::get<2>(other);
    return cost;
  };
  const auto counts_of = [&](const Swap& swap) {
    auto counts = best_.plan.counts;
    --counts[swap.a];
    if (swap.b < count) --counts[swap.b];
    counts[swap.to] += swap.added;
    return counts;
  };
  std::vector<Swap> swaps;
  for (std::size_t a = 0; a < count; ++a) {
    if (best_.plan.counts[a] == 0) continue;
    for (std::size_t b = a; b <= count; ++b) {
      if (b < count && best_.plan.counts[b] < (a == b ? 2 : 1)) continue;
      if (!has_time()) return false;
      const auto fewer = plus(plus(best, cost_of_one(a), -1), b < count ? cost_of_one(b) : Cost(), -1);
      for (std::size_t to = 0; to < count; ++to) {
        if (needless_[to]) continue;
        for (const std::int32_t added : {1, 2}) {
          const Swap swap{plus(fewer, cost_of_one(to), added), a, b, to, added};
          if (swap.cost < best && most_placed(counts_of(swap)) >= best_.plan.placed()) swaps.push_back(swap);
        }
      }
    }
  }
  std::ranges::stable_sort(swaps, {}, &Swap::cost);
  for (const auto& swap : swaps) {
    if (!has_time()) return false;
    if (takes(counts_of(swap))) return true;
  }
  return false;
}

}  // namespace podium::explain
