#include "base/input.h"

#include <array>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

namespace podium {

Result<std::string> read_input(const std::string& file) {
  if (file == "-") return std::string{std::istreambuf_iterator<char>(std::cin), {}};
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  std::array<char, 65536> part;
  while (in.read(part.data(), part.size()) || in.gcount() > 0)
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  if (in.is_open() && !in.bad()) return text;
  return invalid(file + ": " + (errno ? std::system_category().message(errno) : "cannot be read"));
}

}  // namespace podium
