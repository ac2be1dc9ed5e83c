// -o: how a command prints its result. Programs get a document, as JSON, YAML, names or the result of a
// JSONPath; people get a table. A program that also shows the answer to its user gets both, with "answer".
//
// Threads: pure functions. Errors: Kind::invalid, naming the option.
#pragma once

#include <array>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace podium::kubectl {

// The values of -o; the last takes a template.
inline constexpr std::array<std::string_view, 7> kFormats = {"table", "wide",   "json",     "yaml",
                                                             "name",  "answer", "jsonpath="};

struct Output {
  std::string format = "table";  // table, wide, json, yaml, name, answer or jsonpath
  std::string path;              // the template of jsonpath
  std::string color = "auto";    // auto, always or never

  bool is_for_people() const { return format == "table" || format == "wide"; }
  bool has_words() const { return is_for_people() || format == "answer"; }
};

// Sets the format from the option's value.
Result<void> set_format(const std::string& text, Output& output);

// The words and the document together, for "answer".
boost::json::value with_words(std::string words, boost::json::value document);

// The document in the format. `names`: its objects as TYPE/NAME, for `-o name`. Names and results of a
// JSONPath contain only text that is safe for a terminal.
Result<std::string> document_text(const Output& output, const boost::json::value& document,
                                  const std::vector<std::string>& names);

// One object as it is, several as a List, as kubectl prints them.
boost::json::value as_list(std::vector<boost::json::value> objects);

// An error of -o name if there is nothing to name. `why_not`: why the object does not exist.
Result<void> check_names(const Output& output, bool has_names, std::string_view why_not);

// "schedulingreport.podium.dev/web-07".
std::string report_name(const boost::json::value& report);

}  // namespace podium::kubectl
