#include "client/api.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/clock.h"
#include "base/random.h"
#include "client/http/observed_transport.h"
#include "client/request_errors.h"
#include "unit/client/client_loop.h"
#include "unit/support/http_script.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using testing::HasSubstr;
using unit::HttpExchange;
using unit::HttpScript;
using unit::replying;

std::string status_body(int code, const std::string& reason, const std::string& message) {
  return json::serialize(json::object{{"kind", "Status"},
                                      {"apiVersion", "v1"},
                                      {"status", "Failure"},
                                      {"message", message},
                                      {"reason", reason},
                                      {"code", code}});
}

class ApiTest : public testing::Test {
 protected:
  HttpScript server_;
  ClientLoop loop_;
  ScopedTransport transport_{loop_, config_for(server_.url())};
  Api api_{transport_.shared(), system_clock(), system_random()};

  // "METHOD target" of each request.
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (const auto& request : server_.requests()) out.push_back(request.method + " " + request.target);
    return out;
  }
};

TEST(ResourcePath, NamesEveryPart) {
  EXPECT_EQ(resource::pods.path("shop", "web"), "/api/v1/namespaces/shop/pods/web");
  EXPECT_EQ(resource::pods.path("shop", "web", "binding"), "/api/v1/namespaces/shop/pods/web/binding");
  EXPECT_EQ(resource::pods.path(""), "/api/v1/pods");
  EXPECT_EQ(resource::nodes.path("ignored", "n"), "/api/v1/nodes/n");
  EXPECT_EQ(resource::leases.path("a", "b"), "/apis/coordination.k8s.io/v1/namespaces/a/leases/b");
  EXPECT_EQ(resource::pods.path("shop", "a b:c"), "/api/v1/namespaces/shop/pods/a%20b%3Ac");
}

// The API server takes %2F for a slash: pods/x%2Fstatus is a subresource, and a path without a name is a
// collection, of which a DELETE leaves nothing.
TEST(ResourcePath, IsEmptyIfASegmentIsNotValid) {
  using std::string_literals::operator""s;
  for (const auto& bad : {""s, "."s, ".."s, "a/b"s, "x/status"s, "a%2Fb"s, "a\nb"s, "a\0b"s, "\x7f"s}) {
    SCOPED_TRACE(testing::PrintToString(bad));
    EXPECT_EQ(resource::pods.path("shop", bad), "");
    EXPECT_EQ(resource::pods.path("shop", bad, "binding"), "");
    EXPECT_EQ(resource::nodes.path("", bad), "");
    if (bad.empty()) continue;
    EXPECT_EQ(resource::pods.path(bad), "");
    EXPECT_EQ(resource::pods.path(bad, "web"), "");
    EXPECT_EQ(resource::pods.path("shop", "web", bad), "");
  }
}

TEST_F(ApiTest, WhatLeadsNowhereIsNotSent) {
  server_.always(replying(200, R"({"kind":"Pod"})"));
  const auto got = loop_.run(api_.get(resource::pods, "shop", "web/status"));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, Error::Kind::invalid);
  EXPECT_FALSE(loop_.run(api_.remove(resource::pods, "shop", "")));
  EXPECT_FALSE(loop_.run(api_.patch(resource::pods, "shop", "..", PatchType::merge, json::object())));
  EXPECT_EQ(server_.requests().size(), 0u);
}

TEST_F(ApiTest, OneOfABatchThatLeadsNowhereIsRefusedAlone) {
  server_.always(replying(200, "{}"));
  std::vector<Request> batch;
  for (const auto* name : {"a", "x/status", "b", "..", ""}) {
    auto path = resource::pods.path("shop", name, "status");
    batch.push_back(post_request(path + (path.empty() ? "?fieldManager=x" : ""), "{}"));
  }
  const auto answers = loop_.run(api_.send_all(std::move(batch)));
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_TRUE(answers[0]);
  EXPECT_TRUE(answers[2]);
  for (const auto i : {1, 3, 4}) {
    ASSERT_FALSE(answers[i]) << i;
    EXPECT_EQ(answers[i].error().kind, Error::Kind::invalid);
    EXPECT_EQ(concern_of(answers[i].error()), Concern::object);
  }
  EXPECT_EQ(server_.requests().size(), 2u);
}

TEST_F(ApiTest, VerbsOnTheWire) {
  server_.always(replying(200, R"({"kind":"Pod"})"));
  json::value object{{"kind", "Pod"}};
  DeleteOptions conditions;
  conditions.uid = "u";
  conditions.resource_version = "5";
  conditions.propagation_policy = "Background";
  EXPECT_EQ(loop_.run(api_.get(resource::pods, "a", "p")), object);
  EXPECT_EQ(loop_.run(api_.create(resource::pods, "a", object)), object);
  EXPECT_EQ(loop_.run(api_.create(resource::pods, "a", object, {}, "p", "binding")), object);
  EXPECT_EQ(loop_.run(api_.update(resource::pods, "a", "p", object, "status")), object);
  EXPECT_EQ(loop_.run(api_.patch(resource::pods, "a", "p", PatchType::merge, object, "status")), object);
  EXPECT_EQ(loop_.run(api_.patch(resource::pods, "a", "p", PatchType::strategic_merge, object, "status")),
            object);
  EXPECT_EQ(loop_.run(api_.patch(resource::pods, "a", "p", PatchType::apply, object, "", "me & you")),
            object);
  EXPECT_EQ(loop_.run(api_.remove(resource::pods, "a", "p", conditions)), object);
  EXPECT_TRUE(loop_.run(api_.post("/api/v1/x", "{}")));
  std::vector<std::string> seen;
  for (const auto& request : server_.requests()) {
    auto type = request.headers.find("content-type");
    seen.push_back(request.method + " " + request.target + " " + request.body + " " +
                   (type == request.headers.end() ? "" : type->second));
  }
  std::vector<std::string> expected{
      "GET /api/v1/namespaces/a/pods/p  ",
      R"(POST /api/v1/namespaces/a/pods {"kind":"Pod"} application/json)",
      R"(POST /api/v1/namespaces/a/pods/p/binding {"kind":"Pod"} application/json)",
      R"(PUT /api/v1/namespaces/a/pods/p/status {"kind":"Pod"} application/json)",
      R"(PATCH /api/v1/namespaces/a/pods/p/status?fieldManager=podium {"kind":"Pod"} application/merge-patch+json)",
      R"(PATCH /api/v1/namespaces/a/pods/p/status?fieldManager=podium {"kind":"Pod"} application/strategic-merge-patch+json)",
      R"(PATCH /api/v1/namespaces/a/pods/p?fieldManager=me%20%26%20you&force=true {"kind":"Pod"} application/apply-patch+yaml)",
      R"(DELETE /api/v1/namespaces/a/pods/p {"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u","resourceVersion":"5"},"propagationPolicy":"Background"} application/json)",
      "POST /api/v1/x {} application/json",
  };
  EXPECT_EQ(seen, expected);
}

TEST_F(ApiTest, StatusRepliesAreErrorsWithCodeAndReason) {
  struct Case {
    const char* name;
    int code;
    std::string body;
    const char* reason;
    const char* message;
  } cases[] = {
      {"conflict", 409, status_body(409, "Conflict", "changed"), "Conflict", "PUT /api/v1/nodes/n: changed"},
      {"exists", 409, status_body(409, "AlreadyExists", "there"), "AlreadyExists",
       "PUT /api/v1/nodes/n: there"},
      {"invalid", 422, status_body(422, "Invalid", "spec.x: bad"), "Invalid", "spec.x: bad"},
      {"forbidden", 403, status_body(403, "Forbidden", "no"), "Forbidden", "no"},
      {"a proxy's page", 403, "<html>", "", "PUT /api/v1/nodes/n: "},
      {"a proxy's JSON", 403, R"({"reason":"Forbidden","message":"no route"})", "", "no route"},
      {"too large", 413, "", "", "413"},
      {"write met a 500", 500, status_body(500, "InternalError", "etcd"), "InternalError", "etcd"},
      {"write met a 503", 503, "", "", "503"},
  };
  for (const auto& test : cases) {
    server_.then(replying(test.code, test.body));
    auto result = loop_.run(api_.update(resource::nodes, "", "n", json::object{}));
    ASSERT_FALSE(result) << test.name;
    EXPECT_EQ(result.error().kind, Error::Kind::status) << test.name;
    EXPECT_EQ(result.error().status.code, test.code) << test.name;
    EXPECT_EQ(result.error().status.reason, test.reason) << test.name;
    EXPECT_THAT(result.error().text(), HasSubstr(test.message)) << test.name;
  }
  EXPECT_EQ(server_.requests().size(), std::size(cases)) << "none is sent twice";
}

TEST_F(ApiTest, OnlyAStatusOfTheObjectSaysThatItIsGone) {
  const auto not_found = [](const std::string& kind, const std::string& name) {
    json::value body = json::parse(status_body(404, "NotFound", kind + " \"" + name + "\" not found"));
    body.as_object()["details"] = {{"kind", kind}, {"name", name}};
    return json::serialize(body);
  };
  struct Case {
    const char* name;
    int code;
    std::string body;
    bool gone;
  } cases[] = {
      {"the object", 404, not_found("pods", "a.b"), true},
      {"its namespace", 404, not_found("namespaces", "shop"), true},
      {"no details", 404, status_body(404, "NotFound", "not found"), true},
      {"another object", 404, not_found("pods", "a"), false},
      {"another kind", 404, not_found("nodes", "a.b"), false},
      {"a kind that is not served", 404, "404 page not found", false},
      {"a proxy's page", 404, "<html>", false},
      {"a proxy's JSON", 404, R"({"code":404,"reason":"NotFound"})", false},
      {"nothing", 404, "", false},
      {"another reason", 404, status_body(404, "Unknown", "?"), false},
      {"another code", 410, status_body(410, "NotFound", "?"), false},
  };
  for (const auto& test : cases) {
    server_.then(replying(test.code, test.body));
    auto called = loop_.run(api_.patch(resource::pods, "shop", "a.b", PatchType::merge, {}, "status"));
    ASSERT_FALSE(called) << test.name;
    EXPECT_EQ(object_is_gone(called.error()), test.gone) << test.name;
    server_.then(replying(test.code, test.body));
    std::vector<Request> one{post_request("/api/v1/namespaces/shop/pods/a.b/binding?x=1", "{}")};
    auto sent = loop_.run(api_.send_all(std::move(one)));
    ASSERT_FALSE(sent.at(0)) << test.name;
    EXPECT_EQ(object_is_gone(sent[0].error()), test.gone) << test.name;
  }
  EXPECT_FALSE(object_is_gone(Error{Error::Kind::unavailable, "connection refused"}));
}

TEST_F(ApiTest, ReadsAreRetried) {
  server_.then(replying(503, ""))
      .then([](HttpExchange& exchange) { exchange.cut(); })
      .then(replying(200, "{}"));
  EXPECT_EQ(loop_.run(api_.get(resource::nodes, "", "n")), json::value(json::object{}));
  EXPECT_EQ(server_.requests().size(), 3u);
}

TEST_F(ApiTest, ARetrySaysHowTheTryBeforeEnded) {
  std::vector<int> retries;
  Api observed(observe(transport_.shared(), system_clock(),
                       [&](const Exchange& exchange) { retries.push_back(exchange.retries.value_or(-1)); }),
               system_clock(), system_random());
  // Cuts a new connection: on a reused one the transport itself resends a read.
  server_.then([](HttpExchange& exchange) { exchange.cut(); })
      .then(replying(503, ""))
      .then(replying(200, "{}"));
  EXPECT_TRUE(loop_.run(observed.get(resource::nodes, "", "n")));
  EXPECT_EQ(retries, (std::vector<int>{-1, 0, 503}));
}

TEST_F(ApiTest, WritesAreRetriedWhereTheServerDidNotLook) {
  server_.then(replying(429, "")).then(replying(200, "{}"));
  EXPECT_TRUE(loop_.run(api_.create(resource::pods, "a", json::object{})));
  EXPECT_EQ(server_.requests().size(), 2u);
}

TEST_F(ApiTest, RetryAfterIsWaitedFor) {
  server_.always(replying(429, status_body(429, "TooManyRequests", "slow down"), {{"Retry-After", "60"}}));
  CallOptions options;
  options.deadline = 20s;
  // Fails instead of waiting.
  auto result = loop_.run(api_.create(resource::pods, "a", json::object{}, options));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().status.code, 429);
  EXPECT_EQ(result.error().status.retry_after, 60);
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(ApiTest, AWriteThatLostItsReplyIsNotSentTwice) {
  server_.always([](HttpExchange& exchange) { exchange.cut(); });
  auto result = loop_.run(api_.post("/api/v1/namespaces/a/pods/p/binding", "{}"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::unavailable);
  EXPECT_TRUE(result.error().maybe_applied);
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(ApiTest, NoRetryWhereNoneIsWanted) {
  server_.always(replying(503, ""));
  CallOptions options;
  options.retry = false;
  EXPECT_FALSE(loop_.run(api_.get(resource::nodes, "", "n", options)));
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(ApiTest, KeepsTryingWhileNoServerListensUntilTheDeadline) {
  unit::DeadPort port(unit::DeadPort::Kind::refused);
  ScopedTransport transport(loop_, config_for("http://127.0.0.1:" + std::to_string(port.port())));
  Api api(transport.shared(), system_clock(), system_random());
  CallOptions options;
  options.deadline = 300ms;
  auto result = loop_.run(api.create(resource::pods, "a", json::object{}, options));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::unavailable);
  EXPECT_FALSE(result.error().maybe_applied);
}

TEST_F(ApiTest, ListsAllPages) {
  server_.then(
      replying(200, R"({"metadata":{"resourceVersion":"9","continue":"a b"},"items":[{"n":1},{"n":2}]})"));
  server_.then(replying(200, R"({"metadata":{"resourceVersion":"9"},"items":[{"n":3}]})"));
  ListOptions options;
  options.limit = 2;
  options.label_selector = "a=b,c!=d";
  options.field_selector = "spec.nodeName=";
  auto result = loop_.run(api_.list(resource::pods, "shop", options));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->resource_version, "9");
  EXPECT_EQ(json::value(json::array(result->items.begin(), result->items.end())),
            json::parse(R"([{"n":1},{"n":2},{"n":3}])"));
  std::string start =
      "GET "
      "/api/v1/namespaces/shop/pods?limit=2&labelSelector=a%3Db%2Cc%21%3Dd&fieldSelector=spec.nodeName%3D";
  EXPECT_EQ(lines(), (std::vector<std::string>{start, start + "&continue=a%20b"}));
}

TEST_F(ApiTest, OfAnItemThatCannotBeReadThereIsItsMetadata) {
  std::string deep;
  for (int i = 0; i < 9'999; ++i) deep += R"({"a":)";
  deep += "1" + std::string(9'999, '}');
  server_.then(replying(200, R"({"metadata":{"resourceVersion":"9"},"items":[{"n":1},)"
                             R"({"metadata":{"name":"d","uid":"u"},"spec":)" +
                                 deep + R"(},{"n":3}]})"));
  auto result = loop_.run(api_.list(resource::pods, "shop", {}));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(json::value(json::array(result->items.begin(), result->items.end())),
            json::parse(R"([{"n":1},{"metadata":{"name":"d","uid":"u"}},{"n":3}])"));
}

TEST_F(ApiTest, ListPagesStopsOnRequest) {
  for (const auto* token : {"x", "y", "z"})
    server_.then(replying(
        200,
        fmt::format(R"({{"metadata":{{"resourceVersion":"9","continue":"{}"}},"items":[{{}}]}})", token)));
  int pages = 0;
  auto each = [&](std::vector<json::value>) { return ++pages < 3; };
  EXPECT_EQ(loop_.run(api_.list_pages(resource::nodes, "", {}, each)), "9");
  EXPECT_EQ(pages, 3);
}

// A proxy that ignores the query returns the first page again and again.
TEST_F(ApiTest, AListThatDoesNotEndIsAnError) {
  const auto page = [](int token, const char* items) {
    return replying(
        200, fmt::format(R"({{"metadata":{{"resourceVersion":"9","continue":"{}"}},"items":[{}]}})", token,
                         items));
  };
  server_.then(page(1, "{}")).then(page(1, "{}"));
  auto same = loop_.run(api_.list(resource::nodes, "", {}));
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().kind, Error::Kind::invalid);
  EXPECT_THAT(same.error().text(), HasSubstr("the list does not end"));
  EXPECT_EQ(same.error().request.resource, "nodes");
  for (int token = 1; token <= 3; ++token) server_.then(page(token, ""));
  auto empty = loop_.run(api_.list(resource::nodes, "", {}));
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().text(), HasSubstr("the list does not end"));
  EXPECT_EQ(server_.requests().size(), 5u);
}

TEST_F(ApiTest, AnExpiredContinueTokenEndsTheList) {
  server_.then(replying(200, R"({"metadata":{"resourceVersion":"9","continue":"x"},"items":[{}]})"));
  server_.then(replying(410, status_body(410, "Gone", "too old")));
  auto result = loop_.run(api_.list(resource::nodes, "", {}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().status.code, 410);
  EXPECT_EQ(result.error().status.reason, "Expired");
}

TEST_F(ApiTest, RepliesThatAreNotWhatWasAskedForAreErrors) {
  for (const char* body : {"", "{", "nonsense", "[]", "5", "null"}) {
    server_.then(replying(200, body));
    auto result = loop_.run(api_.get(resource::nodes, "", "n"));
    ASSERT_FALSE(result) << body;
    EXPECT_EQ(result.error().kind, Error::Kind::internal) << body;
  }
  for (const char* body : {"[]", "{}", R"({"metadata":5})"}) {
    server_.then(replying(200, body));
    auto result = loop_.run(api_.list(resource::nodes, "", {}));
    ASSERT_FALSE(result) << body;
    EXPECT_EQ(result.error().kind, Error::Kind::internal) << body;
  }
}

}  // namespace
}  // namespace podium::client
