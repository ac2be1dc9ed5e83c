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

// Collects the paths of unknown fields, up to a number.
class Unknown {
 public:
  explicit Unknown(std::size_t most) : most_(most) {}

  // Of an object of type `fields`, or a list of them.
  void find(const json::value& value, const Fields& fields) {
    const auto length = path_.size();
    if (const auto* list = value.if_array()) {
      for (std::size_t i = 0; i < list->size() && !is_full(); ++i) {
        path_ += '[' + std::to_string(i) + ']';
        find((*list)[i], fields);
        path_.resize(length);
      }
    }
    const auto* object = value.if_object();
    if (!object) return;
    for (const auto& entry : *object) {
      if (is_full()) return;
      const std::string_view key = entry.key();
      if (!path_.empty()) path_ += '.';
      path_ += key;
      if (const auto known = fields.find(key); known == fields.end())
        paths_.push_back(path_);
      else
        find_in_entry(entry.value(), known->second);
      path_.resize(length);
    }
  }
  std::vector<std::string> take() { return std::move(paths_); }

 private:
  bool is_full() const { return paths_.size() == most_; }

  void find_in_entry(const json::value& value, const FieldType& type) {
    if (type.name.empty()) return;
    const auto found = types().find(type.name);
    if (found == types().end()) return;
    if (!type.is_map) return find(value, found->second);
    const auto* map = value.if_object();
    if (!map) return;
    const auto length = path_.size();
    for (const auto& entry : *map) {
      path_ += '.';
      path_ += std::string_view(entry.key());
      find(entry.value(), found->second);
      path_.resize(length);
    }
  }

  const std::size_t most_;
  std::string path_;
  std::vector<std::string> paths_;
};

}  // namespace

std::vector<std::string> unknown_fields(const json::value& object, std::string_view kind, std::size_t most) {
  const auto found = types().find(kind);
  if (found == types().end()) return {};
  Unknown unknown(most);
  unknown.find(object, found->second);
  return unknown.take();
}

std::optional<std::string> first_unknown_field(const json::value& object, std::string_view kind) {
  auto paths = unknown_fields(object, kind, 1);
  if (paths.empty()) return std::nullopt;
  return std::move(paths.front());
}

}  // namespace podium::api::detail
