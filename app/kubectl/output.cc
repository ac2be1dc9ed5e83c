#include "app/kubectl/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/text/json_view.h"
#include "api/text/yaml.h"
#include "app/render/json_path.h"
#include "app/render/text.h"

namespace podium::kubectl {

namespace json = boost::json;

Result<void> set_format(const std::string& text, Output& output) {
  constexpr std::string_view kPath = "jsonpath=";
  if (text.starts_with(kPath)) {
    output.format = "jsonpath";
    output.path = text.substr(kPath.size());
    if (auto parsed = render::JsonPath::parse(output.path); !parsed)
      return invalid("jsonpath: " + parsed.error().message);
    return {};
  }
  if (text.ends_with('=') || std::ranges::find(kFormats, text) == kFormats.end()) {
    return invalid(
        fmt::format("\"{}\" is not table, wide, json, yaml, name, answer or jsonpath=TEMPLATE", text));
  }
  output.format = text;
  return {};
}

Result<void> check_names(const Output& output, bool has_names, std::string_view why_not) {
  if (output.format != "name" || has_names) return {};
  return invalid(fmt::format("-o name: {}", why_not));
}

json::value with_words(std::string words, json::value document) {
  return json::object{{"words", std::move(words)}, {"document", std::move(document)}};
}

namespace {

// Drops managedFields, as kubectl does when it prints objects: they are a large part of a report.
json::value without_managed_fields(json::value document) {
  auto* fields = document.if_object();
  if (!fields) return document;
  if (auto* metadata = fields->if_contains("metadata"); metadata && metadata->is_object())
    metadata->get_object().erase("managedFields");
  if (auto* answered = fields->if_contains("document"))
    *answered = without_managed_fields(std::move(*answered));
  if (auto* items = fields->if_contains("items"); items && items->is_array()) {
    for (auto& item : items->get_array()) item = without_managed_fields(std::move(item));
  }
  return document;
}

}  // namespace

Result<std::string> document_text(const Output& output, const json::value& document,
                                  const std::vector<std::string>& names) {
  if (output.format == "json" || output.format == "answer")
    return api::to_json(without_managed_fields(document));
  if (output.format == "yaml") return api::to_yaml(without_managed_fields(document));
  if (output.format == "jsonpath") {
    const auto path = render::JsonPath::parse(output.path);
    if (!path) return std::unexpected(path.error());
    auto text = render::printable_lines(path->print(document));
    return text.ends_with('\n') || text.empty() ? text : text + '\n';
  }
  std::string out;
  for (const auto& name : names) out += render::printable(name) + '\n';
  return out;
}

json::value as_list(std::vector<json::value> objects) {
  if (objects.size() == 1) return std::move(objects.front());
  return json::object{
      {"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array(objects.begin(), objects.end())}};
}

std::string report_name(const json::value& report) {
  return "schedulingreport.podium.dev/" + api::text_at(report, "/metadata/name");
}

}  // namespace podium::kubectl
