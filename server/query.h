// Reads the query of a request.
//
// Threads: pure functions. Errors: Kind::invalid for a query that is not encoded correctly.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace podium::server {

// Names and values in order, decoded as forms encode them: "+" is a space, "%2B" a plus.
Result<std::vector<std::pair<std::string, std::string>>> read_query(std::string_view query);

}  // namespace podium::server
