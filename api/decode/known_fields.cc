#include "api/decode/known_fields.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <unordered_map>
#include <utility>

#include "api/decode/decode_reader.h"

namespace podium::api::detail {

extern const char kKnownFields[];  // known_fields_table.cc

namespace {

namespace json = boost::json;

enum class Shape { one, list, map };

// The type of a field's value, or of the items of a list or a map.
struct FieldType {
  std::string_view name = {};  // empty: not an object, or not checked any deeper
  char scalar = 0;             // 's', 'i' or 'b'
  Shape shape = Shape::one;
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

FieldType field_type(std::string_view word) {
  const auto at = word.find_first_of(":=");
  if (at == std::string_view::npos) return {};
  auto text = word.substr(at + 1);
  FieldType out;
  if (text.starts_with('*')) {
    text.remove_prefix(1);
    out.shape = Shape::map;
  } else if (text.starts_with('[') || text.starts_with('{')) {
    out.shape = text.front() == '[' ? Shape::list : Shape::map;
    text = text.substr(1, text.size() - 2);
  }
  if (word[at] == '=')
    out.scalar = text.front();
  else
    out.name = text;
  return out;
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
      (*current)[word.substr(0, word.find_first_of(":="))] = field_type(word);
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

  // Checks an object of type `fields`, or a list of such objects.
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
    if (type.shape != Shape::map) return find(value, found->second);
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

std::string_view words_of(char scalar) {
  return scalar == 's'   ? "a string"
         : scalar == 'i' ? "an integer"
         : scalar == 'b' ? "a boolean"
                         : "an object";
}

// Collects the fields with values of another type, up to a number.
class Wrong {
 public:
  explicit Wrong(std::size_t most) : most_(most) {}

  void find(const json::value& value, const FieldType& type) {
    if (is_full() || value.is_null() || (type.name.empty() && type.scalar == 0)) return;
    const auto* list = value.if_array();
    const auto* object = value.if_object();
    const FieldType item{.name = type.name, .scalar = type.scalar};
    switch (type.shape) {
      case Shape::one:
        return find_one(value, type);
      case Shape::list:
        if (!list) return add(value, "a list");
        for (std::size_t i = 0; i < list->size(); ++i) below('[' + std::to_string(i) + ']', (*list)[i], item);
        return;
      case Shape::map:
        if (!object) return add(value, "an object");
        for (const auto& [key, each] : *object) below('.' + std::string(key), each, item);
    }
  }
  std::vector<WrongType> take() { return std::move(found_); }

 private:
  bool is_full() const { return found_.size() == most_; }

  void add(const json::value& value, std::string_view expected) {
    found_.push_back({path_, fmt::format("expected {}, got {}", expected, kind_name(value))});
  }

  void below(const std::string& step, const json::value& value, const FieldType& type) {
    const auto length = path_.size();
    path_ += path_.empty() ? step.substr(1) : step;
    find(value, type);
    path_.resize(length);
  }

  void find_one(const json::value& value, const FieldType& type) {
    const bool is_right = type.scalar == 's'   ? value.is_string()
                          : type.scalar == 'i' ? value.is_number()
                          : type.scalar == 'b' ? value.is_bool()
                                               : value.is_object();
    if (!is_right) return add(value, words_of(type.scalar));
    const auto known = types().find(type.name);
    if (type.scalar != 0 || known == types().end()) return;
    for (const auto& [key, each] : value.get_object()) {
      if (const auto field = known->second.find(std::string_view(key)); field != known->second.end())
        below('.' + std::string(key), each, field->second);
    }
  }

  const std::size_t most_;
  std::string path_;
  std::vector<WrongType> found_;
};

}  // namespace

std::vector<WrongType> wrong_types(const json::value& object, std::string_view kind, std::size_t most) {
  Wrong wrong(most);
  wrong.find(object, {.name = kind});
  return wrong.take();
}

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
