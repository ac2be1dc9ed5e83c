// LogFields: a log line's message and its fields, for what needs them apart: JSON, and the limit on repeats.
//
// A line is "message key=value key=\"quoted value\" …". Values with spaces or quotes are quoted, with fmt's
// {:?}.
//
// Threads: pure functions. Errors: none; what is no field belongs to the message or to the value before it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace podium::async {

// The part before the first field: the same for all lines of one place in the code.
std::string_view log_message(std::string_view line);

struct LogFields {
  std::string_view message;
  std::vector<std::pair<std::string_view, std::string>> fields;  // values without quotes and escapes
};
LogFields log_fields(std::string_view line);

}  // namespace podium::async
