#include "base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/descriptor.h"

namespace podium {
namespace {

using std::chrono::steady_clock;

// Attributes and file actions of posix_spawn, with RAII.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Calls on_slow once, after ChildProcess::slow.
class SlowWatch {
 public:
  SlowWatch(const ChildProcess& child, steady_clock::time_point started)
      : on_slow_(child.on_slow), at_(started + child.slow) {}
  // The next poll timeout: `left`, or less if on_slow is due earlier.
  std::chrono::milliseconds look(std::chrono::milliseconds left) {
    if (!on_slow_) return left;
    const auto until = std::chrono::ceil<std::chrono::milliseconds>(at_ - steady_clock::now());
    if (until.count() > 0) return std::min(left, until);
    std::exchange(on_slow_, nullptr)();
    return left;
  }

 private:
  std::function<void()> on_slow_;
  const steady_clock::time_point at_;
};

// The child's standard error: kept or passed on, up to a bound for a run, since it goes into the log of a
// process that runs the program again and again. The rest is read and dropped, so that the
// child does not wait.
class ErrorOutput {
 public:
  ErrorOutput(int fd, bool keeps) : end_(fd), keeps_(keeps) { ::fcntl(fd, F_SETFL, O_NONBLOCK); }
  int fd() const { return end_.get(); }  // -1 once it has ended
  std::string kept() { return std::move(kept_); }
  // Passes on the available output, a bounded part at a time.
  void pass_on() {
    char buffer[4096];
    for (int i = 0; i < kPartsPerTurn && end_; ++i) {
      const auto size = ::read(end_.get(), buffer, sizeof buffer);
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (size <= 0) return end_.close();
      put({buffer, static_cast<std::size_t>(size)});
    }
  }

 private:
  static constexpr std::size_t kBytes = 16 * 1024;
  static constexpr int kPartsPerTurn = 64;

  void put(std::string_view text) {
    const auto kept = text.substr(0, kBytes - passed_);
    passed_ += kept.size();
    write(kept);
    if (kept.size() < text.size() && !std::exchange(said_, true))
      write("\n(the rest of this program's standard error is omitted)\n");
  }
  void write(std::string_view text) {
    if (keeps_) {
      kept_ += text;
      return;
    }
    while (!text.empty()) {
      const auto size = ::write(STDERR_FILENO, text.data(), text.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(size));
    }
  }
  Descriptor end_;
  const bool keeps_;
  std::string kept_;
  std::size_t passed_ = 0;
  bool said_ = false;
};

// Reads until the end of the output, the deadline, the limit or a cancel.
Result<std::string> collect(int fd, const ChildProcess& child, int cancel_fd, SlowWatch& slow,
                            ErrorOutput& errors) {
  const auto deadline = steady_clock::now() + child.deadline;
  std::string output;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0)
      return fail(Error::Kind::timeout,
                  "did not end within " + std::to_string(child.deadline.count()) + " ms");
    std::array<pollfd, 3> watched{{{fd, POLLIN, 0}, {cancel_fd, POLLIN, 0}, {errors.fd(), POLLIN, 0}}};
    int ready = ::poll(watched.data(), watched.size(), static_cast<int>(slow.look(left).count()));
    if (ready < 0 && errno != EINTR) return invalid(std::system_category().message(errno));
    if (ready <= 0) continue;
    if (watched[1].revents != 0) return fail(Error::Kind::cancelled, "stopped");
    if (watched[2].revents != 0) errors.pass_on();
    if (watched[0].revents == 0) continue;
    char buffer[4096];
    auto size = ::read(fd, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return invalid(std::system_category().message(errno));
    if (size == 0) return output;
    output.append(buffer, static_cast<std::size_t>(size));
    if (output.size() > child.output_limit)
      return invalid("printed more than " + std::to_string(child.output_limit) + " bytes");
  }
}

// The program may close its output long before it exits; it has until the deadline or a cancel to exit.
Result<int> reap(pid_t pid, steady_clock::time_point deadline, int cancel_fd, SlowWatch& slow,
                 ErrorOutput& errors) {
  for (;;) {
    errors.pass_on();
    int status = 0;
    pid_t done = ::waitpid(pid, &status, WNOHANG);
    if (done == pid) {
      errors.pass_on();
      return status;
    }
    if (done < 0 && errno != EINTR) return invalid(std::system_category().message(errno));
    if (steady_clock::now() >= deadline)
      return fail(Error::Kind::timeout, "closed its output but did not end");
    pollfd cancel{cancel_fd, POLLIN, 0};
    ::poll(&cancel, 1, static_cast<int>(slow.look(std::chrono::milliseconds(5)).count()));
    if (cancel.revents != 0) return fail(Error::Kind::cancelled, "stopped");
  }
}

// A file in memory with this content, to be read from its start. -1: it cannot be made.
int file_of(std::string_view content) {
  const int fd = ::memfd_create("podium", MFD_CLOEXEC);
  while (fd >= 0 && !content.empty()) {
    const auto size = ::write(fd, content.data(), content.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      ::close(fd);
      return -1;
    }
    content.remove_prefix(static_cast<std::size_t>(size));
  }
  if (fd >= 0) ::lseek(fd, 0, SEEK_SET);
  return fd;
}

}  // namespace

Result<ChildEnd> end_of_child(const ChildProcess& child, int cancel_fd) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return invalid(std::system_category().message(errno));
  Descriptor output_end(ends[0]), output_start(ends[1]);
  if (::pipe2(ends, O_CLOEXEC) != 0) return invalid(std::system_category().message(errno));
  ErrorOutput errors(ends[0], child.keeps_errors);
  Descriptor error_start(ends[1]);
  const Descriptor input(child.input.empty() ? -1 : file_of(child.input));
  if (!child.input.empty() && !input) return invalid(std::system_category().message(errno));
  SpawnPlan plan;
  if (input)
    posix_spawn_file_actions_adddup2(&plan.actions, input.get(), STDIN_FILENO);
  else
    posix_spawn_file_actions_addopen(&plan.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&plan.actions, output_start.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&plan.actions, error_start.get(), STDERR_FILENO);
  // Not all libraries open descriptors with close-on-exec; an orphan would keep a listening socket open.
  posix_spawn_file_actions_addclosefrom_np(&plan.actions, STDERR_FILENO + 1);

  std::vector<std::string> arguments{child.command};
  arguments.insert(arguments.end(), child.arguments.begin(), child.arguments.end());
  std::vector<std::string> environment = child.environment;
  const auto started = steady_clock::now();
  pid_t pid = -1;
  int error = ::posix_spawnp(&pid, child.command.c_str(), &plan.actions, &plan.attributes,
                             pointers(arguments).data(), pointers(environment).data());
  output_start.close();
  error_start.close();
  if (error != 0)
    return fail(Error::Kind::unavailable, "can't be started: " + std::system_category().message(error));
  SlowWatch slow(child, started);
  auto output = collect(output_end.get(), child, cancel_fd, slow, errors);
  output_end.close();
  Result<int> status = output ? reap(pid, started + child.deadline, cancel_fd, slow, errors)
                              : Result<int>(std::unexpected(output.error()));
  if (!status) {
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    errors.pass_on();
    return std::unexpected(status.error());
  }
  if (WIFSIGNALED(*status)) return invalid("was killed by signal " + std::to_string(WTERMSIG(*status)));
  return ChildEnd{WEXITSTATUS(*status), std::move(*output), errors.kept()};
}

Result<std::string> run_child(const ChildProcess& child, int cancel_fd) {
  auto end = end_of_child(child, cancel_fd);
  if (!end) return std::unexpected(std::move(end.error()));
  if (end->status != 0) return invalid("ended with status " + std::to_string(end->status));
  return std::move(end->output);
}

}  // namespace podium
