#include "base/standard_streams.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace podium {
namespace {

TEST(StandardStreams, AClosedOneIsReplacedAndTheOthersStay) {
  for (int closed = 0; closed < 8; ++closed) {  // a bit for each of the three
    const auto child = ::fork();
    if (child == 0) {
      int ends[2];
      bool ok = ::pipe(ends) == 0;
      for (int fd = 0; fd <= 2; ++fd) ok = ok && ::dup2(ends[1], fd) == fd;
      for (int fd = 0; fd <= 2; ++fd) {
        if (closed & (1 << fd)) ::close(fd);
      }
      open_standard_streams();
      for (int fd = 0; fd <= 2; ++fd) ok = ok && ::write(fd, "x", 1) == 1;
      ::close(ends[1]);
      for (int fd = 0; fd <= 2; ++fd) ::close(fd);
      char read[4];
      const auto in_pipe = ::read(ends[0], read, sizeof read);
      ok = ok && in_pipe == 3 - __builtin_popcount(static_cast<unsigned>(closed));
      ::_exit(ok ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << closed;
  }
}

}  // namespace
}  // namespace podium
