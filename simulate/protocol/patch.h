// The patches that podium sends, as the API server applies them.
//
// Threads: pure functions. Errors: Kind::invalid if a test of a JSON patch fails, Kind::internal for an
// operation that podium does not send.
#pragma once

#include <boost/json/value.hpp>

#include "base/result.h"

namespace podium::simulate {

// RFC 7386.
void merge_patch(boost::json::value& into, const boost::json::value& patch);
// As merge_patch(), but lists of conditions are merged by their type, those of a claim's pods by their UID,
// and finalizers are a set.
void strategic_merge_patch(boost::json::value& into, const boost::json::value& patch);
// RFC 6902: "test" and "add" of a field.
Result<void> json_patch(boost::json::value& into, const boost::json::value& steps);

}  // namespace podium::simulate
