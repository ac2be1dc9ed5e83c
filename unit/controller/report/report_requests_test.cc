// The requests that write reports: sizes and labels.
#include "controller/report/report_requests.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "controller/report/metadata.h"
#include "explain/report/bounds.h"

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

explain::ReportStatus scheduled() {
  explain::ReportStatus status;
  status.outcome = explain::kScheduled;
  status.expires_at = Wall(90s);
  return status;
}

TEST(ReportRequests, AReportOfTheLongestNamesIsWithinItsBytes) {
  const std::string name(253, 'n');
  const ReportOwner owner{std::string(63, 's'), name, std::string(36, 'u')};
  constexpr std::size_t kAdded =
      1'600;  // UID, creation time and managedFields; a live test has the real ones
  const auto object = report_body(owner, name, {2'592'000s, 8'192}, scheduled());
  EXPECT_LE(object.size() + status_bytes(owner, name) + kAdded, explain::kReportBytes);
}

TEST(ReportLabels, SayKindOutcomeAndTheMinuteOfExpiry) {
  auto status = scheduled();
  EXPECT_EQ(json::value(to_json(labels_of(status, "decision"))),
            json::parse(R"({"podium.dev/report": "decision", "podium.dev/outcome": "Scheduled",
                            "podium.dev/expires": "197001010002"})"));
  EXPECT_EQ(parse_expiry_minute("197001010002"), Wall(120s));
  EXPECT_EQ(parse_expiry_minute("19700101000"), std::nullopt);
  EXPECT_EQ(parse_expiry_minute("soon12345678"), std::nullopt);
  status.expires_at = Wall(120s);
  EXPECT_EQ(to_json(labels_of(status, "decision")).at("podium.dev/expires"), "197001010002");
  status.expires_at.reset();
  EXPECT_FALSE(to_json(labels_of(status, "question")).contains("podium.dev/expires")) << "it is kept";
}

}  // namespace
}  // namespace podium::controller
