#include "app/kubectl/port_forward.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>

#include "app/render/text.h"

namespace podium::kubectl {
namespace {

using std::chrono::steady_clock;

constexpr std::string_view kForwarding = "Forwarding from 127.0.0.1:";
constexpr std::size_t kMostOutput = 64 * 1024;

// In the child, between fork and exec: only what is safe there.
[[noreturn]] void become_kubectl(const std::vector<char*>& argv, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp("kubectl", argv.data());
  constexpr std::string_view kWhy = "podium: cannot start kubectl\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kWhy.data(), kWhy.size());
  _exit(127);
}

std::string last_line(std::string_view output) {
  while (output.ends_with('\n')) output.remove_suffix(1);
  const auto begin = output.rfind('\n');
  const auto line = begin == output.npos ? output : output.substr(begin + 1);
  return line.empty() ? "it ended without output" : render::printable(line);
}

// The port of the first whole line that has one.
std::uint16_t port_in(std::string_view output) {
  for (auto end = output.find('\n'); end != output.npos; end = output.find('\n')) {
    if (const auto port = forwarded_port(output.substr(0, end))) return port;
    output.remove_prefix(end + 1);
  }
  return 0;
}

}  // namespace

std::uint16_t forwarded_port(std::string_view line) {
  if (!line.starts_with(kForwarding)) return 0;
  line.remove_prefix(kForwarding.size());
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), port);
  const auto rest = line.substr(static_cast<std::size_t>(end - line.data()));
  return error == std::errc() && rest.starts_with(" -> ") ? port : 0;
}

Result<std::unique_ptr<PortForward>> PortForward::start(const std::vector<std::string>& arguments,
                                                        std::chrono::milliseconds within) {
  std::vector<std::string> words{"kubectl"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0)
    return fail(Error::Kind::unavailable, "cannot create a pipe for kubectl");
  const auto parent = getpid();
  const auto child = fork();
  if (child == 0) become_kubectl(argv, pipe[1], parent);
  close(pipe[1]);
  if (child < 0) {
    close(pipe[0]);
    return fail(Error::Kind::unavailable, "cannot start kubectl");
  }
  std::unique_ptr<PortForward> out(new PortForward(child, pipe[0]));
  std::string said;
  const auto until = steady_clock::now() + within;
  while (out->port_ == 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now());
    pollfd waits{out->output_, POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&waits, 1, static_cast<int>(left.count()));
    if (ready == 0) return fail(Error::Kind::timeout, "kubectl port-forward is not ready in time");
    if (ready < 0) return fail(Error::Kind::cancelled, "interrupted");
    std::array<char, 1024> piece{};
    const auto size = read(out->output_, piece.data(), piece.size());
    if (size <= 0 || said.size() > kMostOutput)
      return fail(Error::Kind::unavailable, "kubectl port-forward: " + last_line(said));
    said.append(piece.data(), static_cast<std::size_t>(size));
    out->port_ = port_in(said);
  }
  return out;
}

bool PortForward::has_ended() {
  if (child_ > 0 && waitpid(child_, nullptr, WNOHANG) == child_) child_ = 0;
  // Drains the line that kubectl prints for each connection, so that the pipe does not fill.
  std::array<char, 4096> dropped{};
  pollfd waits{output_, POLLIN, 0};
  while (poll(&waits, 1, 0) > 0 && read(output_, dropped.data(), dropped.size()) > 0) {
  }
  return child_ == 0;
}

PortForward::~PortForward() {
  close(output_);
  if (child_ <= 0) return;
  kill(child_, SIGKILL);  // discards the text
  waitpid(child_, nullptr, 0);
}

}  // namespace podium::kubectl
