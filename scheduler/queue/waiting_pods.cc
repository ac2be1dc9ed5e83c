#include "scheduler/queue/waiting_pods.h"

#include <algorithm>

#include "api/values/pod.h"
#include "base/check.h"

namespace podium::queue {
namespace {

using framework::ClusterEvent;
using framework::EventHint;

// A plugin without hints listens to every event; otherwise its pods would wait for the flush.
// Source: pkg/scheduler/framework/runtime/framework.go defaultEnqueueExtension.
std::vector<EventHint> any_event() {
  return {EventHint{framework::EventResource::wild_card, framework::kAll, nullptr}};
}

}  // namespace

bool PluginWaiters::listens_to(const ClusterEvent& event) const {
  return std::ranges::any_of(hints, [&](const EventHint& hint) { return hint.matches(event); });
}

bool PluginWaiters::helps(const cluster::PodInfo& pod, const ClusterEvent& event,
                          const cluster::Snapshot& snapshot) const {
  return std::ranges::any_of(
      hints, [&](const EventHint& hint) { return hint.matches(event) && hint.helps(pod, event, snapshot); });
}

WaitingPods::ByPlugin& WaitingPods::of_profile(const std::string& scheduler_name) {
  const auto [it, is_new] = profiles_.try_emplace(scheduler_name);
  if (!is_new) return it->second;
  const auto* profile = profile_of_(scheduler_name);
  PODIUM_CHECK(profile, scheduler_name);
  const auto know = [&](const auto& list) {
    for (const auto& entry : list) {
      if (!entry.plugin || it->second.contains(entry.name)) continue;
      it->second[entry.name].hints = entry.plugin->hints();
    }
  };
  know(profile->pre_filters);
  know(profile->filters);
  know(profile->reserves);
  know(profile->permits);
  return it->second;
}

PluginWaiters& WaitingPods::of_plugin(const Entry& entry, const std::string& plugin) {
  const auto [it, is_new] = of_profile(entry.queued.pod->pod->scheduler_name).try_emplace(plugin);
  if (is_new) it->second.hints = any_event();
  return it->second;
}

void WaitingPods::add(Entry& entry, const std::string& plugin) {
  auto& waiters = of_plugin(entry, plugin);
  entry.slots.push_back({&waiters, waiters.pods.size()});
  waiters.pods.push_back(&entry);
}

void WaitingPods::add_if_hinted(Entry& entry, const std::string& plugin) {
  if (of_profile(entry.queued.pod->pod->scheduler_name).contains(plugin)) add(entry, plugin);
}

void WaitingPods::remove(Entry& entry) {
  for (const auto& slot : entry.slots) {
    auto& pods = slot.waiters->pods;
    auto* last = pods.back();
    pods[slot.index] = last;
    pods.pop_back();
    if (last == &entry) continue;
    std::ranges::find(last->slots, slot.waiters, &Entry::Slot::waiters)->index = slot.index;
  }
  entry.slots.clear();
}

std::vector<Entry*> WaitingPods::woken_by(const ClusterEvent& event) {
  ++events_;
  std::vector<Entry*> woken;
  for (auto& [_, plugins] : profiles_) {
    for (auto& [name, waiters] : plugins) {
      if (waiters.pods.empty() || !waiters.listens_to(event)) continue;
      for (auto* entry : waiters.pods) {
        if (entry->woken_by == events_ || !waiters.helps(*entry->queued.pod, event, snapshot_)) continue;
        entry->woken_by = events_;
        woken.push_back(entry);
      }
    }
  }
  return woken;
}

bool WaitingPods::helps(const Entry& entry, const ClusterEvent& event) {
  return std::ranges::any_of(entry.queued.rejected_by, [&](const std::string& plugin) {
    return of_plugin(entry, plugin).helps(*entry.queued.pod, event, snapshot_);
  });
}

bool WaitingPods::is_of_interest(const ClusterEvent& event) const {
  for (const auto& [_, plugins] : profiles_) {
    for (const auto& [name, waiters] : plugins) {
      if (waiters.listens_to(event)) return true;
    }
  }
  return false;
}

}  // namespace podium::queue
