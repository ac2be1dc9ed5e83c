// What an error of a request says about the object, its namespace and the API server.
#include "client/request_errors.h"

#include <gtest/gtest.h>

#include "base/result.h"
#include "client/request_info.h"

namespace podium::client {
namespace {

Error status(int code, const char* message, const char* reason = "") {
  Error error{.kind = Error::Kind::status, .message = message};
  error.status.code = code;
  error.status.reason = reason;
  return error;
}

Error not_found(const char* kind, const char* name) {
  auto error = status(404, "not found", "NotFound");
  error.status.kind = kind;
  error.status.name = name;
  error.request = request_info("PATCH", "/api/v1/namespaces/shop/pods/web/status");
  return error;
}

Error with_cause(Error error, const char* reason) {
  error.status.causes.push_back({reason, "", ""});
  return error;
}

Error of_kind(Error::Kind kind) { return {.kind = kind}; }

TEST(ClientError, OnlyWhatConcernsAllMayPauseAll) {
  const struct {
    const char* name;
    Error error;
    Concern is;
  } cases[] = {
      {"the object is gone", not_found("pods", "web"), Concern::object},
      {"another object is not there", not_found("secrets", "key"), Concern::object},
      {"the resource is not served", status(404, "404 page not found"), Concern::all},
      {"the namespace is gone", not_found("namespaces", "shop"), Concern::of_namespace},
      {"the namespace ends", with_cause(status(403, "no new content"), "NamespaceTerminating"),
       Concern::of_namespace},
      {"a quota", status(403, "exceeded quota: none"), Concern::of_namespace},
      {"the name is taken", status(409, "already exists"), Concern::object},
      {"too large", status(413, "too large"), Concern::object},
      {"not valid", status(422, "not valid"), Concern::object},
      {"the server is busy", status(429, "too many requests"), Concern::all},
      {"a webhook that says 429", status(429, "admission webhook \"w\" denied the request"),
       Concern::of_namespace},
      {"a webhook that says 404", status(404, "admission webhook \"w\" denied the request", "NotFound"),
       Concern::of_namespace},
      {"a webhook that fails", status(500, "failed calling webhook \"w\""), Concern::of_namespace},
      {"a webhook that hangs", of_kind(Error::Kind::timeout), Concern::of_namespace},
      {"no right to write anywhere", status(401, "Unauthorized"), Concern::all},
      {"the server stops", status(503, "apiserver is shutting down"), Concern::all},
      {"no connection", of_kind(Error::Kind::unavailable), Concern::all},
      {"a certificate that is not trusted", of_kind(Error::Kind::untrusted), Concern::all},
      {"a stop", of_kind(Error::Kind::cancelled), Concern::object},
      {"a lease that was not renewed in time", of_kind(Error::Kind::not_leader), Concern::all},
  };
  for (const auto& c : cases) EXPECT_EQ(concern_of(c.error), c.is) << c.name;
}

TEST(ClientError, WhatMayPassIsOfTheServerOrOfTheLease) {
  for (const auto kind :
       {Error::Kind::unavailable, Error::Kind::untrusted, Error::Kind::timeout, Error::Kind::not_leader})
    EXPECT_TRUE(may_pass(of_kind(kind))) << static_cast<int>(kind);
  for (const int code : {429, 503}) EXPECT_TRUE(may_pass(status(code, ""))) << code;
  for (const int code : {400, 401, 403, 404, 409, 422, 500, 502, 504})
    EXPECT_FALSE(may_pass(status(code, ""))) << code;
  EXPECT_FALSE(may_pass(of_kind(Error::Kind::cancelled)));
}

TEST(ClientError, TheCallerDecidesAboutItsObject) {
  for (const auto object : {async::Outcome::retry, async::Outcome::failed, async::Outcome::retry_namespace}) {
    EXPECT_EQ(classify(not_found("pods", "web"), object), object);
    EXPECT_EQ(classify(status(403, "exceeded quota"), object), async::Outcome::retry_namespace);
    EXPECT_EQ(classify(of_kind(Error::Kind::unavailable), object), async::Outcome::retry_all);
  }
}

TEST(ClientError, GoneIsTheObjectOrItsNamespace) {
  EXPECT_TRUE(object_is_gone(not_found("pods", "web")));
  EXPECT_TRUE(object_is_gone(not_found("namespaces", "shop")));
  EXPECT_TRUE(object_is_gone(not_found("", "")));
  EXPECT_FALSE(object_is_gone(not_found("pods", "web-2")));
  EXPECT_FALSE(object_is_gone(not_found("pod", "web"))) << "another kind";
  EXPECT_FALSE(object_is_gone(not_found("nodes", "web")));
  EXPECT_FALSE(object_is_gone(not_found("namespaces", "web")));
  EXPECT_FALSE(object_is_gone(status(404, "pods \"web\" not found")));
}

TEST(ClientError, ANamespaceEndsByItsCauseOrItsAbsence) {
  EXPECT_TRUE(namespace_is_going(with_cause(status(403, "x"), "NamespaceTerminating")));
  EXPECT_TRUE(namespace_is_going(not_found("namespaces", "shop")));
  EXPECT_FALSE(namespace_is_going(status(403, "because it is being terminated")));
  EXPECT_FALSE(namespace_is_going(not_found("pods", "web")));
}

TEST(ClientError, DistinguishesAMissingRightFromAnAdmissionRefusal) {
  const auto lacks = [](int code, const char* message) { return lacks_right(status(code, message)); };
  EXPECT_TRUE(
      lacks(403, R"(pods "a" is forbidden: User "x" cannot create resource "pods/binding" in API group "")"));
  EXPECT_TRUE(lacks(401, "Unauthorized"));
  EXPECT_FALSE(lacks(403, R"(pods "a" is forbidden: exceeded quota: x, requested: pods=1)"));
  EXPECT_FALSE(lacks(403, R"(pods "a" is forbidden: unable to create new content in namespace b)"));
  EXPECT_FALSE(lacks(409, R"(User "x" cannot create)"));
  EXPECT_FALSE(lacks(403, R"(admission webhook "w" denied the request: User "x" cannot use "latest")"));
  EXPECT_FALSE(lacks(403, R"(pods "a" is forbidden: the image "latest" cannot be pinned)"))
      << "a policy's words";
  EXPECT_FALSE(lacks_right(fail(Error::Kind::unavailable, "User \"x\" cannot create").error()));
}

TEST(ClientError, AQuotaIsExceeded) {
  EXPECT_TRUE(exceeds_quota(status(403, R"(pods "a" is forbidden: exceeded quota: x, requested: pods=1)")));
  EXPECT_FALSE(
      exceeds_quota(status(403, R"(pods "a" is forbidden: failed quota: x: must specify cpu for: c)")))
      << "more room does not help";
  EXPECT_FALSE(exceeds_quota(status(409, "exceeded quota: x")));
}

TEST(ClientError, DoubtIsLeftByWhatMayStillTakeEffect) {
  Error lost = of_kind(Error::Kind::timeout);
  EXPECT_FALSE(leaves_doubt(lost)) << "not sent";
  lost.maybe_applied = true;
  Error asked_to_wait = status(503, "later");
  asked_to_wait.status.retry_after = 1;
  EXPECT_TRUE(leaves_doubt(lost));
  EXPECT_FALSE(leaves_doubt(asked_to_wait));
  for (const int code : {502, 503, 504}) EXPECT_TRUE(leaves_doubt(status(code, ""))) << code;
  for (const int code : {400, 403, 404, 409, 422, 429, 500})
    EXPECT_FALSE(leaves_doubt(status(code, ""))) << code;
  EXPECT_TRUE(leaves_doubt(status(500, "etcdserver: request timed out")));
}

}  // namespace
}  // namespace podium::client
