// The form of podium's log lines: time, level, message.
//
// Much of a message comes from outside: names, and what servers and programs answer. It stays one line and
// moves no cursor: control characters are escaped. Threads: as spdlog's formatters, one a sink.
#pragma once

#include <spdlog/formatter.h>

#include <memory>

namespace podium::async {

std::unique_ptr<spdlog::formatter> log_formatter();

}  // namespace podium::async
