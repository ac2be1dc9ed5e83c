// CostBudget: the remaining cost that an evaluation may spend.
//
// Role: every step, and every function that walks its arguments, spends units, so that no expression runs for
// long or fills the memory. Expressions that the API server admits stay far below: its bound is a million.
// Threads: used by one evaluation. Errors: spend() returns false if nothing is left; this ends it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace podium::cel {

class CostBudget {
 public:
  static constexpr std::int64_t kUnits = 5'000'000;

  explicit CostBudget(std::int64_t compiling = kUnits) : compiling_(compiling) {}

  // False once the units exceed the budget.
  bool spend(std::size_t units) {
    left_ -= static_cast<std::int64_t>(std::min<std::size_t>(units, kUnits + 1));
    return left_ >= 0;
  }
  // Charges the creation of a text: long texts are expensive, which bounds their length.
  bool spend_text(std::size_t bytes) { return spend(bytes <= 4096 ? bytes / 8 : bytes); }
  // Charges the creation of a list.
  bool spend_items(std::size_t count) { return spend(count > kUnits ? kUnits + 1 : count * 4); }
  // Charges the compilation of a pattern, apart from the rest: it is compiled once, and a result does not
  // depend on whether it was before. False: the caller gets no result this time.
  bool spend_compiling(std::int64_t units) {
    compiling_ -= units;
    compiled_ += units;
    return compiling_ >= 0;
  }
  bool gave_up() const { return compiling_ < 0; }

  bool is_spent() const { return left_ < 0 || gave_up(); }
  std::int64_t spent() const { return kUnits - left_ + compiled_; }

 private:
  std::int64_t left_ = kUnits;
  std::int64_t compiling_, compiled_ = 0;
};

}  // namespace podium::cel
