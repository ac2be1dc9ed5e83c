#include "base/input.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <system_error>

namespace podium {

Result<std::string> read_input(const std::string& file, std::size_t at_most) {
  errno = 0;
  const bool is_standard = file == "-";
  std::ifstream opened;
  if (!is_standard) opened.open(file, std::ios::binary);
  std::istream& in = is_standard ? std::cin : opened;
  std::string text;
  std::array<char, 65536> part;
  while (text.size() < at_most) {
    in.read(part.data(), static_cast<std::streamsize>(std::min(part.size(), at_most - text.size())));
    if (in.gcount() == 0) break;
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (is_standard || (opened.is_open() && !opened.bad())) return text;
  return invalid(file + ": " + (errno ? std::system_category().message(errno) : "cannot be read"));
}

}  // namespace podium
