// The JSON of each form of report: forms/*.json, which a live test also sends through the API server.
#include "explain/report/json.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "unit/explain/report/forms.h"

namespace podium::explain {
namespace {

TEST(ReportJson, OfEachForm) {
  struct Case {
    const char* name;
    ReportStatus status;
  };
  const Case cases[] = {{"scheduled", scheduled()},
                        {"unschedulable", unschedulable()},
                        {"gated", gated()},
                        {"answer", answered()},
                        {"refused", refused()}};
  for (const auto& c : cases) EXPECT_EQ(json::value(to_json(c.status)), fixture(c.name)) << c.name;
}

TEST(ReportJson, ReadsWhatItWrites) {
  for (const auto& status : {scheduled(), unschedulable(), gated(), answered(), refused()}) {
    const auto written = to_json(status);
    EXPECT_EQ(json::value(to_json(read_status(written))), json::value(written));
  }
}

TEST(ReportJson, ReadsNumbersWithinItsOwn) {
  const auto status = read_status(json::parse(R"({"attempts": 99999999999, "nodeCounts": {"total": -3},
      "choice": {"nodeName": "n", "score": 9223372036854775807}, "strategies": [{"name": "a", "weight": 9223372036854775807}],
      "topNodes": [{"nodeName": "n", "score": 1, "strategyScores": [9223372036854775807]}]})"));
  EXPECT_EQ(status.attempts, 4'294'967'295u);
  EXPECT_EQ(status.node_counts.total, 0u);
  EXPECT_EQ(status.choice->score, 1'000'000'000'000'000);
  EXPECT_EQ(status.strategies[0].weight, 10'000'000'000);
  EXPECT_EQ(status.top_nodes[0].strategy_scores[0], 1'000'000);
}

TEST(ReportJson, AMergePatchRemovesWhatAnEarlierStatusHad) {
  const auto patch = to_merge_patch(unschedulable());
  for (const auto* absent : {"choice", "topNodes", "strategies", "preemption", "history", "replicas",
                             "placements", "placementsTotal", "firstFailure", "fixes", "schedulingGates"})
    EXPECT_TRUE(patch.at(absent).is_null()) << absent;
  EXPECT_TRUE(patch.at("timing").at("bindMicroseconds").is_null());
  EXPECT_EQ(patch.at("timing").at("evaluateMicroseconds"), 41);
  EXPECT_TRUE(patch.at("snapshot").at("resourceVersion").is_null());
  EXPECT_FALSE(patch.at("rejections").at(0).as_object().contains("choice"));
  EXPECT_EQ(patch.at("rejections"), fixture("unschedulable").at("rejections")) << "lists are replaced";
}

// A report may be another client's.
TEST(ReportJson, NamesOfAFixAreEscaped) {
  ReportStatus status;
  const json::object fields{{"\x1b[31m", "red"}, {R"(a": 1, "b)", json::array{"\x1f"}}};
  status.answer.emplace().fixes = {{.type = "LowerRequest", .fields = fields}};
  const auto written = to_json(status);
  const auto& fix = written.at("fixes").at(0).as_object();
  for (const auto& [name, value] : fields) EXPECT_EQ(fix.at(name), value);
  EXPECT_EQ(fix.if_contains("b"), nullptr);
}

}  // namespace
}  // namespace podium::explain
