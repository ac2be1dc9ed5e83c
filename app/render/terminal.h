// Standard output, where it is a terminal: its size, whether it should get colours, and its alternate screen.
//
// Threads: any. Errors: none.
#pragma once

#include <string>

#include "app/render/text.h"

namespace podium::render {

// False where it is a file or a pipe, and where NO_COLOR is set.
bool is_color_terminal();

// Whether standard output is a terminal.
bool is_terminal();

// The size of the terminal, 24 × 80 where it does not say.
Screen terminal_size();

// The alternate screen of a terminal without its cursor; the destructor brings back what was there.
class AlternateScreen {
 public:
  AlternateScreen();
  ~AlternateScreen();
  AlternateScreen(const AlternateScreen&) = delete;

  // Replaces what is shown. `text`: lines that fit the screen.
  void show(const std::string& text);
};

}  // namespace podium::render
