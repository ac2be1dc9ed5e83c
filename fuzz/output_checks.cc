#include "fuzz/output_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "api/text/yaml.h"
#include "base/time.h"
#include "base/utf8.h"
#include "fuzz/driver/files.h"
#include "fuzz/driver/require.h"

namespace podium::fuzz {
namespace {

namespace json = boost::json;

std::int64_t bound(const json::object& schema, std::string_view keyword, std::int64_t otherwise) {
  const auto* found = schema.if_contains(keyword);
  return found && found->is_int64() ? found->get_int64() : otherwise;
}
constexpr auto kMost = std::numeric_limits<std::int64_t>::max();

const json::object* schema_of(const json::object& schema, std::string_view keyword) {
  const auto* found = schema.if_contains(keyword);
  return found ? found->if_object() : nullptr;
}

bool is_set(const json::object& schema, std::string_view keyword) {
  const auto* found = schema.if_contains(keyword);
  return found && found->is_bool() && found->get_bool();
}

std::string text_finding(const json::string& text, const json::object& schema) {
  const auto length = static_cast<std::int64_t>(characters(text));
  if (!is_utf8(text)) return "invalid UTF-8";
  if (length > bound(schema, "maxLength", kMost)) return fmt::format("{} characters are too many", length);
  if (length < bound(schema, "minLength", 0)) return fmt::format("{} characters are too few", length);
  if (const auto* format = schema.if_contains("format"); format && format->as_string() == "date-time") {
    if (!parse_time(text)) return "no time";
  }
  const auto* known = schema.if_contains("enum");
  const bool is_known =
      !known || std::ranges::find(known->as_array(), json::value(text)) != known->as_array().end();
  return is_known ? "" : "none of the enum";
}

std::string number_finding(const json::value& value, const json::object& schema) {
  if (value.is_uint64()) return "too large for int64";
  const auto number = value.get_int64();
  const auto* format = schema.if_contains("format");
  const bool is_int32 = format && format->as_string() == "int32";
  const std::int64_t most = is_int32 ? std::numeric_limits<std::int32_t>::max() : kMost;
  const std::int64_t least = is_int32 ? std::numeric_limits<std::int32_t>::min() : -kMost;
  if (number > std::min(most, bound(schema, "maximum", kMost))) return fmt::format("{} is too large", number);
  if (number < std::max(least, bound(schema, "minimum", -kMost)))
    return fmt::format("{} is too small", number);
  return "";
}

std::string list_finding(const json::array& list, const json::object& schema, const std::string& path) {
  if (static_cast<std::int64_t>(list.size()) > bound(schema, "maxItems", kMost))
    return fmt::format("{}: {} items are too many", path, list.size());
  const auto* items = schema_of(schema, "items");
  for (std::size_t i = 0; items && i < list.size(); ++i) {
    auto finding = schema_finding(list[i], *items, fmt::format("{}[{}]", path, i));
    if (!finding.empty()) return finding;
  }
  return "";
}

std::string object_finding(const json::object& object, const json::object& schema, const std::string& path) {
  if (const auto* required = schema.if_contains("required")) {
    for (const auto& name : required->as_array()) {
      if (!object.contains(name.as_string()))
        return fmt::format("{}.{}: missing", path, std::string_view(name.as_string()));
    }
  }
  const auto* properties = schema_of(schema, "properties");
  const auto* others = schema_of(schema, "additionalProperties");
  for (const auto& [key, value] : object) {
    const auto* found = properties ? schema_of(*properties, key) : nullptr;
    if (!found) found = others;
    const auto field = fmt::format("{}.{}", path, std::string_view(key));
    if (!found && is_set(schema, "x-kubernetes-preserve-unknown-fields")) continue;
    if (!found) return field + ": unknown field";
    auto finding = schema_finding(value, *found, field);
    if (!finding.empty()) return finding;
  }
  return "";
}

json::value read_crd() {
  const auto files = read_corpus("crds/schedulingreports.podium.dev.yaml");
  require(files.has_value(), "the CRD can be read");
  auto documents = api::parse_documents(files->at(0).text, files->at(0).path);
  require(documents.has_value(), "the CRD is YAML");
  return documents->at(0).value.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties");
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_harmless(std::string_view text) {
  while (!text.empty()) {
    const auto length = character_length(text);
    if (length == 0 || (text.front() != '\n' && control_length(text) > 0)) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string schema_finding(const json::value& value, const json::object& schema, const std::string& path) {
  const std::string_view type = schema.at("type").as_string();
  if (value.is_null() && is_set(schema, "nullable")) return "";
  const auto about = [&path](std::string finding) {
    return finding.empty() ? finding : path + ": " + finding;
  };
  if (type == "object" && value.is_object()) return object_finding(value.get_object(), schema, path);
  if (type == "array" && value.is_array()) return list_finding(value.get_array(), schema, path);
  if (type == "string" && value.is_string()) return about(text_finding(value.get_string(), schema));
  if (type == "integer" && (value.is_int64() || value.is_uint64()))
    return about(number_finding(value, schema));
  if (type == "boolean" && value.is_bool()) return "";
  return fmt::format("{}: {} where the schema has {}", path, std::string_view(json::to_string(value.kind())),
                     type);
}

const json::object& report_schema(std::string_view property) {
  static const auto properties = read_crd();
  return properties.as_object().at(property).as_object();
}

}  // namespace podium::fuzz
