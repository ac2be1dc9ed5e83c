// The pod half of Snapshot: resources that placed pods use on their nodes.
#include <algorithm>
#include <limits>

#include "scheduler/cluster/snapshot.h"

namespace podium::cluster {
namespace {

using Wide = __int128;
constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
constexpr auto kMax = std::numeric_limits<std::int64_t>::max();

// Adds to a sum over a node's pods. The column holds the exact sum, clamped. `exact` and `write_exact` return
// the exact sums of the rows where the two differ, so that a pod with amounts near the largest number costs
// no more than another one.
template <typename Amounts, typename Exact, typename WriteExact>  // Amounts: a Column or a RareColumn
void add_to(Amounts& column, Row row, Wide delta, Exact exact, WriteExact write_exact) {
  if (delta == 0) return;
  const auto before = column[row];
  const bool was_clamped = before == kMin || before == kMax;
  Wide sum = before;
  if (was_clamped) sum = exact().at(row);
  sum += delta;
  const auto after = static_cast<std::int64_t>(std::clamp<Wide>(sum, kMin, kMax));
  if (after == kMin || after == kMax)
    write_exact()[row] = sum;
  else if (was_clamped)
    write_exact().erase(row);
  column.set(row, after);
}

void take_out(std::vector<PodInfoPtr>& pods, const PodInfo* pod) {
  const auto it = std::ranges::find(pods, pod, &PodInfoPtr::get);
  if (it == pods.end()) return;
  if (it + 1 != pods.end()) *it = std::move(pods.back());
  pods.pop_back();
}

}  // namespace

void Snapshot::add_requests(const PodInfo& pod, Row row, int sign) {
  const auto add = [&](auto& column, std::int64_t amount, ExactSums ClampedSums::* clamped) {
    add_to(
        column, row, sign * Wide(amount), [&]() -> auto& { return (*clamped_).*clamped; },
        [&]() -> auto& { return clamped_.write().*clamped; });
  };
  add(requested_milli_cpu, pod.requests.milli_cpu, &ClampedSums::requested_milli_cpu);
  add(requested_memory, pod.requests.memory, &ClampedSums::requested_memory);
  add(requested_ephemeral, pod.requests.ephemeral_storage, &ClampedSums::requested_ephemeral);
  add(non_zero_milli_cpu, pod.non_zero_milli_cpu, &ClampedSums::non_zero_milli_cpu);
  add(non_zero_memory, pod.non_zero_memory, &ClampedSums::non_zero_memory);
  for (const auto& [name, amount] : pod.requests.scalars) {
    auto& scalar = sign > 0 ? use_scalar(name) : used_scalar(name);
    add_to(
        scalar.requested, row, sign * Wide(amount), [&]() -> auto& { return **clamped_scalars_.find(name); },
        [&]() -> auto& { return clamped_scalars_[name].write(); });
    if (sign < 0) release_scalar(name);
  }
}

std::vector<PodInfoPtr>& Snapshot::write_pods(Row row) {
  auto& entry = entries_.write(row).write();
  entry.order.drop();
  return entry.pods;
}

void Snapshot::place(const PodInfo& pod, Row row) {
  row_changes_.write().note(row);
  ++pod_count.write(row);
  add_requests(pod, row, 1);
  if (!pod.host_ports.empty()) with_host_ports_.write().set(row);
  objects_.volumes().pod_placed(*pod, row);
}

void Snapshot::displace(const PodInfo& pod, Row row) {
  row_changes_.write().note(row);
  --pod_count.write(row);
  add_requests(pod, row, -1);
  const auto has_ports = [](const PodInfoPtr& p) { return !p->host_ports.empty(); };
  if (!pod.host_ports.empty() && std::ranges::none_of(entry(row).pods, has_ports)) {
    with_host_ports_.write().clear(row);
  }
  objects_.volumes().pod_displaced(*pod, row);
}

// Removes a pod from its node or from the unknown nodes. The caller updates its class.
void Snapshot::detach(const PodInfoPtr& pod) {
  const std::string_view node = (*pod)->node_name;
  if (const auto row = find_row(node)) {
    take_out(write_pods(*row), pod.get());
    displace(*pod, *row);
    return;
  }
  auto& pods_on_unknown_nodes = pods_on_unknown_nodes_.write();
  const auto it = pods_on_unknown_nodes.find(node);
  take_out(it->second, pod.get());
  if (it->second.empty()) pods_on_unknown_nodes.erase(it);
}

void Snapshot::add_pod(PodInfoPtr pod) {
  const std::string_view uid = (*pod)->meta.uid, node = (*pod)->node_name;
  if (node.empty()) return remove_pod(uid);
  ++generation_;
  withdraw_nomination(uid);

  PodInfoPtr former;
  if (const auto* known = find_pod(uid)) {
    former = *known;
    pods_.erase(former->uid_hash, former.get());
    detach(former);
  }
  pods_.insert(pod->uid_hash, pod.get());
  if (const auto row = find_row(node)) {
    write_pods(*row).push_back(pod);
    place(*pod, *row);
    classes_.write().add(pod, *row);
  } else {
    pods_on_unknown_nodes_.write()[std::string(node)].push_back(pod);
  }
  // Remove after add, so that a class with both versions is not dropped and rebuilt.
  if (former) {
    if (const auto row = find_row((*former)->node_name)) classes_.write().remove(*former, *row);
  }
}

void Snapshot::remove_pod(std::string_view uid) {
  const auto* known = find_pod(uid);
  if (!known) return;
  const auto pod = *known;
  ++generation_;
  pods_.erase(pod->uid_hash, pod.get());
  detach(pod);
  if (const auto row = find_row((*pod)->node_name)) classes_.write().remove(*pod, *row);
}

}  // namespace podium::cluster
