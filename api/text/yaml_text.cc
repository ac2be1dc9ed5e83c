#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "api/text/document_builder.h"
#include "api/text/text_writer.h"
#include "api/text/yaml.h"
#include "base/ascii.h"

namespace podium::api {
namespace {

namespace json = boost::json;

bool is_blank(char c) { return c == ' '; }

// Scalars that other YAML parsers do not read as strings, although this one does: dates, base-60 numbers,
// merge keys. Source: the resolver of go-yaml, the writer of Kubernetes' programs.
bool is_ambiguous_scalar(std::string_view text) {
  if (text == "<<" || text == "=") return true;
  if (text.size() > 5 && std::all_of(text.begin(), text.begin() + 4, is_digit) && text[4] == '-' &&
      is_digit(text[5])) {
    return true;
  }
  const auto digits_end =
      text.find_first_not_of("0123456789_", text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  if (digits_end == 0 || digits_end == std::string_view::npos || text[digits_end] != ':') return false;
  return text.find_first_not_of("0123456789_:.", digits_end) == std::string_view::npos;
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// Whether the characters allow a plain scalar in block context.
// Source: go-yaml's yaml_emitter_analyze_scalar.
bool plain_in_block(std::string_view text) {
  if (text.empty() || is_blank(text.front()) || is_blank(text.back())) return false;
  if (std::string_view("#,[]{}&*!|>'\"%@`").contains(text.front())) return false;
  if (text.starts_with("---") || text.starts_with("...")) return false;
  const auto blank_after = [&](std::size_t i) { return i + 1 == text.size() || is_blank(text[i + 1]); };
  if ((text.front() == '-' || text.front() == '?') && blank_after(0)) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':' && blank_after(i)) return false;
    if (text[i] == '#' && i > 0 && is_blank(text[i - 1])) return false;
  }
  return true;
}

// Quotes as kubectl and kube-scheduler do: plain where that is safe, in single quotes where only the
// characters forbid it, else in double quotes (a JSON string is a YAML double-quoted scalar).
void write_text(std::string_view text, std::string& out) {
  if (text.empty() || !is_printable(text) || is_ambiguous_scalar(text) ||
      !detail::resolve_plain_scalar(text).is_string()) {
    detail::write_json_string(text, out);
  } else if (plain_in_block(text)) {
    out += text;
  } else {
    out += '\'';
    for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
    out += '\'';
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

void write_block(const json::value& value, std::size_t indent, bool inline_start, std::string& out);

// A parser need not look for the colon behind more than 1,024 characters.
// Source: go-yaml's yaml_emitter_check_simple_key.
constexpr std::size_t kLongestKey = 128;

void write_long_key(const json::key_value_pair& entry, std::size_t indent, std::string& out) {
  out += "? ";
  write_text(entry.key(), out);
  out += '\n';
  out.append(indent, ' ');
  out += ": ";
  if (is_block(entry.value())) return write_block(entry.value(), indent + 2, true, out);
  write_scalar(entry.value(), out);
  out += '\n';
}

// Writes a non-empty map or list whose lines start at column `indent`. With `inline_start`, the first line's
// indent is written already (after "- ").
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
    if (entry.key().size() > kLongestKey) {
      write_long_key(entry, indent, out);
      continue;
    }
    write_text(entry.key(), out);
    if (is_block(entry.value())) {
      out += ":\n";
      // Lists are not indented below their key, as kubectl writes them.
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
