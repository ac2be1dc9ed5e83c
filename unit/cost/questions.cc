#include "unit/cost/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/steps.h"
#include "explain/answer/answer.h"
#include "explain/question/question.h"
#include "explain/report/json.h"
#include "scheduler/config/load.h"

namespace podium::test::cost {
namespace {

const config::Config& default_config() {
  static const auto config = config::load("", "default").value();
  return config;
}

explain::Question read(const QuestionRow& row, std::size_t n) {
  const auto text = fmt::format(
      R"({{"metadata": {{"name": "ask", "namespace": "shop", "uid": "u", "generation": 1}}, "spec": {}}})",
      expand(row.spec, n));
  const auto report = explain::scan_report(text);
  EXPECT_TRUE(report) << row.name << ": " << (report ? "" : report.error().message);
  auto question = explain::read_question(*report, std::chrono::seconds(600));
  EXPECT_TRUE(question) << row.name << ": " << (question ? "" : question.error().message);
  if (question && !row.workload.empty()) {
    const auto subject = explain::read_subject(expand(row.workload, n), *question);
    EXPECT_TRUE(subject) << row.name << ": " << (subject ? "" : subject.error().message);
  }
  return std::move(question).value();
}

}  // namespace

MeasuredQuestion run_question(const QuestionRow& row, std::size_t n) {
  const auto world = world_of(expand(row.docs, n));
  default_config();
  MeasuredQuestion out;
  const auto began = std::clock();
  out.cost = cost_of([&] {
    auto last = steps_of_thread();
    const auto check = [&] {
      const auto now = steps_of_thread();
      out.gap = std::max(out.gap, static_cast<std::int64_t>(now - last));
      last = now;
      return true;
    };
    const auto question = read(row, n);
    const auto status =
        explain::answer(question, world.snapshot, default_config(), check, world.admission, world.waiting);
    EXPECT_NE(status.outcome, explain::kRefused) << row.name << ": " << status.message;
    explain::to_text(status);
    check();
  });
  out.cpu_ms = 1000.0 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  return out;
}

}  // namespace podium::test::cost
