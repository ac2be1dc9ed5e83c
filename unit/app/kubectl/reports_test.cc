// Which of podium's decisions on a pod is the last one.
#include "app/kubectl/reports.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "app/render/report.h"
#include "base/time.h"
#include "unit/app/kubectl/empty_cluster.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

json::value refusal(const std::string& message, const std::string& at,
                    const std::string& outcome = "Unschedulable") {
  return json::value{{"status", {{"outcome", outcome}, {"message", message}, {"decidedAt", at}}}};
}

json::value waiting(const std::string& message) {
  return json::value{
      {"metadata", {{"namespace", "shop"}, {"name", "web"}, {"uid", "u"}}},
      {"spec", json::object()},
      {"status", {{"phase", "Pending"}, {"conditions", {{{"type", "PodScheduled"}, {"message", message}}}}}}};
}

// Has a decision in podium's memory.
class Memory final : public EmptyCluster {
 public:
  explicit Memory(Result<std::optional<json::value>> decision) : decision_(std::move(decision)) {}
  Result<std::optional<json::value>> remembered(const std::string& ns, const std::string& pod,
                                                const std::string& uid) override {
    ++asked;
    EXPECT_EQ(ns + "/" + pod + "/" + uid, "shop/web/u");
    return decision_;
  }
  int asked = 0;

 private:
  const Result<std::optional<json::value>> decision_;
};

TEST(NewestDecision, IsThatOfThePodsCondition) {
  constexpr auto kFirst = "2026-01-01T00:00:00Z", kThen = "2026-01-01T00:00:09Z";
  const std::string one = "0/1 nodes are available: 1 Insufficient cpu.",
                    two = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.";
  const auto report = refusal(one, kFirst);
  const auto forbidden = Error{.message = "forbidden"};
  const struct {
    const char* name;
    json::value pod, report;
    Result<std::optional<json::value>> memory;
    std::string message, condition;
    int asked;
  } cases[] = {
      {"the report's", waiting(one), report, std::nullopt, one, "", 0},
      {"the report's, which is cut", waiting(one + " preemption: none"), report, std::nullopt, one, "", 0},
      {"a later attempt's", waiting(two), report, refusal(two, kThen), two, "", 1},
      {"of an earlier attempt: it is written after the report", waiting(two), report, refusal(one, kFirst),
       one, "", 1},
      {"that podium has forgotten", waiting(two), report, std::nullopt, one, two, 1},
      {"that the user may not read", waiting(two), report, std::unexpected(forbidden), one, two, 1},
      {"not there yet", waiting(""), report, std::nullopt, one, "", 0},
      {"from before the pod got its node", waiting(one), refusal("its claim", kFirst, "Binding"),
       std::nullopt, "its claim", "", 0},
  };
  for (const auto& c : cases) {
    Memory cluster(c.memory);
    const auto newest = newest_decision(cluster, c.pod, c.report);
    EXPECT_EQ(render::read_report(newest.report).status.message, c.message) << c.name;
    EXPECT_EQ(newest.condition, c.condition) << c.name;
    EXPECT_EQ(cluster.asked, c.asked) << c.name;
  }
}

}  // namespace
}  // namespace podium::kubectl
