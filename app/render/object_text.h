// Fields of any object of the API server, by JSON pointer, as printable text; else api/text/json_view.h.
// An absent field, or one of another type, is empty.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "api/text/json_view.h"

namespace podium::render {

// Printable; see text.h.
std::string string_at(const boost::json::value& value, std::string_view path);
using api::list_at;

}  // namespace podium::render
