#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "api/document_builder.h"
#include "api/text_writer.h"
#include "api/yaml.h"

namespace podium::api {
namespace {

namespace json = boost::json;

// A text that a YAML reader gives back as it is, without quotes.
bool plain(std::string_view text) {
  const auto ordinary = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./+()=;$^~<> ").find(c) != std::string_view::npos;
  };
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (std::string_view("-?~<=>.").find(text.front()) != std::string_view::npos) return false;
  // Times would stay strings here, and would not in other readers.
  if (text.front() >= '0' && text.front() <= '9' && text.find('-') == 4) return false;
  return std::all_of(text.begin(), text.end(), ordinary) && detail::resolve_plain_scalar(text).is_string();
}

void write_text(std::string_view text, std::string& out) {
  if (plain(text)) {
    out += text;
  } else {
    detail::write_json_string(text, out);  // a JSON string is a YAML double-quoted scalar
  }
}

bool is_block(const json::value& value) {
  return (value.is_array() && !value.get_array().empty()) ||
         (value.is_object() && !value.get_object().empty());
}

void write_scalar(const json::value& value, std::string& out) {
  switch (value.kind()) {
    case json::kind::null:
      out += "null";
      return;
    case json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case json::kind::string:
      return write_text(value.get_string(), out);
    case json::kind::array:
      out += "[]";
      return;
    case json::kind::object:
      out += "{}";
      return;
    default:
      return detail::write_number(value, out);
  }
}

// Writes a non-empty map or list whose lines start at column `indent`; the first line's indent is there
// already where `inline_start` says so (after "- ").
void write_block(const json::value& value, std::size_t indent, bool inline_start, std::string& out) {
  const auto start_line = [&] {
    if (!inline_start) out.append(indent, ' ');
    inline_start = false;
  };
  if (const auto* list = value.if_array()) {
    for (const auto& item : *list) {
      start_line();
      out += "- ";
      if (is_block(item)) {
        write_block(item, indent + 2, true, out);
      } else {
        write_scalar(item, out);
        out += '\n';
      }
    }
    return;
  }
  for (const auto& entry : value.get_object()) {
    start_line();
    write_text(entry.key(), out);
    if (is_block(entry.value())) {
      out += ":\n";
      // Lists stand at the column of their key, as kubectl writes them.
      write_block(entry.value(), entry.value().is_array() ? indent : indent + 2, false, out);
    } else {
      out += ": ";
      write_scalar(entry.value(), out);
      out += '\n';
    }
  }
}

}  // namespace

std::string to_yaml(const json::value& value) {
  std::string out;
  if (is_block(value)) {
    write_block(value, 0, false, out);
  } else {
    write_scalar(value, out);
    out += '\n';
  }
  return out;
}

}  // namespace podium::api
