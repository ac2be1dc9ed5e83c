#include "explain/answer/waiting.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "explain/answer/failed_kinds.h"
#include "explain/workload/device_claims.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/evaluation_memo.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::explain {
namespace {

using cluster::PodInfo;

// Two forks with the placed pods exist at the same time.
constexpr std::size_t kForks = 2;

bool fit_alike(const PodInfo& a, const PodInfo& b) {
  const auto &x = *a.pod, &y = *b.pod;
  // A claim may bind the pod to a node.
  if (has_read_volume(x) || has_read_volume(y) || !x.resource_claims.empty() || !y.resource_claims.empty())
    return false;
  return a.class_hash == b.class_hash && a.priority == b.priority && a.requests == b.requests &&
         a.host_ports == b.host_ports && x.scheduler_name == y.scheduler_name &&
         x.meta.namespace_ == y.meta.namespace_ && x.meta.labels == y.meta.labels &&
         x.node_selector == y.node_selector && x.node_affinity == y.node_affinity &&
         x.tolerations == y.tolerations && x.topology_spread == y.topology_spread &&
         x.pod_affinity == y.pod_affinity && x.pod_anti_affinity == y.pod_anti_affinity &&
         x.node_name == y.node_name && x.meta.owners == y.meta.owners;
}

auto queue_order(const PodInfo& pod) {
  const auto& meta = pod.pod->meta;
  return std::tuple(-std::int64_t{pod.priority}, meta.created.value_or(Wall{}),
                    std::tie(meta.namespace_, meta.name, meta.uid));
}

// Places the pods in their order. The next rounds try the kinds again that have failed, and that a pod that
// was placed since may help; a kind that has failed is not tried again in the same round. `placed` gets the
// index and the node of each pod that fits. False: the budget has ended.
bool place_in_rounds(const std::vector<const Waiter*>& pods, std::size_t kinds, const Budget& budget,
                     const std::function<void(std::size_t, cluster::Row)>& placed, cluster::Snapshot& fork) {
  std::vector<std::vector<std::size_t>> left(kinds);  // by kind; the first one last
  for (std::size_t i = pods.size(); i-- > 0;) left[pods[i]->kind].push_back(i);
  std::set<std::pair<std::size_t, std::size_t>> next;  // the round, and the first pod of a kind to try in it
  for (const auto& of_kind : left) {
    if (!of_kind.empty()) next.emplace(0, of_kind.back());
  }
  FailedKinds failed(kinds);
  framework::EvaluationMemo memo;
  const framework::EvaluationMemo::Use use(memo);
  while (!next.empty()) {
    const auto [round, i] = *next.begin();
    next.erase(next.begin());
    if (!has_time(budget)) return false;
    const auto& [pod, profile, kind] = *pods[i];
    const auto decision = framework::evaluate(*pod, fork, *profile);
    if (!decision.choice || place_with_devices(pod, *decision.choice, *profile, fork)) {
      failed.add(*pods[i], decision);
      continue;
    }
    placed(i, *decision.choice);
    left[kind].pop_back();
    if (!left[kind].empty()) next.emplace(round, left[kind].back());
    for (const auto helped : failed.take_helped(*pod->pod, fork)) {
      const auto first = left[helped].back();
      next.emplace(first > i ? round : round + 1, first);
    }
  }
  return true;
}

}  // namespace

bool has_read_volume(const api::Pod& pod) {
  return std::ranges::any_of(
      pod.volumes, [](const api::Volume& volume) { return volume.kind != api::Volume::Kind::other; });
}

std::size_t PodKinds::of(const cluster::PodInfoPtr& pod) {
  auto& alike = known_[pod->class_hash];
  // Few pods of one class differ. If many do, the others count as different.
  constexpr std::size_t kMostCompared = 8;
  for (std::size_t i = 0; i < std::min(alike.size(), kMostCompared); ++i) {
    if (fit_alike(*alike[i].first, *pod)) return alike[i].second;
  }
  alike.emplace_back(pod, count_);
  return count_++;
}

const framework::Profile* answering_profile(const config::Config& config, std::string_view scheduler_name) {
  if (const auto* own = config.profile(scheduler_name)) return own;
  return config.profiles.size() == 1 ? config.profiles.front().get() : nullptr;
}

QuietProfiles::QuietProfiles(const config::Config& config) {
  for (const auto& profile : config.profiles) {
    auto& quiet = profiles_.emplace(profile->scheduler_name, *profile).first->second;
    quiet.post_filters.clear();
    quiet.search.reset();
  }
}

const framework::Profile* QuietProfiles::find(const std::string& scheduler_name) const {
  const auto found = profiles_.find(scheduler_name);
  return found == profiles_.end() ? nullptr : &found->second;
}

const framework::Profile* QuietProfiles::find_answering(const std::string& scheduler_name) const {
  const auto* own = find(scheduler_name);
  return own || profiles_.size() != 1 ? own : &profiles_.begin()->second;
}

std::vector<cluster::PodInfoPtr> without_deleted(std::vector<cluster::PodInfoPtr> waiting) {
  std::erase_if(waiting, [](const cluster::PodInfoPtr& pod) { return pod->pod->terminating(); });
  return waiting;
}

void free_unused_claims(const std::vector<cluster::PodInfoPtr>& waiting, const config::Config& config,
                        const Budget& budget, cluster::Snapshot& fork) {
  std::map<const framework::Profile*, framework::Profile> without_preemption;
  for (const auto& pod : waiting) {
    // A pod whose binding is in progress counts on the fork, and uses its claims.
    const auto& uid = pod->pod->meta.uid;
    const bool is_tried =
        pod->pod->scheduling_gates.empty() && !fork.find_pod(uid) && !fork.find_nomination(uid);
    if (!is_tried || !has_claim_to_free(*pod->pod, fork)) continue;
    const auto* profile = answering_profile(config, pod->pod->scheduler_name);
    if (!profile) continue;
    if (!has_time(budget)) return;
    const auto [own, is_new] = without_preemption.try_emplace(profile, *profile);
    if (is_new)
      std::erase_if(own->second.post_filters,
                    [](const auto& entry) { return entry.name != framework::names::kDynamicResources; });
    decide_in_attempts(*pod, own->second, budget, 0, fork);
  }
}

Waiters sort_waiting(const std::vector<cluster::PodInfoPtr>& waiting, const QuietProfiles& profiles,
                     const Budget& budget, const cluster::Snapshot& fork, ForkMemory memory) {
  Waiters out;
  auto sorted = waiting;
  std::ranges::stable_sort(sorted, {}, [](const cluster::PodInfoPtr& pod) { return queue_order(*pod); });
  PodKinds kinds;
  for (auto& pod : sorted) {
    const auto* profile = profiles.find_answering(pod->pod->scheduler_name);
    if (fork.find_pod(pod->pod->meta.uid)) continue;  // it was placed since
    if (!profile) {
      ++out.other_scheduler;
    } else if (fork.find_nomination(pod->pod->meta.uid)) {
      ++out.evicting;
    } else if (!pod->pod->scheduling_gates.empty()) {
      ++out.gated;
    } else if (!has_time(budget) || !memory.take(1, kForks * memory_of(*pod->pod))) {
      ++out.not_evaluated;
    } else {
      const auto kind = kinds.of(pod);
      out.pods.push_back({std::move(pod), profile, kind});
    }
  }
  out.kinds = kinds.count();
  return out;
}

std::size_t count_competing(const std::vector<cluster::PodInfoPtr>& waiting, const config::Config& config,
                            const cluster::Snapshot& fork) {
  return static_cast<std::size_t>(std::ranges::count_if(waiting, [&](const cluster::PodInfoPtr& pod) {
    return answering_profile(config, pod->pod->scheduler_name) && pod->pod->scheduling_gates.empty() &&
           !fork.find_pod(pod->pod->meta.uid) && !fork.find_nomination(pod->pod->meta.uid);
  }));
}

std::size_t count_placed(const Places& places) {
  return static_cast<std::size_t>(
      std::ranges::count_if(places, [](const auto& place) { return place.has_value(); }));
}

bool place_waiters(const Waiters& waiters, const Budget& budget, Places& places, cluster::Snapshot& fork) {
  places.resize(waiters.pods.size());
  std::vector<const Waiter*> pods;
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i]) continue;
    pods.push_back(&waiters.pods[i]);
    indexes.push_back(i);
  }
  const auto placed = [&](std::size_t i, cluster::Row row) { places[indexes[i]] = row; };
  return place_in_rounds(pods, waiters.kinds, budget, placed, fork);
}

WaitingLine::WaitingLine(const std::vector<cluster::PodInfoPtr>& waiting, const config::Config& config,
                         const Budget& budget, const cluster::Snapshot& fork)
    : profiles_(config), budget_(budget) {
  for (auto& waiter : sort_waiting(waiting, profiles_, budget, fork).pods) {
    waiter.kind = kinds_.of(waiter.pod);
    entries_.push_back({.waiter = std::move(waiter), .waited_before = true});
  }
}

void WaitingLine::remove_if(const std::function<bool(const api::Pod&)>& is_gone) {
  std::erase_if(entries_, [&](const Entry& entry) { return is_gone(*entry.waiter.pod->pod); });
}

void WaitingLine::add(const std::vector<cluster::PodInfoPtr>& pods) {
  const auto known = static_cast<std::ptrdiff_t>(entries_.size());
  for (const auto& pod : pods) {
    if (const auto* profile = profiles_.find_answering(pod->pod->scheduler_name))
      entries_.push_back({.waiter = {pod, profile, kinds_.of(pod)}});
  }
  const auto is_before = [](const Entry& a, const Entry& b) {
    return a.waiter.pod->priority > b.waiter.pod->priority;
  };
  std::stable_sort(entries_.begin() + known, entries_.end(), is_before);
  std::inplace_merge(entries_.begin(), entries_.begin() + known, entries_.end(), is_before);
}

bool WaitingLine::take_back(const api::Pod& pod) {
  const auto found = placed_at_.find(pod.meta.uid);
  if (found == placed_at_.end()) return false;
  placed_[found->second.index].pod = nullptr;
  // It keeps its kind: start() has counted the kinds.
  auto waiter = std::move(found->second.waiter);
  placed_at_.erase(found);
  // start() has removed its entry: a victim is less important than the pods that were placed since.
  const auto behind = std::ranges::upper_bound(entries_, waiter.pod->priority, std::greater(),
                                               [](const Entry& entry) { return entry.waiter.pod->priority; });
  entries_.insert(behind, {.waiter = std::move(waiter), .waited_before = true});
  return true;
}

std::vector<WaitingLine::Placed> WaitingLine::take_placed() {
  placed_at_.clear();
  auto out = std::exchange(placed_, {});
  std::erase_if(out, [](const Placed& each) { return !each.pod; });
  return out;
}

std::size_t WaitingLine::evicted() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      entries_, [](const Entry& entry) { return !entry.waited_before && !entry.has_place; }));
}

void WaitingLine::place_to(std::size_t end, cluster::Snapshot& fork) {
  framework::EvaluationMemo memo;
  const framework::EvaluationMemo::Use use(memo);
  for (; next_ < end; ++next_) {
    auto& entry = entries_[next_];
    const auto& [pod, profile, kind] = entry.waiter;
    if (has_failed_[kind]) continue;
    if (!has_time(budget_)) return;
    const auto decision = framework::evaluate(*pod, fork, *profile);
    if (!decision.choice || place_with_devices(pod, *decision.choice, *profile, fork))
      has_failed_[kind] = true;
    else
      note_placed(entry, *decision.choice, fork);
  }
}

void WaitingLine::note_placed(Entry& entry, cluster::Row row, const cluster::Snapshot& fork) {
  entry.has_place = true;
  if (!entry.waited_before) return;
  placed_at_.insert_or_assign(entry.waiter.pod->pod->meta.uid, PlacedAt{placed_.size(), entry.waiter});
  placed_.push_back({entry.waiter.pod, std::string(fork.node_name(row))});
}

void WaitingLine::start() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.has_place; });
  next_ = 0;
  has_failed_.assign(kinds_.count(), false);
}

void WaitingLine::place_until(std::int32_t priority, cluster::Snapshot& fork) {
  const auto first_lower = std::ranges::partition_point(
      entries_, [&](const Entry& entry) { return entry.waiter.pod->priority >= priority; });
  place_to(static_cast<std::size_t>(first_lower - entries_.begin()), fork);
}

void WaitingLine::place_rest(cluster::Snapshot& fork) { place_to(entries_.size(), fork); }

void WaitingLine::place(cluster::Snapshot& fork) {
  start();
  std::vector<const Waiter*> pods;
  for (const auto& entry : entries_) pods.push_back(&entry.waiter);
  const auto placed = [&](std::size_t i, cluster::Row row) { note_placed(entries_[i], row, fork); };
  place_in_rounds(pods, kinds_.count(), budget_, placed, fork);
}

}  // namespace podium::explain
