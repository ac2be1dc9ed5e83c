#include "explain/answer/pod_groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace podium::explain {

namespace {

std::optional<api::PodGroupName> group_name(const api::Pod& pod) {
  const auto* name = api::pod_group_of(pod);
  return name ? std::optional(api::PodGroupName(pod.meta.namespace_, *name)) : std::nullopt;
}

}  // namespace

std::size_t PodGroup::placed(const Places& places) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(members, [&](std::size_t i) { return places[i].has_value(); }));
}

std::size_t PodGroup::needed() const {
  return minimum ? *minimum - std::min(*minimum, running) : members.size();
}

PodGroups pod_groups(const Waiters& waiters, const api::PodGroupMinimums& minimums,
                     const cluster::Snapshot& fork) {
  PodGroups out;
  std::map<api::PodGroupName, std::size_t> known;
  for (std::size_t i = 0; i < waiters.pods.size(); ++i) {
    const auto name = group_name(*waiters.pods[i].pod->pod);
    if (!name) continue;
    const auto [found, is_new] = known.try_emplace(*name, out.size());
    if (is_new) {
      const auto minimum = minimums.find(*name);
      out.push_back({.name = *name});
      if (minimum != minimums.end()) out.back().minimum = minimum->second;
    }
    out[found->second].members.push_back(i);
  }
  if (out.empty()) return out;
  fork.each_pod([&](const cluster::PodInfoPtr& pod) {
    const auto name = pod->pod->terminated() ? std::nullopt : group_name(*pod->pod);
    const auto found = name ? known.find(*name) : known.end();
    if (found != known.end()) ++out[found->second].running;
  });
  return out;
}

std::size_t needed_of_group(const api::Pod& pod, const api::PodGroupMinimums& minimums,
                            const cluster::Snapshot& fork) {
  const auto name = group_name(pod);
  const auto minimum = name ? minimums.find(*name) : minimums.end();
  if (minimum == minimums.end()) return 0;
  std::size_t running = 0;
  fork.each_pod([&](const cluster::PodInfoPtr& other) {
    running += !other->pod->terminated() && group_name(*other->pod) == name ? 1 : 0;
  });
  return minimum->second - std::min(minimum->second, running);
}

void gather_groups(Waiters& waiters) {
  std::map<api::PodGroupName, std::size_t> first;
  std::vector<std::pair<std::size_t, std::size_t>> order;  // the index of the group's first pod, the own one
  for (std::size_t i = 0; i < waiters.pods.size(); ++i) {
    const auto name = group_name(*waiters.pods[i].pod->pod);
    order.emplace_back(name ? first.try_emplace(*name, i).first->second : i, i);
  }
  if (first.empty()) return;
  std::ranges::sort(order);
  std::vector<Waiter> gathered;
  for (const auto& [group, own] : order) gathered.push_back(std::move(waiters.pods[own]));
  waiters.pods = std::move(gathered);
}

bool are_whole(const PodGroups& groups, const Places& places) {
  return std::ranges::none_of(groups, [&](const PodGroup& group) { return group.is_short(places); });
}

}  // namespace podium::explain
