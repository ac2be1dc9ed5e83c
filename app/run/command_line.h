// Rewrites arguments in the syntax of Go's pflag for CLI11: "--config=" becomes an empty value,
// "-v=2" becomes "-v", "2".
//
// Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace podium::app::run {

std::vector<std::string> normalized(std::span<const char* const> arguments);

}  // namespace podium::app::run
