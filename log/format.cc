#include "log/format.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "log/record.h"

namespace podium::log {
namespace {

std::uint32_t code_point(std::string_view character) {
  constexpr unsigned kLead[] = {0, 0x7f, 0x1f, 0x0f};  // by length: the bits of the first byte
  std::uint32_t out = static_cast<unsigned char>(character.front()) & kLead[character.size()];
  for (const char c : character.substr(1)) out = out << 6 | (static_cast<unsigned char>(c) & 0x3f);
  return out;
}

void append_escaped(std::string_view text, spdlog::memory_buf_t& out) {
  while (!text.empty()) {
    const auto control = control_length(text);
    if (text.front() == '\n') {
      fmt::format_to(std::back_inserter(out), "\\n");
    } else if (text.front() == '\t') {
      fmt::format_to(std::back_inserter(out), "\\t");
    } else if (const auto code = control > 0 ? code_point(text.substr(0, control)) : 0; code >= 0x100) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
    } else if (control > 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", code);
    } else {
      out.push_back(text.front());
    }
    text.remove_prefix(std::max<std::size_t>(control, 1));
  }
}

class EscapedMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    append_escaped(read_record({message.payload.data(), message.payload.size()}).text(), out);
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<EscapedMessage>();
  }
};

// The length of the UTF-8 sequence at the beginning; 0: not UTF-8.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  if (!std::ranges::all_of(text.substr(1, length - 1), continues)) return 0;
  const auto second = length > 1 ? static_cast<unsigned char>(text[1]) : 0;
  const bool is_overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool is_invalid = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
  return is_overlong || is_invalid ? 0 : length;
}

void append_json(std::string_view text, spdlog::memory_buf_t& out) {
  out.push_back('"');
  while (!text.empty()) {
    const auto length = utf8_length(text);
    const char c = text[0];
    if (length == 0) {
      out.append(std::string_view("\\ufffd"));
    } else if (c == '"' || c == '\\') {
      out.push_back('\\'), out.push_back(c);
    } else if (const auto control = control_length(text); control > 0) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", code_point(text.substr(0, control)));
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out.push_back('"');
}

class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const auto since = std::chrono::duration<double, std::milli>(message.time.time_since_epoch()).count();
    const auto level = spdlog::level::to_string_view(message.level);
    const auto v = message.level == spdlog::level::trace ? 5 : message.level == spdlog::level::debug ? 3 : 0;
    fmt::format_to(std::back_inserter(out), R"({{"ts":{:.3f},"level":"{}","v":{},"msg":)", since,
                   std::string_view(level.data(), level.size()), v);
    const auto record = read_record({message.payload.data(), message.payload.size()});
    append_json(record.message, out);
    std::vector<std::string> keys{"ts", "level", "v", "msg"};
    for (const auto& field : record.fields) {
      std::string key(field.key);
      while (std::ranges::find(keys, key) != keys.end()) key += '_';
      out.push_back(',');
      append_json(key, out);
      out.push_back(':');
      append_json(field.value, out);
      keys.push_back(std::move(key));
    }
    out.append(std::string_view("}\n"));
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonFormatter>(); }
};

}  // namespace

std::unique_ptr<spdlog::formatter> json_formatter() { return std::make_unique<JsonFormatter>(); }

std::unique_ptr<spdlog::formatter> text_formatter(const std::string& pattern) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<EscapedMessage>('*').set_pattern(pattern);
  return formatter;
}

}  // namespace podium::log
