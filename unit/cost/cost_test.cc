// What users can write in numbers costs time and memory linear in its bytes, with a small factor: rows.h.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "explain/question/question.h"
#include "scheduler/extender/wire.h"
#include "unit/cost/rows.h"
#include "unit/cost/scene.h"

namespace podium::test::cost {
namespace {

constexpr std::int64_t kMostKept = 8;  // bytes kept for a byte of JSON

testing::AssertionResult keeps_little(const Measured& once, const Measured& twice) {
  const auto kept = twice.kept - once.kept, bytes = twice.bytes - once.bytes;
  if (kept <= kMostKept * bytes) return testing::AssertionSuccess();
  return testing::AssertionFailure() << bytes << " bytes of JSON more keep " << kept << " bytes more, "
                                     << static_cast<double>(kept) / static_cast<double>(bytes) << " for each";
}

class Rows : public testing::TestWithParam<std::vector<Row> (*)()> {};

// With PODIUM_COST=largest (make cost) the objects are as large as the API server takes them, and each row
// prints what it costs. Without the preset asan only the time is of interest.
bool measures_the_largest() {
  const char* wanted = std::getenv("PODIUM_COST");
  return wanted && std::string_view(wanted) == "largest";
}

void print(const Row& row, const Measured& largest) {
  fmt::print("{:>9.1f} ms {:>6.1f} kept for a byte {:>9} bytes of JSON  {}\n", largest.cpu_ms,
             static_cast<double>(largest.kept) / static_cast<double>(largest.bytes), largest.bytes, row.name);
  std::fflush(stdout);
}

TEST_P(Rows, AreLinear) {
  const bool at_most = measures_the_largest();
  for (const auto& row : GetParam()()) {
    const auto n = at_most ? largest(row) : row.n;
    const auto once = run(row, n), twice = run(row, 2 * n);
    if (at_most) print(row, twice);
    if (once.cost.steps == 0) {
      if (at_most) continue;
      GTEST_SKIP() << "this build counts no steps";
    }
    auto result = is_linear(n, once.cost, twice.cost);
    if (result) result = keeps_little(once, twice);
    const auto exception = known().find(row.name);
    if (exception == known().end()) {
      EXPECT_TRUE(result) << row.name;
    } else if (!at_most) {
      EXPECT_FALSE(result) << row.name << " has become linear: its line in known.cc can go";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pods, Rows, testing::Values(rows_of_pods));
INSTANTIATE_TEST_SUITE_P(Cluster, Rows, testing::Values(rows_of_cluster));
INSTANTIATE_TEST_SUITE_P(Pairs, Rows, testing::Values(rows_of_pairs));

TEST(Costs, KnownRowsAreInTheTable) {
  std::set<std::string> names;
  for (const auto rows : {rows_of_pods, rows_of_cluster, rows_of_pairs}) {
    for (const auto& row : rows())
      EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
  }
  for (const auto& [name, why] : known())
    EXPECT_TRUE(names.contains(name) || name.starts_with("filter reply ") || name.starts_with("question "))
        << name;
}

// --- texts that are no objects of the cluster ---

struct TextRow {
  const char* name;
  std::size_t n;
  const char* text;
  void (*read)(std::string_view);
};

TEST(Costs, OfTextsAreLinear) {
  const auto filter = [](std::string_view text) { EXPECT_TRUE(extender::read_filter_reply(text)); };
  const auto preempt = [](std::string_view text) { EXPECT_TRUE(extender::read_preemption_reply(text)); };
  const auto scores = [](std::string_view text) { EXPECT_TRUE(extender::read_priorities(text)); };
  const auto question = [](std::string_view text) {
    const auto report = explain::scan_report(text);
    ASSERT_TRUE(report) << report.error().message;
    (void)explain::read_question(*report, std::chrono::seconds(600));
  };
  const TextRow rows[] = {
      {"filter reply NodeNames", 5000, R"({"NodeNames":[«"n#"»]})", filter},
      {"filter reply Nodes", 2000, R"({"Nodes":{"items":[«{"metadata":{"name":"n#"}}»]}})", filter},
      {"filter reply FailedNodes", 5000, R"({"NodeNames":[],"FailedNodes":{«"n#":"r#"»}})", filter},
      {"filter reply FailedAndUnresolvableNodes", 5000,
       R"({"NodeNames":[],"FailedAndUnresolvableNodes":{«"n#":"r#"»}})", filter},
      {"preemption reply", 2000, R"({"NodeNameToMetaVictims":{«"n#":{"Pods":[{"UID":"u#"}]}»}})", preempt},
      {"preemption reply Pods", 5000, R"({"NodeNameToMetaVictims":{"n":{"Pods":[«{"UID":"u#"}»]}}})",
       preempt},
      {"priorities", 5000, R"([«{"Host":"n#","Score":1}»])", scores},
      {"what-if template labels", 500,
       R"({"metadata":{"name":"ask","namespace":"shop","uid":"u"},"spec":{"dryRun":true,"template":{"metadata":{"labels":{«"l#":"v"»}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})",
       question},
      {"what-if changes", 100,
       R"({"metadata":{"name":"ask","namespace":"shop","uid":"u"},"spec":{"dryRun":true,"changes":[«{"removeNode":{"name":"n#"}}»],"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}})",
       question},
      {"what-if unknown fields", 1000,
       R"({"metadata":{"name":"ask","namespace":"shop","uid":"u"},"spec":{"dryRun":true,«"f#":1»,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}})",
       question},
  };
  for (const auto& row : rows) {
    const auto prepare = [&](std::size_t n) -> Work {
      return [text = expand(row.text, n), read = row.read] { read(text); };
    };
    if (known().contains(row.name)) continue;
    EXPECT_TRUE(is_linear(row.n, prepare)) << row.name;
  }
}

}  // namespace
}  // namespace podium::test::cost
