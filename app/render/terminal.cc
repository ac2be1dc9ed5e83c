#include "app/render/terminal.h"

#include <unistd.h>

#include <cstdlib>

namespace podium::render {

bool is_color_terminal() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

}  // namespace podium::render
