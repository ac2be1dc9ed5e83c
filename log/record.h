// Record: a log line's message and fields, as bytes for spdlog's queue, which carries nothing else.
//
// Each part of the bytes has its length before it, so that no value can be taken for a field.
// Threads: pure functions. Errors: none; bytes that are not a record are a message without fields.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

namespace podium::log {

struct Field {
  std::string_view key, value;
  bool is_quoted = false;  // in text
};

struct Record {
  std::string_view message;  // equal for all lines that one place in the code logs
  std::vector<Field> fields;

  std::string text() const;  // "message key=value key=\"quoted value\""
};

// The record of a line; `format` as for log::warn (log.h).
std::string make_record(std::string_view format, fmt::format_args args);
// Views into `bytes`.
Record read_record(std::string_view bytes);

}  // namespace podium::log
