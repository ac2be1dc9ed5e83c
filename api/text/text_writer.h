// Functions shared by json_text.cc and yaml_text.cc, and only for them. Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace podium::api::detail {

void write_json_string(std::string_view text, std::string& out);  // with quotes and escapes
void write_number(const boost::json::value& number, std::string& out);

}  // namespace podium::api::detail
