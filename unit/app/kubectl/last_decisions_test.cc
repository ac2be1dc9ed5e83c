// The last decisions, as `podium decisions` reads them again and again.
#include "app/kubectl/last_decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include "api/text/json_view.h"
#include "base/time.h"
#include "unit/app/kubectl/empty_cluster.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using testing::ElementsAre;

// Has reports, and counts how many of them are read.
class Reports final : public EmptyCluster {
 public:
  void add(const std::string& name, const std::string& expires, const std::string& decided) {
    objects_.push_back(json::object{{"metadata",
                                     {{"name", name},
                                      {"namespace", "shop"},
                                      {"uid", name},
                                      {"resourceVersion", "1"},
                                      {"labels", {{"podium.dev/expires", expires}}}}},
                                    {"status", {{"outcome", "Scheduled"}, {"decidedAt", decided}}}});
  }
  int reads = 0;

  Result<json::value> get(const client::Resource&, const std::string&, const std::string& name) override {
    ++reads;
    for (const auto& object : objects_) {
      if (api::text_at(object, "/metadata/name") == name) return object;
    }
    return std::unexpected(Error{});
  }
  Result<std::vector<json::value>> list(const client::Resource&, const std::string&,
                                        const client::ListOptions&) override {
    return objects_;
  }

 private:
  std::vector<json::value> objects_;
};

std::vector<std::string> names(const Result<std::vector<LastDecision>>& read) {
  std::vector<std::string> out;
  if (read) {
    for (const auto& each : *read) out.push_back(api::text_at(each.object, "/metadata/name"));
  }
  return out;
}

TEST(LastDecisions, OnlyThoseOfATime) {
  Reports reports;
  reports.add("a", "20260101T1200Z", "2026-01-01T11:00:00Z");
  reports.add("b", "20260101T1230Z", "2026-01-01T11:30:00Z");
  reports.add("c", "20260101T1231Z", "2026-01-01T11:31:00Z");
  EXPECT_THAT(names(LastDecisions(reports, "").read()), ElementsAre("c", "b", "a"));
  LastDecisions last(reports, "", {.not_before = parse_time("2026-01-01T11:30:00Z")});
  EXPECT_THAT(names(last.read()), ElementsAre("c", "b"));
  EXPECT_FALSE(last.is_cut());
  LastDecisions one(reports, "", {.most = 1, .not_before = parse_time("2026-01-01T11:30:00Z")});
  EXPECT_THAT(names(one.read()), ElementsAre("c"));
  EXPECT_TRUE(one.is_cut());
}

TEST(LastDecisions, OlderOnesAreNotRead) {
  Reports reports;
  for (int i = 10; i < 60; ++i)
    reports.add("p" + std::to_string(i), "20260101T12" + std::to_string(i) + "Z",
                "2026-01-01T11:" + std::to_string(i) + ":00Z");
  LastDecisions last(reports, "", {.most = 500, .not_before = parse_time("2026-01-01T11:58:00Z")});
  EXPECT_THAT(names(last.read()), ElementsAre("p59", "p58"));
  EXPECT_LT(reports.reads, 12);
}

}  // namespace
}  // namespace podium::kubectl
