#include "explain/answer/pod_prices.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "scheduler/cluster/resources.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/evaluation_memo.h"

namespace podium::explain {
namespace {

using cluster::Row;
using cluster::Snapshot;

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr double kLeast = 1e-9;  // of pods that need nothing, or more than any node has

// The largest part of a free resource that the pod needs. Above 1: it is too large for the node.
double share_of(const cluster::PodInfo& pod, Row row, const Snapshot& fork) {
  double share = 0;
  const auto see = [&share](std::int64_t asked, std::int64_t allocatable, std::int64_t requested) {
    if (asked <= 0) return;
    const auto free = cluster::wrapping_minus(allocatable, requested);
    share = std::max(share, free > 0 ? static_cast<double>(asked) / static_cast<double>(free) : kNone);
  };
  see(1, fork.allocatable_pods[row], fork.pod_count[row]);
  see(pod.requests.milli_cpu, fork.allocatable_milli_cpu[row], fork.requested_milli_cpu[row]);
  see(pod.requests.memory, fork.allocatable_memory[row], fork.requested_memory[row]);
  see(pod.requests.ephemeral_storage, fork.allocatable_ephemeral[row], fork.requested_ephemeral[row]);
  for (const auto& [name, amount] : pod.requests.scalars) {
    const auto* column = fork.scalar(name);
    see(amount, column ? column->allocatable[row] : 0, column ? column->requested[row] : 0);
  }
  return share;
}

double price_of(const Waiter& waiter, const std::vector<PricedNode>& nodes, const Snapshot& fork,
                std::vector<bool>& fits) {
  const auto decision = framework::evaluate(*waiter.pod, fork, *waiter.profile);
  double fitting = kNone, large_enough = kNone;
  for (const auto& [row, node_price] : nodes) {
    fits.push_back(decision.has_verdicts() && decision.rejections.id(row) == framework::kFits);
    const auto share = share_of(*waiter.pod, row, fork);
    if (share > 1) continue;
    large_enough = std::min(large_enough, share * node_price);
    if (fits.back()) fitting = std::min(fitting, share * node_price);
  }
  const auto price = fitting < kNone ? fitting : large_enough;
  return price < kNone ? std::max(price, kLeast) : kLeast;
}

// Whether a place of other pods may let this pod fit.
bool depends_on_pods(const api::Pod& pod) {
  return !pod.pod_affinity.required.empty() || !pod.topology_spread.empty() || !pod.resource_claims.empty() ||
         has_read_volume(pod);
}

std::vector<std::string> extended_resources(const Waiters& waiters) {
  constexpr std::size_t kMost = 8;
  std::set<std::string> names;
  for (const auto& waiter : waiters.pods) {
    for (const auto& [name, amount] : waiter.pod->requests.scalars) {
      if (names.size() < kMost && amount > 0) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace

PodPrices::PodPrices(const Waiters& waiters, const std::vector<PricedNode>& nodes, const Budget& budget,
                     const Snapshot& fork)
    : waiters_(waiters),
      prices_(waiters.kinds),
      fits_(nodes.size(), std::vector<std::uint64_t>(waiters.kinds / 64 + 1)) {
  const auto extended = extended_resources(waiters);
  asks_.assign(3 + extended.size(), Amounts(waiters.kinds));
  framework::EvaluationMemo memo;
  const framework::EvaluationMemo::Use use(memo);
  for (const auto& waiter : waiters.pods) {
    if (!has_time(budget)) break;
    if (prices_[waiter.kind] != 0) continue;
    std::vector<bool> fits;
    prices_[waiter.kind] = price_of(waiter, nodes, fork, fits);
    if (depends_on_pods(*waiter.pod->pod)) {
      has_dependent_ = true;
      fits.assign(nodes.size(), true);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      fits_[i][waiter.kind / 64] |= std::uint64_t{fits[i]} << (waiter.kind % 64);
    const auto& asks = waiter.pod->requests;
    asks_[0][waiter.kind] = 1;
    asks_[1][waiter.kind] = asks.milli_cpu;
    asks_[2][waiter.kind] = asks.memory;
    for (std::size_t i = 0; i < extended.size(); ++i) asks_[3 + i][waiter.kind] = asks.scalar(extended[i]);
  }
  for (const auto& [row, price] : nodes) {
    auto& free = free_.emplace_back();
    free.push_back(cluster::wrapping_minus(fork.allocatable_pods[row], fork.pod_count[row]));
    free.push_back(cluster::wrapping_minus(fork.allocatable_milli_cpu[row], fork.requested_milli_cpu[row]));
    free.push_back(cluster::wrapping_minus(fork.allocatable_memory[row], fork.requested_memory[row]));
    for (const auto& name : extended) {
      const auto* column = fork.scalar(name);
      free.push_back(column ? cluster::wrapping_minus(column->allocatable[row], column->requested[row]) : 0);
    }
  }
  // Kinds that ask for nothing of a dimension come first: they take all of their worth.
  const auto worth = [&](std::size_t dimension, std::size_t kind) {
    const auto asked = asks_[dimension][kind];
    return asked <= 0 ? kNone : prices_[kind] / static_cast<double>(asked);
  };
  for (std::size_t i = 0; i < asks_.size(); ++i) {
    auto& order = order_.emplace_back(waiters.kinds);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t kind) { return worth(i, kind); });
  }
}

bool PodPrices::takes_more(std::size_t node, std::size_t other) const {
  for (std::size_t i = 0; i < asks_.size(); ++i) {
    if (free_[node][i] < free_[other][i]) return false;
  }
  for (std::size_t i = 0; i < fits_[node].size(); ++i) {
    if ((fits_[other][i] & ~fits_[node][i]) != 0) return false;
  }
  return true;
}

std::vector<double> PodPrices::most_on_nodes(const Places& places, const Budget& budget) const {
  Amounts left(waiters_.kinds);
  for (std::size_t i = 0; i < waiters_.pods.size(); ++i) {
    if (i >= places.size() || !places[i]) ++left[waiters_.pods[i].kind];
  }
  std::vector<double> out;
  for (std::size_t node = 0; node < free_.size() && has_time(budget); ++node)
    out.push_back(most_on_node(node, left));
  return out;
}

// The least over the dimensions of the best fractional choice, which no choice of whole pods exceeds.
double PodPrices::most_on_node(std::size_t node, const Amounts& left) const {
  auto least = kNone;
  for (std::size_t i = 0; i < asks_.size(); ++i) {
    auto free = static_cast<double>(free_[node][i]);
    double sum = 0;
    for (const auto kind : order_[i]) {
      if (left[kind] == 0 || !fits(kind, node)) continue;
      const auto count = static_cast<double>(left[kind]), asked = static_cast<double>(asks_[i][kind]);
      const auto taken = asked <= 0 ? count : std::clamp(free / asked, 0.0, count);
      sum += taken * prices_[kind];
      free -= taken * std::max(0.0, asked);
      if (taken < count) break;
    }
    least = std::min(least, sum);
  }
  return least;
}

}  // namespace podium::explain
