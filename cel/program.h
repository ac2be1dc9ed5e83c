// Program: a compiled CEL expression.
//
// Role: compiled once, evaluated for many inputs. It has cel-go's language with the libraries that Kubernetes
// adds, their results and their error texts; docs/decisions/0020 lists what is not supported.
// Owner: the caller of compile(). Threads: immutable; many threads may evaluate one Program at the same time.
// Errors: compile() reports the fault or the unsupported feature, and where. An evaluation's error is a
// Value.
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

// The budget of an evaluation, and the units that it used (cost_budget.h).
struct Spending {
  std::int64_t compiling = std::int64_t{1} << 40;  // for patterns that are not compiled yet
  std::int64_t units = 0;                          // out
  bool gave_up = false;                            // out: `compiling` was too small; ignore the value
};

class Program {
 public:
  // `variables` are the names that the expression may use.
  static Result<Program> compile(std::string_view expression, std::span<const std::string> variables);

  // The values of the variables, in the same order. Pure: equal values give equal results.
  Value evaluate(std::span<const Value> values, Spending* spending = nullptr) const;

  // The units that compile() used, and the estimated bytes that the program may keep.
  std::int64_t cost() const;
  std::size_t bytes() const;

 private:
  explicit Program(std::shared_ptr<const Parsed> parsed, std::size_t variables)
      : parsed_(std::move(parsed)), variables_(variables) {}

  std::shared_ptr<const Parsed> parsed_;
  std::size_t variables_ = 0;
};

}  // namespace podium::cel
