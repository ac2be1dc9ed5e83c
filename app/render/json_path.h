// JSONPath templates as kubectl's -o jsonpath and --sort-by take them: text with {.items[*].metadata.name},
// {range .items[*]}...{end}, {"\\n"}, ['key'], [0], [-1], [1:3], [*], [?(@.count>3)] and ..name.
//
// Threads: values and pure functions. Errors: Kind::invalid with the place in the template. An absent field
// is empty.
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace podium::render {

class JsonPath {
 public:
  static Result<JsonPath> parse(std::string_view text);
  // A path without text around it, with or without braces and a leading dot: "{.count}", ".count", "count".
  static Result<JsonPath> parse_field(std::string_view text);

  std::string print(const boost::json::value& root) const;
  // The field that the first path begins with; empty: it begins with something else.
  std::string first_field() const;
  // The results of the first path.
  std::vector<const boost::json::value*> find(const boost::json::value& root) const;

 private:
  struct Step {
    enum class Kind { field, descend, index, slice, all, filter } kind = Kind::field;
    std::string name;                           // field, descend ("*": all)
    std::optional<long> from, to;               // index (from), slice
    std::vector<Step> left, right;              // filter: paths below @
    std::string op;                             // filter; empty: the left one exists
    std::optional<boost::json::value> literal;  // filter: instead of `right`
  };
  struct Part {
    enum class Kind { text, path, range } kind = Kind::text;
    std::string text;
    std::vector<Step> path;
    std::vector<Part> body;  // range
  };
  using Found = std::vector<const boost::json::value*>;
  struct Parser;

  static Found walk(const std::vector<Step>& path, const Found& from);
  static void one_step(const Step& step, const boost::json::value& value, Found& out);
  static bool holds(const Step& filter, const boost::json::value& value);
  static void print_parts(const std::vector<Part>& parts, const boost::json::value& at, std::string& out);

  std::vector<Part> parts_;
};

}  // namespace podium::render
