// How a pod has ended, by its status.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace podium::explain {

// "it has succeeded", "it has failed"; empty: neither.
std::string end_of_phase(std::string_view phase);
// Also with the reason: "it has failed: Evicted: The node was low on resource: memory". The words are those
// of the status: they may have control characters.
std::string end_of_pod(const boost::json::value& pod);

}  // namespace podium::explain
