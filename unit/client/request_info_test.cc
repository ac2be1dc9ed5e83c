// RequestInfo: requests in RBAC's words.
#include "client/request_info.h"

#include <gtest/gtest.h>

namespace podium::client {
namespace {

TEST(RequestInfo, OfRequests) {
  struct Case {
    const char *method, *target;
    RequestInfo info;
  };
  const Case cases[] = {
      {"POST", "/api/v1/namespaces/a/pods/b/binding", {"create", "pods/binding"}},
      {"PATCH", "/api/v1/namespaces/a/pods/b/status?fieldManager=podium", {"patch", "pods/status"}},
      {"POST", "/apis/events.k8s.io/v1/namespaces/a/events", {"create", "events"}},
      {"GET", "/api/v1/pods?limit=500&fieldSelector=x", {"list", "pods"}},
      {"GET", "/api/v1/pods?watch=true&resourceVersion=7", {"watch", "pods"}},
      {"GET", "/api/v1/pods?allowwatch=true", {"list", "pods"}},
      {"GET", "/api/v1/namespaces", {"list", "namespaces"}},
      {"GET", "/api/v1/namespaces/a", {"get", "namespaces"}},
      {"GET", "/api/v1/namespaces/a/status", {"get", "namespaces/status"}},
      {"GET", "/api/v1/namespaces/a/pods", {"list", "pods"}},
      {"PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/podium", {"update", "leases"}},
      {"DELETE",
       "/apis/podium.dev/v1alpha1/namespaces/a/schedulingreports/b",
       {"delete", "schedulingreports"}},
      {"DELETE", "/api/v1/namespaces/a/pods", {"deletecollection", "pods"}},
      {"GET", "/openapi/v3?x=y", {"get", "/openapi/v3"}},
      {"GET", "/api", {"get", "/api"}},
      {"GET", "", {"get", ""}},
  };
  for (const auto& c : cases)
    EXPECT_EQ(request_info(c.method, c.target), c.info) << c.method << " " << c.target;
}

TEST(RequestInfo, FieldsOfAnError) {
  const auto fields = [](std::string message) {
    return request_fields(fail(Error::Kind::status, std::move(message)).error());
  };
  EXPECT_EQ(fields("POST /api/v1/namespaces/a/pods/b/binding: pods \"b\" is forbidden"),
            "verb=create resource=pods/binding ");
  EXPECT_EQ(fields("GET /api/v1/pods?watch=true: no"), "verb=watch resource=pods ");
  EXPECT_EQ(fields("connection refused"), "");
  EXPECT_EQ(fields("GET it: now"), "");
  EXPECT_EQ(fields(""), "");
}

TEST(RequestInfo, TellsAMissingRightFromAnAdmissionRefusal) {
  const auto lacks = [](int code, std::string message) {
    Error error = fail(Error::Kind::status, std::move(message)).error();
    error.code = code;
    return lacks_right(error);
  };
  EXPECT_TRUE(
      lacks(403, R"(pods "a" is forbidden: User "x" cannot create resource "pods/binding" in API group "")"));
  EXPECT_TRUE(lacks(401, "Unauthorized"));
  EXPECT_FALSE(lacks(403, R"(pods "a" is forbidden: exceeded quota: x, requested: pods=1)"));
  EXPECT_FALSE(lacks(403, R"(pods "a" is forbidden: unable to create new content in namespace b)"));
  EXPECT_FALSE(lacks(409, R"(User "x" cannot create)"));
  EXPECT_FALSE(lacks_right(fail(Error::Kind::unavailable, "User \"x\" cannot create").error()));
}

}  // namespace
}  // namespace podium::client
