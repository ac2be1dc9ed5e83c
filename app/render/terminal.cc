#include "app/render/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace podium::render {

bool is_color_terminal() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

bool is_terminal() { return isatty(STDOUT_FILENO) != 0; }

Screen terminal_size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {24, 80};
  return {size.ws_row, size.ws_col};
}

AlternateScreen::AlternateScreen() { std::cout << "\033[?1049h\033[?25l" << std::flush; }

AlternateScreen::~AlternateScreen() { std::cout << "\033[?25h\033[?1049l" << std::flush; }

void AlternateScreen::show(const std::string& text) {
  // Overwrites line by line: clearing first would flicker. The last line has no newline, so nothing scrolls.
  std::string out = "\033[H";
  for (std::size_t start = 0; start < text.size();) {
    const auto end = std::min(text.find('\n', start), text.size());
    out += (start > 0 ? "\r\n" : "") + text.substr(start, end - start) + "\033[K";
    start = end + 1;
  }
  std::cout << out + "\033[J" << std::flush;
}

}  // namespace podium::render
