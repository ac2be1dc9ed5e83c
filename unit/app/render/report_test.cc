// Reads reports: those of podium, and malformed ones.
#include "app/render/report.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fstream>
#include <iterator>

#include "app/render/what_if.h"
#include "app/render/why.h"
#include "unit/app/render/fixtures.h"

namespace podium::render {
namespace {

namespace json = boost::json;

TEST(Flow, QuotesWhatYamlWouldTakeForSomethingElse) {
  EXPECT_EQ(flow(json::parse(R"([{"key": "gpu", "operator": "Exists"}, "true", "1", 2, ""])")),
            R"([{key: gpu, operator: Exists}, "true", "1", 2, ""])");
}

TEST(Report, AbsentAndStrangeFieldsAreEmpty) {
  for (const char* text :
       {"null", "[]", "{}", R"({"status": 3})", R"({"status": {"choice": [], "topNodes": {}}})",
        R"({"spec": {"dryRun": "yes"}, "status": {"strategies": [1], "attempts": -1}})"}) {
    const auto report = read_report(json::parse(text));
    EXPECT_EQ(report.status.outcome, "") << text;
    EXPECT_FALSE(report.status.choice) << text;
    EXPECT_EQ(report.status.attempts, 0u) << text;
    EXPECT_FALSE(why(report, "a/b", plain()).empty());
  }
}

// The forms that controller/ writes: its own fixtures.
Report written(const std::string& name, bool question) {
  std::ifstream in("unit/explain/report/forms/" + name + ".json");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  json::object spec{{"dryRun", question}, {"podRef", json::object{{"name", "web"}, {"uid", "u"}}}};
  return read_report(json::object{{"metadata", json::object{{"generation", 1}}},
                                  {"spec", std::move(spec)},
                                  {"status", json::parse(text)}});
}

TEST(Report, ReadsWhatPodiumWrites) {
  const auto scheduled = written("scheduled", false);
  ASSERT_TRUE(scheduled.status.choice);
  EXPECT_EQ(scheduled.status.choice->node, "n2");
  EXPECT_EQ(scheduled.status.choice->tied_nodes, 2u);
  EXPECT_EQ(scheduled.status.choice->margin, 10);
  EXPECT_EQ(scheduled.status.strategies.size(), 2u);
  ASSERT_EQ(scheduled.status.top_nodes.size(), 3u);
  EXPECT_EQ(scheduled.status.top_nodes[2].strategy_scores, (std::vector<std::int64_t>{100, 0}));
  EXPECT_EQ(scheduled.status.rejections[0].shortfall->least, "500m");
  EXPECT_EQ(scheduled.status.preemption->total, 4u);
  EXPECT_EQ(scheduled.status.history.size(), 2u);
  EXPECT_NE(why(scheduled, "shop/web", plain())
                .find("Lead over n3, the best with fewer points: 10 (image present +10).\n"
                      "Decided by image present: without it, n3 would lead by 2.\n"),
            std::string::npos);
  EXPECT_FALSE(written("gated", false).status.scheduling_gates.empty());
  const auto refused = written("refused", true);
  EXPECT_EQ(*refusal_of(refused), "spec.profile: unknown profile");
  EXPECT_EQ(exit_code(refused), 2);
  const auto answer = written("answer", true);
  EXPECT_TRUE(is_complete(answer));
  EXPECT_EQ(answer.status.answer->asked, 3u);
  EXPECT_EQ(answer.status.answer->fitting, 2u);
  ASSERT_TRUE(answer.status.answer->first_failure);
  EXPECT_EQ(answer.status.answer->first_failure->replica, 3u);
  EXPECT_EQ(answer.status.answer->first_failure->rejections_total, 1u);
  EXPECT_EQ(answer.status.answer->verdicts[1].would_fit_with, "toleration of gpu");
  EXPECT_EQ(flow(answer.status.answer->fixes[0].fields), "{resource: cpu, most: \"1500m\"}");
  EXPECT_EQ(answer.status.answer->group->domains[0].missing, 1u);
  EXPECT_EQ(answer.status.answer->not_modelled, std::vector<std::string>{"extenders"});
}

}  // namespace
}  // namespace podium::render
