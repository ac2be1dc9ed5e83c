// The files that a command line names, and those of the directories that it names.
//
// Threads: any; two at a time cannot both read standard input. Errors: added to `problems`.
#pragma once

#include <string>
#include <vector>

#include "api/manifests.h"
#include "base/problems.h"

namespace podium::offline {

// "-" is standard input. Of a directory, all .yaml, .yml and .json files in it and below it, as
// `kubectl apply -R` takes them.
std::vector<api::ManifestText> read_files(const std::vector<std::string>& arguments, Problems& problems);

}  // namespace podium::offline
