// Questions: a cluster, and the spec of a what-if about it, of which a list or a pair of lists has n entries.
//
// run_question() reads the spec, answers it, and bounds the answer. It also counts the steps between two
// checks of the budget, and those after the check that ends it: a thread that computes stops no sooner.
// Threads: none. Errors: those of a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cost/scene.h"

namespace podium::test::cost {

struct QuestionRow {
  std::string name;
  std::size_t n;
  std::vector<Doc> docs;
  std::string spec;           // of the what-if, with « » and # as in documents, and {n}
  std::string workload = {};  // of its workloadRef or podRef
};

std::vector<QuestionRow> rows_of_questions();

struct MeasuredQuestion {
  Cost cost;
  std::int64_t gap = 0;    // the most steps between two checks of the budget
  std::size_t checks = 0;  // before it ended
  std::int64_t tail = 0;   // steps after it has ended
  double cpu_ms = 0;       // for people
};
// `checks`: how often the budget has time.
MeasuredQuestion run_question(const QuestionRow& row, std::size_t n, std::size_t checks = SIZE_MAX);

}  // namespace podium::test::cost
