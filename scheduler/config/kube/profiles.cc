#include "scheduler/config/kube/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "scheduler/config/kube/validation.h"
#include "scheduler/plugins/registry.h"

namespace podium::config {
namespace {

using framework::kPoints;
using framework::Profile;
using plugins::PluginEntry;

bool implements(const PluginEntry& plugin, Point point) {
  return std::ranges::find(plugin.points, point) != plugin.points.end();
}

class Resolver {
 public:
  Resolver(const PluginSets& plugins, const PluginArgs& args, const std::string& path, Problems& problems,
           const framework::Features& features, const plugins::Registry& registry)
      : plugins_(plugins),
        args_(args),
        path_(path),
        problems_(problems),
        features_(features),
        registry_(registry) {}

  framework::ProfilePtr resolve(std::string_view scheduler_name) {
    for (std::size_t i = 0; i < kPoints; ++i) {
      check_specific(static_cast<Point>(i));
    }
    check_multi_point();
    for (std::size_t i = 0; i < kPoints; ++i) {
      names_[i] = expand(static_cast<Point>(i));
    }
    check_needed_points(scheduler_name);
    auto profile = std::make_shared<Profile>();
    profile->scheduler_name = scheduler_name;
    profile->request_rules = framework::request_rules(features_);
    if (!problems_) fill(*profile);
    return profile;
  }

 private:
  const std::vector<std::string>& at(Point point) const { return names_[static_cast<std::size_t>(point)]; }
  std::string field_path(Point point) const { return child(child(path_, "plugins"), field_name(point)); }
  // Default plugins have no path; errors about them point at the list.
  std::string path_of(const PluginRef& plugin, Point point) const {
    return plugin.path.empty() ? field_path(point) : plugin.path;
  }

  void check_specific(Point point) {
    std::set<std::string_view> seen;
    for (const auto& plugin : plugins_[point].enabled) {
      const auto* known = registry_.find(plugin.name);
      if (!known) {
        if (!is_removed(plugin)) {
          problems_.add(path_of(plugin, point),
                        fmt::format("{} \"{}\" does not exist", interface_name(point), plugin.name));
        }
      } else if (!implements(*known, point)) {
        problems_.add(path_of(plugin, point), fmt::format("plugin \"{}\" does not extend {} plugin",
                                                          plugin.name, interface_name(point)));
      } else if (!seen.insert(plugin.name).second) {
        problems_.add(path_of(plugin, point), fmt::format("plugin \"{}\" already registered as \"{}\"",
                                                          plugin.name, interface_name(point)));
      }
    }
  }

  void check_multi_point() {
    const auto& enabled = plugins_[Point::multi_point].enabled;
    for (std::size_t i = 0; i < enabled.size(); ++i) {
      const auto& plugin = enabled[i];
      if (!registry_.find(plugin.name)) {
        if (!is_removed(plugin)) {
          problems_.add(path_of(plugin, Point::multi_point),
                        fmt::format("plugin \"{}\" does not exist", plugin.name));
        }
        continue;
      }
      const auto earlier = std::find_if(enabled.begin(), enabled.begin() + static_cast<std::ptrdiff_t>(i),
                                        [&](const PluginRef& other) { return other.name == plugin.name; });
      if (earlier == enabled.begin() + static_cast<std::ptrdiff_t>(i)) continue;
      if (const auto clash = first_point_of(plugin.name)) {
        problems_.add(
            path_of(plugin, Point::multi_point),
            fmt::format("plugin \"{}\" already registered as \"{}\"", plugin.name, interface_name(*clash)));
      }
    }
  }

  // The first extension point at which multiPoint enables the plugin, i.e. whose own list neither enables
  // nor disables it.
  std::optional<Point> first_point_of(std::string_view name) const {
    const auto* known = registry_.find(name);
    for (std::size_t i = 0; i < kPoints; ++i) {
      const auto point = static_cast<Point>(i);
      const auto& set = plugins_[point];
      const bool named = std::ranges::find(set.enabled, name, &PluginRef::name) != set.enabled.end();
      if (implements(*known, point) && !named && !set.disables("*") && !set.disables(name)) return point;
    }
    return std::nullopt;
  }

  // Validation reports removed plugins separately.
  static bool is_removed(const PluginRef& plugin) { return is_removed_plugin(plugin.name); }

  std::vector<std::string> expand(Point point) const {
    const auto& set = plugins_[point];
    std::vector<std::string> own;
    for (const auto& plugin : set.enabled) own.push_back(plugin.name);
    if (set.disables("*")) return own;

    std::set<std::string_view> overridden;
    std::vector<std::string> from_multi_point;
    for (const auto& plugin : plugins_[Point::multi_point].enabled) {
      const auto* known = registry_.find(plugin.name);
      if (!known || !implements(*known, point) || set.disables(plugin.name)) continue;
      if (std::ranges::find(own, plugin.name) != own.end()) {
        overridden.insert(plugin.name);
      } else {
        from_multi_point.push_back(plugin.name);
      }
    }
    auto out = own;
    const auto rest =
        std::ranges::stable_partition(out, [&](const auto& name) { return overridden.contains(name); });
    out.insert(rest.begin(), from_multi_point.begin(), from_multi_point.end());
    return out;
  }

  void check_needed_points(std::string_view scheduler_name) {
    if (const auto count = at(Point::queue_sort).size(); count != 1) {
      problems_.add(
          field_path(Point::queue_sort),
          fmt::format("only one queue sort plugin required for profile with scheduler name \"{}\", but "
                      "got {}",
                      scheduler_name, count));
    }
    if (at(Point::bind).empty()) {
      problems_.add(field_path(Point::bind),
                    fmt::format("at least one bind plugin is needed for profile with scheduler name \"{}\"",
                                scheduler_name));
    }
    for (const auto point : {Point::score, Point::multi_point}) {
      for (const auto& plugin : plugins_[point].enabled) {
        const auto* known = registry_.find(plugin.name);
        if (plugin.weight >= 0 || !known || !implements(*known, Point::score)) continue;
        // A negative weight makes upstream's sum of weights overflow.
        problems_.invalid(child(path_of(plugin, point), "weight"), shown(plugin.weight),
                          "must not be negative: total score of Score plugins could overflow");
      }
    }
  }

  std::int64_t weight_of(std::string_view name) {
    for (const auto point : {Point::score, Point::multi_point}) {
      const auto& enabled = plugins_[point].enabled;
      const auto it = std::ranges::find(enabled, name, &PluginRef::name);
      if (it == enabled.end()) continue;
      // No warning for VolumeBinding, which has no weight by default.
      if (it->weight == 0 && !it->path.empty() && registry_.find(name)->default_weight != 0) {
        problems_.warn(
            it->path,
            fmt::format("the weight of score plugin \"{}\" is zero or absent and counts as 1", name));
      }
      return it->weight == 0 ? 1 : it->weight;
    }
    return 1;
  }

  const framework::Plugin* make(const std::string& name) {
    const auto [it, is_new] = made_.try_emplace(name);
    if (!is_new) return it->second.get();
    const auto* known = registry_.find(name);
    static const GivenArgs none;
    const auto found = args_.find(name);
    const auto& args = found == args_.end() ? none : found->second;
    if (!known->in_tree()) {
      it->second = make_checked(*known, args);
    } else if (known->make && !(known->gate && !(features_.*known->gate))) {
      it->second = known->make(args.value, features_);
    }
    return it->second.get();
  }

  // Creates an out-of-tree plugin and reports its argument errors.
  std::shared_ptr<const framework::Plugin> make_checked(const PluginEntry& known, const GivenArgs& args) {
    Problems errors;
    auto plugin = known.make_checked(args.value, errors);
    const auto path = args.path.empty() ? child(path_, "pluginConfig") : args.path;
    const auto name = args.path.empty() ? fmt::format("plugin \"{}\": ", known.name) : std::string();
    for (const auto& [field, reason, is_whole] : errors.findings()) {
      const auto at = field.empty() || args.path.empty() ? path : child(path, field);
      problems_.add(
          at, name + (args.path.empty() && !field.empty() ? fmt::format("{}: {}", field, reason) : reason));
    }
    if (!plugin && !errors) problems_.add(path, fmt::format("plugin \"{}\" cannot be created", known.name));
    return plugin;
  }

  template <typename T>
  const T* make_as(const std::string& name) {
    return dynamic_cast<const T*>(make(name));
  }

  bool enabled_at(Point point, std::string_view name) const {
    return std::ranges::find(at(point), name) != at(point).end();
  }

  Profile::FilterEntry filter_entry(const std::string& name) {
    return {name, make_as<framework::FilterPlugin>(name), enabled_at(Point::pre_filter, name),
            enabled_at(Point::filter, name)};
  }

  // Skips plugins that podium lists but does not run at this point.
  template <typename P>
  void fill_entries(Point point, std::vector<Profile::Entry<P>>& entries) {
    for (const auto& name : at(point)) {
      if (const auto* plugin = make_as<P>(name)) entries.push_back({name, plugin});
    }
  }

  void fill(Profile& profile) {
    for (const auto& name : at(Point::pre_enqueue)) {
      if (const auto* plugin = make_as<framework::PreEnqueuePlugin>(name))
        profile.pre_enqueue.push_back(plugin);
    }
    for (const auto& name : at(Point::pre_filter)) profile.pre_filters.push_back(filter_entry(name));
    for (const auto& name : at(Point::filter)) profile.filters.push_back(filter_entry(name));
    for (const auto& name : at(Point::post_filter)) {
      profile.post_filters.push_back({name, make_as<framework::PostFilterPlugin>(name)});
    }
    for (const auto& name : at(Point::score)) {
      profile.scores.push_back(
          {name, make_as<framework::ScorePlugin>(name), weight_of(name), enabled_at(Point::pre_score, name)});
    }
    fill_entries(Point::pre_score, profile.pre_scores);
    fill_entries(Point::reserve, profile.reserves);
    fill_entries(Point::permit, profile.permits);
    fill_entries(Point::pre_bind, profile.pre_binds);
    fill_entries(Point::post_bind, profile.post_binds);
    for (const auto& [_, plugin] : made_) {
      if (plugin) profile.plugins.push_back(plugin);
    }
  }

  const PluginSets& plugins_;
  const PluginArgs& args_;
  const std::string& path_;
  Problems& problems_;
  const framework::Features& features_;
  const plugins::Registry& registry_;
  std::array<std::vector<std::string>, kPoints> names_;  // at each extension point, in order
  std::map<std::string, std::shared_ptr<const framework::Plugin>> made_;
};

}  // namespace

framework::ProfilePtr resolve_profile(std::string_view scheduler_name, const PluginSets& plugins,
                                      const PluginArgs& args, const std::string& path, Problems& problems,
                                      const framework::Features& features,
                                      const plugins::Registry& registry) {
  return Resolver(plugins, args, path, problems, features, registry).resolve(scheduler_name);
}

}  // namespace podium::config
