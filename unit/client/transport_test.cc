#include "client/http/transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "async/gate.h"
#include "client/auth/token.h"
#include "unit/client/transport_fixture.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using unit::DeadPort;
using unit::HttpExchange;
using unit::HttpScript;
using unit::replying;

std::string url_of(const DeadPort& port, const char* scheme = "http") {
  return std::string(scheme) + "://127.0.0.1:" + std::to_string(port.port());
}

// The parts of an error that callers depend on.
struct Seen {
  Error::Kind kind;
  bool maybe_applied;
  bool operator==(const Seen&) const = default;
};
void PrintTo(const Seen& seen, std::ostream* out) {
  *out << "kind " << static_cast<int>(seen.kind) << (seen.maybe_applied ? ", maybe applied" : "");
}
template <typename T>
Seen seen(const Result<T>& result) {
  return result ? Seen{Error::Kind::internal, true} : Seen{result.error().kind, result.error().maybe_applied};
}

TEST_F(TransportTest, SendsARequestAndGivesTheReply) {
  ClientConfig config = config_for(server_.url() + "/prefix/");
  config.token = fixed_token("abc");
  ScopedTransport transport(loop_, config);
  server_.then(replying(201, "{\"a\":1}", {{"Retry-After", "7"}, {"Warning", "299 - \"old API\""}}));
  auto response = loop_.run(transport->send(post_request("/api/v1/pods?x=y", "body")));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "{\"a\":1}");
  EXPECT_EQ(response->retry_after, 7);
  EXPECT_EQ(response->warning, "old API");

  ASSERT_EQ(server_.requests().size(), 1u);
  auto request = server_.requests()[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/prefix/api/v1/pods?x=y");
  EXPECT_EQ(request.body, "body");
  std::map<std::string, std::string> expected{
      {"host", server_.url().substr(7)},    {"user-agent", "podium"},
      {"accept", "application/json"},       {"authorization", "Bearer abc"},
      {"content-type", "application/json"}, {"content-length", "4"}};
  EXPECT_EQ(request.headers, expected);
}

TEST_F(TransportTest, ReadsEveryFormOfBody) {
  std::string big(3'000'000, 'x');
  struct Case {
    const char* name;
    unit::HttpHandler handler;
    std::string body;
  } cases[] = {
      {"length", replying(200, "plain"), "plain"},
      {"empty", replying(200, ""), ""},
      {"large", replying(200, big), big},
      {"no content", [](HttpExchange& exchange) { exchange.raw("HTTP/1.1 204 No Content\r\n\r\n"); }, ""},
      {"chunks",
       [](HttpExchange& exchange) {
         exchange.start_chunks();
         exchange.chunk("one ");
         exchange.chunk("two");
         exchange.end_chunks();
       },
       "one two"},
      {"after 100 Continue",
       [](HttpExchange& exchange) {
         exchange.raw("HTTP/1.1 100 Continue\r\n\r\n");
         exchange.reply(200, "then");
       },
       "then"},
      {"until close",
       [](HttpExchange& exchange) {
         exchange.raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end");
         exchange.hang_up();
       },
       "to the end"},
  };
  auto transport = connect();
  for (const auto& test : cases) {
    server_.then(test.handler);
    auto response = loop_.run(transport->send(get_request("/")));
    ASSERT_TRUE(response) << test.name << ": " << response.error().message;
    EXPECT_TRUE(response->body == test.body) << test.name;
  }
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(TransportTest, ClosesAConnectionThatTheServerWillNotKeep) {
  auto transport = connect();
  server_.then(replying(200, "", {{"Connection", "close"}})).then(replying(200, ""));
  EXPECT_TRUE(loop_.run(transport->send(get_request("/"))));
  EXPECT_TRUE(loop_.run(transport->send(get_request("/"))));
  EXPECT_EQ(server_.connections(), 2);
}

TEST_F(TransportTest, FailsIfNoServerListens) {
  DeadPort port(DeadPort::Kind::refused);
  ScopedTransport transport(loop_, config_for(url_of(port)));
  auto response = loop_.run(transport->send(post_request("/", "x")));
  EXPECT_EQ(seen(response), (Seen{Error::Kind::unavailable, false}));
  EXPECT_THAT(response.error().message,
              HasSubstr("127.0.0.1:" + std::to_string(port.port()) + ": Connection refused"));
}

TEST_F(TransportTest, GivesUpOnASilentServer) {
  DeadPort port(DeadPort::Kind::silent);
  ScopedTransport plain(loop_, config_for(url_of(port)));
  EXPECT_EQ(seen(loop_.run(plain->send(get_request("/", 30ms)))), (Seen{Error::Kind::timeout, false}));
  EXPECT_EQ(seen(loop_.run(plain->send(post_request("/", "x", 2s)))), (Seen{Error::Kind::timeout, true}));
  EXPECT_EQ(seen(loop_.run(plain->open(get_request("/", 30ms)))), (Seen{Error::Kind::timeout, false}));
  TransportLimits limits;
  limits.connect = 30ms;
  ScopedTransport tls(loop_, config_for(url_of(port, "https")), limits);
  EXPECT_EQ(seen(loop_.run(tls->send(post_request("/", "x")))), (Seen{Error::Kind::timeout, false}));
}

TEST_F(TransportTest, TakesNoReplyThatWasCutShort) {
  const std::string replies[] = {
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n",
  };
  auto transport = connect();
  for (const std::string& reply : replies) {
    for (std::size_t size = 0; size < reply.size(); ++size) {
      for (bool reset : {false, true}) {
        server_.then([=](HttpExchange& exchange) {
          exchange.raw(reply.substr(0, size));
          reset ? exchange.cut() : exchange.hang_up();
        });
        auto response = loop_.run(transport->send(post_request("/", "x")));
        EXPECT_EQ(seen(response), (Seen{Error::Kind::unavailable, true}))
            << "after " << size << " bytes of " << reply;
      }
    }
    server_.then([=](HttpExchange& exchange) { exchange.raw(reply); });
    auto whole = loop_.run(transport->send(get_request("/")));
    EXPECT_TRUE(whole) << whole.error().message;
    ASSERT_TRUE(server_.wait_open(1));
    server_.cut_all();
    ASSERT_TRUE(server_.wait_open(0));
  }
}

TEST_F(TransportTest, TakesNothingThatIsNotHttp) {
  auto transport = connect();
  for (const char* reply :
       {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    server_.then([=](HttpExchange& exchange) {
      exchange.raw(reply);
      exchange.wait_closed();
    });
    EXPECT_EQ(seen(loop_.run(transport->send(get_request("/")))), (Seen{Error::Kind::unavailable, false}))
        << reply;
  }
}

TEST_F(TransportTest, BoundsTheBody) {
  TransportLimits limits;
  limits.body_bytes = 1000;
  auto transport = connect(limits);
  server_.then(replying(200, std::string(1000, 'x')));
  EXPECT_TRUE(loop_.run(transport->send(get_request("/"))));
  server_.then(replying(200, std::string(1001, 'x')));
  EXPECT_EQ(seen(loop_.run(transport->send(get_request("/")))), (Seen{Error::Kind::too_large, false}));
  server_.then([](HttpExchange& exchange) {
    exchange.start_chunks();
    while (exchange.chunk(std::string(100, 'x'))) {
    }
  });
  EXPECT_EQ(seen(loop_.run(transport->send(get_request("/")))), (Seen{Error::Kind::too_large, false}));
}

TEST_F(TransportTest, NoticesThatAnIdleConnectionWasClosed) {
  auto transport = connect();
  server_.then([](HttpExchange& exchange) {
    exchange.reply(200, "");
    exchange.hang_up();
  });
  EXPECT_TRUE(loop_.run(transport->send(get_request("/"))));
  ASSERT_TRUE(server_.wait_open(0));
  server_.then(replying(200, "new"));
  auto response = loop_.run(transport->send(post_request("/", "x")));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "new");
  EXPECT_EQ(server_.connections(), 2);
}

// The connection is cut as the request arrives: a read is resent on a new one, a write is not.
TEST_F(TransportTest, ResendsOnlyReadsWhenAReusedConnectionDies) {
  auto transport = connect();
  auto die = [](HttpExchange& exchange) { exchange.cut(); };
  server_.then(replying(200, "")).then(die).then(replying(200, "again"));
  EXPECT_TRUE(loop_.run(transport->send(get_request("/"))));
  auto read = loop_.run(transport->send(get_request("/")));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->body, "again");
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    server_.then(replying(200, "")).then(die).always(replying(500, ""));
    auto before = server_.requests().size();
    EXPECT_TRUE(loop_.run(transport->send(get_request("/"))));
    Request request = post_request("/", "x");
    request.method = method;
    EXPECT_EQ(seen(loop_.run(transport->send(request))), (Seen{Error::Kind::unavailable, true})) << method;
    EXPECT_EQ(server_.requests().size(), before + 2) << method;
  }
}

TEST_F(TransportTest, SharesAFewConnections) {
  TransportLimits limits;
  limits.connections = 2;
  auto transport = connect(limits);
  server_.always(replying(200, "x"));
  std::vector<std::future<Result<Response>>> all;
  for (int i = 0; i < 40; ++i) all.push_back(loop_.start(transport->send(get_request("/"))));
  for (auto& one : all) EXPECT_TRUE(one.get());
  EXPECT_LE(server_.connections(), 2);
}

TEST_F(TransportTest, WaitsForAConnectionUntilTheDeadlineOnly) {
  TransportLimits limits;
  limits.connections = 1;
  auto transport = connect(limits);
  server_.then([](HttpExchange& exchange) { exchange.wait_closed(); }).then(replying(200, ""));
  auto first = loop_.start(transport->send(get_request("/", 5s)));
  ASSERT_EQ(server_.wait_requests(1), 1u);
  EXPECT_EQ(seen(loop_.run(transport->send(post_request("/", "x", 20ms)))),
            (Seen{Error::Kind::timeout, false}));
  EXPECT_EQ(server_.requests().size(), 1u);
  EXPECT_TRUE(loop_.run(transport->send(get_request("/"))));  // gets the slot that the first one leaves
  EXPECT_EQ(seen(first.get()), (Seen{Error::Kind::timeout, false}));
}

TEST_F(TransportTest, CloseEndsEverything) {
  TransportLimits limits;
  limits.connections = 1;
  auto transport = connect(limits);
  server_.then([](HttpExchange& exchange) {
    exchange.start_chunks();
    exchange.chunk("x");
    exchange.wait_closed();
  });
  server_.then([](HttpExchange& exchange) { exchange.wait_closed(); });
  auto stream = loop_.run(transport->open(get_request("/watch")));
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ(loop_.run((*stream)->read(60s)), "x");
  auto reading = loop_.start((*stream)->read(60s));
  auto sending = loop_.start(transport->send(get_request("/")));
  ASSERT_EQ(server_.wait_requests(2), 2u);
  auto waiting = loop_.start(transport->send(post_request("/", "x")));
  transport->close();
  const Seen cancelled{Error::Kind::cancelled, false};
  EXPECT_EQ(seen(reading.get()), cancelled);
  EXPECT_EQ(seen(sending.get()), cancelled);
  EXPECT_EQ(seen(waiting.get()), cancelled);
  EXPECT_EQ(seen(loop_.run(transport->send(get_request("/")))), cancelled);
  EXPECT_EQ(seen(loop_.run(transport->open(get_request("/")))), cancelled);
}

Task<void> send_to_its_end(Transport* transport, Request request, std::promise<Seen>* end) {
  const auto reply = co_await transport->send(std::move(request));
  end->set_value(seen(reply));
}

// Else a stop is reported as an API server that cannot be reached.
TEST_F(TransportTest, ACancelledCallerGetsAnErrorThatSaysSo) {
  async::Gate gate;
  auto transport = connect();
  server_.then([](HttpExchange& exchange) { exchange.wait_closed(); });
  server_.then([](HttpExchange& exchange) { exchange.wait_closed(); });
  std::promise<Seen> read, wrote;
  async::spawn(gate, loop_.executor(), "read",
               send_to_its_end(transport.shared().get(), get_request("/"), &read));
  async::spawn(gate, loop_.executor(), "write",
               send_to_its_end(transport.shared().get(), post_request("/", "x"), &wrote));
  ASSERT_EQ(server_.wait_requests(2), 2u);
  gate.cancel();
  EXPECT_EQ(read.get_future().get(), (Seen{Error::Kind::cancelled, false}));
  EXPECT_EQ(wrote.get_future().get(), (Seen{Error::Kind::cancelled, true}));
  EXPECT_TRUE(loop_.run(gate.drained(60s)));
}

TEST_F(TransportTest, StreamsGiveWhatHasArrived) {
  auto transport = connect();
  server_.then([](HttpExchange& exchange) {
    exchange.start_chunks();
    exchange.chunk("one");
    exchange.chunk("two");
    exchange.end_chunks();
  });
  auto stream = loop_.run(transport->open(get_request("/watch")));
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ((*stream)->status(), 200);
  std::string all;
  for (;;) {
    auto piece = loop_.run((*stream)->read(60s));
    ASSERT_TRUE(piece) << piece.error().message;
    if (piece->empty()) break;
    all += *piece;
  }
  EXPECT_EQ(all, "onetwo");
}

TEST_F(TransportTest, StreamsDistinguishACutFromAnEnd) {
  auto transport = connect();
  server_.then([](HttpExchange& exchange) {
    exchange.start_chunks();
    exchange.raw("20\r\nhalf a line");
    exchange.hang_up();
  });
  auto stream = loop_.run(transport->open(get_request("/watch")));
  ASSERT_TRUE(stream) << stream.error().message;
  std::string got;
  auto piece = loop_.run((*stream)->read(60s));
  while (piece && !piece->empty()) {
    got += *piece;
    piece = loop_.run((*stream)->read(60s));
  }
  EXPECT_EQ(got, "half a line");
  EXPECT_EQ(seen(piece), (Seen{Error::Kind::unavailable, false}));
}

TEST_F(TransportTest, StreamsEndBySilenceAndByClose) {
  auto transport = connect();
  server_.always([](HttpExchange& exchange) {
    exchange.start_chunks();
    exchange.wait_closed();
  });
  auto silent = loop_.run(transport->open(get_request("/watch")));
  ASSERT_TRUE(silent) << silent.error().message;
  EXPECT_EQ(seen(loop_.run((*silent)->read(30ms))), (Seen{Error::Kind::timeout, false}));
  auto closed = loop_.run(transport->open(get_request("/watch")));
  ASSERT_TRUE(closed) << closed.error().message;
  auto reading = loop_.start((*closed)->read(60s));
  (*closed)->close();
  EXPECT_EQ(seen(reading.get()), (Seen{Error::Kind::cancelled, false}));
}

// Returns "old" until refresh(), then `next`.
class RenewedToken final : public TokenSource {
 public:
  explicit RenewedToken(std::string next) : next_(std::move(next)) {}
  Result<std::string> current() override { return refreshed_ ? next_ : "old"; }
  void refresh() override { refreshed_ = true; }

 private:
  const std::string next_;
  std::atomic<bool> refreshed_{false};
};

TEST_F(TransportTest, RenewsTheTokenAfterA401) {
  for (bool renewed : {true, false}) {
    ClientConfig config = config_for(server_.url());
    config.token = std::make_shared<RenewedToken>(renewed ? "new" : "old");
    ScopedTransport transport(loop_, config);
    auto before = server_.requests().size();
    server_.then(replying(401, "")).always(replying(201, ""));
    auto response = loop_.run(transport->send(post_request("/", "x")));
    ASSERT_TRUE(response) << response.error().message;
    std::vector<std::string> tokens;
    for (const auto& request : server_.requests()) tokens.push_back(request.headers.at("authorization"));
    tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(before));
    EXPECT_EQ(response->status, renewed ? 201 : 401);
    EXPECT_EQ(tokens, renewed ? (std::vector<std::string>{"Bearer old", "Bearer new"})
                              : (std::vector<std::string>{"Bearer old"}));
  }
}

TEST_F(TransportTest, StreamsRenewTheTokenToo) {
  ClientConfig config = config_for(server_.url());
  config.token = std::make_shared<RenewedToken>("new");
  ScopedTransport transport(loop_, config);
  server_.then(replying(401, "")).then(replying(200, "x"));
  auto stream = loop_.run(transport->open(get_request("/watch")));
  ASSERT_TRUE(stream) << stream.error().message;
  EXPECT_EQ((*stream)->status(), 200);
  EXPECT_EQ(server_.requests()[1].headers.at("authorization"), "Bearer new");
}

TEST_F(TransportTest, RefusesWhatCannotBeSent) {
  ScopedTransport bad(loop_, config_for("ftp://somewhere"));
  EXPECT_EQ(seen(loop_.run(bad->send(get_request("/")))), (Seen{Error::Kind::invalid, false}));
  auto transport = connect();
  for (const char* target : {"", "x", "/a b", "/a\r\nX: y"})
    EXPECT_EQ(seen(loop_.run(transport->send(get_request(target)))), (Seen{Error::Kind::invalid, false}))
        << target;
}

Task<int> send_many(std::shared_ptr<Transport> transport, int count) {
  int good = 0;
  for (int i = 0; i < count; ++i) {
    auto response = co_await transport->send(post_request("/", std::to_string(i)));
    if (response && response->body == "x") ++good;
  }
  co_return good;
}

TEST(TransportThreads, ServesManyExecutorsConcurrently) {
  HttpScript server;
  server.always(replying(200, "x"));
  ClientLoop loop(4);
  TransportLimits limits;
  limits.connections = 3;
  ScopedTransport transport(loop, config_for(server.url()), limits);
  std::vector<std::future<int>> all;
  for (int i = 0; i < 8; ++i) all.push_back(loop.start(send_many(transport.shared(), 25)));
  for (auto& one : all) EXPECT_EQ(one.get(), 25);
  EXPECT_LE(server.connections(), 3);
}

}  // namespace
}  // namespace podium::client
