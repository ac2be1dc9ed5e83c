// Reads files. Two functions, since two kinds of callers differ in what they may wait for:
//
// read_input(): for a command that ends. The text of a file that somebody names on the command line, up to
// `at_most` bytes; "-" is standard input. Waits for the writer of a pipe, however long that takes.
// read_file(): for a process that must not wait: configuration, certificates, keys, tokens. Regular files
// only, of a bounded size: a FIFO, a directory or a device in a file's place is an error and does not block.
//
// Threads: any; two at a time cannot both read standard input. Errors: Kind::invalid with file and reason.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace podium {

Result<std::string> read_input(const std::string& file, std::size_t at_most = std::string::npos);

Result<std::string> read_file(const std::string& path, std::size_t limit = 1u << 20);

// A text that changes whenever the file is replaced or written. "" for an empty path, "-" for a missing file.
std::string file_stamp(const std::string& path);

}  // namespace podium
