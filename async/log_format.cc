#include "async/log_format.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>

#include <cstddef>
#include <ctime>
#include <iterator>
#include <string_view>

namespace podium::async {
namespace {

// Escapes C0, DEL, and C1 in UTF-8 (U+0080 to U+009F).
void append_escaped(std::string_view text, spdlog::memory_buf_t& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (c == '\n') {
      fmt::format_to(std::back_inserter(out), "\\n");
    } else if (c == '\t') {
      fmt::format_to(std::back_inserter(out), "\\t");
    } else if (c < ' ' || c == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", c);
    } else if (c == 0xc2 && next >= 0x80 && next <= 0x9f) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", next);
      ++i;
    } else {
      out.push_back(text[i]);
    }
  }
}

class EscapedMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    append_escaped({message.payload.data(), message.payload.size()}, out);
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<EscapedMessage>();
  }
};

}  // namespace

std::unique_ptr<spdlog::formatter> log_formatter() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<EscapedMessage>('*').set_pattern("%Y-%m-%dT%H:%M:%S.%e %L %*");
  return formatter;
}

}  // namespace podium::async
