// Every reason of an in-tree plugin has a code, and docs/reports.md has every code. ask.h checks the reasons
// of all plugin tests, too.
#include "scheduler/plugins/reason_codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "scheduler/plugins/node_resources/shortfall.h"

namespace podium::plugins {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ReasonCodes, EveryReasonAboutNodesInTheSourceHasOne) {
  const std::regex literal(R"x("(node\(s\)[^"\\]*))x");
  std::set<std::string> reasons;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("scheduler/plugins")) {
    if (entry.path().extension() != ".cc") continue;
    const auto text = read(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), literal), end; it != end; ++it)
      reasons.insert((*it)[1]);
  }
  EXPECT_GT(reasons.size(), 15u);
  for (const auto& reason : reasons) {
    EXPECT_TRUE(std::ranges::any_of(reason_codes(), [&](const ReasonCode& code) {
      return code.words.empty() || reason.find(code.words) != std::string::npos;
    })) << reason;
  }
}

TEST(ReasonCodes, TheFirstThatMatches) {
  struct Case {
    const char *plugin, *reason, *code;
  };
  const Case cases[] = {
      {"NodeResourcesFit", "Insufficient nvidia.com/gpu", "InsufficientResource"},
      {"NodeResourcesFit", "Too many pods", "TooManyPods"},
      {"InterPodAffinity", "node(s) didn't match pod affinity rules", "PodAffinity"},
      {"InterPodAffinity", "node(s) didn't match pod anti-affinity rules", "PodAntiAffinity"},
      {"InterPodAffinity", "node(s) didn't satisfy existing pods anti-affinity rules",
       "ExistingPodAntiAffinity"},
      {"PodTopologySpread", "node(s) didn't match pod topology spread constraints", "TopologySpreadSkew"},
      {"PodTopologySpread", "node(s) didn't match pod topology spread constraints (missing required label)",
       "TopologyLabelMissing"},
      {"VolumeZone", "persistentvolumeclaim \"c\" not found", "ClaimNotFound"},
      {"VolumeZone", "persistentvolume \"v\" not found", "VolumeNotFound"},
      {"", "node(s) didn't satisfy plugin(s) [NodeAffinity]", "ExcludedByName"},
      {"https://extender.example.com", "no", "Other"},
      {"NodeResourcesFit", "something new", "Other"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(reason_code(c.plugin, c.reason), c.code) << c.plugin << ": " << c.reason;
}

TEST(ReasonCodes, AreDocumented) {
  const auto page = read("docs/reports.md");
  for (const auto& code : reason_codes()) {
    const auto row = page.find("| `" + std::string(code.code) + "` |");
    ASSERT_NE(row, std::string::npos) << code.code;
    EXPECT_NE(page.substr(row, page.find('\n', row) - row).find(code.meaning), std::string::npos)
        << code.code;
  }
  EXPECT_NE(page.find("| `Other` |"), std::string::npos);
}

TEST(UsualQuantity, InTheUnitOfTheResource) {
  struct Case {
    const char* resource;
    std::int64_t amount;
    const char* text;
  };
  constexpr std::int64_t kMi = 1024 * 1024;
  const Case cases[] = {
      {"cpu", 1, "1m"},
      {"cpu", 1500, "1500m"},
      {"cpu", 2000, "2"},
      {"memory", 1000, "1000"},
      {"memory", 1025, "2Ki"},
      {"memory", kMi - 1, "1024Ki"},
      {"memory", kMi, "1Mi"},
      {"memory", 3 * kMi + 1, "4Mi"},
      {"memory", 2048 * kMi, "2Gi"},
      {"memory", 1500 * kMi, "1500Mi"},
      {"ephemeral-storage", kMi, "1Mi"},
      {"hugepages-2Mi", 2 * kMi, "2Mi"},
      {"nvidia.com/gpu", 3000, "3000"},
      {"pods", 1, "1"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(usual_quantity(c.resource, c.amount), c.text) << c.resource << c.amount;
}

}  // namespace
}  // namespace podium::plugins
