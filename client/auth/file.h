// Reads small files that rotate: certificates, keys, tokens.
//
// Threads: any. Errors: Kind::invalid with the file and the reason.
#pragma once

#include <string>

#include "base/result.h"

namespace podium::client {

Result<std::string> read_file(const std::string& path, std::size_t limit = 1u << 20);

// A text that changes whenever the file is replaced or written. "" for an empty path, "-" for a missing file.
std::string file_stamp(const std::string& path);

}  // namespace podium::client
