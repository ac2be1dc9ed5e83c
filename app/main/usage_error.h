// The message for an invalid command line: the reason, a suggestion, and where to find help.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace podium::app {

// `app` has parsed the command line, which ended in `error`. Lines for standard error. Names a word that no
// command expects first: the error may be its consequence.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

// The same for `podium help WORD` with an unknown command. `command`: help.
std::string unknown_command(const CLI::App& command, const CLI::App& app, const std::string& word);

}  // namespace podium::app
