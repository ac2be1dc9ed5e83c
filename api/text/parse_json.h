// Parses JSON that the API server has sent.
//
// Threads: a pure function. Errors: Kind::invalid, "not JSON: …".
#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <string_view>

#include "base/result.h"

namespace podium::api {

// At most 256 levels deep, because values are copied and destroyed by recursion. Accepts invalid UTF-8.
Result<boost::json::value> parse_json(std::string_view text, const boost::json::storage_ptr& storage = {});
// The same of an object. Another value is an error: "not a JSON object".
Result<boost::json::value> parse_object(std::string_view text, const boost::json::storage_ptr& storage = {});

}  // namespace podium::api
