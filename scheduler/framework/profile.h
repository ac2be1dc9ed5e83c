// Profile: one entry of `profiles`, resolved: plugins with weights, in upstream's order per extension point.
//
// Made by scheduler/config from a KubeSchedulerConfiguration. Threads: immutable, shared by all.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/framework/lifecycle.h"
#include "scheduler/framework/node_sampling.h"
#include "scheduler/framework/plugin.h"

namespace podium::framework {

// A null plugin is named by the profile but has no effect on decisions; evaluate() skips it.
struct Profile {
  struct FilterEntry {
    std::string name;
    const FilterPlugin* plugin = nullptr;
    bool pre_filter = true;  // enabled at PreFilter
    bool filter = true;      // enabled at Filter
  };
  struct ScoreEntry {
    std::string name;
    const ScorePlugin* plugin = nullptr;
    std::int64_t weight = 1;
    bool pre_score = true;  // enabled at PreScore
  };
  struct PostFilterEntry {
    std::string name;
    const PostFilterPlugin* plugin = nullptr;
  };
  template <typename P>
  struct Entry {
    std::string name;
    const P* plugin = nullptr;  // never null
  };

  std::string scheduler_name = "default-scheduler";
  std::vector<const PreEnqueuePlugin*> pre_enqueue;
  std::vector<FilterEntry> pre_filters;        // in PreFilter order; entries with pre_filter
  std::vector<FilterEntry> filters;            // in Filter order; entries with filter
  std::vector<ScoreEntry> scores;              // in Score order
  std::vector<Entry<ScorePlugin>> pre_scores;  // in PreScore order, also those disabled at Score
  cluster::RequestRules request_rules{};       // for pods of this profile
  bool has_extenders = false;                  // if so, nodes score 0, not 1, without Score plugins
  std::optional<NodeSampling> search;          // nullopt: all nodes are evaluated
  std::vector<PostFilterEntry> post_filters;   // in PostFilter order
  std::vector<Entry<ReservePlugin>> reserves;  // from here on, in the order of the extension point
  std::vector<Entry<PermitPlugin>> permits;
  std::vector<Entry<PreBindPlugin>> pre_binds;
  std::vector<Entry<PostBindPlugin>> post_binds;
  std::vector<std::shared_ptr<const Plugin>> plugins;  // owns all plugins above
};

using ProfilePtr = std::shared_ptr<const Profile>;

}  // namespace podium::framework
