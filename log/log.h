// log: writes podium's log lines, which are a message and fields.
//
//   log::warn("binding refused pod={} node={} error={:?}", pod, node, error.text());
//
// The format has the message, then `key={}` for each field. The fields stay apart up to the formatters
// (log/format.h): each is formatted by itself, and nothing is read back from a formatted line. As text,
// a field of `{:?}` is quoted, and other fields are left out if they are empty.
//
// Threads: any. Errors: none.
#pragma once

#include <fmt/core.h>

#include <cstdint>

namespace podium::log {

enum class Level : std::uint8_t { trace, debug, info, warn, error, critical };

void write(Level level, fmt::string_view format, fmt::format_args args);

template <typename... T>
void trace(fmt::format_string<T...> format, T&&... args) {
  write(Level::trace, format, fmt::make_format_args(args...));
}
template <typename... T>
void debug(fmt::format_string<T...> format, T&&... args) {
  write(Level::debug, format, fmt::make_format_args(args...));
}
template <typename... T>
void info(fmt::format_string<T...> format, T&&... args) {
  write(Level::info, format, fmt::make_format_args(args...));
}
template <typename... T>
void warn(fmt::format_string<T...> format, T&&... args) {
  write(Level::warn, format, fmt::make_format_args(args...));
}
template <typename... T>
void error(fmt::format_string<T...> format, T&&... args) {
  write(Level::error, format, fmt::make_format_args(args...));
}
template <typename... T>
void critical(fmt::format_string<T...> format, T&&... args) {
  write(Level::critical, format, fmt::make_format_args(args...));
}

}  // namespace podium::log
