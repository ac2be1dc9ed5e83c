#include "app/kubectl/commands.h"

#include "app/kubectl/completion.h"

namespace podium::kubectl {

void add_commands(CLI::App& app, int& exit_code) {
  add_why(app, exit_code);
  add_what_if(app, exit_code);
  add_drain(app, exit_code);
  add_diff(app, exit_code);
  add_pending(app, exit_code);
  add_top(app, exit_code);
  add_dump(app, exit_code);
  add_page(app, exit_code);
  add_completion(app, exit_code);
}

}  // namespace podium::kubectl
