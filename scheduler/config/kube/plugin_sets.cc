#include "scheduler/config/kube/plugin_sets.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>

#include "scheduler/config/schema/file_problems.h"
#include "scheduler/plugins/registry.h"

namespace podium::config {
namespace json = boost::json;
namespace {

struct FieldNames {
  std::string_view field, interface;
};
// By Point.
constexpr std::array<FieldNames, framework::kPoints + 1> kNames{{
    {"preEnqueue", "PreEnqueuePlugin"},
    {"queueSort", "QueueSortPlugin"},
    {"preFilter", "PreFilterPlugin"},
    {"filter", "FilterPlugin"},
    {"postFilter", "PostFilterPlugin"},
    {"preScore", "PreScorePlugin"},
    {"score", "ScorePlugin"},
    {"reserve", "ReservePlugin"},
    {"permit", "PermitPlugin"},
    {"preBind", "PreBindPlugin"},
    {"bind", "BindPlugin"},
    {"postBind", "PostBindPlugin"},
    {"placementGenerate", "PlacementGeneratePlugin"},
    {"placementScore", "PlacementScorePlugin"},
    {"podGroupPostFilter", "PodGroupPostFilterPlugin"},
    {"multiPoint", "MultiPoint"},
}};

std::vector<PluginRef> read_list(const json::value& list, const std::string& path) {
  std::vector<PluginRef> out;
  for (std::size_t i = 0; i < list.as_array().size(); ++i) {
    const auto& plugin = list.as_array()[i].as_object();
    const auto* weight = plugin.if_contains("weight");
    out.push_back(
        {std::string(plugin.at("name").as_string()), weight ? weight->as_int64() : 0, item(path, i)});
  }
  return out;
}

json::array print_list(const std::vector<PluginRef>& list) {
  json::array out;
  for (const auto& plugin : list)
    out.push_back(json::object{{"name", plugin.name}, {"weight", plugin.weight}});
  return out;
}

PluginSet merge(const PluginSet& defaults, const PluginSet& custom) {
  PluginSet out;
  for (const auto& plugin : custom.disabled) out.disabled.push_back({plugin.name, 0, plugin.path});
  std::map<std::string_view, std::size_t> custom_index;
  for (std::size_t i = 0; i < custom.enabled.size(); ++i) custom_index[custom.enabled[i].name] = i;

  std::set<std::size_t> used;
  for (const auto& plugin : defaults.enabled) {
    if (custom.disables("*") || custom.disables(plugin.name)) continue;
    if (const auto it = custom_index.find(plugin.name); it != custom_index.end()) {
      out.enabled.push_back(custom.enabled[it->second]);
      used.insert(it->second);
    } else {
      out.enabled.push_back(plugin);
    }
  }
  for (std::size_t i = 0; i < custom.enabled.size(); ++i) {
    if (!used.contains(i)) out.enabled.push_back(custom.enabled[i]);
  }
  return out;
}

}  // namespace

std::string_view field_name(Point point) { return kNames[static_cast<std::size_t>(point)].field; }
std::string_view interface_name(Point point) { return kNames[static_cast<std::size_t>(point)].interface; }

bool PluginSet::disables(std::string_view name) const {
  return std::ranges::find(disabled, name, &PluginRef::name) != disabled.end();
}

std::set<std::string> PluginSets::enabled_names() const {
  std::set<std::string> out;
  for (const auto& set : sets) {
    for (const auto& plugin : set.enabled) out.insert(plugin.name);
  }
  return out;
}

PluginSets read_plugin_sets(const json::value* plugins, const std::string& path) {
  PluginSets out;
  if (!plugins) return out;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const auto& set = plugins->as_object().at(kNames[i].field).as_object();
    const auto at = child(path, kNames[i].field);
    out.sets[i].enabled = read_list(set.at("enabled"), child(at, "enabled"));
    out.sets[i].disabled = read_list(set.at("disabled"), child(at, "disabled"));
  }
  return out;
}

PluginSets default_plugin_sets(const framework::Features& features) {
  PluginSets out;
  for (const auto& plugin : plugins::in_tree()) {
    if (plugin.by_default && (!plugin.gate || features.*plugin.gate)) {
      out[Point::multi_point].enabled.push_back({std::string(plugin.name), plugin.default_weight, ""});
    }
  }
  return out;
}

PluginSets merge_plugin_sets(const PluginSets& defaults, const PluginSets& custom) {
  PluginSets out;
  for (std::size_t i = 0; i < kNames.size(); ++i) out.sets[i] = merge(defaults.sets[i], custom.sets[i]);
  return out;
}

json::value print_plugin_sets(const PluginSets& plugins) {
  json::object out;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    json::object set;
    if (!plugins.sets[i].enabled.empty()) set["enabled"] = print_list(plugins.sets[i].enabled);
    if (!plugins.sets[i].disabled.empty()) set["disabled"] = print_list(plugins.sets[i].disabled);
    out[kNames[i].field] = std::move(set);
  }
  return out;
}

}  // namespace podium::config
