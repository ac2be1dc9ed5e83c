// HttpsServer, with a real client over the loopback.
#include "server/https_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "async/virtual_time.h"
#include "client/auth/file.h"
#include "unit/client/doubles.h"
#include "unit/support/temp_dir.h"
#include "unit/support/test_tls.h"

namespace podium::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

async::Task<Reply> echo(Request request) {
  auto body = co_await request.read_body(5'000);
  Reply out(body                       ? 200
            : body.error().code == 413 ? 413
                                       : 408,
            body ? std::move(*body) : body.error().message);
  out.headers.emplace_back("X-Type", request.content_type);
  co_return out;
}

async::Task<Reply> answer(Request request) {
  if (request.path == "/echo") co_return co_await echo(std::move(request));
  if (request.path == "/healthz") co_return Reply(200, "ok");
  if (request.path == "/readyz") co_return Reply(500, "not yet");
  if (request.path == "/configz") co_return Reply(200, "{}", "application/json");
  if (request.path == "/large") co_return Reply(200, std::string(3'000'000, 'x'));
  if (request.path == "/who") {
    co_return Reply(200, request.method + " " + request.query + " " + request.authorization + " " +
                             std::to_string(request.certificates->size()));
  }
  co_return Reply(404, "404 page not found\n");
}

// A server on a free loopback port, with its own thread. Joins when all its coroutines have ended.
class RunningServer {
 public:
  explicit RunningServer(ServerOptions options = {}, Handler handler = answer) {
    options.listen.address = "127.0.0.1";
    options.listen.port = 0;
    server_ = std::make_unique<HttpsServer>(gate_, io_.get_executor(), clock_, std::move(options),
                                            std::move(handler));
    port_ = server_->listen().value();
    thread_ = std::thread([this] {
      async::VirtualTime time;
      time_ = &time;
      io_.run();
    });
  }
  ~RunningServer() {
    close();
    thread_.join();
    EXPECT_EQ(gate_.inside(), 0u);
  }
  void close() {
    asio::post(io_, [this] { server_->close(); });
  }
  // Moves the server's timers, second by second, and lets it do what is due.
  void advance(std::chrono::seconds by) {
    for (; by.count() > 0; by -= std::chrono::seconds(1)) {
      std::promise<void> moved;
      asio::post(io_, [&] {
        const auto end = time_->now() + std::chrono::seconds(1);
        while (time_->now() < end) time_->advance(io_, end - time_->now());
        moved.set_value();
      });
      moved.get_future().wait();
    }
  }
  std::uint16_t port() const { return port_; }
  unit::FakeClock& clock() { return clock_; }

 private:
  async::Gate gate_;
  unit::FakeClock clock_;
  asio::io_context io_;
  std::unique_ptr<HttpsServer> server_;
  std::uint16_t port_ = 0;
  async::VirtualTime* time_ = nullptr;  // the thread's
  std::thread thread_;
};

// A blocking client; with a CA it verifies the server's certificate.
class Client {
 public:
  explicit Client(std::uint16_t port, const std::string& authority = "", unit::PemPair own = {})
      : stream_(io_, context(tls_, authority, own)) {
    stream_.next_layer().connect({asio::ip::make_address("127.0.0.1"), port}, error_);
    if (!error_) stream_.handshake(asio::ssl::stream_base::client, error_);
  }

  error_code error() const { return error_; }
  std::string common_name() const {  // of the server's certificate
    const std::unique_ptr<X509, decltype(&X509_free)> own(
        SSL_get1_peer_certificate(const_cast<Client*>(this)->stream_.native_handle()), X509_free);
    char name[256] = {};
    if (own) X509_NAME_get_text_by_NID(X509_get_subject_name(own.get()), NID_commonName, name, sizeof name);
    return name;
  }

  // "200 text/plain; charset=utf-8: ok"
  std::string ask(http::verb method, const std::string& target) {
    http::request<http::empty_body> request(method, target, 11);
    request.set(http::field::host, "localhost");
    if (!error_) http::write(stream_, request, error_);
    http::response_parser<http::string_body> parser;
    parser.skip(method == http::verb::head);
    if (!error_) http::read(stream_, buffer_, parser, error_);
    if (error_) return error_.message();
    const auto& response = parser.get();
    return std::to_string(response.result_int()) + " " + std::string(response[http::field::content_type]) +
           ": " + response.body();
  }
  // Sends bytes as they are.
  void send(const std::string& bytes) {
    if (!error_) asio::write(stream_, asio::buffer(bytes), error_);
  }
  // The next reply, in the form of ask().
  std::string next_reply() {
    http::response_parser<http::string_body> parser;
    if (!error_) http::read(stream_, buffer_, parser, error_);
    if (error_) return error_.message();
    const auto& response = parser.get();
    return std::to_string(response.result_int()) + (response.keep_alive() ? "" : ", closes") + ": " +
           response.body();
  }
  // Reads without a request: returns when the connection ends.
  error_code read_unasked() {
    http::response_parser<http::string_body> parser;
    http::read(stream_, buffer_, parser, error_);
    return error_;
  }
  std::string get(const std::string& target) { return ask(http::verb::get, target); }

 private:
  static asio::ssl::context& context(asio::ssl::context& tls, const std::string& authority,
                                     const unit::PemPair& own) {
    if (!own.key.empty()) {
      tls.use_certificate_chain(asio::buffer(own.certificate));
      tls.use_private_key(asio::buffer(own.key), asio::ssl::context::pem);
    }
    if (authority.empty()) return tls;
    tls.add_certificate_authority(asio::buffer(authority));
    tls.set_verify_mode(asio::ssl::verify_peer);
    tls.set_verify_callback(asio::ssl::host_name_verification("localhost"));
    return tls;
  }

  asio::io_context io_;
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  asio::ssl::stream<tcp::socket> stream_;
  boost::beast::flat_buffer buffer_;
  error_code error_;
};

TEST(HttpsServer, AnswersItsRoutesOnOneConnection) {
  RunningServer server;
  Client client(server.port());
  ASSERT_FALSE(client.error()) << client.error().message();
  struct Case {
    http::verb method;
    const char *target, *reply;
  };
  const Case cases[] = {
      {http::verb::get, "/healthz", "200 text/plain; charset=utf-8: ok"},
      {http::verb::get, "/healthz?verbose=1", "200 text/plain; charset=utf-8: ok"},
      {http::verb::get, "/readyz", "500 text/plain; charset=utf-8: not yet"},
      {http::verb::get, "/configz", "200 application/json: {}"},
      {http::verb::head, "/configz", "200 application/json: "},
      {http::verb::get, "/healthz/", "404 text/plain; charset=utf-8: 404 page not found\n"},
      {http::verb::get, "/", "404 text/plain; charset=utf-8: 404 page not found\n"},
      {http::verb::post, "/who?a=1&b", "200 text/plain; charset=utf-8: POST a=1&b  0"},
  };
  for (const auto& c : cases) EXPECT_EQ(client.ask(c.method, c.target), c.reply) << c.target;
}

TEST(HttpsServer, ServesTheCertificateThatItIsGiven) {
  const unit::TestCa ca, other("another CA");
  const auto pair = ca.issue();
  client::TempDir files;
  const ServerOptions options{.tls = {.certificate_file = files.write("tls.crt", pair.certificate),
                                      .key_file = files.write("tls.key", pair.key)}};
  RunningServer server(options);
  EXPECT_EQ(Client(server.port(), ca.certificate()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
  EXPECT_TRUE(Client(server.port(), other.certificate()).error());
}

TEST(HttpsServer, ShowsTheClientsCertificate) {
  const unit::TestCa ca;
  RunningServer server;
  EXPECT_EQ(Client(server.port(), "", ca.issue()).get("/who"), "200 text/plain; charset=utf-8: GET   1");
}

std::string post(const std::string& path, std::size_t length, const std::string& more = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(length) +
         "\r\n" + more + "\r\n";
}

TEST(HttpsServer, AHandlerReadsTheBody) {
  RunningServer server;
  Client client(server.port());
  for (const std::size_t size : {0, 1, 1'000, 5'000}) {
    const std::string body(size, 'b');
    client.send(post("/echo", size) + body);
    EXPECT_EQ(client.next_reply(), "200: " + body) << size;
  }
  client.send(
      "POST /echo HTTP/1.1\r\nHost: l\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(client.next_reply(), "200: abcde");
  EXPECT_EQ(client.get("/healthz"), "200 text/plain; charset=utf-8: ok");
}

TEST(HttpsServer, ALargeBodyIsRefusedBeforeItIsSent) {
  RunningServer server;
  for (const std::size_t size : {5'001ul, 1'000'000'000'000ul}) {
    Client client(server.port());
    client.send(post("/echo", size));
    EXPECT_EQ(client.next_reply(), "413, closes: the body is larger than 5000 bytes") << size;
  }
  Client chunked(server.port());
  chunked.send("POST /echo HTTP/1.1\r\nHost: l\r\nTransfer-Encoding: chunked\r\n\r\n1389\r\n" +
               std::string(5'001, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.next_reply(), "413, closes: the body is larger than 5000 bytes");
}

TEST(HttpsServer, ABodyThatNobodyReadsEndsTheConnectionUnlessItIsSmall) {
  RunningServer server;
  Client small(server.port());
  small.send(post("/healthz", 1'000) + std::string(1'000, 'x'));
  EXPECT_EQ(small.next_reply(), "200: ok");
  EXPECT_EQ(small.get("/healthz"), "200 text/plain; charset=utf-8: ok");
  Client large(server.port());
  large.send(post("/healthz", 100'000) + std::string(100'000, 'x'));
  EXPECT_EQ(large.next_reply(), "200, closes: ok");
}

// Neither counts as part of the body, so no limit of the body ends it.
TEST(HttpsServer, AnEndlessChunkExtensionOrTrailerEndsTheConnection) {
  RunningServer server;
  const std::string chunked =
      "POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string begin : {"1;", "0\r\nx: "}) {
    SCOPED_TRACE(begin);
    Client client(server.port());
    client.send(chunked + begin);
    for (int megabyte = 0; megabyte < 32 && !client.error(); ++megabyte)
      client.send(std::string(1024 * 1024, 'a'));
    EXPECT_TRUE(client.error());
  }
  EXPECT_EQ(Client(server.port()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
}

TEST(HttpsServer, WhoWaitsToContinueIsTold) {
  RunningServer server;
  Client client(server.port());
  client.send(post("/echo", 3, "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.next_reply(), "100: ");
  client.send("abc");
  EXPECT_EQ(client.next_reply(), "200: abc");
  Client refused(server.port());
  refused.send(post("/healthz", 3, "Expect: 100-continue\r\n"));
  EXPECT_EQ(refused.next_reply(), "200, closes: ok") << "nobody wants the body";
}

TEST(HttpsServer, ABodyThatIsSlowEndsTheConnection) {
  RunningServer server;
  Client client(server.port());
  client.send(post("/echo", 3) + "a");
  ASSERT_EQ(Client(server.port()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
  server.advance(std::chrono::seconds(11));
  EXPECT_TRUE(client.read_unasked());
}

TEST(HttpsServer, LargeReplies) {
  RunningServer server;
  Client client(server.port());
  EXPECT_EQ(client.get("/large").size(), std::string("200 text/plain; charset=utf-8: ").size() + 3'000'000);
  EXPECT_EQ(client.get("/healthz"), "200 text/plain; charset=utf-8: ok");
}

TEST(HttpsServer, ReloadsItsCertificate) {
  const unit::TestCa ca;
  client::TempDir files;
  const auto before = ca.issue({.common_name = "before"}), after = ca.issue({.common_name = "after"});
  RunningServer server({.tls = {.certificate_file = files.write("tls.crt", before.certificate),
                                .key_file = files.write("tls.key", before.key)}});
  EXPECT_EQ(Client(server.port()).common_name(), "before");
  files.write("tls.crt", after.certificate);  // and the key not yet
  EXPECT_EQ(Client(server.port()).common_name(), "before") << "it was looked at a moment ago";
  server.clock().advance(std::chrono::seconds(2));
  EXPECT_EQ(Client(server.port()).common_name(), "before") << "the key does not belong to it";
  files.write("tls.key", after.key);
  server.clock().advance(std::chrono::seconds(2));
  EXPECT_EQ(Client(server.port()).common_name(), "after");
}

TEST(HttpsServer, KeepsItsOwnCertificateInADirectory) {
  client::TempDir files;
  const ServerOptions options{.tls = {.directory = files.path("certs")}};
  std::string own;
  {
    RunningServer server(options);
    own = *client::read_file(files.path("certs/kube-scheduler.crt"));
    EXPECT_EQ(Client(server.port(), own).get("/healthz"), "200 text/plain; charset=utf-8: ok");
  }
  RunningServer again(options);
  EXPECT_EQ(Client(again.port(), own).get("/healthz"), "200 text/plain; charset=utf-8: ok");
}

// Connections that send nothing; some have not finished their handshake.
class IdleConnections {
 public:
  IdleConnections(std::uint16_t port, int count) {
    for (int i = 0; i < count; ++i) {
      if (i % 2 == 0) {
        shaken_.push_back(std::make_unique<Client>(port));
      } else {
        raw_.emplace_back(io_);
        raw_.back().connect({asio::ip::make_address("127.0.0.1"), port});
      }
    }
  }

 private:
  asio::io_context io_;
  std::vector<std::unique_ptr<Client>> shaken_;
  std::vector<tcp::socket> raw_;
};

TEST(HttpsServer, IdleConnectionsDoNotSilenceProbes) {
  RunningServer server;
  const IdleConnections idle(server.port(), 150);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(Client(server.port()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
}

// A handler whose replies to "/slow" wait until they are released.
class SlowHandler {
 public:
  Handler handler() {
    return [this](Request request) { return reply(this, std::move(request)); };
  }
  void release() { released_ = true; }
  void wait_for(int requests) const {
    while (waiting_ < requests) std::this_thread::yield();
  }

 private:
  static async::Task<Reply> reply(SlowHandler* self, Request request) {
    if (request.path != "/slow") co_return Reply(200, "ok");
    ++self->waiting_;
    const auto executor = co_await asio::this_coro::executor;
    while (!self->released_) co_await asio::post(executor, asio::use_awaitable);
    co_return Reply(200, "done");
  }
  std::atomic<int> waiting_{0};
  std::atomic<bool> released_{false};
};

TEST(HttpsServer, SlowRequestsLeaveRoomForProbes) {
  SlowHandler slow;
  RunningServer server({.connections = 8, .connections_per_peer = 8, .probes = {"/healthz"}}, slow.handler());
  std::vector<std::future<std::string>> replies;
  for (int i = 0; i < 2; ++i) {
    replies.push_back(std::async(std::launch::async, [&] { return Client(server.port()).get("/slow"); }));
  }
  slow.wait_for(2);
  EXPECT_EQ(Client(server.port()).get("/slow"),
            "503 text/plain; charset=utf-8: too many requests in progress\n");
  EXPECT_EQ(Client(server.port()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
  slow.release();
  for (auto& reply : replies) EXPECT_EQ(reply.get(), "200 text/plain; charset=utf-8: done");
  EXPECT_EQ(Client(server.port()).get("/slow"), "200 text/plain; charset=utf-8: done");
}

TEST(HttpsServer, ConnectionsThatSendNothingEnd) {
  RunningServer server;
  asio::io_context io;
  tcp::socket silent(io);
  silent.connect({asio::ip::make_address("127.0.0.1"), server.port()});
  Client idle(server.port());
  ASSERT_EQ(idle.get("/healthz"), "200 text/plain; charset=utf-8: ok");
  server.advance(std::chrono::seconds(11));  // longer than a handshake may take
  char byte = 0;
  error_code ended;
  silent.read_some(asio::buffer(&byte, 1), ended);
  EXPECT_EQ(ended, asio::error::eof);
  EXPECT_EQ(idle.get("/healthz"), "200 text/plain; charset=utf-8: ok") << "it may be idle for a minute";
  server.advance(std::chrono::seconds(61));
  EXPECT_TRUE(idle.read_unasked());
}

TEST(HttpsServer, AHandlerMayTakeLongerThanAStep) {
  SlowHandler slow;
  RunningServer server({}, slow.handler());
  auto reply = std::async(std::launch::async, [&] { return Client(server.port()).get("/slow"); });
  slow.wait_for(1);
  server.advance(std::chrono::seconds(30));
  slow.release();
  EXPECT_EQ(reply.get(), "200 text/plain; charset=utf-8: done");
}

TEST(HttpsServer, ChildProcessesInheritNoSocket) {
  RunningServer server;
  Client client(server.port());
  ASSERT_EQ(client.get("/healthz"), "200 text/plain; charset=utf-8: ok");
  int sockets = 0, inherited = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename());
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) continue;
    const auto port = ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
    if (address.ss_family != AF_INET || port != server.port()) continue;
    ++sockets;
    if ((::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0) ++inherited;
  }
  EXPECT_EQ(sockets, 2) << "the one that listens and the one that was accepted";
  EXPECT_EQ(inherited, 0);
}

TEST(HttpsServer, ListensOnBothFamilies) {
  asio::io_context io;
  auto acceptor = listen(io.get_executor(), {.address = "0.0.0.0", .port = 0});
  ASSERT_TRUE(acceptor) << acceptor.error().message;
  tcp::socket client(io);
  client.connect({asio::ip::make_address("127.0.0.1"), acceptor->local_endpoint().port()});
  error_code error;
  const auto accepted = accept(*acceptor, error);
  ASSERT_FALSE(error) << error.message();
  EXPECT_EQ(address_of(accepted), "127.0.0.1");
}

TEST(HttpsServer, CancellingItsGateEndsIt) {
  async::Gate gate;
  asio::io_context io;
  HttpsServer server(gate, io.get_executor(), system_clock(), {.listen = {"127.0.0.1", 0}}, answer);
  const auto port = server.listen().value();
  tcp::socket client(io);
  client.connect({asio::ip::make_address("127.0.0.1"), port});
  io.poll();
  gate.cancel();
  io.run();
  EXPECT_EQ(gate.inside(), 0u);
}

TEST(HttpsServer, ClosingEndsWhatIsOpen) {
  RunningServer server;
  Client client(server.port());
  ASSERT_EQ(client.get("/healthz"), "200 text/plain; charset=utf-8: ok");
  server.close();
  EXPECT_TRUE(client.read_unasked());
}

TEST(HttpsServer, SaysWhyItCannotListen) {
  const unit::TestCa ca;
  const auto one = ca.issue(), another = ca.issue();
  client::TempDir files;
  const auto certificate = files.write("tls.crt", one.certificate), key = files.write("tls.key", one.key),
             wrong_key = files.write("wrong.key", another.key), junk = files.write("junk", "junk\n");
  const RunningServer taken;
  struct Case {
    const char* name;
    ServerOptions options;
    std::string starts;
  };
  const Case cases[] = {
      {"no address", {.listen = {"everywhere", 0}}, "--bind-address: everywhere: "},
      {"the port is taken",
       {.listen = {"127.0.0.1", taken.port()}},
       "--secure-port: 127.0.0.1:" + std::to_string(taken.port()) + ": Address already in use"},
      {"no certificate file",
       {.listen = {"127.0.0.1", 0}, .tls = {.certificate_file = files.path("none"), .key_file = key}},
       files.path("none") + ": "},
      {"no certificate in it",
       {.listen = {"127.0.0.1", 0}, .tls = {.certificate_file = junk, .key_file = key}},
       junk + ": "},
      {"no key file",
       {.listen = {"127.0.0.1", 0}, .tls = {.certificate_file = certificate, .key_file = files.path("none")}},
       files.path("none") + ": "},
      {"another certificate's key",
       {.listen = {"127.0.0.1", 0}, .tls = {.certificate_file = certificate, .key_file = wrong_key}},
       wrong_key + ": "},
      {"a version of TLS that is not served",
       {.listen = {"127.0.0.1", 0}, .tls = {.min_version = "VersionTLS10"}},
       "--tls-min-version: VersionTLS10: "},
      {"a cipher suite that is not known",
       {.listen = {"127.0.0.1", 0}, .tls = {.cipher_suites = {"TLS_NULL"}}},
       "--tls-cipher-suites: TLS_NULL "},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    async::Gate gate;
    asio::io_context io;
    HttpsServer server(gate, io.get_executor(), system_clock(), c.options, answer);
    const auto port = server.listen();
    ASSERT_FALSE(port);
    EXPECT_TRUE(port.error().message.starts_with(c.starts)) << port.error().message;
  }
}

}  // namespace
}  // namespace podium::server
