#include "api/text/encoding.h"

#include <cstddef>
#include <cstdint>

namespace podium::api {
namespace {

constexpr std::string_view kUtf8 = "\xEF\xBB\xBF", kUtf16Little = "\xFF\xFE", kUtf16Big = "\xFE\xFF";

void append_utf8(char32_t c, std::string& out) {
  const auto byte = [&out](char32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | c >> 6);
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3F));
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

bool is_high(char32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// A surrogate without its other half becomes a character that UTF-8 does not allow.
std::string from_utf16(std::string_view text, bool big_endian) {
  const auto unit_at = [&](std::size_t at) -> char32_t {
    const char32_t first = static_cast<unsigned char>(text[at]),
                   second = static_cast<unsigned char>(text[at + 1]);
    return big_endian ? first << 8 | second : second << 8 | first;
  };
  std::string out;
  std::size_t at = 0;
  for (; at + 1 < text.size(); at += 2) {
    auto c = unit_at(at);
    if (is_high(c) && at + 3 < text.size() && is_low(unit_at(at + 2))) {
      c = 0x10000 + ((c - 0xD800) << 10) + (unit_at(at + 2) - 0xDC00);
      at += 2;
    }
    append_utf8(c, out);
  }
  if (at < text.size()) out += '\xFF';  // half a unit
  return out;
}

}  // namespace

std::optional<std::string> without_byte_order_mark(std::string_view text) {
  if (text.starts_with(kUtf8)) return std::string(text.substr(kUtf8.size()));
  if (text.starts_with(kUtf16Little)) return from_utf16(text.substr(2), false);
  if (text.starts_with(kUtf16Big)) return from_utf16(text.substr(2), true);
  return std::nullopt;
}

}  // namespace podium::api
