// The nodes that can be removed, one after the other: node_removal.h places what they run again.
//
// The number of nodes that go depends on their order and choice. A greedy pass takes each node that can be
// removed, in two orders. If few nodes remain to choose from, each set with one more node is tried then; else
// other orders, up to a number of trials.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "api/values/drained_pod.h"
#include "explain/answer/changes.h"
#include "explain/answer/node_removal.h"
#include "explain/answer/node_search.h"
#include "explain/report/each_field.h"
#include "explain/report/project.h"
#include "explain/report/reason_words.h"
#include "explain/workload/device_claims.h"
#include "scheduler/framework/decision.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using cluster::Row;
using cluster::Snapshot;
using Rows = std::vector<Row>;

constexpr std::size_t kMostSpareListed = 64, kMostMovesListed = 64, kMostExamples = 3,
                      kBlockedBytes = bound_of(&BlockedNodes::reason).bytes;
constexpr std::size_t kMostOfSets = 10;    // up to this number of nodes, tries every set
constexpr std::size_t kMostOfOrders = 24;  // failed orders of one set before it is given up
// Trials of single nodes after the greedy passes: in sets, and in other orders.
constexpr std::size_t kMostTrials = 8'000, kMostInOrders = 2'000;

// A node that can be removed: its pods and their new nodes.
struct Step {
  std::string node;
  Moves moves;
};

struct Found {
  std::vector<Step> steps;
  std::map<std::string, Blocked> blocked;  // by node
  std::size_t tried = 0;                   // nodes
  bool is_finished = false;
  bool is_cordoned_first = false;  // no pod goes to a node that goes later
};

class Sparing {
 public:
  Sparing(const NodeSearch& search, Snapshot fork) : search_(search), removal_(search, std::move(fork)) {}

  SpareAnswer run() {
    SpareAnswer out;
    if (!removal_.is_ready()) return out;
    auto best = go_in(by_pods());
    if (has_time()) keep_larger(go_in(by_size()), best);
    out.nodes.is_finished = best.is_finished;
    if (auto once = cordoned_first(rows_of(best.steps))) {
      best.steps = std::move(*once);
      best.is_cordoned_first = true;
    }
    if (best.is_finished) out.nodes.is_largest = improve(best) && has_time();
    out.nodes.cordon_first = best.is_cordoned_first && best.steps.size() > 1;
    out.tried = best.tried;
    record(best, out.nodes);
    return out;
  }

 private:
  bool has_time() const { return removal_.has_time(); }
  const Snapshot& base() const { return removal_.base(); }

  // --- the order ---

  std::size_t pods_to_move(Row row) const {
    return static_cast<std::size_t>(std::ranges::count_if(base().entry(row).pods, [](const PodInfoPtr& pod) {
      return !stays(*pod->pod) && !is_replaced(*pod->pod);
    }));
  }
  // The nodes with the fewest pods first, and with the smallest requests.
  Rows by_pods() const {
    return sorted([this](Row row) {
      return std::tuple<std::int64_t, std::int64_t>(pods_to_move(row), base().requested_milli_cpu[row]);
    });
  }
  // The nodes first that have the smallest requests.
  Rows by_size() const {
    return sorted([this](Row row) {
      return std::tuple<std::int64_t, std::int64_t>(base().requested_milli_cpu[row],
                                                    base().requested_memory[row]);
    });
  }
  template <typename Key>
  Rows sorted(Key key) const {
    const auto rows = base().rows_by_name();
    std::vector<std::pair<decltype(key(Row{})), Row>> keyed;
    for (const auto row : rows) keyed.emplace_back(key(row), row);
    std::ranges::stable_sort(keyed, {}, [](const auto& each) { return each.first; });
    Rows out;
    for (const auto& [_, row] : keyed) out.push_back(row);
    return out;
  }
  Rows rows_of(const std::vector<Step>& steps) const {
    Rows out;
    for (const auto& step : steps) out.push_back(*base().find_row(step.node));
    return out;
  }

  // --- the nodes that take pods ---

  static bool is_open(const api::Node& node) {
    return !node.unschedulable && std::ranges::none_of(node.taints, [](const api::Taint& taint) {
      return taint.effect != api::TaintEffect::prefer_no_schedule;
    });
  }
  std::size_t open_nodes(const Snapshot& fork) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(fork.rows_by_name(), [&](Row row) { return is_open(*fork.entry(row).node); }));
  }
  Blocked last_node(Row row, const Snapshot& fork) const {
    auto blocked = removal_.blocked_by_itself(row, fork);
    return std::move(blocked).value_or(Blocked{
        "LastNode", fork.node_count() == 1 ? "it is the last node"
                                           : "it is the last node that takes pods without tolerations"});
  }

  // --- the greedy search ---

  // Removes each node that can be removed, in this order.
  Found go_in(const Rows& rows) {
    Found out;
    auto fork = base();
    auto open = open_nodes(fork);
    for (const auto row : rows) {
      if (!has_time()) return out;
      ++out.tried;
      const std::string name(base().node_name(row));
      const bool takes_pods = is_open(*fork.entry(row).node);
      if (fork.node_count() == 1 || (takes_pods && open == 1)) {
        out.blocked.emplace(name, last_node(row, fork));
        continue;
      }
      auto trial = fork;
      Moves moves;
      if (auto blocked = removal_.take(row, true, moves, trial)) {
        out.blocked.emplace(name, std::move(*blocked));
        continue;
      }
      if (!has_time()) return out;
      fork = std::move(trial);
      if (takes_pods) --open;
      out.steps.push_back({name, std::move(moves)});
    }
    out.is_finished = true;
    return out;
  }

  // True: the other one removes more nodes, and is the best one now.
  static bool keep_larger(Found other, Found& best) {
    if (!other.is_finished || other.steps.size() <= best.steps.size()) return false;
    best = std::move(other);
    return true;
  }

  // The steps for these nodes if all are cordoned first, so that no pod moves twice. nullopt: one of them
  // cannot be removed.
  std::optional<std::vector<Step>> cordoned_first(const Rows& rows) {
    auto fork = all_cordoned(rows);
    std::vector<Step> out;
    for (const auto row : rows) {
      Moves moves;
      if (!has_time() || removal_.take(row, false, moves, fork)) return std::nullopt;
      out.push_back({std::string(base().node_name(row)), std::move(moves)});
    }
    return has_time() ? std::optional(std::move(out)) : std::nullopt;
  }
  Snapshot all_cordoned(const Rows& rows) const {
    auto fork = base();
    for (const auto row : rows) cordon(row, fork);
    return fork;
  }

  // --- a larger set ---

  // True: each set with one node more was tried.
  bool improve(Found& best) {
    Rows free;  // only room keeps them
    for (const auto row : by_pods()) {
      if (!removal_.blocked_by_itself(row, base())) free.push_back(row);
    }
    const auto most = std::min(free.size(), base().node_count() - 1);
    // Without steps no node can be removed, since the first node of any order goes alone.
    if (best.steps.empty() || best.steps.size() >= most) return true;
    const bool are_few = free.size() <= kMostOfSets;
    trials_end_ = removal_.taken() + (are_few ? kMostTrials : kMostInOrders);
    if (are_few) return try_sets(free, most, best);
    if (base().node_count() * 4 < kMostInOrders) try_orders(free, best);
    return false;
  }

  bool may_try() const { return has_time() && removal_.taken() < trials_end_; }

  // Enlarges the set by one node until no larger one can be removed.
  bool try_sets(const Rows& free, std::size_t most, Found& best) {
    while (best.steps.size() < most) {
      auto steps = set_of(best.steps.size() + 1, free);
      if (!may_try()) return false;
      if (!steps) return true;
      best = with_steps(std::move(*steps), best.tried);
    }
    return true;
  }

  std::optional<std::vector<Step>> set_of(std::size_t size, const Rows& free) {
    std::vector<char> is_in(free.size());
    std::fill_n(is_in.begin(), size, 1);
    do {
      Rows set;
      for (std::size_t i = 0; i < free.size(); ++i) {
        if (is_in[i]) set.push_back(free[i]);
      }
      if (!may_try()) return std::nullopt;
      if (open_nodes(base()) > 0 && open_nodes(all_cordoned(set)) == 0) continue;
      if (auto steps = in_some_order(set)) return steps;
    } while (std::ranges::prev_permutation(is_in).found);
    return std::nullopt;
  }

  // All of them are cordoned first. Orders that begin with the same nodes share what these do.
  std::optional<std::vector<Step>> in_some_order(const Rows& set) {
    std::vector<Step> steps;
    std::size_t left = kMostOfOrders;
    return take_rest(set, all_cordoned(set), left, steps) ? std::optional(std::move(steps)) : std::nullopt;
  }
  bool take_rest(const Rows& rest, const Snapshot& fork, std::size_t& left, std::vector<Step>& steps) {
    if (rest.empty()) return true;
    for (const auto row : rest) {
      if (!may_try() || left == 0) return false;
      auto trial = fork;
      Moves moves;
      if (removal_.take(row, true, moves, trial)) {
        --left;
        continue;
      }
      if (!has_time()) return false;
      steps.push_back({std::string(base().node_name(row)), std::move(moves)});
      auto others = rest;
      std::erase(others, row);
      if (take_rest(others, trial, left, steps)) return true;
      steps.pop_back();
    }
    return false;
  }

  // And what then blocks the others.
  Found with_steps(std::vector<Step> steps, std::size_t tried) {
    Found out{.steps = std::move(steps), .tried = tried, .is_finished = true, .is_cordoned_first = true};
    auto fork = all_cordoned(rows_of(out.steps));
    std::set<std::string_view> going;
    for (const auto& step : out.steps) {
      Moves moves;
      (void)removal_.take(*fork.find_row(step.node), false, moves, fork);
      going.insert(step.node);
    }
    for (const auto row : by_pods()) {
      const std::string name(base().node_name(row));
      if (going.contains(name)) continue;
      if (!has_time()) break;
      if (fork.node_count() == 1 || (is_open(*fork.entry(row).node) && open_nodes(fork) == 1)) {
        out.blocked.emplace(name, last_node(row, fork));
        continue;
      }
      auto trial = fork;
      Moves moves;
      auto blocked = removal_.take(row, true, moves, trial);
      out.blocked.emplace(name, std::move(blocked).value_or(Blocked{
                                    "NoRoom", "its pods have no other place once the others are cordoned"}));
    }
    return out;
  }

  // The nodes that go, then the others, with `row` first or last of all.
  static Rows order_with(Row row, bool is_last, const Rows& going, const Rows& all) {
    auto order = is_last ? Rows() : Rows{row};
    std::set<Row> known{row};
    for (const auto* rows : {&going, &all}) {
      for (const auto other : *rows) {
        if (known.insert(other).second) order.push_back(other);
      }
    }
    if (is_last) order.push_back(row);
    return order;
  }

  // Tries each node that stays as the first one, and each node that goes as the last one.
  void try_orders(const Rows& free, Found& best) {
    const auto all = by_pods();
    for (bool is_better = true; std::exchange(is_better, false);) {
      const auto going = rows_of(best.steps);
      const std::set<Row> goes(going.begin(), going.end());
      for (const auto row : free) {
        if (!may_try()) return;
        auto other = go_in(order_with(row, goes.contains(row), going, all));
        if (other.steps.size() <= best.steps.size()) continue;
        auto once = cordoned_first(rows_of(other.steps));
        // A set whose pods move twice is not better.
        if (!once && best.is_cordoned_first) continue;
        if (once) other.steps = std::move(*once);
        other.is_cordoned_first = once.has_value();
        is_better = keep_larger(std::move(other), best);
        break;
      }
    }
  }

  // --- the answer ---

  void record(const Found& found, NodesSpare& out) const {
    std::size_t listed = 0;
    for (const auto& step : found.steps) {
      out.pods_moved += step.moves.size();
      if (out.nodes.size() == kMostSpareListed) continue;
      SpareNode entry{.node = step.node, .pods_moved = step.moves.size()};
      const auto& base = removal_.base();
      const auto row = base.find_row(step.node);
      entry.is_cordoned = row && base.entry(*row).node->unschedulable;
      for (const auto& [pod, to] : step.moves) {
        if (pod->pod->meta.namespace_ != search_.question.meta.namespace_) continue;
        ++entry.pods_total;
        if (listed++ < kMostMovesListed) entry.pods.push_back({pod->pod->meta.name, to});
      }
      out.nodes.push_back(std::move(entry));
    }
    out.nodes_total = found.steps.size();
    std::map<std::string_view, BlockedNodes> by_code;
    for (const auto& [node, blocked] : found.blocked) {
      auto& of_code = by_code[blocked.code];
      const bool is_first = of_code.nodes++ == 0;
      // A reason that names its object is of more use.
      const bool is_better = is_first || (of_code.is_unnamed && !blocked.is_unnamed);
      if (is_better) {
        of_code.code = blocked.code;
        of_code.reason = cut(blocked.reason, kBlockedBytes);
        of_code.is_unnamed = blocked.is_unnamed;
        of_code.examples.insert(of_code.examples.begin(), node);
        if (of_code.examples.size() > kMostExamples) of_code.examples.pop_back();
      } else if (of_code.examples.size() < kMostExamples) {
        of_code.examples.push_back(node);
      }
    }
    for (auto& [_, each] : by_code) out.blocked.push_back(std::move(each));
    std::ranges::stable_sort(out.blocked, std::ranges::greater(), &BlockedNodes::nodes);
  }

  const NodeSearch& search_;
  NodeRemoval removal_;
  std::size_t trials_end_ = 0;  // of the search for a larger set
};

}  // namespace

SpareAnswer find_nodes_spare(const NodeSearch& search, Snapshot fork) {
  return Sparing(search, std::move(fork)).run();
}

}  // namespace podium::explain
