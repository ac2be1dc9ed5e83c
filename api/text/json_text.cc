#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <charconv>
#include <cmath>
#include <string>

#include "api/text/text_writer.h"
#include "api/text/yaml.h"

namespace podium::api {
namespace detail {

namespace json = boost::json;

void escape(unsigned char code, std::string& out) {  // of a character below U+0100
  static constexpr char kHex[] = "0123456789abcdef";
  out += "\\u00";
  out += kHex[code >> 4];
  out += kHex[code & 15];
}

// Whether U+0080 to U+009F begins here: a terminal obeys these, and YAML allows none but U+0085.
bool is_c1(std::string_view text) { return text.size() > 1 && text[0] == '\xC2' && text[1] < '\xA0'; }

void write_json_string(std::string_view text, std::string& out) {
  out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          escape(static_cast<unsigned char>(c), out);
        } else if (is_c1(text.substr(i))) {
          escape(static_cast<unsigned char>(text[++i]), out);
        } else if (text.substr(i, 3) == "\u2028" || text.substr(i, 3) == "\u2029") {
          out += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
          i += 2;
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

// Writes it as Go's encoding/json does: decimals from 1e-6 to 1e21, exponents beyond.
void write_number(const json::value& value, std::string& out) {
  char text[400];
  char* end = text;
  if (const auto* number = value.if_int64()) {
    end = std::to_chars(text, text + sizeof text, *number).ptr;
  } else if (const auto* whole = value.if_uint64()) {
    end = std::to_chars(text, text + sizeof text, *whole).ptr;
  } else {
    const double real = value.get_double();
    const double size = std::abs(real);
    const bool scientific = size != 0 && (size < 1e-6 || size >= 1e21);
    const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
    end = std::to_chars(text, text + sizeof text, real, format).ptr;
    if (scientific && end - text >= 4 && end[-4] == 'e' && end[-3] == '-' && end[-2] == '0') {
      end[-2] = end[-1];
      --end;
    }
  }
  out.append(text, end);
}

}  // namespace detail

namespace {

namespace json = boost::json;

void new_line(std::string& out, int depth) {
  out += '\n';
  out.append(static_cast<std::size_t>(depth), ' ');
}

void write(const json::value& value, int depth, std::string& out) {
  switch (value.kind()) {
    case json::kind::null:
      out += "null";
      return;
    case json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return detail::write_number(value, out);
    case json::kind::string:
      return detail::write_json_string(value.get_string(), out);
    case json::kind::array: {
      char separator = '[';
      for (const auto& item : value.get_array()) {
        out += separator;
        new_line(out, depth + 1);
        write(item, depth + 1, out);
        separator = ',';
      }
      if (separator == '[') return void(out += "[]");
      new_line(out, depth);
      out += ']';
      return;
    }
    case json::kind::object: {
      char separator = '{';
      for (const auto& entry : value.get_object()) {
        out += separator;
        new_line(out, depth + 1);
        detail::write_json_string(entry.key(), out);
        out += ": ";
        write(entry.value(), depth + 1, out);
        separator = ',';
      }
      if (separator == '{') return void(out += "{}");
      new_line(out, depth);
      out += '}';
      return;
    }
  }
}

}  // namespace

std::string to_json(const json::value& value) {
  std::string out;
  write(value, 0, out);
  out += '\n';
  return out;
}

}  // namespace podium::api
