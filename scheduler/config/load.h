// Reads a KubeSchedulerConfiguration v1: decodes, defaults and validates it as upstream does.
//
// A second document of kind PodiumConfiguration (config.podium.dev/v1alpha1) has podium's own settings.
// Errors: all problems together, each with file, line and path. Unknown fields, duplicate keys and wrong
// types are errors.
// Source: pkg/scheduler/apis/config (v1 defaults, validation).
// Threads: pure functions; load_file() reads the file, so call it off the I/O threads.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scheduler/config/values/config.h"
#include "scheduler/plugins/registry.h"

namespace podium::config {

struct LoadOptions {
  FeatureGates gates;
  plugins::Registry plugins;  // includes the out-of-tree plugins
  // Fields of the KubeSchedulerConfiguration from flags; they override the file.
  boost::json::object overrides{};
  // load_file(): of regular files only, and without waiting (base/input.h).
  bool regular_files_only = false;
};

// An empty text yields the default configuration. On failure, Error.message has every finding, one per line:
// "FILE:LINE: path: value: reason", without the parts that are unknown.
Result<Config> load(std::string_view text, std::string_view file_name, const LoadOptions& options = {});
// Unlike an empty text, an empty file is an Error.
Result<Config> load_file(const std::string& path, const LoadOptions& options = {});

}  // namespace podium::config
