// Program: a compiled CEL expression.
//
// Role: compiled once, evaluated for many inputs. It has cel-go's language with the libraries that Kubernetes
// adds, their results and the words of their errors; docs/decisions/0020 says what is left out.
// Owner: whoever compiles. Threads: immutable; any number of threads may evaluate one Program at a time.
// Errors: compile() says what is wrong or not supported, and where. An evaluation's error is a Value.
// Expressions may be hostile: their nesting, the work and the memory of an evaluation are bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/value.h"

namespace podium::cel {

struct Parsed;

// What an evaluation may take, and what it took, in units (budget.h).
struct Spending {
  std::int64_t compiling = std::int64_t{1} << 40;  // for patterns that are not compiled yet
  std::int64_t units = 0;                          // out
  bool gave_up = false;                            // out: `compiling` did not do, and the value means nothing
};

class Program {
 public:
  // `variables` are the names that the expression may use.
  static Result<Program> compile(std::string_view expression, std::span<const std::string> variables);

  // The values of the variables, in the same order. Pure: equal values give equal results.
  Value evaluate(std::span<const Value> values, Spending* spending = nullptr) const;

  // What compile() took, in units, and the bytes that the program may keep, about.
  std::int64_t cost() const;
  std::size_t bytes() const;

 private:
  explicit Program(std::shared_ptr<const Parsed> parsed, std::size_t variables)
      : parsed_(std::move(parsed)), variables_(variables) {}

  std::shared_ptr<const Parsed> parsed_;
  std::size_t variables_ = 0;
};

}  // namespace podium::cel
