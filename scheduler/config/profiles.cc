#include "scheduler/config/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "scheduler/config/validation.h"
#include "scheduler/plugins/registry.h"

namespace podium::config {
namespace {

using framework::Profile;
using plugins::PluginEntry;
using plugins::Point;

constexpr std::array<std::pair<PluginField, Point>, 12> kPoints{{
    {PluginField::pre_enqueue, Point::pre_enqueue},
    {PluginField::queue_sort, Point::queue_sort},
    {PluginField::pre_filter, Point::pre_filter},
    {PluginField::filter, Point::filter},
    {PluginField::post_filter, Point::post_filter},
    {PluginField::pre_score, Point::pre_score},
    {PluginField::score, Point::score},
    {PluginField::reserve, Point::reserve},
    {PluginField::permit, Point::permit},
    {PluginField::pre_bind, Point::pre_bind},
    {PluginField::bind, Point::bind},
    {PluginField::post_bind, Point::post_bind},
}};

// The placement extension points are behind a gate that is off: nothing runs there, but names are checked.
bool implements(const PluginEntry& plugin, PluginField field) {
  if (field == PluginField::placement_generate) return plugin.name == "TopologyPlacementGenerator";
  if (field == PluginField::placement_score) return plugin.name == "PodGroupPodsCount";
  const auto point = std::ranges::find(kPoints, field, &std::pair<PluginField, Point>::first)->second;
  return std::ranges::find(plugin.points, point) != plugin.points.end();
}

class Resolver {
 public:
  Resolver(const PluginSets& plugins, const PluginArgs& args, const std::string& path, Findings& findings,
           const framework::Features& features, const plugins::Registry& registry)
      : plugins_(plugins),
        args_(args),
        path_(path),
        findings_(findings),
        features_(features),
        registry_(registry) {}

  framework::ProfilePtr resolve(std::string_view scheduler_name) {
    for (std::size_t i = 0; i < kPluginFields - 1; ++i) {
      check_specific(static_cast<PluginField>(i));
    }
    check_multi_point();
    for (std::size_t i = 0; i < kPluginFields - 1; ++i) {
      names_[i] = expand(static_cast<PluginField>(i));
    }
    check_needed_points(scheduler_name);
    auto profile = std::make_shared<Profile>();
    profile->scheduler_name = scheduler_name;
    profile->request_rules = framework::request_rules(features_);
    if (findings_.ok()) fill(*profile);
    return profile;
  }

 private:
  const std::vector<std::string>& at(PluginField field) const {
    return names_[static_cast<std::size_t>(field)];
  }
  std::string field_path(PluginField field) const {
    return child(child(path_, "plugins"), field_name(field));
  }
  // Names that the file does not give come from the defaults, which are right.
  std::string path_of(const PluginRef& plugin, PluginField field) const {
    return plugin.path.empty() ? field_path(field) : plugin.path;
  }

  void check_specific(PluginField field) {
    std::set<std::string_view> seen;
    for (const auto& plugin : plugins_[field].enabled) {
      const auto* known = registry_.find(plugin.name);
      if (!known) {
        if (!is_removed(plugin)) {
          findings_.error(path_of(plugin, field),
                          fmt::format("{} \"{}\" does not exist", interface_name(field), plugin.name));
        }
      } else if (!implements(*known, field)) {
        findings_.error(path_of(plugin, field), fmt::format("plugin \"{}\" does not extend {} plugin",
                                                            plugin.name, interface_name(field)));
      } else if (!seen.insert(plugin.name).second) {
        findings_.error(path_of(plugin, field), fmt::format("plugin \"{}\" already registered as \"{}\"",
                                                            plugin.name, interface_name(field)));
      }
    }
  }

  void check_multi_point() {
    const auto& enabled = plugins_[PluginField::multi_point].enabled;
    for (std::size_t i = 0; i < enabled.size(); ++i) {
      const auto& plugin = enabled[i];
      if (!registry_.find(plugin.name)) {
        if (!is_removed(plugin)) {
          findings_.error(path_of(plugin, PluginField::multi_point),
                          fmt::format("plugin \"{}\" does not exist", plugin.name));
        }
        continue;
      }
      const auto earlier = std::find_if(enabled.begin(), enabled.begin() + static_cast<std::ptrdiff_t>(i),
                                        [&](const PluginRef& other) { return other.name == plugin.name; });
      if (earlier == enabled.begin() + static_cast<std::ptrdiff_t>(i)) continue;
      if (const auto clash = first_point_of(plugin.name)) {
        findings_.error(
            path_of(plugin, PluginField::multi_point),
            fmt::format("plugin \"{}\" already registered as \"{}\"", plugin.name, interface_name(*clash)));
      }
    }
  }

  // The first extension point that multiPoint enables the plugin at, where it is not named or disabled there.
  std::optional<PluginField> first_point_of(std::string_view name) const {
    const auto* known = registry_.find(name);
    for (std::size_t i = 0; i < kPluginFields - 1; ++i) {
      const auto field = static_cast<PluginField>(i);
      const auto& set = plugins_[field];
      const bool named = std::ranges::find(set.enabled, name, &PluginRef::name) != set.enabled.end();
      if (implements(*known, field) && !named && !set.disables("*") && !set.disables(name)) return field;
    }
    return std::nullopt;
  }

  // Removed plugins have a finding of their own, from validation.
  static bool is_removed(const PluginRef& plugin) { return is_removed_plugin(plugin.name); }

  std::vector<std::string> expand(PluginField field) const {
    const auto& set = plugins_[field];
    std::vector<std::string> own;
    for (const auto& plugin : set.enabled) own.push_back(plugin.name);
    if (set.disables("*")) return own;

    std::set<std::string_view> overridden;
    std::vector<std::string> from_multi_point;
    for (const auto& plugin : plugins_[PluginField::multi_point].enabled) {
      const auto* known = registry_.find(plugin.name);
      if (!known || !implements(*known, field) || set.disables(plugin.name)) continue;
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
    if (const auto count = at(PluginField::queue_sort).size(); count != 1) {
      findings_.error(
          field_path(PluginField::queue_sort),
          fmt::format("only one queue sort plugin required for profile with scheduler name \"{}\", but "
                      "got {}",
                      scheduler_name, count));
    }
    if (at(PluginField::bind).empty()) {
      findings_.error(field_path(PluginField::bind),
                      fmt::format("at least one bind plugin is needed for profile with scheduler name \"{}\"",
                                  scheduler_name));
    }
    for (const auto field : {PluginField::score, PluginField::multi_point}) {
      for (const auto& plugin : plugins_[field].enabled) {
        const auto* known = registry_.find(plugin.name);
        if (plugin.weight >= 0 || !known || !implements(*known, PluginField::score)) continue;
        // Upstream's sum of weights wraps around.
        findings_.invalid(child(path_of(plugin, field), "weight"), plugin.weight,
                          "must not be negative: total score of Score plugins could overflow");
      }
    }
  }

  std::int64_t weight_of(std::string_view name) {
    for (const auto field : {PluginField::score, PluginField::multi_point}) {
      const auto& enabled = plugins_[field].enabled;
      const auto it = std::ranges::find(enabled, name, &PluginRef::name);
      if (it == enabled.end()) continue;
      // VolumeBinding has none by default either.
      if (it->weight == 0 && !it->path.empty() && registry_.find(name)->default_weight != 0) {
        findings_.warn(
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

  // Findings where the plugin does not take its arguments.
  std::shared_ptr<const framework::Plugin> make_checked(const PluginEntry& known, const GivenArgs& args) {
    plugins::ArgErrors errors;
    auto plugin = known.make_checked(args.value, errors);
    const auto path = args.path.empty() ? child(path_, "pluginConfig") : args.path;
    const auto name = args.path.empty() ? fmt::format("plugin \"{}\": ", known.name) : std::string();
    for (const auto& [field, reason] : errors.all()) {
      const auto at = field.empty() || args.path.empty() ? path : child(path, field);
      findings_.error(
          at, name + (args.path.empty() && !field.empty() ? fmt::format("{}: {}", field, reason) : reason));
    }
    if (!plugin && errors.all().empty())
      findings_.error(path, fmt::format("plugin \"{}\" cannot be made", known.name));
    return plugin;
  }

  template <typename T>
  const T* make_as(const std::string& name) {
    return dynamic_cast<const T*>(make(name));
  }

  bool enabled_at(PluginField field, std::string_view name) const {
    return std::ranges::find(at(field), name) != at(field).end();
  }

  Profile::FilterEntry filter_entry(const std::string& name) {
    return {name, make_as<framework::FilterPlugin>(name), enabled_at(PluginField::pre_filter, name),
            enabled_at(PluginField::filter, name)};
  }

  // Without the plugins that take no part there.
  template <typename P>
  void fill_entries(PluginField field, std::vector<Profile::Entry<P>>& entries) {
    for (const auto& name : at(field)) {
      if (const auto* plugin = make_as<P>(name)) entries.push_back({name, plugin});
    }
  }

  void fill(Profile& profile) {
    for (const auto& name : at(PluginField::pre_enqueue)) {
      if (const auto* plugin = make_as<framework::PreEnqueuePlugin>(name))
        profile.pre_enqueue.push_back(plugin);
    }
    for (const auto& name : at(PluginField::pre_filter)) profile.pre_filters.push_back(filter_entry(name));
    for (const auto& name : at(PluginField::filter)) profile.filters.push_back(filter_entry(name));
    for (const auto& name : at(PluginField::post_filter)) {
      profile.post_filters.push_back({name, make_as<framework::PostFilterPlugin>(name)});
    }
    for (const auto& name : at(PluginField::score)) {
      profile.scores.push_back({name, make_as<framework::ScorePlugin>(name), weight_of(name),
                                enabled_at(PluginField::pre_score, name)});
    }
    fill_entries(PluginField::pre_score, profile.pre_scores);
    fill_entries(PluginField::reserve, profile.reserves);
    fill_entries(PluginField::permit, profile.permits);
    fill_entries(PluginField::pre_bind, profile.pre_binds);
    fill_entries(PluginField::post_bind, profile.post_binds);
    for (const auto& [_, plugin] : made_) {
      if (plugin) profile.plugins.push_back(plugin);
    }
  }

  const PluginSets& plugins_;
  const PluginArgs& args_;
  const std::string& path_;
  Findings& findings_;
  const framework::Features& features_;
  const plugins::Registry& registry_;
  std::array<std::vector<std::string>, kPluginFields> names_;  // at each extension point, in order
  std::map<std::string, std::shared_ptr<const framework::Plugin>> made_;
};

}  // namespace

framework::ProfilePtr resolve_profile(std::string_view scheduler_name, const PluginSets& plugins,
                                      const PluginArgs& args, const std::string& path, Findings& findings,
                                      const framework::Features& features,
                                      const plugins::Registry& registry) {
  return Resolver(plugins, args, path, findings, features, registry).resolve(scheduler_name);
}

}  // namespace podium::config
