#include "api/text/json_string.h"

#include <cstddef>

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

}  // namespace

void append_json(std::string& out, std::string_view text) {
  out += '"';
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
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
