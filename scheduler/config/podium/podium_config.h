// PodiumConfiguration (config.podium.dev/v1alpha1): podium's own settings, in a second document of the file.
//
// Every field has bounds, so that no value can stop the scheduler or flood the cluster's storage.
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

#include "scheduler/config/schema/file_problems.h"
#include "scheduler/config/schema/schema.h"
#include "scheduler/config/values/config.h"

namespace podium::config {

inline constexpr std::string_view kPodiumApiVersion = "config.podium.dev/v1alpha1";
inline constexpr std::string_view kPodiumKind = "PodiumConfiguration";

const Schema& podium_schema();

// Decodes, defaults and validates the document; an empty object yields the defaults. Replaces `document` by
// its defaulted form. `adaptive_search` is the default of adaptiveSearch.
Podium read_podium(boost::json::value& document, bool adaptive_search, Problems& problems);

}  // namespace podium::config
