// The health endpoints' format, like kube-apiserver's.
#include "server/health.h"

#include <gtest/gtest.h>

namespace podium::server {
namespace {

std::optional<std::string> ask(const std::string& path, const std::string& query, bool healthy = true) {
  const std::vector<HealthCheck> checks{
      {"ping", [] { return std::optional<std::string>(); }},
      {"sync",
       [healthy] { return healthy ? std::nullopt : std::optional<std::string>("pods are missing"); }}};
  Request request;
  request.path = path;
  request.query = query;
  const auto reply = health_reply("readyz", checks, request);
  if (!reply) return std::nullopt;
  return std::to_string(reply->status) + " " + reply->body;
}

TEST(Health, Replies) {
  struct Case {
    const char *path, *query;
    bool healthy;
    std::optional<std::string> reply;
  };
  const Case cases[] = {
      {"/readyz", "", true, "200 ok"},
      {"/readyz", "timeout=1s", true, "200 ok"},
      {"/readyz", "verbose", true, "200 [+]ping ok\n[+]sync ok\nreadyz check passed\n"},
      {"/readyz", "verbose=1", true, "200 [+]ping ok\n[+]sync ok\nreadyz check passed\n"},
      {"/readyz", "", false, "500 [+]ping ok\n[-]sync failed: reason withheld\nreadyz check failed\n"},
      {"/readyz", "exclude=sync", false, "200 ok"},
      {"/readyz", "exclude=sync&verbose", false,
       "200 [+]ping ok\n[+]sync excluded: ok\nreadyz check passed\n"},
      {"/readyz", "exclude=zz&exclude=a&verbose", true,
       "200 [+]ping ok\n[+]sync ok\nwarn: some health checks cannot be excluded: no matches for "
       "\"a\",\"zz\"\nreadyz check passed\n"},
      {"/readyz/ping", "", true, "200 ok"},
      {"/readyz/sync", "", false, "500 internal server error: pods are missing\n"},
      {"/readyz/none", "", true, std::nullopt},
      {"/readyz/", "", true, std::nullopt},
      {"/readyzz", "", true, std::nullopt},
      {"/livez", "", true, std::nullopt},
  };
  for (const auto& c : cases) EXPECT_EQ(ask(c.path, c.query, c.healthy), c.reply) << c.path << "?" << c.query;
}

TEST(Health, ReportsEachCheck) {
  std::string seen;
  const std::vector<HealthCheck> checks{{"a", [] { return std::optional<std::string>(); }},
                                        {"b", [] { return std::optional<std::string>("no"); }}};
  Request request;
  request.path = "/livez";
  health_reply("livez", checks, request, [&](const auto& endpoint, const auto& check, const auto& why) {
    seen += endpoint + " " + check + (why ? " " + *why + "\n" : " good\n");
  });
  EXPECT_EQ(seen, "livez a good\nlivez b no\n");
}

}  // namespace
}  // namespace podium::server
