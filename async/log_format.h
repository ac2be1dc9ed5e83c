// The format of podium's log lines: time, level, message.
//
// Escapes control characters: messages contain text from servers and programs, and must stay on one line.
// Threads: like any spdlog formatter, one per sink.
#pragma once

#include <spdlog/formatter.h>

#include <memory>

namespace podium::async {

std::unique_ptr<spdlog::formatter> log_formatter();

}  // namespace podium::async
