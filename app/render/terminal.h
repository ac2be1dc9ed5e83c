// Standard output as a terminal: its size, whether it gets colours, and its alternate screen.
//
// Threads: any. Errors: none.
#pragma once

#include <string>

#include "app/render/text.h"

namespace podium::render {

// False if it is a file or a pipe, or if NO_COLOR is set.
bool is_color_terminal();

// Whether standard output is a terminal.
bool is_terminal();

// The size of the terminal, 24 × 80 if unknown.
Screen terminal_size();

// The alternate screen of a terminal, with a hidden cursor; the destructor restores the normal screen.
class AlternateScreen {
 public:
  AlternateScreen();
  ~AlternateScreen();
  AlternateScreen(const AlternateScreen&) = delete;

  // Replaces the text on the screen. `text`: lines that fit the screen.
  void show(const std::string& text);
};

}  // namespace podium::render
