// Program: a compiled CEL expression.
//
// Role: compiled once, evaluated for many inputs. It has cel-go's language with the libraries that Kubernetes
// adds, their results and the words of their errors; docs/decisions/0020 says what is left out.
// Owner: whoever compiles. Threads: immutable; any number of threads may evaluate one Program at a time.
// Errors: compile() says what is wrong or not supported, and where. An evaluation's error is a Value.
// Expressions may be hostile: their nesting, the work and the memory of an evaluation are bounded.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/value.h"

namespace podium::cel {

struct Parsed;

class Program {
 public:
  // `variables` are the names that the expression may use.
  static Result<Program> compile(std::string_view expression, std::span<const std::string> variables);

  // The values of the variables, in the same order. Pure: equal values give equal results. `spent`: the units
  // that it took (budget.h).
  Value evaluate(std::span<const Value> values, std::int64_t* spent = nullptr) const;

 private:
  explicit Program(std::shared_ptr<const Parsed> parsed, std::size_t variables)
      : parsed_(std::move(parsed)), variables_(variables) {}

  std::shared_ptr<const Parsed> parsed_;
  std::size_t variables_ = 0;
};

}  // namespace podium::cel
