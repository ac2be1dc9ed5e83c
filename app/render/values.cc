#include "app/render/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <span>

namespace podium::render {
namespace {

// "auto, always or never"
std::string one_of(const std::vector<std::string>& words) {
  const std::span<const std::string> first(words.data(), words.size() - 1);
  return fmt::format("{} or {}", fmt::join(first, ", "), words.back());
}

}  // namespace

CLI::Option* add_number(CLI::App& command, Problems& wrong, const std::string& flag, NumberRange range,
                        const std::string& help, std::function<void(std::int64_t)> take) {
  const auto read = [&wrong, flag, range, take = std::move(take)](const std::string& text) {
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (!text.empty() && error == std::errc() && stop == end && number >= range.least && number <= range.most)
      return take(number);
    wrong.add(
        fmt::format("{}: \"{}\" is not a whole number from {} to {}", flag, text, range.least, range.most));
    take(range.least);  // so that no flag is said to lack this one
  };
  return command.add_option_function<std::string>(flag, read, help)->type_name("N");
}

CLI::Option* add_choice(CLI::App& command, Problems& wrong, const std::string& flag, std::string& target,
                        const std::vector<std::string>& words, const std::string& help) {
  const auto read = [&wrong, &target, flag, words](const std::string& text) {
    if (std::ranges::find(words, text) != words.end())
      target = text;
    else
      wrong.add(fmt::format("{}: \"{}\" is not {}", flag, text, one_of(words)));
  };
  return command.add_option_function<std::string>(flag, read, help);
}

}  // namespace podium::render
