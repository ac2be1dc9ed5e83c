#include "scheduler/config/schema/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "base/duration.h"

namespace podium::config {
namespace json = boost::json;

namespace schema {
const Schema boolean{Schema::Kind::boolean};
const Schema int32{Schema::Kind::int32};
const Schema int64{Schema::Kind::int64};
const Schema number{Schema::Kind::number};
const Schema text{Schema::Kind::text};
const Schema bytes{Schema::Kind::bytes};
const Schema duration{Schema::Kind::duration};
const Schema texts{Schema::Kind::list, {}, &text};
const Schema text_map{Schema::Kind::text_map};
const Schema any{Schema::Kind::any};
}  // namespace schema

namespace {

using Kind = Schema::Kind;
using Presence = SchemaField::Presence;

std::string_view type_name(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return "bool";
    case Kind::int32:
      return "int32";
    case Kind::int64:
      return "int64";
    case Kind::number:
      return "float32";
    case Kind::text:
      return "string";
    case Kind::bytes:
      return "base64 string";
    case Kind::duration:
      return "duration string such as \"15s\"";
    case Kind::object:
      return "object";
    case Kind::list:
      return "list";
    case Kind::text_map:
      return "map of strings";
    case Kind::any:
      break;
  }
  return "value";
}

std::string_view json_name(const json::value& value) {
  switch (value.kind()) {
    case json::kind::bool_:
      return "bool";
    case json::kind::string:
      return "string";
    case json::kind::array:
      return "list";
    case json::kind::object:
      return "object";
    case json::kind::null:
      return "null";
    default:
      return "number";
  }
}

json::value zero(const Schema& type) {
  switch (type.kind) {
    case Kind::boolean:
      return false;
    case Kind::int32:
    case Kind::int64:
    case Kind::number:
      return std::int64_t{0};
    case Kind::text:
    case Kind::bytes:
      return "";
    case Kind::duration:
      return "0s";
    case Kind::list:
      return json::array();
    case Kind::text_map:
      return json::object();
    case Kind::any:
      return nullptr;
    case Kind::object:
      break;
  }
  json::object out;
  for (const auto& field : type.fields) {
    if (field.presence != Presence::pointer) out[field.name] = zero(*field.type);
  }
  return out;
}

void wrong_type(json::value& value, const Schema& type, const std::string& path, Problems& problems) {
  auto shown = value.is_structured() ? std::string() : json::serialize(value) + ": ";
  if (shown.size() > 200) shown.clear();
  problems.unreadable(path, fmt::format("Invalid value: {}expected {}, got {}", shown, type_name(type.kind),
                                        json_name(value)));
  value = zero(type);
}

std::optional<std::int64_t> whole_number(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  // As upstream, YAML's 16.0 is the JSON number 16.
  if (value.is_double() && std::trunc(value.get_double()) == value.get_double() &&
      std::abs(value.get_double()) < 0x1p53) {
    return static_cast<std::int64_t>(value.get_double());
  }
  return std::nullopt;
}

void read_integer(json::value& value, const Schema& type, const std::string& path, Problems& problems) {
  const auto number = whole_number(value);
  if (!number) return wrong_type(value, type, path, problems);
  if (type.kind == Kind::int32 && (*number > std::numeric_limits<std::int32_t>::max() ||
                                   *number < std::numeric_limits<std::int32_t>::min())) {
    problems.unreadable(path, fmt::format("Invalid value: {}: out of range for int32", *number));
    value = zero(type);
    return;
  }
  value = *number;
}

void read_number(json::value& value, const Schema& type, const std::string& path, Problems& problems) {
  if (!value.is_number()) return wrong_type(value, type, path, problems);
  if (const auto number = whole_number(value)) {
    value = *number;
  } else if (std::abs(value.to_number<double>()) > std::numeric_limits<float>::max()) {
    wrong_type(value, type, path, problems);
  }
}

void read_duration(json::value& value, const Schema& type, const std::string& path, Problems& problems) {
  if (!value.is_string()) return wrong_type(value, type, path, problems);
  const auto duration = parse_duration(value.get_string());
  if (!duration) {
    problems.unreadable(path, fmt::format("Invalid value: {}: invalid duration", json::serialize(value)));
    value = zero(type);
    return;
  }
  value = format_duration(*duration);
}

void read_object(json::value& value, const Schema& type, const std::string& path, Problems& problems) {
  if (!value.is_object()) return wrong_type(value, type, path, problems);
  json::object out;
  for (auto& [name, given] : value.get_object()) {
    const auto field = std::ranges::find(type.fields, std::string_view(name), &SchemaField::name);
    if (field == type.fields.end()) {
      problems.add(child(path, name), "unknown field");
    } else if (!given.is_null()) {
      read(out[name] = std::move(given), *field->type, child(path, name), problems);
    }
  }
  for (const auto& field : type.fields) {
    if (field.presence != Presence::pointer && !out.contains(field.name)) out[field.name] = zero(*field.type);
  }
  value = std::move(out);
}

void read_text_map(json::value& value, const Schema& type, const std::string& path, Problems& problems) {
  if (!value.is_object()) return wrong_type(value, type, path, problems);
  for (auto& [name, text] : value.get_object()) {
    if (text.is_null()) text = "";
    if (!text.is_string()) wrong_type(text, schema::text, child(path, name), problems);
  }
}

bool is_zero(const json::value& value) {
  switch (value.kind()) {
    case json::kind::bool_:
      return !value.get_bool();
    case json::kind::string:
      return value.get_string().empty();
    case json::kind::array:
      return value.get_array().empty();
    case json::kind::object:
      return value.get_object().empty();
    case json::kind::int64:
      return value.get_int64() == 0;
    case json::kind::uint64:
      return value.get_uint64() == 0;
    case json::kind::double_:
      return value.get_double() == 0;
    case json::kind::null:
      break;
  }
  return true;
}

}  // namespace

void read(json::value& value, const Schema& type, const std::string& path, Problems& problems) {
  switch (type.kind) {
    case Kind::any:
      return;
    case Kind::boolean:
      if (!value.is_bool()) wrong_type(value, type, path, problems);
      return;
    case Kind::text:
    case Kind::bytes:
      if (!value.is_string()) wrong_type(value, type, path, problems);
      return;
    case Kind::int32:
    case Kind::int64:
      return read_integer(value, type, path, problems);
    case Kind::number:
      return read_number(value, type, path, problems);
    case Kind::duration:
      return read_duration(value, type, path, problems);
    case Kind::object:
      return read_object(value, type, path, problems);
    case Kind::text_map:
      return read_text_map(value, type, path, problems);
    case Kind::list:
      break;
  }
  if (!value.is_array()) return wrong_type(value, type, path, problems);
  auto& list = value.get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].is_null()) {
      list[i] = zero(*type.element);
    } else {
      read(list[i], *type.element, item(path, i), problems);
    }
  }
}

json::value printed(const json::value& value, const Schema& type) {
  if (type.kind == Kind::list) {
    json::array out;
    for (const auto& one : value.as_array()) out.push_back(printed(one, *type.element));
    return out;
  }
  if (type.kind != Kind::object) return sorted_keys(value);
  json::object out;
  for (const auto& field : type.fields) {
    const auto* given = value.as_object().if_contains(field.name);
    if (!given || (field.presence == Presence::omit && is_zero(*given))) continue;
    out[field.name] = printed(*given, *field.type);
  }
  return sorted_keys(out);
}

json::value sorted_keys(const json::value& value) {
  if (value.is_array()) {
    json::array out;
    for (const auto& one : value.get_array()) out.push_back(sorted_keys(one));
    return out;
  }
  if (!value.is_object()) return value;
  std::vector<std::string_view> keys;
  for (const auto& [key, _] : value.get_object()) keys.push_back(key);
  std::ranges::sort(keys);
  json::object out;
  for (const auto key : keys) out[key] = sorted_keys(value.get_object().at(key));
  return out;
}

void if_absent(json::object& object, std::string_view name, json::value value) {
  if (!object.contains(name)) object[name] = std::move(value);
}

}  // namespace podium::config
