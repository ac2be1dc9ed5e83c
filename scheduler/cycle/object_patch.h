// Patches of objects as JSON values: their preconditions, what an object shows of them, other forms of them.
//
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "base/time.h"
#include "scheduler/framework/object_write.h"

namespace podium::cycle {

using Verb = framework::ObjectWrite::Verb;

// The patch with its preconditions: the API server answers 409 for another UID or resourceVersion.
boost::json::value with_preconditions(const framework::ObjectWrite& write);

// Puts the time where `write.time_at` points to.
void put_time(framework::ObjectWrite& write, Wall now);

// Whether the object already has everything in the patch. A strategic patch adds to lists.
bool has(const boost::json::value& object, const boost::json::value& patch, Verb verb);

// The merge patch that does with this object what the strategic one does: lists get what is new. Without an
// object (null) it has the patch's own lists.
boost::json::value as_merge(const boost::json::value* live, const boost::json::value& patch);

// The string at a JSON pointer; empty: there is none.
std::string text_in(const boost::json::value& object, std::string_view pointer);

}  // namespace podium::cycle
