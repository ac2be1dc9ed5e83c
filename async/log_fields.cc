#include "async/log_fields.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace podium::async {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_key(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// The length of "key=" at the beginning; 0 if there is none.
std::size_t key_length(std::string_view text) {
  if (text.empty() || !is_lower(text[0])) return 0;
  std::size_t i = 1;
  while (i < text.size() && is_key(text[i])) ++i;
  return i < text.size() && text[i] == '=' ? i + 1 : 0;
}

// The position of the first field, or the end of the line.
std::size_t first_field(std::string_view line) {
  for (std::size_t at = 0; at != kNone && at < line.size();) {
    if (key_length(line.substr(at)) > 0) return at;
    const auto space = line.find(' ', at);
    at = space == kNone ? kNone : space + 1;
  }
  return line.size();
}

void append_utf8(std::uint32_t cp, std::string& out) {
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (cp < 0x80) {
    put(cp);
  } else if (cp < 0x800) {
    put(0xc0 | cp >> 6), put(0x80 | (cp & 0x3f));
  } else if (cp < 0x10000) {
    put(0xe0 | cp >> 12), put(0x80 | (cp >> 6 & 0x3f)), put(0x80 | (cp & 0x3f));
  } else {
    put(0xf0 | cp >> 18), put(0x80 | (cp >> 12 & 0x3f)), put(0x80 | (cp >> 6 & 0x3f)),
        put(0x80 | (cp & 0x3f));
  }
}

// Appends the character that the escape at the beginning encodes. Returns the length of the escape.
std::size_t unescape_one(std::string_view text, std::string& out) {
  const char kind = text.size() > 1 ? text[1] : '\0';
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  if (digits > 0 && text.size() >= 2 + digits) {
    std::uint32_t cp = 0;
    const auto* end = text.data() + 2 + digits;
    if (std::from_chars(text.data() + 2, end, cp, 16).ptr == end && cp < 0x110000) {
      append_utf8(cp, out);
      return 2 + digits;
    }
  }
  const auto known = std::string_view("ntr\"\\").find(kind);
  if (kind == '\0' || known == kNone) {
    out.push_back('\\');
    return 1;
  }
  out.push_back("\n\t\r\"\\"[known]);
  return 2;
}

// Removes a value from the beginning of the text: a quoted one, or up to the next space.
std::string take_value(std::string_view& text) {
  std::string out;
  if (!text.starts_with('"')) {
    const auto end = std::min(text.find(' '), text.size());
    out = std::string(text.substr(0, end));
    text.remove_prefix(end);
    return out;
  }
  text.remove_prefix(1);
  while (!text.empty() && text[0] != '"') {
    if (text[0] == '\\') {
      text.remove_prefix(unescape_one(text, out));
    } else {
      out.push_back(text[0]);
      text.remove_prefix(1);
    }
  }
  if (!text.empty()) text.remove_prefix(1);
  return out;
}

}  // namespace

std::string_view log_message(std::string_view line) {
  auto message = line.substr(0, first_field(line));
  while (message.ends_with(' ')) message.remove_suffix(1);
  return message;
}

LogFields log_fields(std::string_view line) {
  LogFields out;
  out.message = log_message(line);
  line.remove_prefix(first_field(line));
  while (!line.empty()) {
    if (const auto length = key_length(line)) {
      const auto key = line.substr(0, length - 1);
      line.remove_prefix(length);
      out.fields.emplace_back(key, take_value(line));
    } else if (!out.fields.empty()) {
      const auto end = std::min(line.find(' '), line.size());
      out.fields.back().second.append(" ").append(line.substr(0, end));
      line.remove_prefix(end);
    }
    while (line.starts_with(' ')) line.remove_prefix(1);
  }
  return out;
}

}  // namespace podium::async
