// Runs a program and collects what it prints.
//
// Threads: any. Errors: Kind::invalid (can't be started, failed, printed too much), Kind::timeout,
// Kind::cancelled; they tell the exit status, not the output.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace podium::client {

struct ChildProcess {
  std::string command;                   // found in $PATH unless it has a slash
  std::vector<std::string> arguments;    // without the command itself
  std::vector<std::string> environment;  // NAME=value, all of it
  std::chrono::milliseconds deadline{60'000};
  std::size_t output_limit = 1u << 20;
  // Called once, where the program is still running after `slow`.
  std::chrono::milliseconds slow{5'000};
  std::function<void()> on_slow;
};

// Standard input is /dev/null, standard error this process's own; the program inherits no other descriptor.
// Ends early when `cancel_fd` becomes readable. A program that has to be ended is killed with its whole
// process group.
Result<std::string> run_child(const ChildProcess& child, int cancel_fd);

}  // namespace podium::client
