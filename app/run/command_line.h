// Arguments as Go's pflag takes them, for CLI11: "--config=" gives an empty value, "-v=2" a value of 2.
//
// Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace podium::app::run {

std::vector<std::string> normalized(std::span<const char* const> arguments);

}  // namespace podium::app::run
