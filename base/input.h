// Reads files. There are two functions, because one kind of caller may block and the other may not:
//
// read_input(): for a command that ends. Returns the text of a file that the command line names, at most
// `at_most` bytes; "-" is standard input. Waits for the writer of a pipe without a limit.
// read_file(): for a process that must not wait: configuration, certificates, keys, tokens. Regular files
// only, of a bounded size: for a FIFO, a directory or a device it returns an error and does not block.
//
// Threads: any; two at a time cannot both read standard input. Errors: Kind::invalid with file and reason.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace podium {

Result<std::string> read_input(const std::string& file, std::size_t at_most = std::string::npos);

// read_input(), but a larger text is an error.
Result<std::string> read_whole_input(const std::string& file, std::size_t at_most);

Result<std::string> read_file(const std::string& path, std::size_t limit = 1u << 20);

// A text that changes whenever the file is replaced or written. "" for an empty path, "-" for a missing file.
std::string file_stamp(const std::string& path);

}  // namespace podium
