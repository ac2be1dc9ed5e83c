#include "explain/workload/deletion_order.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <tuple>

#include "api/values/decimal.h"
#include "api/values/pod.h"
#include "base/check.h"
#include "explain/workload/eviction_cost.h"

namespace podium::explain {
namespace {

constexpr const char* kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

// 0 if the annotation is missing or not a number of 32 bits.
std::int64_t deletion_cost_of(const api::Pod& pod) {
  using Limits = std::numeric_limits<std::int32_t>;
  const auto* text = pod.meta.annotations.find(kDeletionCost);
  const auto cost = text ? api::decimal_integer(*text) : std::nullopt;
  return cost && *cost >= Limits::min() && *cost <= Limits::max() ? *cost : 0;
}

int phase_rank(const api::Pod& pod) { return pod.phase == "Pending" ? 0 : pod.phase == "Unknown" ? 1 : 2; }

// As of logarithmicRankDiff(), whose ages are in nanoseconds.
int log_of_age(Wall since, Wall now) {
  const auto age = std::chrono::duration_cast<std::chrono::nanoseconds>(now - since).count();
  return age > 0 ? std::bit_width(static_cast<std::uint64_t>(age)) - 1 : -1;
}

}  // namespace

std::strong_ordering DeletionOrder::Rank::operator<=>(const Rank& other) const {
  return std::tie(related, other.turn, pods, node) <=> std::tie(other.related, turn, other.pods, other.node);
}

DeletionOrder::DeletionOrder(const std::vector<cluster::PodInfoPtr>& pods, Wall now)
    : now_(now), size_(pods.size()) {
  for (const auto& info : pods) {
    const auto& pod = *info->pod;
    if (!is_ready(pod)) ++unready_;
    ++related_[pod.node_name];
    classes_[class_of(pod)][pod.node_name].push_back(info);
  }
  for (auto& [_, nodes] : classes_) {
    for (auto& [_, on_node] : nodes)
      std::ranges::stable_sort(on_node, std::ranges::greater(),
                               [&](const auto& info) { return turn_of(*info->pod); });
  }
}

DeletionOrder::Class DeletionOrder::class_of(const api::Pod& pod) {
  return {.is_placed = !pod.node_name.empty(),
          .phase = phase_rank(pod),
          .is_ready = is_ready(pod),
          .cost = deletion_cost_of(pod)};
}

DeletionOrder::Turn DeletionOrder::turn_of(const api::Pod& pod) const {
  const auto since = is_ready(pod) && pod.start_time ? pod.start_time : pod.meta.created;
  // One without a time comes first.
  return {.age = since ? log_of_age(*since, now_) : -2, .uid = pod.meta.uid};
}

DeletionOrder::Rank DeletionOrder::rank_of(std::string_view node, const Pods& pods) const {
  return {.related = related_.find(node)->second,
          .turn = turn_of(*pods.back()->pod),
          .pods = pods.size(),
          .node = node};
}

std::vector<cluster::PodInfoPtr> DeletionOrder::take(std::size_t count) {
  PODIUM_CHECK(count <= size_, count, size_);
  std::vector<cluster::PodInfoPtr> out;
  while (out.size() < count) {
    auto& nodes = classes_.begin()->second;
    if (ranked_.empty())
      for (const auto& [node, pods] : nodes) ranked_.insert(rank_of(node, pods));
    const auto last = std::prev(ranked_.end());
    const auto found = nodes.find(last->node);
    out.push_back(std::move(found->second.back()));
    found->second.pop_back();
    ranked_.erase(last);
    if (!found->second.empty())
      ranked_.insert(rank_of(found->first, found->second));
    else if (nodes.erase(found); nodes.empty())
      classes_.erase(classes_.begin());
  }
  for (const auto& info : out) removed(*info->pod);
  return out;
}

void DeletionOrder::forget(const cluster::PodInfo& info) {
  const auto& pod = *info.pod;
  const auto of_class = classes_.find(class_of(pod));
  if (of_class == classes_.end()) return;
  const auto on_node = of_class->second.find(pod.node_name);
  if (on_node == of_class->second.end()) return;
  auto& pods = on_node->second;
  const auto found =
      std::ranges::find(pods, pod.meta.uid, [](const auto& each) { return each->pod->meta.uid; });
  if (found == pods.end()) return;
  const bool is_ranked = of_class == classes_.begin() && !ranked_.empty();
  if (is_ranked) ranked_.erase(rank_of(on_node->first, pods));
  pods.erase(found);
  if (!pods.empty()) {
    if (is_ranked) ranked_.insert(rank_of(on_node->first, pods));
  } else if (of_class->second.erase(on_node); of_class->second.empty()) {
    classes_.erase(of_class);
  }
  removed(pod);
}

void DeletionOrder::removed(const api::Pod& pod) {
  --size_;
  if (!is_ready(pod)) --unready_;
  add_related(pod.node_name, -1);
}

void DeletionOrder::add_related(const std::string& node, std::ptrdiff_t count) {
  auto& related = related_[node];
  const auto* on_node = ranked_pods(node);
  if (on_node) ranked_.erase(rank_of(on_node->first, on_node->second));
  related += static_cast<std::size_t>(count);
  if (on_node) ranked_.insert(rank_of(on_node->first, on_node->second));
}

const DeletionOrder::OnNode::value_type* DeletionOrder::ranked_pods(const std::string& node) const {
  if (ranked_.empty()) return nullptr;
  const auto& nodes = classes_.begin()->second;
  const auto found = nodes.find(node);
  return found == nodes.end() ? nullptr : &*found;
}

}  // namespace podium::explain
