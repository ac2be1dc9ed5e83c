// Reads fields of JSON by JSON pointer ("/metadata/name").
//
// Threads: pure functions. Errors: none; a field that is missing, or of another type, is empty.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace podium::api {

// Null: there is no such field, or it is null.
const boost::json::value* find_at(const boost::json::value& value, std::string_view pointer);
std::string text_at(const boost::json::value& value, std::string_view pointer);

}  // namespace podium::api
