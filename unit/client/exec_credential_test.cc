#include "client/auth/exec_credential.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>
#include "log/format.h"

#include <boost/json/serialize.hpp>
#include <fstream>
#include <future>
#include <sstream>

#include "base/time.h"
#include "client/auth/base64.h"
#include "unit/client/client_loop.h"
#include "unit/client/doubles.h"
#include "unit/support/http_script.h"
#include "unit/support/temp_dir.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using unit::ManualClock;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

std::string credential(const std::string& status) {
  return R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" + status +
         "}";
}

class ExecCredentialTest : public testing::Test {
 protected:
  unit::TempDir directory_;
  ManualClock clock_;

  // A plugin that is a shell script; it counts its runs in the file "runs".
  ExecPlugin script(const std::string& body) {
    directory_.write("plugin.sh", "echo run >> " + directory_.path("runs") + "\n" + body + "\n");
    ExecPlugin plugin;
    plugin.api_version = kV1;
    plugin.command = "/bin/sh";
    plugin.arguments = {directory_.path("plugin.sh")};
    plugin.deadline = 120s;
    return plugin;
  }
  ExecPlugin printing(const std::string& output) {
    return script("cat " + directory_.write("output", output));
  }
  int runs() const {
    std::ifstream file(directory_.path("runs"));
    int count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }
};

TEST_F(ExecCredentialTest, KeepsTheTokenUntilItExpires) {
  std::string expiry = format_time(clock_.wall() + 1h);
  auto source = exec_credential(
      printing(credential(R"({"token":"t","expirationTimestamp":")" + expiry + R"("})")), clock_);
  EXPECT_FALSE(source->ready());
  EXPECT_EQ(source->current(), "t");
  EXPECT_TRUE(source->ready());
  EXPECT_EQ(source->current(), "t");
  EXPECT_EQ(runs(), 1);
  clock_.advance(59min);
  EXPECT_EQ(source->current(), "t");
  EXPECT_EQ(runs(), 1);
  clock_.advance(40s);
  EXPECT_FALSE(source->ready()) << "it expires in less than 30 s";
  EXPECT_EQ(source->current(), "t");
  EXPECT_EQ(runs(), 2);
}

TEST_F(ExecCredentialTest, RefreshRunsItAgainButNotAllTheTime) {
  auto source = exec_credential(printing(credential(R"({"token":"t"})")), clock_);
  EXPECT_EQ(source->current(), "t");
  source->refresh();
  EXPECT_EQ(source->current(), "t");
  EXPECT_EQ(runs(), 1) << "within ten seconds";
  clock_.advance(11s);
  EXPECT_EQ(source->current(), "t");
  EXPECT_EQ(runs(), 2);
  clock_.advance(1h);
  EXPECT_EQ(source->current(), "t");
  EXPECT_EQ(runs(), 2);
}

TEST_F(ExecCredentialTest, PassesThePluginWhatItMayKnow) {
  auto plugin = script(
      R"sh(seen=$(printf %s "$KUBERNETES_EXEC_INFO|$WHO|$2" | base64 -w0))sh"
      "\n"
      R"sh(echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'$seen'"}}')sh");
  plugin.arguments.push_back("--one");
  plugin.arguments.push_back("a b;c");
  plugin.environment = {{"WHO", "me"}};
  plugin.cluster_info = R"({"server":"https://a"})";
  auto token = exec_credential(plugin, clock_)->current();
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(base64_decode(*token),
            R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
            R"("spec":{"cluster":{"server":"https://a"},"interactive":false}}|me|a b;c)");
}

TEST_F(ExecCredentialTest, GivesAClientCertificate) {
  unit::TestCa ca;
  unit::CertificateOptions options;
  options.common_name = "from-plugin";
  auto pair = ca.issue(options);
  boost::json::object status{{"clientCertificateData", pair.certificate}, {"clientKeyData", pair.key}};
  unit::HttpScriptOptions server_options;
  server_options.tls = true;
  server_options.certificate = ca.issue();
  server_options.client_ca = ca.certificate();
  unit::HttpScript server(server_options);
  server.always(unit::replying(200, ""));
  ClientLoop loop;
  ClientConfig config = config_for(server.url());
  config.ca = ca.certificate();
  config.token = exec_credential(printing(credential(boost::json::serialize(status))), clock_);
  ScopedTransport transport(loop, config);
  auto response = loop.run(transport->send(get_request("/")));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(server.requests()[0].client, "from-plugin");
  EXPECT_EQ(server.requests()[0].headers.count("authorization"), 0u);
}

TEST_F(ExecCredentialTest, ErrorsNameTheCommandAndNotItsOutput) {
  struct Case {
    const char* name;
    std::string body;
    const char* error;
  } cases[] = {
      {"fails", "echo s3cr3t >&2; exit 3", "ended with status 3"},
      {"killed", "kill -9 $$", "was killed by signal 9"},
      {"prints nothing", "true", "its output is not a JSON object"},
      {"prints no JSON", "echo s3cr3t", "its output is not a JSON object"},
      {"another kind", "echo '{\"kind\":\"s3cr3t\"}'", "kind: must be ExecCredential"},
      {"another version", "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"s3cr3t\"}'",
       "apiVersion: is not client.authentication.k8s.io/v1"},
      {"no status", "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\"}'",
       "status: is missing"},
      {"empty status", "echo '" + credential("{}") + "'", "status: neither token nor clientCertificateData"},
      {"token no text", "echo '" + credential("{\"token\":5}") + "'", "status.token: is not a string"},
      {"token no token", "echo '" + credential("{\"token\":\"s3cr3t x\"}") + "'",
       "status.token: not a token"},
      {"half a pair", "echo '" + credential("{\"clientCertificateData\":\"s3cr3t\"}") + "'", "go together"},
      {"bad pair",
       "echo '" + credential("{\"clientCertificateData\":\"s3cr3t\",\"clientKeyData\":\"s3cr3t\"}") + "'",
       "status.clientCertificateData: no PEM certificate in it"},
      {"bad time", "echo '" + credential("{\"token\":\"s3cr3t\",\"expirationTimestamp\":\"soon\"}") + "'",
       "status.expirationTimestamp: not an RFC 3339 time"},
      {"too much", "while :; do echo s3cr3ts3cr3ts3cr3ts3cr3ts3cr3ts3cr3ts3cr3ts3cr3ts3cr3t; done",
       "printed more than 65536 bytes"},
  };
  for (const auto& test : cases) {
    auto plugin = script(test.body);
    plugin.output_limit = 65536;
    auto token = exec_credential(plugin, clock_)->current();
    ASSERT_FALSE(token) << test.name;
    EXPECT_THAT(token.error().message, HasSubstr("exec plugin /bin/sh: ")) << test.name;
    EXPECT_THAT(token.error().message, HasSubstr(test.error)) << test.name;
    EXPECT_THAT(token.error().message, Not(HasSubstr("s3cr3t"))) << test.name;
  }
}

TEST_F(ExecCredentialTest, OneThatFailsIsNotRunForEachRequest) {
  auto source = exec_credential(
      script("[ -e " + directory_.path("ok") + " ] || exit 3; echo '" + credential(R"({"token":"t"})") + "'"),
      clock_);
  const auto ask = [&] { return source->current().has_value() ? 0 : runs(); };
  EXPECT_EQ(ask(), 1);
  EXPECT_EQ(ask(), 1) << "within a second";
  std::vector<int> seen;
  for (int second = 0; second < 100; ++second) {
    clock_.advance(1s);
    seen.push_back(ask());
  }
  EXPECT_EQ(seen[0], 2);
  EXPECT_EQ(seen[1], 2);
  EXPECT_EQ(seen[2], 3);
  EXPECT_EQ(seen[5], 3);
  EXPECT_EQ(seen[6], 4);
  EXPECT_EQ(seen[99], 8) << "at 1, 3, 7, 15, 31, 61 and 91 s";
  directory_.write("ok", "");
  clock_.advance(30s);
  EXPECT_EQ(source->current(), "t");
}

TEST_F(ExecCredentialTest, InheritsNoDescriptorAndSpeaksOnStandardError) {
  const int open_here = ::fcntl(STDERR_FILENO, F_DUPFD, 200);  // not close-on-exec
  ASSERT_GE(open_here, 200);
  auto plugin =
      script("[ -e /proc/self/fd/" + std::to_string(open_here) +
             " ] && exit 3; echo 'run aws sso login' >&2; echo '" + credential(R"({"token":"t"})") + "'");
  testing::internal::CaptureStderr();
  const auto token = exec_credential(plugin, clock_)->current();
  const auto said = testing::internal::GetCapturedStderr();
  ::close(open_here);
  EXPECT_EQ(token, "t");
  EXPECT_EQ(said, "run aws sso login\n");
}

TEST_F(ExecCredentialTest, SpeaksAFewKibibytesOnStandardErrorHoweverMuchItSays) {
  auto plugin =
      script("head -c 3000000 /dev/zero | tr '\\0' 'x' >&2; echo '" + credential(R"({"token":"t"})") + "'");
  testing::internal::CaptureStderr();
  const auto token = exec_credential(plugin, clock_)->current();
  const auto said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(token, "t") << "its output is read, so it continues";
  EXPECT_LT(said.size(), 20'000u);
  EXPECT_THAT(said, HasSubstr("standard error is omitted"));
}

TEST_F(ExecCredentialTest, OneThatTakesLongIsNamed) {
  std::ostringstream log;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
  spdlog::default_logger()->set_formatter(log::text_formatter());
  auto plugin = script("read line < " + directory_.path("never"));
  ASSERT_EQ(::mkfifo(directory_.path("never").c_str(), 0600), 0);
  plugin.slow = 1ms;
  plugin.deadline = 2s;
  EXPECT_FALSE(exec_credential(plugin, clock_)->current());
  spdlog::set_default_logger(before);
  EXPECT_THAT(log.str(), HasSubstr("exec plugin is still running command=\"/bin/sh\""));
}

TEST_F(ExecCredentialTest, SaysHowToInstallWhatIsMissing) {
  ExecPlugin plugin;
  plugin.api_version = kV1;
  plugin.command = directory_.path("none");
  plugin.install_hint = "see https://install.test";
  auto token = exec_credential(plugin, clock_)->current();
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().message,
            "exec plugin " + directory_.path("none") +
                ": can't be started: No such file or directory; see https://install.test");
}

TEST_F(ExecCredentialTest, EndsAPluginThatHangs) {
  auto plugin = script("exec sleep 1000");
  plugin.deadline = 100ms;
  auto hung = exec_credential(plugin, clock_)->current();
  ASSERT_FALSE(hung);
  EXPECT_EQ(hung.error().kind, Error::Kind::timeout);

  // Closing the transport ends a plugin that it waits for; I/O threads are never blocked.
  unit::HttpScript server;
  ClientLoop loop;
  ClientConfig config = config_for(server.url());
  config.token =
      exec_credential(script("echo started > " + directory_.path("started") + "; exec sleep 1000"), clock_);
  ScopedTransport transport(loop, config);
  auto short_one = loop.run(transport->send(get_request("/", 50ms)));
  ASSERT_FALSE(short_one);
  EXPECT_EQ(short_one.error().kind, Error::Kind::timeout);
  auto waiting = loop.start(transport->send(get_request("/")));
  transport->close();
  EXPECT_EQ(waiting.get().error().kind, Error::Kind::cancelled);
}

TEST_F(ExecCredentialTest, ACancelEndsAPluginThatHasClosedItsOutput) {
  const auto closed = directory_.path("closed");
  ASSERT_EQ(::mkfifo(closed.c_str(), 0600), 0);
  auto plugin = script("exec >&-; echo > " + closed + "; exec sleep 1000");
  plugin.deadline = 20s;
  const auto source = exec_credential(plugin, clock_);
  auto token = std::async(std::launch::async, [&] { return source->current(); });
  std::ifstream(closed).get();  // waits for the script
  source->cancel();
  const auto ended = token.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, Error::Kind::cancelled) << ended.error().text();
}

}  // namespace
}  // namespace podium::client
