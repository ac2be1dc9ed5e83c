// Formats the errors of all commands for people in one form: "kubectl podium why: …".
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>

#include "base/result.h"

namespace CLI {
class App;
}

namespace podium::render {

// The command's name with its parents: "kubectl podium why".
std::string full_name(const CLI::App& command);

// A line, or several, for standard error.
std::string failure(const CLI::App& command, const Error& error);

// The exit code: 2 for wrong input, else 1.
int failure_code(const Error& error);

}  // namespace podium::render
