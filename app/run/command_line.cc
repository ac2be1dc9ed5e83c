#include "app/run/command_line.h"

#include <cctype>

namespace podium::app::run {

std::vector<std::string> normalized(std::span<const char* const> arguments) {
  std::vector<std::string> out;
  for (const std::string argument : arguments) {
    const bool is_long = argument.starts_with("--") && argument.size() > 3;
    const bool is_short = argument.size() > 2 && argument[0] == '-' &&
                          std::isalpha(static_cast<unsigned char>(argument[1])) && argument[2] == '=';
    if (is_long && argument.find('=') == argument.size() - 1) {
      out.push_back(argument.substr(0, argument.size() - 1));
      out.emplace_back();
    } else if (is_short) {
      out.push_back(argument.substr(0, 2));
      out.push_back(argument.substr(3));
    } else {
      out.push_back(argument);
    }
  }
  return out;
}

}  // namespace podium::app::run
