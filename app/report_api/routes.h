// The paths of the HTTPS API and their parameters. The server and its OpenAPI document use one table.
//
// Threads: immutable tables. Errors: Kind::invalid as "parameter: reason".
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/path_pattern.h"

namespace podium::app::report_api {

inline constexpr const char* kOpenApiPath = "/openapi/v3";
inline constexpr std::int64_t kLongestPage = 500, kUsualPage = 100;  // decisions

enum class Form : std::uint8_t { scores, strategies, report, decisions, changes, nodes, access };

struct Route {
  server::PathPattern pattern;
  Form form;
  bool is_question;  // POST: a question; GET: a past decision
  const char* summary;

  const char* method() const { return is_question ? "POST" : "GET"; }
  bool is_list() const { return form == Form::decisions || form == Form::changes; }  // false: of one pod
};
const std::vector<Route>& routes();

// A parameter. A question's parameter becomes the field of the same name in a what-if's spec, whose reader
// checks it further.
struct Parameter {
  enum class Type : std::uint8_t {
    text,
    line,  // a text that may have spaces
    integer,
    flag,     // true or false
    texts,    // a,b
    weights,  // A=1,B=0
  };
  const char* name;
  Type type;
  std::int64_t least, most;  // of an integer
  const char* description;
};
const std::vector<Parameter>& question_parameters();
inline constexpr const char* kAllNamespaces = "allNamespaces";  // a flag of questions; not a field of spec
inline constexpr const char* kWords = "words";  // a flag of all that have reasons; not a field of spec
inline constexpr const char* kSeed = "seed";    // of a question; not a field of spec
const std::vector<Parameter>& list_parameters();
const std::vector<Parameter>& node_parameters();
const std::vector<Parameter>& access_parameters();
const std::vector<Parameter>& parameters_of(const Route& route);

// The values of the query by name; for a question, the fields of spec. Refuses a parameter that is unknown or
// given twice.
Result<boost::json::object> read_parameters(std::string_view query, const std::vector<Parameter>& known);

}  // namespace podium::app::report_api
