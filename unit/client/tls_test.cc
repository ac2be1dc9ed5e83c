#include "client/auth/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "client/auth/token.h"
#include "unit/client/client_loop.h"
#include "unit/support/http_script.h"
#include "unit/support/temp_dir.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using unit::CertificateOptions;
using unit::HttpScript;
using unit::HttpScriptOptions;
using unit::PemPair;
using unit::replying;
using unit::TestCa;

HttpScriptOptions tls_with(PemPair certificate, std::string client_ca = "") {
  HttpScriptOptions options;
  options.tls = true;
  options.certificate = std::move(certificate);
  options.client_ca = std::move(client_ca);
  return options;
}

CertificateOptions for_names(std::vector<std::string> names, std::vector<std::string> addresses) {
  CertificateOptions options;
  options.names = std::move(names);
  options.addresses = std::move(addresses);
  return options;
}

CertificateOptions valid(std::chrono::seconds from, std::chrono::seconds to) {
  CertificateOptions options;
  options.valid_from = from;
  options.valid_to = to;
  return options;
}

CertificateOptions named(std::string common_name) {
  CertificateOptions options;
  options.common_name = std::move(common_name);
  return options;
}

TEST(Tls, TrustsWhatTheCaSignedForThatName) {
  TestCa ca, other_ca("another CA");
  struct Case {
    const char* name;
    PemPair certificate;
    std::string server_name;  // tls-server-name
    std::string ca;
    bool insecure;
    const char* error;  // empty: trusted
  } cases[] = {
      {"address", ca.issue(), "", ca.certificate(), false, ""},
      {"one of several CAs", ca.issue(), "", other_ca.certificate() + ca.certificate(), false, ""},
      {"server name", ca.issue(for_names({"api.test"}, {})), "api.test", ca.certificate(), false, ""},
      {"wildcard", ca.issue(for_names({"*.api.test"}, {})), "a.api.test", ca.certificate(), false, ""},
      {"nothing is checked", other_ca.issue(for_names({"x"}, {})), "", "", true, ""},
      {"another CA", other_ca.issue(), "", ca.certificate(), false, "unable to get local issuer certificate"},
      {"the system's CAs", ca.issue(), "", "", false, "unable to get local issuer certificate"},
      {"another address", ca.issue(for_names({}, {"127.0.0.2"})), "", ca.certificate(), false,
       "IP address mismatch: 127.0.0.1"},
      {"a name only", ca.issue(for_names({"localhost"}, {})), "", ca.certificate(), false,
       "IP address mismatch: 127.0.0.1"},
      {"another name", ca.issue(for_names({"api.test"}, {"127.0.0.1"})), "etcd.test", ca.certificate(), false,
       "hostname mismatch: etcd.test"},
      {"part of a wildcard", ca.issue(for_names({"a*.test"}, {})), "api.test", ca.certificate(), false,
       "hostname mismatch: api.test"},
      {"expired", ca.issue(valid(-2h, -1h)), "", ca.certificate(), false, "certificate has expired"},
      {"not valid yet", ca.issue(valid(1h, 2h)), "", ca.certificate(), false, "certificate is not yet valid"},
  };
  ClientLoop loop;
  for (const auto& test : cases) {
    HttpScript server(tls_with(test.certificate));
    server.always(replying(200, "hello"));
    ClientConfig config = config_for(server.url());
    config.ca = test.ca;
    config.tls_server_name = test.server_name;
    config.insecure_skip_verify = test.insecure;
    ScopedTransport transport(loop, config);
    auto response = loop.run(transport->send(post_request("/", "x")));
    if (*test.error == 0) {
      EXPECT_TRUE(response) << test.name << ": " << response.error().message;
      continue;
    }
    ASSERT_FALSE(response) << test.name;
    EXPECT_EQ(response.error().kind, Error::Kind::untrusted) << test.name;
    EXPECT_FALSE(response.error().maybe_applied) << test.name;
    EXPECT_THAT(response.error().message, HasSubstr(test.error)) << test.name;
    EXPECT_TRUE(server.requests().empty()) << test.name;
  }
}

// OpenSSL refuses to verify these names, so nothing may be sent, whatever the certificate.
TEST(Tls, ANameThatCannotBeCheckedIsNotTrusted) {
  TestCa ca;
  HttpScript server(tls_with(ca.issue()));
  server.always(replying(200, ""));
  ClientLoop loop;
  for (const auto& name : {std::string("fe80::1%1"), std::string(300, 'a')}) {
    ClientConfig config = config_for(server.url());
    config.ca = ca.certificate();
    config.tls_server_name = name;
    ScopedTransport transport(loop, config);
    const auto response = loop.run(transport->send(post_request("/", "x")));
    ASSERT_FALSE(response) << name;
    EXPECT_EQ(response.error().kind, Error::Kind::untrusted) << name;
    EXPECT_THAT(response.error().message, HasSubstr("cannot be checked for the name: " + name));
  }
  EXPECT_TRUE(server.requests().empty());
}

TEST(Tls, AnExpiredCaIsNamedWithItsFile) {
  TestCa expired("the old CA", -1h);
  unit::TempDir directory;
  HttpScript server(tls_with(expired.issue()));
  server.always(replying(200, ""));
  ClientConfig config = config_for(server.url());
  config.ca_file = directory.write("ca.crt", expired.certificate());
  ClientLoop loop;
  ScopedTransport transport(loop, config);
  const auto response = loop.run(transport->send(get_request("/")));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, Error::Kind::untrusted);
  EXPECT_THAT(response.error().message,
              HasSubstr("certificate has expired: /CN=the old CA; trusted CAs: " + directory.path("ca.crt")));
  EXPECT_TRUE(server.requests().empty());
}

TEST(Tls, CarriesLargeBodiesAndStreams) {
  TestCa ca;
  HttpScript server(tls_with(ca.issue()));
  std::string big(2'000'000, 'x');
  server.then(replying(200, big)).then([&](unit::HttpExchange& exchange) {
    exchange.reply(200, exchange.request().body);
  });
  server.then([&](unit::HttpExchange& exchange) {
    exchange.start_chunks();
    exchange.chunk(big);
    exchange.end_chunks();
  });
  ClientLoop loop;
  ClientConfig config = config_for(server.url());
  config.ca = ca.certificate();
  ScopedTransport transport(loop, config);
  auto got = loop.run(transport->send(get_request("/")));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_TRUE(got->body == big);
  auto echoed = loop.run(transport->send(post_request("/", big)));
  ASSERT_TRUE(echoed) << echoed.error().message;
  EXPECT_TRUE(echoed->body == big);
  EXPECT_EQ(server.connections(), 1);
  auto stream = loop.run(transport->open(get_request("/")));
  ASSERT_TRUE(stream) << stream.error().message;
  std::string all;
  for (auto piece = loop.run((*stream)->read(60s)); piece && !piece->empty();
       piece = loop.run((*stream)->read(60s)))
    all += *piece;
  EXPECT_TRUE(all == big);
}

TEST(Tls, FailsWhereTheServerSpeaksPlainHttp) {
  HttpScript server;
  ClientLoop loop;
  ScopedTransport transport(loop, config_for("https" + server.url().substr(4)));
  auto response = loop.run(transport->send(post_request("/", "x")));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, Error::Kind::unavailable);
  EXPECT_FALSE(response.error().maybe_applied);
}

// Rotation as by a kubelet or cert-manager, checked after each step.
// A file system that hangs must not hang an I/O thread, and with it the health checks. A caller that checks
// the files also asks the token's source for its certificate.
TEST(Tls, FilesAreNotReadOnAnIoThread) {
  class Source final : public TokenSource {
   public:
    Result<std::string> current() override { return std::string("t"); }
    void refresh() override {}
    std::optional<ClientCertificate> certificate() override {
      const std::lock_guard lock(mutex_);
      readers_.insert(std::this_thread::get_id());
      return std::nullopt;
    }
    std::set<std::thread::id> readers() {
      const std::lock_guard lock(mutex_);
      return readers_;
    }

   private:
    std::mutex mutex_;
    std::set<std::thread::id> readers_;
  };
  TestCa ca;
  unit::TempDir directory;
  HttpScript server(tls_with(ca.issue()));
  server.always(replying(200, ""));
  ClientConfig config = config_for(server.url());
  config.ca_file = directory.write("ca.crt", ca.certificate());
  const auto source = std::make_shared<Source>();
  config.token = source;
  ClientLoop loop;
  TransportLimits limits;
  limits.reload = 0ms;
  ScopedTransport transport(loop, config, limits);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(loop.run(transport->send(get_request("/"))));
  const auto io = loop.run([]() -> Task<std::thread::id> { co_return std::this_thread::get_id(); }());
  EXPECT_EQ(source->readers().size(), 1u);
  EXPECT_FALSE(source->readers().contains(io));
}

TEST(Tls, SaysWhenItWillLookAtItsFiles) {
  TestCa ca;
  ClientConfig config;
  config.ca = ca.certificate();
  TlsContext tls(config, 1h);
  EXPECT_FALSE(tls.ready()) << "it has none yet";
  ASSERT_TRUE(tls.current());
  EXPECT_TRUE(tls.ready());
  TlsContext always(config, 0ms);
  ASSERT_TRUE(always.last());
  EXPECT_FALSE(always.ready());
  EXPECT_EQ(always.last()->generation, 1u);
}

TEST(FileToken, SaysWhenItWillLookAtItsFile) {
  unit::TempDir directory;
  const auto path = directory.write("token", "one");
  const auto token = file_token(path, 1h);
  EXPECT_FALSE(token->ready());
  EXPECT_EQ(token->current().value(), "one");
  EXPECT_TRUE(token->ready());
  directory.write("token", "another");
  EXPECT_EQ(token->current().value(), "one");
  token->refresh();
  EXPECT_FALSE(token->ready());
  EXPECT_EQ(token->current().value(), "another");
  directory.write("token", "");
  token->refresh();
  EXPECT_EQ(token->current().value(), "another") << "the last good one";
}

TEST(Tls, ClientCertificatesFollowTheirFiles) {
  TestCa ca;
  unit::TempDir directory;
  PemPair first = ca.issue(named("first")), second = ca.issue(named("second"));
  HttpScript server(tls_with(ca.issue(), ca.certificate()));
  server.always(replying(200, ""));
  ClientConfig config = config_for(server.url());
  config.ca = ca.certificate();
  config.certificate_file = directory.write("tls.crt", first.certificate);
  config.key_file = directory.write("tls.key", first.key);
  TransportLimits limits;
  limits.reload = 0ms;
  ClientLoop loop;
  ScopedTransport transport(loop, config, limits);
  auto client_seen = [&] {
    auto response = loop.run(transport->send(get_request("/")));
    return response ? server.requests().back().client : response.error().message;
  };
  EXPECT_EQ(client_seen(), "first");
  directory.write("tls.crt", second.certificate);
  EXPECT_EQ(client_seen(), "first") << "the key is still the old one";
  directory.write("tls.key", second.key.substr(0, second.key.size() / 2));
  EXPECT_EQ(client_seen(), "first") << "the key is written by half";
  directory.write("tls.key", second.key);
  EXPECT_EQ(client_seen(), "second");
  EXPECT_EQ(client_seen(), "second");
  directory.remove("tls.crt");
  EXPECT_EQ(client_seen(), "second") << "the file is gone";
  EXPECT_EQ(server.connections(), 2);
}

TEST(Tls, TheCaFollowsItsFile) {
  TestCa old_ca, new_ca("the new CA");
  unit::TempDir directory;
  HttpScript server(tls_with(new_ca.issue()));
  server.always(replying(200, ""));
  ClientConfig config = config_for(server.url());
  config.ca_file = directory.write("ca.crt", old_ca.certificate());
  TransportLimits limits;
  limits.reload = 0ms;
  ClientLoop loop;
  ScopedTransport transport(loop, config, limits);
  auto refused = loop.run(transport->send(get_request("/")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::untrusted);
  directory.write("ca.crt", old_ca.certificate() + new_ca.certificate());
  auto trusted = loop.run(transport->send(get_request("/")));
  EXPECT_TRUE(trusted) << trusted.error().message;
}

TEST(Tls, CredentialsThatCannotBeUsedAreNamed) {
  TestCa ca;
  unit::TempDir directory;
  ClientConfig config = config_for("https://127.0.0.1:1");
  config.ca_file = directory.path("absent.crt");
  ClientLoop loop;
  ScopedTransport transport(loop, config);
  auto response = loop.run(transport->send(get_request("/")));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, Error::Kind::invalid);
  EXPECT_EQ(response.error().message, directory.path("absent.crt") + ": No such file or directory");
}

}  // namespace
}  // namespace podium::client
