#include "explain/answer/waiting.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "explain/answer/fork_memory.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/evaluation_memo.h"
#include "scheduler/framework/placement.h"

namespace podium::explain {
namespace {

using cluster::PodInfo;

// Two forks with the placed pods exist at the same time.
constexpr std::size_t kForks = 2;

bool fit_alike(const PodInfo& a, const PodInfo& b) {
  const auto &x = *a.pod, &y = *b.pod;
  // A claim may bind the pod to a node.
  if (!x.volumes.empty() || !y.volumes.empty() || !x.resource_claims.empty() || !y.resource_claims.empty())
    return false;
  return a.class_hash == b.class_hash && a.priority == b.priority && a.requests == b.requests &&
         a.host_ports == b.host_ports && x.scheduler_name == y.scheduler_name &&
         x.meta.namespace_ == y.meta.namespace_ && x.meta.labels == y.meta.labels &&
         x.node_selector == y.node_selector && x.node_affinity == y.node_affinity &&
         x.tolerations == y.tolerations && x.topology_spread == y.topology_spread &&
         x.pod_affinity == y.pod_affinity && x.pod_anti_affinity == y.pod_anti_affinity &&
         x.node_name == y.node_name && x.meta.owners == y.meta.owners;
}

// Numbers the kinds.
class Kinds {
 public:
  std::size_t of(const PodInfo& pod) {
    auto& alike = known_[pod.class_hash];
    // Few pods of one class differ. If many do, the others count as different.
    constexpr std::size_t kMostCompared = 8;
    for (std::size_t i = 0; i < std::min(alike.size(), kMostCompared); ++i) {
      if (fit_alike(*alike[i].first, pod)) return alike[i].second;
    }
    alike.emplace_back(&pod, count_);
    return count_++;
  }
  std::size_t count() const { return count_; }

 private:
  std::map<std::uint64_t, std::vector<std::pair<const PodInfo*, std::size_t>>> known_;
  std::size_t count_ = 0;
};

auto queue_order(const PodInfo& pod) {
  const auto& meta = pod.pod->meta;
  return std::tuple(-std::int64_t{pod.priority}, meta.created.value_or(Wall{}),
                    std::tie(meta.namespace_, meta.name, meta.uid));
}

}  // namespace

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

Waiters sort_waiting(const std::vector<cluster::PodInfoPtr>& waiting, const QuietProfiles& profiles,
                     const Budget& budget, const cluster::Snapshot& fork) {
  Waiters out;
  auto sorted = waiting;
  std::ranges::stable_sort(sorted, {}, [](const cluster::PodInfoPtr& pod) { return queue_order(*pod); });
  ForkMemory memory;
  Kinds kinds;
  for (auto& pod : sorted) {
    const auto* profile = profiles.find(pod->pod->scheduler_name);
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
      const auto kind = kinds.of(*pod);
      out.pods.push_back({std::move(pod), profile, kind});
    }
  }
  out.kinds = kinds.count();
  return out;
}

bool place_waiters(const Waiters& waiters, const Budget& budget, Places& places, cluster::Snapshot& fork) {
  places.resize(waiters.pods.size());
  framework::EvaluationMemo memo;
  const framework::EvaluationMemo::Use use(memo);
  for (bool has_moved = true; std::exchange(has_moved, false);) {
    std::vector<bool> has_failed(waiters.kinds);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& [pod, profile, kind] = waiters.pods[i];
      if (places[i] || has_failed[kind]) continue;
      if (!has_time(budget)) return false;
      const auto decision = framework::evaluate(*pod, fork, *profile);
      if (decision.choice && !framework::place(pod, *decision.choice, *profile, fork)) {
        places[i] = decision.choice;
        has_moved = true;
      } else {
        has_failed[kind] = true;
      }
    }
  }
  return true;
}

}  // namespace podium::explain
