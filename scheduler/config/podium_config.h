// PodiumConfiguration (config.podium.dev/v1alpha1): what podium has beyond upstream, in a second document of
// the file.
//
// Every field is bounded, so that no value can stop the scheduler or flood the cluster's storage.
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

#include "scheduler/config/config.h"
#include "scheduler/config/findings.h"

namespace podium::config {

inline constexpr std::string_view kPodiumApiVersion = "config.podium.dev/v1alpha1";
inline constexpr std::string_view kPodiumKind = "PodiumConfiguration";

// Reads, defaults and checks the document; `document` becomes the defaulted form. An empty object is the
// default. `adaptive_search` is the default of the field of that name.
Podium read_podium(boost::json::value& document, bool adaptive_search, Findings& findings);

}  // namespace podium::config
