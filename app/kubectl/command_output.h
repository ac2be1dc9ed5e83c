// The output of a command before it is printed, so that it can be printed again when it changes.
//
// Threads: main's. Errors: part of the output, with an exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"

namespace CLI {
class App;
}

namespace podium::kubectl {

struct CommandOutput {
  std::string out, err;
  int code = 0;
};

// The error for people: the exit code is 2 for wrong input, else 1.
CommandOutput failed(const CLI::App& command, const Error& error);
// The document in the format of -o; see document_text().
CommandOutput documented(const CLI::App& command, const Output& output, const boost::json::value& document,
                         const std::vector<std::string>& names);
// What a command found: words for people, or the document. -o says which, or both.
CommandOutput answered(const CLI::App& command, const Output& output, boost::json::value document,
                       const std::vector<std::string>& names, const std::function<std::string()>& words);
// Prints it and returns the exit code.
int print(const CommandOutput& result);

// Prints the output once; with `watch` again when it changes, until Ctrl-C. A dump does not change.
int say(Cluster& cluster, bool watch, const std::function<CommandOutput()>& once);

}  // namespace podium::kubectl
