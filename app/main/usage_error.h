// What a user reads whose command line is wrong: the reason, what was probably meant, and how to read on.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace podium::app {

// `app` has parsed the command line, which ended in `error`. Lines for standard error. A word that no command
// expects is named first: the error may be a consequence of it.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

// Of `podium help WORD`, where there is no such command. `command`: help.
std::string unknown_command(const CLI::App& command, const CLI::App& app, const std::string& word);

}  // namespace podium::app
