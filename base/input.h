// read_input(): the text of a file that somebody names on the command line, up to `at_most` bytes; "-" is
// standard input. Waits for the writer of a pipe, however long that takes. client/auth/file.h is for a
// process that must not wait.
//
// Threads: any; two at a time cannot both read standard input. Errors: Kind::invalid with file and reason.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace podium {

Result<std::string> read_input(const std::string& file, std::size_t at_most = std::string::npos);

}  // namespace podium
