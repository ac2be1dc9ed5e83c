#include "base/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <system_error>

#include "base/descriptor.h"

namespace podium {
namespace {

std::string system_message() { return std::system_category().message(errno); }

}  // namespace

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
  return invalid(file + ": " + (errno ? system_message() : "cannot be read"));
}

Result<std::string> read_whole_input(const std::string& file, std::size_t at_most) {
  auto text = read_input(file, at_most + 1);
  if (text && text->size() > at_most)
    return invalid(file + ": has more than " + std::to_string(at_most) + " bytes");
  return text;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  // Non-blocking: open() of a FIFO would wait for its writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return invalid(path + ": " + system_message());
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return invalid(path + ": " + system_message());
  if (S_ISDIR(status.st_mode)) return invalid(path + ": " + std::system_category().message(EISDIR));
  if (!S_ISREG(status.st_mode)) return invalid(path + ": is not a regular file");
  std::string text;
  std::array<char, 16384> part;
  for (;;) {
    const auto size = ::read(file.get(), part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return invalid(path + ": " + system_message());
    if (size == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(size));
    if (text.size() > limit) return invalid(path + ": larger than " + std::to_string(limit) + " bytes");
  }
}

std::string file_stamp(const std::string& path) {
  if (path.empty()) return "";
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return "-";
  std::string out;
  for (auto part :
       {static_cast<long long>(status.st_ino), static_cast<long long>(status.st_size),
        static_cast<long long>(status.st_mtim.tv_sec), static_cast<long long>(status.st_mtim.tv_nsec)})
    out += std::to_string(part) + ",";
  return out;
}

}  // namespace podium
