// `podium evaluate`: runs the live scheduler's decision offline, on manifests.
#pragma once

namespace CLI {
class App;
}
namespace podium::plugins {
class Registry;
}

namespace podium::evaluate {

// Adds the subcommand. Its callback runs it and sets the exit code: 0 done, 1 failed, 2 invalid input.
void add_command(CLI::App& app, const plugins::Registry& plugins, int& exit_code);

}  // namespace podium::evaluate
