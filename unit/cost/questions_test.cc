// A question costs time and memory linear in what it is about, and asks its budget often: questions.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <set>

#include "unit/cost/questions.h"
#include "unit/cost/rows.h"

namespace podium::test::cost {
namespace {

constexpr std::int64_t kSmallGap = 2'000'000;  // steps: less than 10 ms

// With PODIUM_COST=questions each row prints what it costs, also those that are known.
bool prints() {
  const char* wanted = std::getenv("PODIUM_COST");
  return wanted && std::string_view(wanted) == "questions";
}

// Between two looks, and after the last one, there is one object at most, or one list of the question.
bool is_short(std::int64_t twice, std::int64_t once) {
  return twice < kSmallGap || static_cast<double>(twice) <= kLinear * static_cast<double>(once);
}

TEST(Questions, AreLinear) {
  std::set<std::string> names;
  for (const auto& row : rows_of_questions()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
    const auto once = run_question(row, row.n), twice = run_question(row, 2 * row.n);
    if (once.cost.steps == 0) GTEST_SKIP() << "this build counts no steps";
    const auto result = is_linear(row.n, once.cost, twice.cost);
    if (prints()) {
      fmt::print("{:>9} steps, factor {:.2f}; gap {:>9}, factor {:.2f}; {:>7.1f} ms  {}\n", twice.cost.steps,
                 static_cast<double>(twice.cost.steps) / static_cast<double>(once.cost.steps), twice.gap,
                 static_cast<double>(twice.gap) / static_cast<double>(once.gap), twice.cpu_ms, row.name);
      std::fflush(stdout);
    }
    EXPECT_TRUE(is_short(twice.gap, once.gap))
        << row.name << ": " << once.gap << " steps without a look at the budget, then " << twice.gap;
    if (known().contains(row.name))
      EXPECT_FALSE(result) << row.name << " has become linear: its line in known.txt can go";
    else
      EXPECT_TRUE(result) << row.name;
  }
  for (const auto& [name, why] : known())
    EXPECT_TRUE(!name.starts_with("question ") || names.contains(name)) << name;
}

TEST(Questions, EndSoonOnceTheBudgetHasEnded) {
  for (const auto& row : rows_of_questions()) {
    const auto once = run_question(row, row.n), twice = run_question(row, 2 * row.n);
    if (once.cost.steps == 0) GTEST_SKIP() << "this build counts no steps";
    for (const std::size_t part : {2, 8}) {
      const auto tail = [&](std::size_t n, std::size_t checks) {
        return run_question(row, n, checks - checks / part).tail;
      };
      const auto short_one = tail(row.n, once.checks), long_one = tail(2 * row.n, twice.checks);
      if (prints())
        fmt::print("{:>9} steps, then {:>9}  1/{} before the end of {}\n", short_one, long_one, part,
                   row.name);
      EXPECT_TRUE(is_short(long_one, short_one))
          << row.name << ": " << short_one << " steps after the end, then " << long_one;
    }
  }
}

}  // namespace
}  // namespace podium::test::cost
