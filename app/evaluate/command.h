// `podium evaluate`: the decision of the live scheduler, offline, on manifests.
#pragma once

namespace CLI {
class App;
}
namespace podium::plugins {
class Registry;
}

namespace podium::evaluate {

// Adds the subcommand; when it is called, it runs and sets the exit code: 0 done, 1 failed, 2 the input was
// wrong.
void add_command(CLI::App& app, const plugins::Registry& plugins, int& exit_code);

}  // namespace podium::evaluate
