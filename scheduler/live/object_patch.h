// Patches of objects as JSON values: adds preconditions, compares them with objects, and converts them.
//
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "base/time.h"
#include "scheduler/framework/object_write.h"

namespace podium::live {

using Verb = framework::ObjectWrite::Verb;

// The patch with its preconditions: the API server answers 409 for another UID or resourceVersion.
boost::json::value with_preconditions(const framework::ObjectWrite& write);

// Writes the time at the pointer `write.time_at`.
void put_time(framework::ObjectWrite& write, Wall now);

// True if the object already has everything in the patch. A strategic patch adds to lists.
bool has(const boost::json::value& object, const boost::json::value& patch, Verb verb);

// The merge patch with the effect of the strategic patch on this object: lists get the new elements. Without
// an object (null) it has the patch's own lists.
boost::json::value as_merge(const boost::json::value* live, const boost::json::value& patch);

}  // namespace podium::live
