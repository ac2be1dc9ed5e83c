// Runs a program and returns what it writes to standard output.
//
// Owner: the caller; no program outlives its call.
// Blocks the calling thread. Threads: any. Errors: Kind::unavailable (cannot be started), Kind::invalid
// (failed, too much output), Kind::timeout, Kind::cancelled. Messages have the exit status, never the output.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace podium {

struct ChildProcess {
  std::string command;                   // found in $PATH unless it has a slash
  std::vector<std::string> arguments;    // without the command itself
  std::vector<std::string> environment;  // NAME=value; nothing is inherited
  std::string input;                     // for its standard input; empty: /dev/null
  std::chrono::milliseconds deadline{60'000};
  std::size_t output_limit = 1u << 20;
  bool keeps_errors = false;  // its standard error is returned; else it goes to this process's own
  // Called once if the program still runs after `slow`.
  std::chrono::milliseconds slow{5'000};
  std::function<void()> on_slow;
};

struct ChildEnd {
  int status = 0;              // the exit status
  std::string output, errors;  // of standard error 16 KiB at most
};

// No descriptor is inherited. Fails with Kind::cancelled when `cancel_fd` becomes readable. On timeout,
// cancel or too much output, the program's process group is killed.
Result<ChildEnd> end_of_child(const ChildProcess& child, int cancel_fd);
// Fails unless the exit status is 0. Standard error goes to this process's own, 16 KiB of it at most.
Result<std::string> run_child(const ChildProcess& child, int cancel_fd);

}  // namespace podium
