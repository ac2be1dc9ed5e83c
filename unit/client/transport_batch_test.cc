// Transport::send_all(): pipelined requests and their replies.
#include <atomic>
#include <string>
#include <vector>

#include "unit/client/transport_fixture.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;
using unit::HttpExchange;
using unit::HttpScript;
using unit::replying;

// "status body" of each reply, or the kind of error and maybe_applied.
std::vector<std::string> texts_of(const std::vector<Result<Response>>& answers) {
  std::vector<std::string> out;
  for (const auto& answer : answers) {
    if (answer)
      out.push_back(std::to_string(answer->status) + " " + answer->body);
    else
      out.push_back(answer.error().maybe_applied ? "in doubt" : "not done");
  }
  return out;
}

TEST_F(TransportTest, SendsSeveralTogetherOnOneConnection) {
  const auto cut = [](HttpExchange& exchange) { exchange.cut(); };
  const auto nothing_more = [](HttpExchange& exchange) { exchange.wait_closed(); };
  struct Case {
    const char* name;
    std::vector<unit::HttpHandler> handlers;
    std::vector<std::string> want;
  } cases[] = {
      {"in order, whatever each says",
       {replying(201, "a"), replying(409, "b"), replying(200, "c")},
       {"201 a", "409 b", "200 c"}},
      {"cut after the first", {replying(201, "a"), cut}, {"201 a", "in doubt", "in doubt"}},
      {"the server will not keep the connection",
       {replying(200, "a", {{"Connection", "close"}})},
       {"200 a", "not done", "not done"}},
      {"not HTTP in the middle",
       {replying(200, "a"), [](HttpExchange& exchange) { exchange.raw("nonsense\r\n\r\n"); }, nothing_more},
       {"200 a", "in doubt", "in doubt"}},
  };
  const auto three = [] {
    return std::vector<Request>{post_request("/1", "x"), post_request("/2", "x"), post_request("/3", "x")};
  };
  for (const auto& test : cases) {
    HttpScript server;
    for (const auto& handler : test.handlers) server.then(handler);
    ScopedTransport transport(loop_, config_for(server.url()));
    EXPECT_EQ(texts_of(loop_.run(transport->send_all(three()))), test.want) << test.name;
    EXPECT_EQ(server.connections(), 1) << test.name;
  }
}

TEST_F(TransportTest, SeparatesRepliesThatArriveTogether) {
  server_
      .then([](HttpExchange& exchange) {
        exchange.raw(
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 201 Created\r\nContent-Length: "
            "1\r\n\r\nb");
      })
      .then([](HttpExchange& exchange) { exchange.raw(""); })
      .then(replying(200, "more"));
  auto transport = connect();
  std::vector<Request> two{post_request("/1", "x"), post_request("/2", "x")};
  EXPECT_EQ(texts_of(loop_.run(transport->send_all(std::move(two)))),
            (std::vector<std::string>{"200 a", "201 b"}));
  const auto next = loop_.run(transport->send(get_request("/3")));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->body, "more");
  EXPECT_EQ(server_.connections(), 1) << "it was good for more";
  EXPECT_TRUE(loop_.run(transport->send_all({})).empty());
}

// Reads pause so that one wake-up gets several replies. The end must still be seen, and the connection must
// not pause afterwards.
TEST_F(TransportTest, RestsBetweenTheRepliesOfABatchOnly) {
  std::atomic<int> served{0};
  server_.always([&served](HttpExchange& exchange) {
    ++served;
    exchange.reply(200, "x");
  });
  auto transport = connect();
  std::vector<Request> many;
  for (int i = 0; i < 40; ++i) many.push_back(post_request("/" + std::to_string(i), "x"));
  EXPECT_EQ(loop_.run(transport->send_all(std::move(many))).size(), 40u);
  EXPECT_EQ(served, 40);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(loop_.run(transport->send(get_request("/alone"))));
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(TransportTest, GivesUpOnASilentServerInTheMiddleOfABatch) {
  server_.then(replying(200, "a")).then([](HttpExchange& exchange) { exchange.wait_closed(); });
  auto transport = connect();
  std::vector<Request> two{post_request("/1", "x", 3s), post_request("/2", "x", 3s)};
  EXPECT_EQ(texts_of(loop_.run(transport->send_all(std::move(two)))),
            (std::vector<std::string>{"200 a", "in doubt"}));
}

}  // namespace
}  // namespace podium::client
