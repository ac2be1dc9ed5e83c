// HttpsServer, with a real client over the loopback: routes, certificates, its start and its end.
#include "server/https_server.h"
#include "base/input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/clock.h"
#include "base/shares.h"
#include "server/listener.h"
#include "unit/server/https_client.h"
#include "unit/server/running_server.h"
#include "unit/support/temp_dir.h"
#include "unit/support/test_tls.h"

namespace podium::server {
namespace {

TEST(HttpsServer, AnswersItsRoutesOnOneConnection) {
  RunningServer server;
  HttpsClient client(server.port());
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
      {http::verb::get, "?verbose", "400 text/plain; charset=utf-8: 400 Bad Request\n"},
      {http::verb::get, "/healthz\xff", "400 text/plain; charset=utf-8: 400 Bad Request\n"},
      {http::verb::get, "/é", "400 text/plain; charset=utf-8: 400 Bad Request\n"},
      {http::verb::post, "/who?a=1&b", "200 text/plain; charset=utf-8: POST a=1&b  0"},
  };
  for (const auto& c : cases) EXPECT_EQ(client.ask(c.method, c.target), c.reply) << c.target;
}

TEST(HttpsServer, ServesTheCertificateThatItIsGiven) {
  const unit::TestCa ca, other("another CA");
  const auto pair = ca.issue();
  unit::TempDir files;
  const ServerOptions options{.tls = {.certificate_file = files.write("tls.crt", pair.certificate),
                                      .key_file = files.write("tls.key", pair.key)}};
  RunningServer server(options);
  EXPECT_EQ(HttpsClient(server.port(), ca.certificate()).get("/healthz"),
            "200 text/plain; charset=utf-8: ok");
  EXPECT_TRUE(HttpsClient(server.port(), other.certificate()).error());
}

TEST(HttpsServer, ShowsTheClientsCertificate) {
  const unit::TestCa ca;
  RunningServer server;
  EXPECT_EQ(HttpsClient(server.port(), "", ca.issue()).get("/who"), "200 text/plain; charset=utf-8: GET   1");
}

TEST(HttpsServer, LargeReplies) {
  RunningServer server;
  HttpsClient client(server.port());
  EXPECT_EQ(client.get("/large").size(), std::string("200 text/plain; charset=utf-8: ").size() + 3'000'000);
  EXPECT_EQ(client.get("/healthz"), "200 text/plain; charset=utf-8: ok");
}

TEST(HttpsServer, ReloadsItsCertificate) {
  const unit::TestCa ca;
  unit::TempDir files;
  const auto before = ca.issue({.common_name = "before"}), after = ca.issue({.common_name = "after"});
  RunningServer server({.tls = {.certificate_file = files.write("tls.crt", before.certificate),
                                .key_file = files.write("tls.key", before.key)}});
  EXPECT_EQ(HttpsClient(server.port()).common_name(), "before");
  files.write("tls.crt", after.certificate);  // and the key not yet
  server.advance(std::chrono::seconds(3));
  EXPECT_EQ(HttpsClient(server.port()).common_name(), "before") << "the key does not belong to it";
  files.write("tls.key", after.key);
  server.advance(std::chrono::seconds(3));
  EXPECT_EQ(HttpsClient(server.port()).common_name(), "after");
}

TEST(HttpsServer, KeepsItsOwnCertificateInADirectory) {
  unit::TempDir files;
  const ServerOptions options{.tls = {.directory = files.path("certs")}};
  std::string own;
  {
    RunningServer server(options);
    own = *read_file(files.path("certs/kube-scheduler.crt"));
    EXPECT_EQ(HttpsClient(server.port(), own).get("/healthz"), "200 text/plain; charset=utf-8: ok");
  }
  RunningServer again(options);
  EXPECT_EQ(HttpsClient(again.port(), own).get("/healthz"), "200 text/plain; charset=utf-8: ok");
}

TEST(HttpsServer, ChildProcessesInheritNoSocket) {
  RunningServer server;
  HttpsClient client(server.port());
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
  EXPECT_EQ(peer_of(accepted), "127.0.0.1");
}

// One host has as many addresses of its /64 as it likes: they have one share.
TEST(HttpsServer, PeersAreAddressesOfIPv4AndNetworksOfIPv6) {
  const auto peer = [](const char* address) { return peer_of(asio::ip::make_address(address)); };
  EXPECT_EQ(peer("10.0.0.7"), "10.0.0.7");
  EXPECT_NE(peer("10.0.0.8"), peer("10.0.0.7"));
  EXPECT_EQ(peer("::ffff:10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(peer("2001:db8:1:2:3::4"), "2001:db8:1:2::/64");
  EXPECT_EQ(peer("2001:db8:1:2:ffff:ffff:ffff:ffff"), peer("2001:db8:1:2::1"));
  EXPECT_NE(peer("2001:db8:1:3::1"), peer("2001:db8:1:2::1"));
  Shares shares({.in_all = 4, .of_one = 2, .reserve = 1});
  const auto first = shares.take(peer("2001:db8:1:2::1")), second = shares.take(peer("2001:db8:1:2::2"));
  EXPECT_TRUE(second);
  EXPECT_FALSE(shares.take(peer("2001:db8:1:2::3"))) << "the greedy network has its share";
  EXPECT_TRUE(shares.take(peer("2001:db8:1:3::1"))) << "the modest one continues";
}

TEST(HttpsServer, CancellingItsGateEndsIt) {
  async::Gate gate;
  asio::io_context io;
  HttpsServer server(gate, io.get_executor(), io.get_executor(), system_clock(), {.listen = {"127.0.0.1", 0}},
                     answer);
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
  HttpsClient client(server.port());
  ASSERT_EQ(client.get("/healthz"), "200 text/plain; charset=utf-8: ok");
  server.close();
  EXPECT_TRUE(client.read_unasked());
}

TEST(HttpsServer, SaysWhyItCannotListen) {
  const unit::TestCa ca;
  const auto one = ca.issue(), another = ca.issue();
  unit::TempDir files;
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
    HttpsServer server(gate, io.get_executor(), io.get_executor(), system_clock(), c.options, answer);
    const auto port = server.listen();
    ASSERT_FALSE(port);
    EXPECT_TRUE(port.error().message.starts_with(c.starts)) << port.error().message;
  }
}

}  // namespace
}  // namespace podium::server
