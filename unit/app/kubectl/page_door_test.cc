// PageDoor: its replies to a browser on this machine, and whom it refuses.
#include "app/kubectl/page_door.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "app/kubectl/port_forward.h"
#include "unit/client/doubles.h"

namespace podium::kubectl {
namespace {

namespace asio = boost::asio;
using testing::HasSubstr;

struct Browser {
  Browser() {
    podium->on_send = [](const client::Request& request) -> Result<client::Response> {
      if (request.target == "/v1/away") return fail(Error::Kind::unavailable, "refused");
      client::Response reply{200, fmt::format("{} {} {}", request.method, request.target, request.body)};
      if (request.target == "/v1/busy") reply = {429, "{}", 7};
      return reply;
    };
    door.serve_at(4711);
  }
  server::Reply send(const std::string& target, const std::string& method = "GET",
                     const std::string& host = "127.0.0.1:4711") {
    BrowserRequest request;
    request.method = method;
    request.target = target;
    request.host = host;
    if (method == "POST") request.body = "body";
    auto reply = asio::co_spawn(io, door.answer(std::move(request)), asio::use_future);
    io.restart();
    io.run();
    return reply.get();
  }

  asio::io_context io;
  std::shared_ptr<unit::ScriptedTransport> podium = std::make_shared<unit::ScriptedTransport>();
  PageDoor door{podium, "s3cret", {.context = "prod-eu", .user = "dev", .ns = "shop"}};
};

TEST(PageDoor, ServesThePageAndForwardsTheApi) {
  Browser browser;
  EXPECT_EQ(browser.door.url(), "http://127.0.0.1:4711/s3cret/ui/");
  const auto page = browser.send("/s3cret/ui/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("<!doctype html>"));
  EXPECT_THAT(page.headers,
              testing::Contains(std::pair<std::string, std::string>("Podium-Credentials", "kubeconfig")));
  EXPECT_TRUE(browser.podium->requests().empty()) << "the files are this program's own";
  const auto read = browser.send("/s3cret/v1/decisions?limit=2", "GET", "localhost:4711");
  EXPECT_EQ(read.body, "GET /v1/decisions?limit=2 ");
  EXPECT_EQ(read.content_type, "application/json");
  EXPECT_EQ(browser.send("/s3cret/v1/namespaces/a/whatif/report", "POST").body,
            "POST /v1/namespaces/a/whatif/report body");
  const auto busy = browser.send("/s3cret/v1/busy");
  EXPECT_EQ(busy.status, 429);
  EXPECT_THAT(busy.headers, testing::Contains(std::pair<std::string, std::string>("Retry-After", "7")));
  const auto away = browser.send("/s3cret/v1/away");
  EXPECT_EQ(away.status, 502);
  EXPECT_THAT(away.body, HasSubstr("podium does not answer: refused"));
}

TEST(PageDoor, HasTheNamesOfTheKubeconfig) {
  Browser browser;
  const auto names = browser.send("/s3cret/ui/door.json");
  EXPECT_EQ(names.body, R"({"context":"prod-eu","user":"dev","namespace":"shop"})");
  EXPECT_EQ(names.content_type, "application/json");
  EXPECT_EQ(browser.send("/ui/door.json").status, 404) << "only with the secret";
  EXPECT_TRUE(browser.podium->requests().empty());
}

TEST(PageDoor, OpensForNothingElse) {
  struct Case {
    const char *target, *method, *host;
    int status;
  };
  const Case cases[] = {
      {"/ui/", "GET", "127.0.0.1:4711", 404},
      {"/v1/decisions", "GET", "127.0.0.1:4711", 404},
      {"/s3cre/v1/decisions", "GET", "127.0.0.1:4711", 404},
      {"/s3cretv1/decisions", "GET", "127.0.0.1:4711", 404},
      {"/s3cret/v1/decisions", "GET", "podium.example.com:4711", 403},
      {"/s3cret/v1/decisions", "GET", "127.0.0.1", 403},
      {"/s3cret/v1/decisions", "GET", "", 403},
      {"/s3cret/v1/decisions", "DELETE", "127.0.0.1:4711", 405},
      {"/s3cret/metrics", "GET", "127.0.0.1:4711", 404},
      {"/s3cret/configz", "GET", "127.0.0.1:4711", 404},
      {"/s3cret/v1/../configz", "GET", "127.0.0.1:4711", 400},
      {"/s3cret/v1/..", "GET", "127.0.0.1:4711", 400},
      {"http://127.0.0.1:4711/s3cret/v1/decisions", "GET", "127.0.0.1:4711", 404},
      {"/s3cret/ui/", "POST", "127.0.0.1:4711", 405},
  };
  Browser browser;
  for (const auto& c : cases)
    EXPECT_EQ(browser.send(c.target, c.method, c.host).status, c.status) << c.target;
  EXPECT_TRUE(browser.podium->requests().empty());
}

// Podium may be behind a proxy that decodes a path, cuts parameters or merges slashes, and other programs may
// be behind the same proxy.
TEST(PageDoor, ForwardsOnlyPathsThatEveryServerReadsAlike) {
  Browser browser;
  for (const char* path : {"%2e%2e/configz",
                           ".%2e/configz",
                           "%2E%2E%2Fconfigz",
                           "..%2fconfigz",
                           "..%5cconfigz",
                           "..\\configz",
                           "..;/configz",
                           ";/../configz",
                           "decisions;x=1",
                           "/configz",
                           "namespaces//decisions",
                           "decisions/",
                           "",
                           ".",
                           "./decisions",
                           "namespaces/a/..",
                           "namespaces/%00/decisions",
                           "namespaces/a%0d%0aX: y/decisions",
                           "namespaces/a b/decisions",
                           "namespaces/\xc3\xa4/decisions",
                           "namespaces/\xc0\xae\xc0\xae/configz",
                           "decisions#x",
                           "decisions\t",
                           "decisions%",
                           "%252e%252e/configz",
                           "@example.com",
                           "decisions\r\nX: y",
                           "decisions?a=b c",
                           "decisions?a=b#c",
                           "decisions?a=\r\nX: y",
                           "decisions?a=\x7f",
                           "decisions?a=\xff"})
    for (const char* method : {"GET", "POST"})
      EXPECT_EQ(browser.send(std::string("/s3cret/v1/") + path, method).status, 400) << path;
  EXPECT_TRUE(browser.podium->requests().empty());
  for (const char* path : {"decisions", "namespaces/kube-system/pods/web-0.a_b/report?words=true",
                           "decisions?continue=%2e%2E%2f..;", "nodes?selector=pool%3Dbig,zone+in+(a,b)"})
    EXPECT_EQ(browser.send(std::string("/s3cret/v1/") + path).body, std::string("GET /v1/") + path + " ");
}

TEST(PageDoor, SecretsDiffer) {
  const auto one = new_secret(), other = new_secret();
  EXPECT_EQ(one.size(), 32u);
  EXPECT_NE(one, other);
}

TEST(PortForward, ReadsThePortThatKubectlPrints) {
  EXPECT_EQ(forwarded_port("Forwarding from 127.0.0.1:40123 -> 10259"), 40123);
  for (const char* line : {"", "Forwarding from [::1]:40123 -> 10259", "Forwarding from 127.0.0.1:x -> 1",
                           "Forwarding from 127.0.0.1:70000 -> 1", "Forwarding from 127.0.0.1:40123"})
    EXPECT_EQ(forwarded_port(line), 0) << line;
}

}  // namespace
}  // namespace podium::kubectl
