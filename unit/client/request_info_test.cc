// RequestInfo: requests in RBAC's words.
#include "client/request_info.h"

#include <gtest/gtest.h>

#include "base/result.h"

namespace podium::client {
namespace {

TEST(RequestInfo, OfRequests) {
  struct Case {
    const char *method, *target;
    std::pair<std::string, std::string> of;  // verb, resource
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
  for (const auto& c : cases) {
    const auto info = request_info(c.method, c.target);
    EXPECT_EQ(std::pair(info.verb, info.resource), c.of) << c.method << " " << c.target;
  }
}

TEST(RequestInfo, HasTheObject) {
  struct Case {
    const char *method, *target, *ns, *name, *line;
  };
  const Case cases[] = {
      {"POST", "/api/v1/namespaces/a/pods/b/binding?x=1", "a", "b",
       "POST /api/v1/namespaces/a/pods/b/binding"},
      {"GET", "/api/v1/namespaces/a/pods?limit=1", "a", "", "GET /api/v1/namespaces/a/pods"},
      {"GET", "/api/v1/namespaces/a", "", "a", "GET /api/v1/namespaces/a"},
      {"GET", "/api/v1/nodes/n%3A1%", "", "n:1%", "GET /api/v1/nodes/n%3A1%"},
      {"GET", "/healthz", "", "", "GET /healthz"},
  };
  for (const auto& c : cases) {
    const auto info = request_info(c.method, c.target);
    EXPECT_EQ(info.namespace_, c.ns) << c.target;
    EXPECT_EQ(info.name, c.name) << c.target;
    EXPECT_EQ(info.line, c.line) << c.target;
  }
}

TEST(RequestInfo, IsInTheTextOfAnError) {
  Error error = fail(Error::Kind::unavailable, "connection refused").error();
  EXPECT_EQ(error.text(), "connection refused");
  error.request = request_info("POST", "/api/v1/namespaces/a/pods/b/binding");
  EXPECT_EQ(error.text(), "POST /api/v1/namespaces/a/pods/b/binding: connection refused");
}

}  // namespace
}  // namespace podium::client
