// The plugins that a configuration may name, and how each is made from its arguments: the in-tree ones, and
// those that a program adds (docs/plugins.md).
//
// A new in-tree plugin is one file, one test file and one line in registry.cc.
// Threads: a Registry is filled before it is used, and then shared.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "scheduler/framework/features.h"
#include "scheduler/framework/lifecycle.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/point.h"

namespace podium::plugins {

using framework::Point;

// Makes a plugin from its arguments; those whose decisions depend on feature gates get these too.
class Factory {
 public:
  using Plain = std::shared_ptr<const framework::Plugin> (*)(const boost::json::object& args);
  using Gated = std::shared_ptr<const framework::Plugin> (*)(const boost::json::object& args,
                                                             const framework::Features&);

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

// What is wrong with the arguments of an out-of-tree plugin; its factory adds as many as it finds.
class ArgErrors {
 public:
  // `field` is below the arguments: "budget", "zones[2].name"; empty: the arguments as a whole.
  void add(std::string field, std::string reason) {
    errors_.emplace_back(std::move(field), std::move(reason));
  }
  const std::vector<std::pair<std::string, std::string>>& all() const { return errors_; }

 private:
  std::vector<std::pair<std::string, std::string>> errors_;
};

struct PluginEntry {
  std::string name;
  std::vector<Point> points;  // the extension points that it implements
  int default_weight = 0;     // in the default MultiPoint list; 0 where that gives none, which counts as 1
  // In-tree: `args` are validated and defaulted by scheduler/config before; upstream's v1 JSON form. Plugins
  // that take part in no decision (DefaultBinder, PrioritySort, …) are listed with a null factory.
  Factory make{};
  bool by_default = true;  // in the default MultiPoint list; else a configuration has to name it
  bool framework::Features::* gate = nullptr;  // while this is off it is not on that list, and does nothing
  // Out-of-tree: `args` are as the configuration has them; {} where it has none.
  std::function<std::shared_ptr<const framework::Plugin>(const boost::json::object& args, ArgErrors& errors)>
      make_checked{};

  bool in_tree() const { return !make_checked; }
};

// In the order of upstream's default MultiPoint list; those that are not on it come last.
std::span<const PluginEntry> in_tree();
const PluginEntry* find_in_tree(std::string_view name);  // null where there is no such plugin

class Registry {
 public:
  // Adds an out-of-tree plugin. `make` is called as make(const boost::json::object& args, ArgErrors& errors)
  // and returns a std::shared_ptr<const P>; the extension points are those whose interfaces P has. It is
  // called once a profile that enables the plugin, before anything runs; what it adds to `errors` is told
  // with file, line and path, and null is fine then.
  template <typename Make>
  Registry& add(std::string name, Make make) {
    using P = std::remove_const_t<
        typename std::invoke_result_t<Make&, const boost::json::object&, ArgErrors&>::element_type>;
    static_assert(std::is_base_of_v<framework::Plugin, P>, "a plugin derives from podium::framework::Plugin");
    return add({.name = std::move(name),
                .points = points_of<P>(),
                .by_default = false,
                .make_checked = std::move(make)});
  }

  // In-tree or added; null where there is none of this name.
  const PluginEntry* find(std::string_view name) const;
  // The first name that was added twice or is an in-tree plugin's; empty: none.
  const std::string& clash() const { return clash_; }

 private:
  Registry& add(PluginEntry entry);

  // A filter's and a scorer's preparation is their PreFilter and PreScore.
  template <typename P>
  static std::vector<Point> points_of() {
    std::vector<Point> out;
    const auto has = [&](bool implements, std::initializer_list<Point> points) {
      if (implements) out.insert(out.end(), points);
    };
    has(std::is_base_of_v<framework::PreEnqueuePlugin, P>, {Point::pre_enqueue});
    has(std::is_base_of_v<framework::FilterPlugin, P>, {Point::pre_filter, Point::filter});
    has(std::is_base_of_v<framework::PostFilterPlugin, P>, {Point::post_filter});
    has(std::is_base_of_v<framework::ScorePlugin, P>, {Point::pre_score, Point::score});
    has(std::is_base_of_v<framework::ReservePlugin, P>, {Point::reserve});
    has(std::is_base_of_v<framework::PermitPlugin, P>, {Point::permit});
    has(std::is_base_of_v<framework::PreBindPlugin, P>, {Point::pre_bind});
    has(std::is_base_of_v<framework::PostBindPlugin, P>, {Point::post_bind});
    return out;
  }

  std::vector<PluginEntry> added_;
  std::string clash_;
};

}  // namespace podium::plugins
