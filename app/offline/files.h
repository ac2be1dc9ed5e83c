// Reads the files and directories that a command line names.
//
// Threads: any; two at a time cannot both read standard input. Errors: added to `problems`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/decode/manifests.h"
#include "base/problems.h"

namespace podium::offline {

// "-" is standard input. For a directory, all .yaml, .yml and .json files in it and below it, as `kubectl
// apply -R` finds them. An input with more than `most` bytes is a problem: it may have no end.
std::vector<api::ManifestText> read_files(const std::vector<std::string>& arguments, Problems& problems,
                                          std::size_t most = std::size_t{2} << 30);

}  // namespace podium::offline
