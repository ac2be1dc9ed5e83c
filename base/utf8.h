// Cuts UTF-8 text between characters. Threads: pure. Errors: none.
#pragma once

#include <cstddef>
#include <string_view>

namespace podium {

// Returns the first `bytes` bytes of the text, less those of a character that does not end within them.
constexpr std::string_view whole_characters(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace podium
