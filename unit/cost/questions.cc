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

// {n} is the number itself.
std::string expanded(std::string text, std::size_t n) {
  for (std::size_t at; (at = text.find("{n}")) != text.npos;) text.replace(at, 3, std::to_string(n));
  return expand(text, n);
}

explain::Question read(const QuestionRow& row, std::size_t n) {
  const auto text = fmt::format(
      R"({{"metadata": {{"name": "ask", "namespace": "shop", "uid": "u", "generation": 1}}, "spec": {}}})",
      expanded(row.spec, n));
  const auto report = explain::scan_report(text);
  EXPECT_TRUE(report) << row.name << ": " << (report ? "" : report.error().message);
  auto question = explain::read_question(*report, std::chrono::seconds(600));
  EXPECT_TRUE(question) << row.name << ": " << (question ? "" : question.error().message);
  if (question && !row.workload.empty()) {
    const auto subject = explain::read_subject(expanded(row.workload, n), *question);
    EXPECT_TRUE(subject) << row.name << ": " << (subject ? "" : subject.error().message);
  }
  return std::move(question).value();
}

}  // namespace

MeasuredQuestion run_question(const QuestionRow& row, std::size_t n, std::size_t checks) {
  const auto world = world_of(expand(row.docs, n));
  default_config();
  MeasuredQuestion out;
  const auto began = std::clock();
  out.cost = cost_of([&] {
    auto last = steps_of_thread();
    bool has_ended = false;
    const auto check = [&] {
      const auto now = steps_of_thread();
      if (has_ended) return false;
      out.gap = std::max(out.gap, static_cast<std::int64_t>(now - last));
      last = now;
      has_ended = out.checks == checks;
      if (!has_ended) ++out.checks;
      return !has_ended;
    };
    const auto question = read(row, n);
    const auto status =
        explain::answer(question, world.snapshot, default_config(), check, world.admission, world.waiting);
    EXPECT_TRUE(has_ended || status.outcome != explain::kRefused) << row.name << ": " << status.message;
    explain::to_text(status);
    if (has_ended) out.tail = static_cast<std::int64_t>(steps_of_thread() - last);
    check();
  });
  out.cpu_ms = 1000.0 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  return out;
}

}  // namespace podium::test::cost
