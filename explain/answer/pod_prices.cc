#include "explain/answer/pod_prices.h"

#include <algorithm>
#include <cstdint>
#include <limits>

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

double price_of(const Waiter& waiter, const std::vector<PricedNode>& nodes, const Snapshot& fork) {
  const auto decision = framework::evaluate(*waiter.pod, fork, *waiter.profile);
  const bool is_evaluated = !decision.pre_enqueue && !decision.pre_filter && decision.error.empty();
  double fitting = kNone, large_enough = kNone;
  for (const auto& [row, node_price] : nodes) {
    const auto share = share_of(*waiter.pod, row, fork);
    if (share > 1) continue;
    large_enough = std::min(large_enough, share * node_price);
    if (is_evaluated && decision.rejections.id(row) == framework::kFits)
      fitting = std::min(fitting, share * node_price);
  }
  const auto price = fitting < kNone ? fitting : large_enough;
  return price < kNone ? std::max(price, kLeast) : kLeast;
}

}  // namespace

std::vector<double> pod_prices(const Waiters& waiters, const std::vector<PricedNode>& nodes,
                               const Budget& budget, const Snapshot& fork) {
  std::vector<double> out(waiters.kinds);
  framework::EvaluationMemo memo;
  const framework::EvaluationMemo::Use use(memo);
  for (const auto& waiter : waiters.pods) {
    if (!has_time(budget)) break;
    auto& price = out[waiter.kind];
    if (price == 0) price = price_of(waiter, nodes, fork);
  }
  return out;
}

}  // namespace podium::explain
