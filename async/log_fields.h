// LogFields: splits a log line into its message and fields, for JSON and for the limit on repeated lines.
//
// A line is "message key=value key=\"quoted value\" …". Values with spaces or quotes are quoted, with fmt's
// {:?}.
//
// Threads: pure functions. Errors: none; text that is not a field belongs to the message or the last value.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace podium::async {

// The part before the first field: equal for all lines that one place in the code logs.
std::string_view log_message(std::string_view line);

struct LogFields {
  std::string_view message;
  std::vector<std::pair<std::string_view, std::string>> fields;  // values without quotes and escapes
};
LogFields log_fields(std::string_view line);

}  // namespace podium::async
