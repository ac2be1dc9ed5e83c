#include "client/auth/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace podium::client {
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

// The child's standard error: passed on, up to a bound for a run, since it goes into the log of a process
// that runs the program again and again. The rest is read and dropped, so that the child does not wait.
class ErrorOutput {
 public:
  explicit ErrorOutput(int fd) : fd_(fd) { ::fcntl(fd_, F_SETFL, O_NONBLOCK); }
  ~ErrorOutput() { close(); }
  ErrorOutput(const ErrorOutput&) = delete;
  int fd() const { return fd_; }  // -1 once it has ended
  // Passes on the available output, a bounded part at a time.
  void pass_on() {
    char buffer[4096];
    for (int i = 0; i < kPartsAtOnce && fd_ >= 0; ++i) {
      const auto size = ::read(fd_, buffer, sizeof buffer);
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (size <= 0) return close();
      put({buffer, static_cast<std::size_t>(size)});
    }
  }

 private:
  static constexpr std::size_t kBytes = 16 * 1024;
  static constexpr int kPartsAtOnce = 64;

  void put(std::string_view text) {
    const auto kept = text.substr(0, kBytes - passed_);
    passed_ += kept.size();
    write(kept);
    if (kept.size() < text.size() && !std::exchange(said_, true))
      write("\n(the rest of this program's standard error is left out)\n");
  }
  static void write(std::string_view text) {
    while (!text.empty()) {
      const auto size = ::write(STDERR_FILENO, text.data(), text.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(size));
    }
  }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int fd_;
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

// The program may close its output long before it exits; it has until the deadline to exit.
Result<int> reap(pid_t pid, steady_clock::time_point deadline, SlowWatch& slow, ErrorOutput& errors) {
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
    ::poll(nullptr, 0, static_cast<int>(slow.look(std::chrono::milliseconds(5)).count()));
  }
}

Result<void> check_status(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFEXITED(status)) return invalid("ended with status " + std::to_string(WEXITSTATUS(status)));
  return invalid("was killed by signal " + std::to_string(WTERMSIG(status)));
}

}  // namespace

Result<std::string> run_child(const ChildProcess& child, int cancel_fd) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return invalid(std::system_category().message(errno));
  int error_ends[2];
  if (::pipe2(error_ends, O_CLOEXEC) != 0) {
    const auto why = std::system_category().message(errno);
    for (const int fd : ends) ::close(fd);
    return invalid(why);
  }
  ErrorOutput errors(error_ends[0]);
  SpawnPlan plan;
  posix_spawn_file_actions_addopen(&plan.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&plan.actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&plan.actions, error_ends[1], STDERR_FILENO);
  // Not all libraries open descriptors with close-on-exec; an orphan would keep a listening socket open.
  posix_spawn_file_actions_addclosefrom_np(&plan.actions, STDERR_FILENO + 1);

  std::vector<std::string> arguments{child.command};
  arguments.insert(arguments.end(), child.arguments.begin(), child.arguments.end());
  std::vector<std::string> environment = child.environment;
  const auto started = steady_clock::now();
  pid_t pid = -1;
  int error = ::posix_spawnp(&pid, child.command.c_str(), &plan.actions, &plan.attributes,
                             pointers(arguments).data(), pointers(environment).data());
  ::close(ends[1]);
  ::close(error_ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return fail(Error::Kind::unavailable, "can't be started: " + std::system_category().message(error));
  }
  SlowWatch slow(child, started);
  auto output = collect(ends[0], child, cancel_fd, slow, errors);
  ::close(ends[0]);
  Result<int> status = output ? reap(pid, started + child.deadline, slow, errors)
                              : Result<int>(std::unexpected(output.error()));
  if (!status) {
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    errors.pass_on();
    return std::unexpected(status.error());
  }
  if (auto checked = check_status(*status); !checked) return std::unexpected(checked.error());
  return output;
}

}  // namespace podium::client
