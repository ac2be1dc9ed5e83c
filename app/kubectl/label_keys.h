// Undoes what the API server's admission does to label selectors with matchLabelKeys and mismatchLabelKeys.
//
// Threads: pure function. Errors: none; what is not a pod stays as it is.
#pragma once

#include <boost/json/value.hpp>

namespace podium::kubectl {

// The API server adds the pod's values of these keys to the selectors that it stores. It refuses a template
// in which they are there already, and so does podium.
// Source: pkg/registry/core/pod: applyMatchLabelKeysAndMismatchLabelKeys
void remove_merged_label_keys(boost::json::value& pod);

}  // namespace podium::kubectl
