// Whether standard output is a terminal that should get colours.
//
// Threads: any. Errors: none.
#pragma once

namespace podium::render {

// False where it is a file or a pipe, and where NO_COLOR is set.
bool is_color_terminal();

}  // namespace podium::render
