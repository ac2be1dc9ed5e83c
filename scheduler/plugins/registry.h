// The in-tree plugins by name, and how each is made from its arguments.
//
// A new plugin is one file, one test file and one line in registry.cc.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/features.h"
#include "scheduler/framework/plugin.h"

namespace podium::plugins {

enum class Point : std::uint8_t {
  pre_enqueue, queue_sort, pre_filter, filter, post_filter, pre_score, score, reserve, permit, pre_bind, bind, post_bind,
};

// Makes a plugin from its arguments; those whose decisions depend on feature gates get these too.
class Factory {
 public:
  using Plain = std::shared_ptr<const framework::Plugin> (*)(const boost::json::object& args);
  using Gated = std::shared_ptr<const framework::Plugin> (*)(const boost::json::object& args, const framework::Features&);

  constexpr Factory() = default;
  constexpr Factory(Plain plain) : plain_(plain) {}
  constexpr Factory(Gated gated) : gated_(gated) {}
  explicit constexpr operator bool() const { return plain_ || gated_; }
  std::shared_ptr<const framework::Plugin> operator()(const boost::json::object& args,
                                                      const framework::Features& features = {}) const {
    return plain_ ? plain_(args) : gated_(args, features);
  }

 private:
  Plain plain_ = nullptr;
  Gated gated_ = nullptr;
};

struct InTree {
  std::string_view name;
  std::vector<Point> points;          // the extension points that upstream's plugin implements
  int default_weight = 0;             // in the default MultiPoint list; 0 where that gives none, which counts as 1
  // `args` are validated and defaulted by scheduler/config before; upstream's v1 JSON form. Plugins that take part in no
  // decision (DefaultBinder, PrioritySort, …) are listed with a null factory.
  Factory make{};
  bool by_default = true;             // in the default MultiPoint list; else a configuration has to name it
  bool framework::Features::*gate = nullptr;  // while this is off it is not on that list, and does nothing
};

// In the order of upstream's default MultiPoint list; those that are not on it come last.
std::span<const InTree> in_tree();
const InTree* find_in_tree(std::string_view name);  // null where there is no such plugin

}  // namespace podium::plugins
