// parse(): text to a tree of Nodes.
//
// Role: the whole grammar of CEL and its macros. Names of variables and functions are resolved here. Types
// are not checked: the API server does that before it accepts an expression.
// Threads: pure. Errors: Error::Kind::invalid with the offset and the reason, or with the name of the
// unsupported feature.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/ast.h"

namespace podium::cel {

struct Parsed {
  NodePtr root;
  std::size_t slots = 0;  // variables that live at the same time
  std::int64_t cost = 0;  // of parsing it and compiling its patterns, in units (cost_budget.h)
  std::size_t bytes = 0;  // that it keeps, estimated
};

// The variables have the slots 0, 1, …
Result<Parsed> parse(std::string_view expression, std::span<const std::string> variables);

}  // namespace podium::cel
