// Plugin sets: `profiles[].plugins`, merged with the default plugins.
//
// Source: pkg/scheduler/apis/config/v1/default_plugins.go.
// Threads: values and pure functions.
#pragma once

#include <array>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/features.h"
#include "scheduler/framework/point.h"

namespace podium::config {

using framework::Point;

std::string_view field_name(Point);      // "preFilter"
std::string_view interface_name(Point);  // "PreFilterPlugin", as upstream's errors call it

struct PluginRef {
  std::string name;
  std::int64_t weight = 0;
  std::string path;  // of the entry in the file; empty for a default plugin
};

struct PluginSet {
  std::vector<PluginRef> enabled, disabled;
  bool disables(std::string_view name) const;
};

struct PluginSets {
  std::array<PluginSet, framework::kPoints + 1> sets;  // by point

  PluginSet& operator[](Point point) { return sets[static_cast<std::size_t>(point)]; }
  const PluginSet& operator[](Point point) const { return sets[static_cast<std::size_t>(point)]; }
  std::set<std::string> enabled_names() const;  // at all points
};

// `plugins` is the value of that field in the form of its schema, or null; `path` is its path.
PluginSets read_plugin_sets(const boost::json::value* plugins, const std::string& path);
PluginSets default_plugin_sets(const framework::Features& features = {});
// A custom entry replaces the default entry of its name in place; other custom entries follow. If several
// custom entries have one name, the last one replaces the default. The others stay, so that profiles.h
// reports them as duplicates.
PluginSets merge_plugin_sets(const PluginSets& defaults, const PluginSets& custom);
boost::json::value print_plugin_sets(const PluginSets&);

}  // namespace podium::config
