// The plugin registry: the in-tree plugins and the out-of-tree plugins that a program adds
// (docs/plugins.md), each with its extension points and its factory.
//
// docs/adding.md has the steps for a new in-tree plugin.
// Threads: fill a Registry before use; after that any thread may read it.
// Errors: a name that is added twice is in clash(); argument errors are in Problems.
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

#include "base/problems.h"
#include "scheduler/framework/features.h"
#include "scheduler/framework/lifecycle.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/point.h"

namespace podium::plugins {

using framework::Point;

// Creates a plugin from its arguments. Plugins that depend on feature gates also get the gates.
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

struct PluginEntry {
  std::string name;
  std::vector<Point> points;  // extension points that it implements
  int default_weight = 0;     // in the default MultiPoint list; 0: not given, which counts as 1
  // In-tree plugins. `args` is upstream's v1 JSON form, already validated and defaulted by scheduler/config.
  // Null for plugins that do not take part in decisions (DefaultBinder, PrioritySort, …).
  Factory make{};
  bool by_default = true;  // in the default MultiPoint list; otherwise a configuration must name it
  bool framework::Features::* gate = nullptr;  // while off, the plugin is not in that list and inactive
  // Out-of-tree plugins. `args` is what the configuration has; {} if it has none. `errors` gets all that is
  // wrong with it, with paths relative to `args`: "budget", "zones[2].name".
  std::function<std::shared_ptr<const framework::Plugin>(const boost::json::object& args, Problems& errors)>
      make_checked{};

  bool in_tree() const { return !make_checked; }
};

// In the order of upstream's default MultiPoint list; plugins that are not in that list come last.
std::span<const PluginEntry> in_tree();
const PluginEntry* find_in_tree(std::string_view name);  // null: no such plugin

class Registry {
 public:
  // Adds an out-of-tree plugin. `make` has the signature
  //   std::shared_ptr<const P>(const boost::json::object& args, Problems& errors).
  // The interfaces that P implements are its extension points. `make` is called once per profile that
  // enables the plugin, while the configuration is loaded. Entries in `errors` are reported with file, line
  // and path; `make` may then return null.
  template <typename Make>
  Registry& add(std::string name, Make make) {
    using P = std::remove_const_t<
        typename std::invoke_result_t<Make&, const boost::json::object&, Problems&>::element_type>;
    static_assert(std::is_base_of_v<framework::Plugin, P>, "a plugin derives from podium::framework::Plugin");
    return add({.name = std::move(name),
                .points = points_of<P>(),
                .by_default = false,
                .make_checked = std::move(make)});
  }

  // Finds in-tree and added plugins; null: no plugin of this name.
  const PluginEntry* find(std::string_view name) const;
  // The first name that was added twice or that an in-tree plugin has; empty: none.
  const std::string& clash() const { return clash_; }

 private:
  Registry& add(PluginEntry entry);

  // prepare_filter() and prepare_score() are PreFilter and PreScore.
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
