#include "controller/recorder/packed_status.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "explain/report/json.h"

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

void expect_same(const explain::ReportStatus& status, const std::string& name) {
  EXPECT_EQ(explain::to_text(unpack(pack(status))), explain::to_text(status)) << name;
}

TEST(PackedStatus, HasAllOfEachForm) {
  std::size_t forms = 0;
  for (const auto& entry : std::filesystem::directory_iterator("unit/explain/report/forms")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto form = json::parse(text.str());
    auto status = explain::read_status(form.as_object().contains("status") ? form.at("status") : form);
    status.answer.reset();
    expect_same(status, entry.path().filename());
    ++forms;
  }
  EXPECT_GT(forms, 3u);
}

TEST(PackedStatus, HasNumbersOfAnySizeAndManyTexts) {
  explain::ReportStatus status;
  expect_same(status, "nothing");
  status.decided_at = Wall(1ns);
  status.expires_at = Wall(-1ns);
  status.attempts = 0xFFFF'FFFF;
  status.pods_version = 0xFFFF'FFFF'FFFF'FFFF;
  status.evaluate = 1h;
  status.observed_generation = std::numeric_limits<std::int64_t>::min();
  status.conditions = {{"Complete", false, "a", std::string(300, 'x'), Wall(5s)},
                       {"Complete", true, "a", "", {}}};
  for (int i = 0; i < 300; ++i) {
    status.top_nodes.push_back({fmt::format("node-{}", i % 150), i * 1'000'003, {i, -i, 0}});
    status.scheduling_gates.push_back(fmt::format("node-{}", i));
  }
  expect_same(status, "many texts");
  EXPECT_EQ(unpack(pack(status)).decided_at, status.decided_at) << "JSON has seconds";
}

// The lists of a placed pod as they are on a large cluster.
TEST(PackedStatus, OfAPlacedPodTakesLessThanHalfAKibibyte) {
  explain::ReportStatus status;
  status.outcome = "Scheduled";
  status.profile = "default-scheduler";
  status.choice = {"gke-production-pool-7f3a9c1e-x2b4", 473, 17, 1};
  status.decided_at = status.expires_at = Wall(1'795'763'951s);
  status.conditions = {
      {"Complete", true, "Scheduled", "placed on gke-production-pool-7f3a9c1e-x2b4", Wall(9s)}};
  const auto node = [](int i) { return fmt::format("gke-production-pool-7f3a9c1e-x2b{}", i); };
  for (int i = 0; i < 10; ++i) status.top_nodes.push_back({node(i), 473 - i, {100, 99, 0, 0, 74, 0, 200}});
  for (const char* name : {"TaintToleration", "NodeResourcesFit", "VolumeBinding", "DynamicResources",
                           "NodeResourcesBalancedAllocation", "ImageLocality", "PodTopologySpread"}) {
    auto& strategy = status.strategies.emplace_back(name, 3);
    for (int i = 0; i < 5; ++i) strategy.top_nodes.push_back({node(i + 3), 99 - i});
  }
  expect_same(status, "placed");
  EXPECT_LT(pack(status).size(), 512u);
}

TEST(PackedStatus, KeepsTextsThatBeginAlikeAndMoreTextsThanItRemembers) {
  explain::ReportStatus status;
  status.outcome = "Unschedulable";
  for (int i = 0; i < 300; ++i) status.top_nodes.push_back({fmt::format("node-{}", i * i), i, {}});
  for (const char* text : {"node-10", "node-1", "node-", "", "n", "node-10", "other", "otherwise", "other"})
    status.top_nodes.push_back({text, 1, {}});
  expect_same(status, "alike");
}

}  // namespace
}  // namespace podium::controller
