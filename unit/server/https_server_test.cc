// podium's HTTPS door, asked by a real client over the loopback.
#include "server/https_server.h"

#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "unit/client/temp_dir.h"
#include "unit/support/test_tls.h"

namespace podium::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

std::map<std::string, Handler> routes() {
  return {{"/healthz", [] { return Reply{200, "ok"}; }},
          {"/readyz", [] { return Reply{500, "not yet"}; }},
          {"/configz", [] { return Reply{200, "{}", "application/json"}; }}};
}

// A server on a free port of the loopback, with a thread of its own. It ends when everything that it started
// has ended.
class RunningServer {
 public:
  explicit RunningServer(ServerOptions options = {}) {
    options.address = "127.0.0.1";
    options.port = 0;
    server_ = std::make_unique<HttpsServer>(io_.get_executor(), std::move(options), routes());
    port_ = server_->listen().value();
    thread_ = std::thread([this] { io_.run(); });
  }
  ~RunningServer() {
    close();
    thread_.join();
  }
  void close() { server_->close(); }
  std::uint16_t port() const { return port_; }

 private:
  asio::io_context io_;
  std::unique_ptr<HttpsServer> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// A blocking client; with an authority it checks the server's certificate.
class Client {
 public:
  explicit Client(std::uint16_t port, const std::string& authority = "")
      : stream_(io_, context(tls_, authority)) {
    stream_.next_layer().connect({asio::ip::make_address("127.0.0.1"), port}, error_);
    if (!error_) stream_.handshake(asio::ssl::stream_base::client, error_);
  }

  error_code error() const { return error_; }

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
  // Reads without having asked: only the end of the connection can come.
  error_code read_unasked() {
    http::response_parser<http::string_body> parser;
    http::read(stream_, buffer_, parser, error_);
    return error_;
  }
  std::string get(const std::string& target) { return ask(http::verb::get, target); }

 private:
  static asio::ssl::context& context(asio::ssl::context& tls, const std::string& authority) {
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
      {http::verb::post, "/healthz", "405 text/plain; charset=utf-8: only GET and HEAD\n"},
      {http::verb::delete_, "/healthz", "405 text/plain; charset=utf-8: only GET and HEAD\n"},
  };
  for (const auto& c : cases) EXPECT_EQ(client.ask(c.method, c.target), c.reply) << c.target;
}

TEST(HttpsServer, ServesTheCertificateThatItIsGiven) {
  const unit::TestCa ca, other("another CA");
  const auto pair = ca.issue();
  client::TempDir files;
  const ServerOptions options{.certificate_file = files.write("tls.crt", pair.certificate),
                              .key_file = files.write("tls.key", pair.key)};
  RunningServer server(options);
  EXPECT_EQ(Client(server.port(), ca.certificate()).get("/healthz"), "200 text/plain; charset=utf-8: ok");
  EXPECT_TRUE(Client(server.port(), other.certificate()).error());
}

TEST(HttpsServer, TurnsConnectionsAwayOverTheBound) {
  RunningServer server({.connections = 1});
  Client first(server.port());
  ASSERT_FALSE(first.error()) << first.error().message();
  EXPECT_TRUE(Client(server.port()).error());
  EXPECT_EQ(first.get("/healthz"), "200 text/plain; charset=utf-8: ok") << "those that are open stay";
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
      {"no address", {.address = "everywhere", .port = 0}, "--bind-address: everywhere: "},
      {"the port is taken",
       {.address = "127.0.0.1", .port = taken.port()},
       "--secure-port: 127.0.0.1:" + std::to_string(taken.port()) + ": Address already in use"},
      {"no certificate file",
       {.address = "127.0.0.1", .port = 0, .certificate_file = files.path("none"), .key_file = key},
       files.path("none") + ": "},
      {"no certificate in it",
       {.address = "127.0.0.1", .port = 0, .certificate_file = junk, .key_file = key},
       junk + ": "},
      {"no key file",
       {.address = "127.0.0.1", .port = 0, .certificate_file = certificate, .key_file = files.path("none")},
       files.path("none") + ": "},
      {"another certificate's key",
       {.address = "127.0.0.1", .port = 0, .certificate_file = certificate, .key_file = wrong_key},
       wrong_key + ": "},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    asio::io_context io;
    HttpsServer server(io.get_executor(), c.options, routes());
    const auto port = server.listen();
    ASSERT_FALSE(port);
    EXPECT_TRUE(port.error().message.starts_with(c.starts)) << port.error().message;
  }
}

}  // namespace
}  // namespace podium::server
