// WaitingPods: indexes rejected pods by the plugins that rejected them, so that an event visits only the pods
// of plugins that listen to it.
//
// Owner: SchedulingQueue. Threads: the scheduling strand.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/events.h"
#include "scheduler/framework/profile.h"
#include "scheduler/queue/entry.h"

namespace podium::queue {

// The pods of one profile that one plugin rejected.
struct PluginWaiters {
  std::vector<framework::EventHint> hints;
  std::vector<Entry*> pods;

  bool listens_to(const framework::ClusterEvent&) const;
  bool helps(const cluster::PodInfo& pod, const framework::ClusterEvent&, const cluster::Snapshot&) const;
};

class WaitingPods {
 public:
  using ProfileOf = std::function<const framework::Profile*(std::string_view)>;
  // Keeps a reference to the snapshot, which hints read.
  WaitingPods(ProfileOf profile_of, const cluster::Snapshot& snapshot)
      : profile_of_(std::move(profile_of)), snapshot_(snapshot) {}

  // Loads the hints of the profile. The queue calls it with each pod that it adds, so before any event that
  // the pod may need. Aborts if there is no such profile.
  void register_profile(const std::string& scheduler_name) { of_profile(scheduler_name); }
  void add(Entry& entry, const std::string& plugin);
  // No effect if the plugin has no hints: then only an update of the pod itself can help.
  void add_if_hinted(Entry& entry, const std::string& plugin);
  void remove(Entry& entry);  // from all plugins
  // The pods for which a hint of a rejecting plugin accepts the event.
  std::vector<Entry*> woken_by(const framework::ClusterEvent& event);
  bool helps(const Entry& entry, const framework::ClusterEvent& event);
  // True if a plugin of a registered profile listens to such events.
  bool is_of_interest(const framework::ClusterEvent& event) const;

 private:
  using ByPlugin = std::map<std::string, PluginWaiters, std::less<>>;
  ByPlugin& of_profile(const std::string& scheduler_name);
  PluginWaiters& of_plugin(const Entry& entry, const std::string& plugin);

  ProfileOf profile_of_;
  const cluster::Snapshot& snapshot_;
  std::map<std::string, ByPlugin> profiles_;  // by schedulerName
  std::uint64_t events_ = 0;
};

}  // namespace podium::queue
