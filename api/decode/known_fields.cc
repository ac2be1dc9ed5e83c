#include "api/decode/known_fields.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <unordered_map>

namespace podium::api::detail {

extern const char kKnownFields[];  // known_fields_table.cc

namespace {

namespace json = boost::json;

struct FieldType {
  std::string_view name;  // type of the field's value; empty: not checked any deeper
  bool is_map = false;
};

using Fields = std::unordered_map<std::string_view, FieldType>;
using Types = std::unordered_map<std::string_view, Fields>;

std::string_view take_word(std::string_view& line) {
  const auto start = line.find_first_not_of(' ');
  if (start == std::string_view::npos) return line = {};
  line.remove_prefix(start);
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

FieldType field_type(std::string_view text) {
  if (text.starts_with('*')) return {text.substr(1), true};
  return {text, false};
}

Types read_table() {
  Types types;
  Fields* current = nullptr;
  std::string_view text = kKnownFields;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty()) continue;
    if (!line.starts_with(' ')) current = &types[take_word(line)];
    for (auto word = take_word(line); !word.empty(); word = take_word(line)) {
      const auto colon = word.find(':');
      const auto type = colon == std::string_view::npos ? std::string_view() : word.substr(colon + 1);
      (*current)[word.substr(0, colon)] = field_type(type);
    }
  }
  return types;
}

const Types& types() {
  static const Types table = read_table();
  return table;
}

// Searches `value`, an object of type `fields` or a list of them. Extends `path` to the unknown field.
bool find_unknown(const json::value& value, const Fields& fields, std::string& path);

bool find_unknown_entry(const json::value& value, const FieldType& type, std::string& path) {
  if (type.name.empty()) return false;
  const auto found = types().find(type.name);
  if (found == types().end()) return false;
  if (!type.is_map) return find_unknown(value, found->second, path);
  const auto* map = value.if_object();
  if (!map) return false;
  const auto length = path.size();
  for (const auto& entry : *map) {
    path += '.';
    path += std::string_view(entry.key());
    if (find_unknown(entry.value(), found->second, path)) return true;
    path.resize(length);
  }
  return false;
}

bool find_unknown(const json::value& value, const Fields& fields, std::string& path) {
  const auto length = path.size();
  if (const auto* list = value.if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      path += '[' + std::to_string(i) + ']';
      if (find_unknown((*list)[i], fields, path)) return true;
      path.resize(length);
    }
    return false;
  }
  const auto* object = value.if_object();
  if (!object) return false;
  for (const auto& entry : *object) {
    const std::string_view key = entry.key();
    if (!path.empty()) path += '.';
    path += key;
    const auto known = fields.find(key);
    if (known == fields.end() || find_unknown_entry(entry.value(), known->second, path)) return true;
    path.resize(length);
  }
  return false;
}

}  // namespace

std::optional<std::string> first_unknown_field(const json::value& object, std::string_view kind) {
  const auto found = types().find(kind);
  if (found == types().end()) return std::nullopt;
  std::string path;
  if (!find_unknown(object, found->second, path)) return std::nullopt;
  return path;
}

}  // namespace podium::api::detail
