// What several fuzzers check: UTF-8, characters that a terminal obeys, and the schema of the CRD.
//
// Threads: pure functions. Errors: none; findings are text.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace podium::fuzz {

bool is_utf8(std::string_view text);

// The number of Unicode characters in UTF-8 text.
std::size_t characters(std::string_view text);

// Whether a terminal shows the text as it is: no characters that it obeys but newlines, and none that hide or
// reorder text.
bool is_harmless(std::string_view text);

// What of a structural OpenAPI schema the value breaks, as "path: reason"; empty: nothing. Knows the
// keywords of crds/: an API server refuses the whole status for one of them. A field that the schema lacks
// is also a finding.
std::string schema_finding(const boost::json::value& value, const boost::json::object& schema,
                           const std::string& path);

// The schema of a property of SchedulingReports, "spec" or "status", from the file of the CRD.
const boost::json::object& report_schema(std::string_view property);

}  // namespace podium::fuzz
