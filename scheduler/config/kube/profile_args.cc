#include "scheduler/config/kube/profile_args.h"

#include <fmt/format.h>

#include <optional>

#include "scheduler/config/kube/kube_defaults.h"
#include "scheduler/config/kube/validation.h"
#include "scheduler/config/schema/kube_schema.h"
#include "scheduler/config/schema/schema.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/registry.h"

namespace podium::config {
namespace json = boost::json;
namespace {

// apiVersion and kind are optional; if given, they must match the plugin.
void check_type(std::string_view plugin, const json::object& args, const std::string& path,
                Problems& problems) {
  const auto kind = fmt::format("{}Args", plugin);
  const std::string given_kind(args.at("kind").as_string());
  const std::string given_version(args.at("apiVersion").as_string());
  if (!given_kind.empty() && given_kind != kind) {
    problems.add(child(path, "kind"),
                 fmt::format("args for plugin {} were not of type {}, got {}", plugin, kind, given_kind));
  }
  if (!given_version.empty() && given_version != kKubeApiVersion) {
    problems.add(child(path, "apiVersion"), not_registered(kind, given_version));
  }
}

json::object default_args(const std::string& plugin, const Schema& schema,
                          const framework::Features& features) {
  json::value value = json::object();
  Problems none;
  read(value, schema, "", none);
  set_args_defaults(plugin, value.as_object(), features);
  return value.as_object();
}

json::object read_args(const std::string& plugin, const Schema& schema, const framework::Features& features,
                       const json::object& config, const std::string& path, Problems& problems) {
  const auto* given = config.if_contains("args");
  json::value value = given ? *given : json::value(json::object());
  read(value, schema, path, problems);
  auto& args = value.as_object();
  check_type(plugin, args, path, problems);
  set_args_defaults(plugin, args, features);
  return args;
}

// The arguments of an out-of-tree plugin; nullopt: not given.
std::optional<json::object> any_args(const json::object& config, const std::string& path,
                                     Problems& problems) {
  const auto* given = config.if_contains("args");
  if (!given) return std::nullopt;
  if (given->is_object()) return given->get_object();
  problems.unreadable(path, "Invalid value: expected object");
  return std::nullopt;
}

void warn_of_no_effect(const std::string& plugin, const std::string& path, Problems& problems) {
  if (!plugins::find_in_tree(plugin)) {
    problems.warn(path, fmt::format("unknown plugin \"{}\": its args have no effect", plugin));
  } else {
    problems.warn(path, fmt::format("plugin \"{}\" takes no args: they have no effect", plugin));
  }
}

}  // namespace

PluginArgs read_plugin_args(const json::array& list, const std::set<std::string>& enabled,
                            const framework::Features& features, const plugins::Registry& registry,
                            const std::string& path, Problems& problems) {
  PluginArgs out;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto at = item(path, i);
    const auto& config = list[i].as_object();
    const std::string name(config.at("name").as_string());
    if (!seen.insert(name).second) problems.duplicate(at, name);
    if (is_removed_plugin(name)) {
      problems.invalid(at, name, removed_plugin_text());
      continue;
    }
    if (const auto* plugin = registry.find(name); plugin && !plugin->in_tree()) {
      if (auto args = any_args(config, child(at, "args"), problems))
        out[name] = {std::move(*args), child(at, "args")};
      continue;
    }
    const auto* schema = args_schema(name);
    if (!schema) {
      warn_of_no_effect(name, at, problems);
      continue;
    }
    auto args = read_args(name, *schema, features, config, child(at, "args"), problems);
    // Upstream validates these arguments when it creates the plugin, so only if the plugin is enabled.
    if (name != framework::names::kNodeResourcesFit || enabled.contains(name))
      validate_args(name, args, features, child(at, "args"), problems);
    if (enabled.contains(name)) out[name] = {std::move(args), child(at, "args")};
  }
  for (const auto& name : enabled) {
    const auto* schema = args_schema(name);
    if (schema && !out.contains(name)) out[name] = {default_args(name, *schema, features), ""};
  }
  return out;
}

json::array print_plugin_args(const PluginArgs& all) {
  json::array out;
  for (const auto& [name, args] : all) {
    const auto* schema = args_schema(name);
    out.push_back(json::object{{"args", schema ? printed(args.value, *schema) : sorted_keys(args.value)},
                               {"name", name}});
  }
  return out;
}

}  // namespace podium::config
