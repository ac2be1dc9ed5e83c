// The server of `podium mcp`: messages on standard input, one per line, and replies on standard output. Each
// call runs this program again as the command of its tool, a few at the same time. So no call can end
// or stop the server, and a cancelled one is killed.
//
// Owner: the command. Threads: the caller's, and one for each call that runs.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace podium::mcp {

struct ServeOptions {
  std::string program = "/proc/self/exe";
  // The flags that a verb gets besides those of the call: whose cluster.
  std::function<std::vector<std::string>(std::string_view verb)> flags;
  std::chrono::milliseconds deadline{120'000};  // of a call
  std::size_t most_running = 2, most_waiting = 32;
  int input = 0, output = 1;  // descriptors
};

// Serves until the end of the input, which lets calls finish, or until SIGTERM or SIGINT, which ends them.
// The exit code: 0, or 1 if it cannot read or write.
int serve(const ServeOptions& options);

}  // namespace podium::mcp
