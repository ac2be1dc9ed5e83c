// "did you mean --cluster?": what a mistyped flag or subcommand probably was.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace podium::app {

// A line for the first argument that the command does not know and that is close to something it does; else
// empty.
std::string did_you_mean(const CLI::App& command, const std::vector<std::string>& arguments);

}  // namespace podium::app
