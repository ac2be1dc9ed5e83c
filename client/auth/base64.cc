#include "client/auth/base64.h"

#include <cstdint>

namespace podium::client {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::string> base64_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int digits = 0, padding = 0;
  for (char c : text) {
    if (c == '\n' || c == '\r') continue;
    auto value = kAlphabet.find(c);
    if (c == '=') {
      value = 0;
      ++padding;
    } else if (value == std::string_view::npos || padding > 0) {
      return std::nullopt;
    }
    group = group << 6 | static_cast<std::uint32_t>(value);
    if (++digits < 4) continue;
    for (int shift = 16; shift >= 0; shift -= 8) out += static_cast<char>(group >> shift & 0xff);
    digits = 0;
    group = 0;
  }
  if (digits != 0 || padding > 2) return std::nullopt;
  out.resize(out.size() - static_cast<std::size_t>(padding));
  return out;
}

std::string base64_encode(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::string_view three = bytes.substr(i, 3);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < three.size() ? static_cast<unsigned char>(three[k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= three.size() ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace podium::client
