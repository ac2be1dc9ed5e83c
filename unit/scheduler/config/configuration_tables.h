// The tables of docs/configuration.md. Names and types come from the schemas, defaults from a configuration
// that is loaded, limits and words from the notes.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/text/json_view.h"
#include "scheduler/config/field_notes.h"
#include "scheduler/config/load.h"
#include "scheduler/config/podium/podium_config.h"
#include "scheduler/config/schema/kube_schema.h"
#include "scheduler/config/schema/schema.h"

namespace podium::config {

inline constexpr std::string_view kPlugins = "profiles[].plugins";

inline std::string_view shown_type(const Schema& type) {
  switch (type.kind) {
    case Schema::Kind::boolean:
      return "bool";
    case Schema::Kind::int32:
    case Schema::Kind::int64:
      return "integer";
    case Schema::Kind::number:
      return "number";
    case Schema::Kind::text:
      return "string";
    case Schema::Kind::bytes:
      return "base64";
    case Schema::Kind::duration:
      return "duration";
    case Schema::Kind::list:
      return "list";
    case Schema::Kind::object:
      return "object";
    case Schema::Kind::text_map:
      return "map of strings";
    case Schema::Kind::any:
      break;
  }
  return "any";
}

inline const FieldNote* note_of(std::span<const FieldNote> notes, std::string_view path) {
  const auto it = std::ranges::find(notes, path, &FieldNote::path);
  return it == notes.end() ? nullptr : &*it;
}

inline std::string default_text(const boost::json::value* value, const Schema& type) {
  if (!value || type.kind == Schema::Kind::object) return "";
  if (value->is_string() && !value->get_string().empty()) {
    return fmt::format("`{}`", std::string_view(value->get_string()));
  }
  if (type.kind != Schema::Kind::list) return fmt::format("`{}`", boost::json::serialize(*value));
  const auto& list = value->get_array();
  if (list.empty() || !list[0].is_object() || !list[0].get_object().contains("weight")) {
    return list.empty() ? "`[]`" : "";
  }
  std::vector<std::string> names;  // of resources with weights
  for (const auto& one : list) {
    names.push_back(fmt::format("{}: {}", std::string_view(one.at("name").as_string()),
                                boost::json::serialize(one.at("weight"))));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

inline std::string limits_text(const Limits& limits) {
  if (limits.low.empty()) return "";
  if (limits.high.empty()) return fmt::format("at least {}", limits.low);
  return fmt::format("{} to {}", limits.low, limits.high);
}

class FieldTable {
 public:
  explicit FieldTable(std::span<const FieldNote> notes) : notes_(notes) {}

  // Adds a row for each field of the object, and for those below it. `shown` precedes their names in the
  // page, `path` in the notes.
  void add(const Schema& type, const std::string& path, const std::string& shown,
           const boost::json::value* defaults) {
    for (const auto& field : type.fields) {
      if (field.name == "apiVersion" || field.name == "kind") continue;
      const auto dot = [&](const std::string& head) {
        return head.empty() ? std::string(field.name) : fmt::format("{}.{}", head, field.name);
      };
      add_field(*field.type, dot(path), dot(shown), api::member(defaults, field.name));
    }
  }

  const std::string& text() const { return text_; }

 private:
  void add_field(const Schema& type, std::string path, std::string shown, const boost::json::value* value) {
    const auto* note = note_of(notes_, path);
    text_ += fmt::format("| `{}` | {} | {} | {} | {} |\n", shown, shown_type(type), default_text(value, type),
                         note ? limits_text(note->limits) : "", note ? note->about : "");
    if (note && note->opaque) return;
    if (path == kPlugins) return add_points(type);
    const auto* inner = &type;
    if (inner->kind == Schema::Kind::list) {
      inner = inner->element;
      path += "[]";
      shown += "[]";
      const bool has_one = path == "profiles[]" && value && !value->get_array().empty();
      value = has_one ? &value->get_array()[0] : nullptr;
    }
    if (inner->kind == Schema::Kind::object) add(*inner, path, shown, value);
  }

  // All extension points have the same fields: one row describes all.
  void add_points(const Schema& plugins) {
    std::vector<std::string> names;
    for (const auto& point : plugins.fields) names.push_back(fmt::format("`{}`", point.name));
    const auto path = fmt::format("{}.*", kPlugins);
    const auto* note = note_of(notes_, path);
    text_ += fmt::format("| `{}` | object | | | {}: {} |\n", path, note ? note->about : "",
                         fmt::join(names, ", "));
    add(*plugins.fields.front().type, path, path, nullptr);
  }

  std::span<const FieldNote> notes_;
  std::string text_ = "| Field | Type | Default | Limits | |\n|---|---|---|---|---|\n";
};

inline const boost::json::value* args_defaults(const boost::json::value& view, std::string_view plugin) {
  for (const auto& one : view.at("profiles").at(0).at("pluginConfig").as_array()) {
    if (one.at("name").as_string() == plugin) return api::member(&one, "args");
  }
  return nullptr;
}

inline std::string configuration_tables() {
  const auto defaults = load("", "defaults").value();
  FieldTable podium(podium_notes()), kube(kube_notes()), args(args_notes());
  podium.add(podium_schema(), "", "", &defaults.podium_view);
  kube.add(kube_schema(), "", "", &defaults.view);
  for (const auto& plugin : plugins::in_tree()) {
    const auto* type = args_schema(plugin.name);
    if (type) args.add(*type, plugin.name, plugin.name, args_defaults(defaults.view, plugin.name));
  }
  return fmt::format(
      "## PodiumConfiguration\n\n{}\n## KubeSchedulerConfiguration\n\n{}\n### Arguments of plugins\n\n"
      "The part before the first dot is the plugin. Plugins that are not listed here take no "
      "arguments.\n\n{}",
      podium.text(), kube.text(), args.text());
}

}  // namespace podium::config
