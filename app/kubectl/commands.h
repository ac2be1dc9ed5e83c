// The commands for people: why, whatif, capacity, drain, diff, pending, top, dump and page. With kubectl, as
// `kubectl podium why …`.
//
// Threads: main's. Errors: on standard error.
#pragma once

namespace CLI {
class App;
}

namespace podium::kubectl {

// Adds the subcommands. A callback runs one and sets the exit code: 0 fits or done, 3 fits partly, 4 does not
// fit, 2 invalid input, 1 failed while running.
void add_commands(CLI::App& app, int& exit_code);

// One each, called by add_commands().
void add_why(CLI::App& app, int& exit_code);
void add_what_if(CLI::App& app, int& exit_code);
void add_pending(CLI::App& app, int& exit_code);
void add_drain(CLI::App& app, int& exit_code);
void add_diff(CLI::App& app, int& exit_code);
void add_top(CLI::App& app, int& exit_code);
void add_dump(CLI::App& app, int& exit_code);
void add_page(CLI::App& app, int& exit_code);

}  // namespace podium::kubectl
