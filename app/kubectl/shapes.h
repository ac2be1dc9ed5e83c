// The file of --shapes: what nodes that could be added are like.
//
// Threads: pure functions. Errors: Kind::invalid with all faults, each as "FILE:LINE: path: reason".
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace podium::kubectl {

// The shapes as spec.search.forPending.shapes has them.
Result<boost::json::array> shapes_of_file(std::string_view text, const std::string& source);

}  // namespace podium::kubectl
