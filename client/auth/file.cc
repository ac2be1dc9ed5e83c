#include "client/auth/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace podium::client {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

std::string system_message() { return std::system_category().message(errno); }

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  // Non-blocking: opening a FIFO must not block the caller.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return invalid(path + ": " + system_message());
  std::string text;
  char buffer[16384];
  for (;;) {
    auto size = ::read(file.fd, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    pollfd readable{file.fd, POLLIN, 0};
    if (size < 0 && errno == EAGAIN && ::poll(&readable, 1, 5000) > 0) continue;
    if (size < 0) return invalid(path + ": " + system_message());
    if (size == 0) return text;
    text.append(buffer, static_cast<std::size_t>(size));
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

}  // namespace podium::client
