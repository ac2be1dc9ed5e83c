// The answer of a plugin's hints to an event.
#pragma once

#include <boost/json/object.hpp>

#include "base/result.h"
#include "scheduler/framework/plugin.h"

namespace podium::tables {

// {"answer": "Queue"} or {"answer": "QueueSkip"}, for the question's pod, object before and object after.
Result<boost::json::object> answer_hint(const framework::FilterPlugin& plugin,
                                        const boost::json::object& question);

// {"events": {resource: [action, …]}}: the events that the plugin's hints are registered for.
Result<boost::json::object> answer_events(const framework::FilterPlugin& plugin);

}  // namespace podium::tables
