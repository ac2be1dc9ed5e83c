// YAML and JSON documents: what is read, printed and read again is the same.
#include <algorithm>
#include <boost/json/serialize.hpp>
#include <string>

#include "api/text/yaml.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzzers.h"
#include "fuzz/output_checks.h"

namespace podium::fuzz {
namespace {

namespace json = boost::json;

constexpr api::YamlLimits kLimits{.bytes = 1 << 20, .nodes = 100'000};
// An alias takes three bytes, and is printed as the value of its anchor.
constexpr api::YamlLimits kPrintedLimits{.bytes = 1 << 27, .nodes = 100'000};

bool has_long_list(const json::value& value) {
  const auto* object = value.if_object();
  const auto* list = object && object->contains("items") ? object->at("items").if_array() : nullptr;
  return list && list->size() > 12;
}

bool same(const json::value& a, const json::value& b);

bool same(const json::object& a, const json::object& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a) {
    const auto* other = b.if_contains(key);
    if (!other || !same(value, *other)) return false;
  }
  return true;
}

// As Go prints them, 1.0 and 1e3 are 1 and 1000.
bool same(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number() && a.kind() != b.kind())
    return a.to_number<double>() == b.to_number<double>();
  if (a.is_object() && b.is_object()) return same(a.get_object(), b.get_object());
  if (!a.is_array() || !b.is_array()) return a == b;
  return std::ranges::equal(
      a.get_array(), b.get_array(),
      [](const json::value& one, const json::value& other) { return same(one, other); });
}

void check_same(const std::string& text, const json::value& value, const char* format) {
  const auto again = api::parse_documents(text, format, kPrintedLimits);
  require(again.has_value(), "what is printed can be read", again ? "" : again.error().message + "\n" + text);
  // An empty document is left out.
  if (value.is_null() && again->empty()) return;
  require(again->size() == 1, "a document is printed as one", text);
  require(same(again->front().value, value), "a document stays the same", text);
}

}  // namespace

void yaml(std::string_view input) {
  const auto documents = api::parse_documents(input, "input", kLimits);
  if (!documents) {
    require(is_harmless(documents.error().message) || !is_utf8(input), "an error can be shown",
            documents.error().message);
    require(documents.error().message.starts_with("input"), "an error says where", documents.error().message);
    return;
  }
  for (const auto& document : *documents) {
    require(is_utf8(json::serialize(document.value)), "a document is UTF-8");
    auto yaml_text = api::to_yaml(document.value);
    if (planted() && has_long_list(document.value)) yaml_text += "more: true\n";
    check_same(yaml_text, document.value, "yaml");
    // Only text that starts as an object is read as JSON. YAML has a bound on keys, which JSON does not have.
    if (document.value.is_object()) check_same(api::to_json(document.value), document.value, "json");
  }
}

}  // namespace podium::fuzz
