// Options whose wrong values become problems. CLI11 stops at the first wrong value; a command says all that
// is wrong with its flags together.
//
// Threads: main's. Errors: in the Problems, which must outlive the parsing, each with the flag's name.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/problems.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace podium::render {

// A whole number from `least` to `most`.
struct NumberRange {
  std::int64_t least, most;
};
CLI::Option* add_number(CLI::App& command, Problems& wrong, const std::string& flag, NumberRange range,
                        const std::string& help, std::function<void(std::int64_t)> take);
template <std::integral T>
CLI::Option* add_number(CLI::App& command, Problems& wrong, const std::string& flag, T& target,
                        NumberRange range, const std::string& help) {
  return add_number(command, wrong, flag, range, help,
                    [&target](std::int64_t number) { target = static_cast<T>(number); });
}

// One of some words.
CLI::Option* add_choice(CLI::App& command, Problems& wrong, const std::string& flag, std::string& target,
                        const std::vector<std::string>& words, const std::string& help);

}  // namespace podium::render
