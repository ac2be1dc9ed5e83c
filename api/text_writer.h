// What the JSON and the YAML writer share. For json_text.cc and yaml_text.cc only. Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace podium::api::detail {

void write_json_string(std::string_view text, std::string& out);  // quoted and escaped
void write_number(const boost::json::value& number, std::string& out);

}  // namespace podium::api::detail
