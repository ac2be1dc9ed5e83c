// The registry of the commands for people: a row for each verb, with its arguments, its one-line help, its
// examples and its shared flags. The list of commands, their help, completion in shells and the table of
// docs/kubectl.md derive from it.
//
// docs/adding.md has the steps for a new verb.
// Threads: main's. Errors: on standard error.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "app/kubectl/connection_flags.h"

namespace CLI {
class App;
}

namespace podium::kubectl {

struct Verb {
  std::string_view name;
  std::string_view arguments;  // as in the usage: "POD…|TYPE/NAME"
  std::string_view answers;    // in a line
  std::string_view needs;      // the rights, for the documentation
  std::string_view examples;   // one line each: the words after the program's name, and "# a remark" above
  unsigned takes;              // of Takes
  // Declares the arguments and options of this verb. Returns the function that runs it and
  // returns the exit code.
  std::function<int()> (*declare)(CLI::App& command, const std::shared_ptr<Shared>& shared);
};

std::span<const Verb> verbs();
const Verb* verb_named(std::string_view name);  // null: none

// Adds all verbs. A callback runs one and sets the exit code: 0 fits or done, 3 fits partly, 4 does not fit,
// 2 invalid input, 1 failed while running.
void add_verbs(CLI::App& app, int& exit_code);

}  // namespace podium::kubectl
