// The formats of podium's log lines: text (time, level, message), or JSON, one object per line.
//
// Text escapes control characters: messages contain text from servers and programs, and must stay on one
// line. JSON has the fields that kube-scheduler's has (ts in milliseconds since 1970, v, msg), the level, and
// the line's own fields as strings.
// Threads: like any spdlog formatter, one per sink.
#pragma once

#include <spdlog/formatter.h>

#include <memory>
#include <string>

namespace podium::log {

// `pattern` is spdlog's; %* is the message with its fields.
std::unique_ptr<spdlog::formatter> text_formatter(const std::string& pattern = "%Y-%m-%dT%H:%M:%S.%e %L %*");
std::unique_ptr<spdlog::formatter> json_formatter();

}  // namespace podium::log
