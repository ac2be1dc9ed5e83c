#include "scheduler/config/schema/redaction.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace podium::config {
namespace {

TEST(Redaction, LeavesOutSecretsOnly) {
  const auto view = boost::json::parse(R"({"extenders": [
      {"urlPrefix": "https://user:secret@host/path", "tlsConfig": {"keyData": "c2VjcmV0", "certData": "Y2VydA=="}},
      {"urlPrefix": "https://host/a@b", "tlsConfig": {"keyData": "", "keyFile": "/key"}}],
      "parallelism": 16, "clientConnection": {"kubeconfig": "/path", "token": "secret"}})");
  EXPECT_EQ(redacted(view), boost::json::parse(R"({"extenders": [
      {"urlPrefix": "https://REDACTED@host/path", "tlsConfig": {"keyData": "REDACTED", "certData": "Y2VydA=="}},
      {"urlPrefix": "https://host/a@b", "tlsConfig": {"keyData": "", "keyFile": "/key"}}],
      "parallelism": 16, "clientConnection": {"kubeconfig": "/path", "token": "REDACTED"}})"));
}

}  // namespace
}  // namespace podium::config
