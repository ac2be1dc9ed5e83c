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

void append_escaped(std::string_view text, spdlog::memory_buf_t& out) {
  for (std::size_t length; !text.empty(); text.remove_prefix(std::max<std::size_t>(length, 1))) {
    length = character_length(text);
    const auto code = length > 0 ? std::uint32_t{code_point(text.substr(0, length))}
                                 : static_cast<unsigned char>(text.front());
    if (code == '\n') {
      fmt::format_to(std::back_inserter(out), "\\n");
    } else if (code == '\t') {
      fmt::format_to(std::back_inserter(out), "\\t");
    } else if (length > 0 && !is_control(code)) {
      out.append(text.substr(0, length));
    } else if (code < 0x100) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", code);
    } else if (code < 0x10000) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
    } else {
      fmt::format_to(std::back_inserter(out), "\\U{:08x}", code);
    }
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

void append_json(std::string_view text, spdlog::memory_buf_t& out) {
  out.push_back('"');
  while (!text.empty()) {
    const auto length = character_length(text);
    const char c = text[0];
    if (length == 0) {
      out.append(std::string_view("\\ufffd"));
    } else if (c == '"' || c == '\\') {
      out.push_back('\\'), out.push_back(c);
    } else if (const std::uint32_t code = code_point(text.substr(0, length)); !is_control(code)) {
      out.append(text.substr(0, length));
    } else if (code < 0x10000) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
    } else {
      const auto rest = code - 0x10000;  // of a pair of surrogates
      fmt::format_to(std::back_inserter(out), "\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10),
                     0xDC00 + (rest & 0x3FF));
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
