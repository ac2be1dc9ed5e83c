// PortForward: `kubectl port-forward` as a child process, which uses the caller's own rights.
//
// Owner: a command. The child ends with the object, also if the command is killed. Threads: one; start()
// blocks, and runs before other threads exist. Errors: Kind::unavailable, with the last line that kubectl
// printed, or if it cannot be started; Kind::timeout; Kind::cancelled if a signal interrupts the wait.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace podium::kubectl {

class PortForward {
 public:
  // Arguments of kubectl; waits until it forwards.
  static Result<std::unique_ptr<PortForward>> start(const std::vector<std::string>& arguments,
                                                    std::chrono::milliseconds within);
  ~PortForward();
  PortForward(const PortForward&) = delete;

  std::uint16_t port() const { return port_; }  // on 127.0.0.1
  bool has_ended();

 private:
  PortForward(pid_t child, int output) : child_(child), output_(output) {}

  pid_t child_;
  const int output_;
  std::uint16_t port_ = 0;
};

// The port of a line "Forwarding from 127.0.0.1:40123 -> 10259"; 0: another line.
std::uint16_t forwarded_port(std::string_view line);

}  // namespace podium::kubectl
