#include "api/text/json_string.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace podium::api {
namespace {

void append_escape(std::string& out, unsigned char c) {
  constexpr std::string_view kShort = "\bb\ff\nn\rr\tt\"\"\\\\", kDigits = "0123456789abcdef";
  for (std::size_t i = 0; i < kShort.size(); i += 2) {
    if (static_cast<unsigned char>(kShort[i]) != c) continue;
    out += '\\';
    out += kShort[i + 1];
    return;
  }
  out += "\\u00";
  out += kDigits[c >> 4];
  out += kDigits[c & 15];
}

constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;

// Not zero if one of eight bytes is zero. May also say so of a byte after it.
constexpr std::uint64_t has_zero(std::uint64_t bytes) { return (bytes - kOnes) & ~bytes & kHighs; }

// The number of characters at the beginning that are written as they are, in steps of eight.
std::size_t plain_beginning(std::string_view text) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, 8);
    const auto is_control = (bytes - kOnes * 0x20) & ~bytes & kHighs;
    if ((is_control | has_zero(bytes ^ (kOnes * '"')) | has_zero(bytes ^ (kOnes * '\\'))) != 0) break;
  }
  return at;
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
  out += '"';
  std::size_t begin = 0;
  for (std::size_t i = plain_beginning(text); i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, begin, i - begin);
    append_escape(out, c);
    begin = i + 1;
  }
  out.append(text, begin);
  out += '"';
}

}  // namespace podium::api
