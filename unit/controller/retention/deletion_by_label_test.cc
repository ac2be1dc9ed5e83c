// Deletions of reports by their label that the API server accepts and does not make.
#include <boost/json/serialize.hpp>
#include <optional>

#include "unit/controller/retention/keeping.h"

namespace podium::controller::retention_test {
namespace {

// As when a finalizer holds the reports: each request deletes the first 500 again.
TEST(DeletionByLabel, EndsWhenItHasNoEffect) {
  Minute k(1'200);
  k.put("later", expiry_minute(k.clock.wall() + 2h));
  const auto all = k.server.all(kPlural);
  json::array first;
  for (const auto& report : k.server.all(kPlural)) {
    if (first.size() < 500 && ObjectServer::text(report, "/metadata/name") != "later")
      first.push_back(report);
  }
  int by_label = 0;
  k.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method != "DELETE" || request.target.find("labelSelector") == std::string::npos)
      return std::nullopt;
    if (++by_label > 10) return client::Response{403, "{}"};  // a test that fails ends
    return client::Response{200, json::serialize(json::value{{"items", first}})};
  };
  k.run_until([&] { return k.retention.size() == 1'201; });
  k.clock.advance(62min);
  k.run_until([&] { return k.retention.deleted() == 1'200 || by_label > 10; });
  EXPECT_EQ(by_label, 2) << "the second one has no effect";
  EXPECT_EQ(k.retention.size(), 1u);
  EXPECT_EQ(k.names().size(), 501u) << "the others are deleted by name";
  k.server.on_request = {};
  k.run_until([&] {
    k.clock.advance(1s);
    return k.names().size() == 1;
  });
}

}  // namespace
}  // namespace podium::controller::retention_test
