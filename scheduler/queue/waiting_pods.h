// WaitingPods: who waits for which events. Pods that were turned down are indexed by the plugins that did it,
// so that an event looks only at the pods of the plugins that listen to it.
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

// The pods of one profile that one plugin turned down.
struct PluginWaiters {
  std::vector<framework::EventHint> hints;
  std::vector<Entry*> pods;

  bool listens_to(const framework::ClusterEvent&) const;
  bool helps(const cluster::PodInfo& pod, const framework::ClusterEvent&) const;
};

class WaitingPods {
 public:
  using ProfileOf = std::function<const framework::Profile*(std::string_view)>;
  explicit WaitingPods(ProfileOf profile_of) : profile_of_(std::move(profile_of)) {}

  // Call before the first event that a pod of this profile should not miss.
  void register_profile(const std::string& scheduler_name) { of_profile(scheduler_name); }
  void add(Entry& entry, const std::string& plugin);
  // The same where the plugin has hints; else nothing but a change of the pod itself can help it.
  void add_if_hinted(Entry& entry, const std::string& plugin);
  void remove(Entry& entry);  // from everywhere
  // The pods that the event may help, by the hint of any plugin that turned them down.
  std::vector<Entry*> woken_by(const framework::ClusterEvent& event);
  bool helps(const Entry& entry, const framework::ClusterEvent& event);
  // Whether any plugin of any profile so far listens to such events.
  bool is_of_interest(const framework::ClusterEvent& event) const;

 private:
  using ByPlugin = std::map<std::string, PluginWaiters, std::less<>>;
  ByPlugin& of_profile(const std::string& scheduler_name);
  PluginWaiters& of_plugin(const Entry& entry, const std::string& plugin);

  ProfileOf profile_of_;
  std::map<std::string, ByPlugin> profiles_;  // by schedulerName
  std::uint64_t events_ = 0;
};

}  // namespace podium::queue
