// Small files that rotate: certificates, keys, tokens.
//
// Threads: any. Errors: Kind::invalid names the file and the reason.
#pragma once

#include <string>

#include "base/result.h"

namespace podium::client {

Result<std::string> read_file(const std::string& path, std::size_t limit = 1u << 20);

// Changes whenever the file at the path is replaced or written; empty for an empty path, "-" where there is
// none.
std::string file_stamp(const std::string& path);

}  // namespace podium::client
