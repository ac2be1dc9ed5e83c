// "Did you mean --cluster?" for a mistyped flag or subcommand.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace podium::app {

// A suggestion for the first unknown argument that is within two edits of a known flag or
// subcommand; else empty.
std::string did_you_mean(const CLI::App& command, const std::vector<std::string>& arguments);

}  // namespace podium::app
