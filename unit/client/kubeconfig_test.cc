#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/auth/base64.h"
#include "client/auth/client_config.h"
#include "client/auth/context_names.h"
#include "client/auth/url.h"
#include "unit/support/temp_dir.h"
#include "unit/support/test_tls.h"

namespace podium::client {
namespace {

using testing::HasSubstr;
using testing::Not;
using unit::PemPair;
using unit::TestCa;

constexpr const char* kSecret = "s3cr3t-t0ken";

// A kubeconfig with the given cluster and user, in flow style.
std::string kubeconfig(const std::string& cluster, const std::string& user,
                       const std::string& context_extra = "") {
  return "apiVersion: v1\nkind: Config\ncurrent-context: x\n"
         "contexts: [{name: x, context: {cluster: c, user: u" +
         context_extra +
         "}}]\n"
         "clusters: [{name: c, cluster: " +
         cluster +
         "}]\n"
         "users: [{name: u, user: " +
         user + "}]\n";
}

std::string in_base64(const std::string& text) { return "\"" + base64_encode(text) + "\""; }

class KubeconfigTest : public testing::Test {
 protected:
  unit::TempDir directory_;
  TestCa ca_;
  PemPair pair_ = ca_.issue();

  Result<ClientConfig> load(const std::string& text, const std::string& context = "") {
    return load_kubeconfig(directory_.write("config", text), context);
  }
};

TEST_F(KubeconfigTest, InlineCredentials) {
  auto config = load(kubeconfig(
      "{server: 'https://api.test:6443', tls-server-name: other.test, certificate-authority-data: " +
          in_base64(ca_.certificate()) + "}",
      "{client-certificate-data: " + in_base64(pair_.certificate) +
          ", client-key-data: " + in_base64(pair_.key) + ", token: abc}",
      ", namespace: shop"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, "https://api.test:6443");
  EXPECT_EQ(config->tls_server_name, "other.test");
  EXPECT_EQ(config->ca, ca_.certificate());
  EXPECT_EQ(config->ca_file, "");
  EXPECT_FALSE(config->insecure_skip_verify);
  ASSERT_TRUE(config->certificate);
  EXPECT_EQ(config->certificate->certificate, pair_.certificate);
  EXPECT_EQ(config->certificate->key, pair_.key);
  EXPECT_EQ(config->default_namespace, "shop");
  ASSERT_TRUE(config->token);
  EXPECT_EQ(config->token->current(), "abc");
}

TEST_F(KubeconfigTest, FilesAreRelativeToTheKubeconfig) {
  directory_.write("ca.crt", ca_.certificate());
  directory_.write("tls.crt", pair_.certificate);
  directory_.write("tls.key", pair_.key);
  directory_.write("token", "from-file\n");
  auto config = load(kubeconfig("{server: 'https://a:1', certificate-authority: ca.crt}",
                                "{client-certificate: tls.crt, client-key: " + directory_.path("tls.key") +
                                    ", token: ignored, tokenFile: token}"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->ca_file, directory_.path("ca.crt"));
  EXPECT_EQ(config->certificate_file, directory_.path("tls.crt"));
  EXPECT_EQ(config->key_file, directory_.path("tls.key"));
  EXPECT_EQ(config->default_namespace, "default");
  ASSERT_TRUE(config->token);
  EXPECT_EQ(config->token->current(), "from-file");
  directory_.write("token", "rotated\n");
  config->token->refresh();
  EXPECT_EQ(config->token->current(), "rotated");
  directory_.write("token", "");
  config->token->refresh();
  EXPECT_EQ(config->token->current(), "rotated") << "an empty file is a half-written one";
}

TEST_F(KubeconfigTest, ChoosesTheContext) {
  std::string text =
      "current-context: a\n"
      "contexts:\n"
      "- {name: a, context: {cluster: one}}\n"
      "- {name: b, context: {cluster: two, namespace: shop}}\n"
      "clusters:\n"
      "- {name: one, cluster: {server: 'https://one:1'}}\n"
      "- {name: two, cluster: {server: 'https://two:2', insecure-skip-tls-verify: true}}\n";
  EXPECT_EQ(load(text)->server, "https://one:1");
  auto other = load(text, "b");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->server, "https://two:2");
  EXPECT_TRUE(other->insecure_skip_verify);
  EXPECT_EQ(other->default_namespace, "shop");
  EXPECT_FALSE(other->token);
}

TEST_F(KubeconfigTest, SeveralFilesAreOne) {
  auto first =
      directory_.write("first", "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n");
  auto second =
      directory_.write("second",
                       "current-context: y\nclusters: [{name: c, cluster: {server: 'https://second:1'}}]\n"
                       "contexts: [{name: x, context: {cluster: none}}]\n");
  auto config = load_kubeconfigs({first, second});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, "https://second:1");
}

TEST_F(KubeconfigTest, ErrorsNameFilePlaceAndReasonAndNoSecret) {
  const std::string good = "{server: 'https://a:1'}", token = std::string("{token: ") + kSecret + "}";
  const std::string secret_data = in_base64(kSecret);
  PemPair other = ca_.issue();
  directory_.write("bad.pem", kSecret);
  directory_.write("tls.crt", pair_.certificate);
  directory_.write("other.key", other.key);
  directory_.write("empty", "");
  struct Case {
    const char* name;
    std::string text;
    std::string error;  // after "FILE: "
  } cases[] = {
      {"empty", "", "must hold one document, not 0"},
      {"two documents", "a: 1\n---\nb: 2\n", "must hold one document, not 2"},
      {"no object", "- a\n", "must be an object"},
      {"no context", "clusters: []\n", "current-context: is not set, and no context was given"},
      {"unknown context", "current-context: z\ncontexts: []\n", "contexts: has no entry named \"z\""},
      {"contexts no list", "current-context: z\ncontexts: {}\n", "contexts: must be a list"},
      {"entry no object", "current-context: z\ncontexts: [5]\n", "contexts[0]: must be an object"},
      {"context twice", "current-context: z\ncontexts: [{name: z, context: {}}, {name: z, context: {}}]\n",
       "contexts[1].name: \"z\" is defined twice"},
      {"no body", "current-context: z\ncontexts: [{name: z}]\n", "contexts[0].context: must be set"},
      {"no cluster", "current-context: z\ncontexts: [{name: z, context: {}}]\n",
       "contexts[0].context.cluster: must be set"},
      {"unknown cluster", "current-context: z\ncontexts: [{name: z, context: {cluster: q}}]\n",
       "clusters: has no entry named \"q\""},
      {"unknown user",
       "current-context: z\ncontexts: [{name: z, context: {cluster: c, user: q}}]\nclusters: [{name: c, "
       "cluster: " +
           good + "}]\n",
       "users: has no entry named \"q\""},
      {"no server", kubeconfig("{}", token), "clusters[0].cluster.server: must be set"},
      {"server no text", kubeconfig("{server: 5}", token), "clusters[0].cluster.server: must be a string"},
      {"server no URL", kubeconfig("{server: 'a:1'}", token),
       "clusters[0].cluster.server: must begin with https:// or http://"},
      {"server with password", kubeconfig("{server: 'https://u:s3cr3t-t0ken@a'}", token),
       "clusters[0].cluster.server: must not carry a user or password"},
      {"proxy", kubeconfig("{server: 'https://a', proxy-url: 'http://p'}", token),
       "clusters[0].cluster.proxy-url: is not supported"},
      {"flag no bool", kubeconfig("{server: 'https://a', insecure-skip-tls-verify: often}", token),
       "clusters[0].cluster.insecure-skip-tls-verify: must be true or false"},
      {"insecure with a CA",
       kubeconfig("{server: 'https://a', insecure-skip-tls-verify: true, certificate-authority-data: " +
                      in_base64(ca_.certificate()) + "}",
                  token),
       "clusters[0].cluster.insecure-skip-tls-verify: cannot be true if certificate-authority is given"},
      {"CA no base64", kubeconfig("{server: 'https://a', certificate-authority-data: '%%'}", token),
       "clusters[0].cluster.certificate-authority-data: is not base64"},
      {"CA no PEM",
       kubeconfig("{server: 'https://a', certificate-authority-data: " + secret_data + "}", token),
       "clusters[0].cluster.certificate-authority-data: no PEM certificate in it"},
      {"CA file missing", kubeconfig("{server: 'https://a', certificate-authority: none.crt}", token),
       "clusters[0].cluster.certificate-authority: " + directory_.path("none.crt") +
           ": No such file or directory"},
      {"CA file no PEM", kubeconfig("{server: 'https://a', certificate-authority: bad.pem}", token),
       "clusters[0].cluster.certificate-authority: " + directory_.path("bad.pem") +
           ": no PEM certificate in it"},
      {"certificate without key",
       kubeconfig(good, "{client-certificate-data: " + in_base64(pair_.certificate) + "}"),
       "users[0].user.client-key: must be set if client-certificate is"},
      {"key without certificate", kubeconfig(good, "{client-key-data: " + in_base64(pair_.key) + "}"),
       "users[0].user.client-certificate: must be set if client-key is"},
      {"key no PEM", kubeconfig(good, "{client-certificate: tls.crt, client-key-data: " + secret_data + "}"),
       "users[0].user.client-key-data: no PEM private key in it, or it is encrypted"},
      {"key of another certificate", kubeconfig(good, "{client-certificate: tls.crt, client-key: other.key}"),
       "users[0].user.client-key: " + directory_.path("other.key") +
           ": does not belong to the certificate in " + directory_.path("config") +
           ": users[0].user.client-certificate: " + directory_.path("tls.crt")},
      {"token no text", kubeconfig(good, "{token: 12345}"), "users[0].user.token: must be a string"},
      {"token with a line break", kubeconfig(good, "{token: \"s3cr3t-t0ken\\nX: y\"}"),
       "users[0].user.token: has characters that are not allowed in a token"},
      {"token file missing", kubeconfig(good, "{tokenFile: none}"),
       "users[0].user.tokenFile: " + directory_.path("none") + ": No such file or directory"},
      {"token file empty", kubeconfig(good, "{tokenFile: empty}"),
       "users[0].user.tokenFile: " + directory_.path("empty") + ": the file is empty"},
      {"password", kubeconfig(good, "{username: u, password: s3cr3t-t0ken}"),
       "users[0].user.username: API servers do not accept passwords; use a token or a certificate"},
      {"auth provider", kubeconfig(good, "{auth-provider: {name: gcp}}"),
       "users[0].user.auth-provider: is not supported; use exec"},
      {"impersonation", kubeconfig(good, "{token: s3cr3t-t0ken, as: admin}"),
       "users[0].user.as: impersonation is not supported"},
      {"exec without version", kubeconfig(good, "{exec: {command: x}}"),
       "users[0].user.exec.apiVersion: must be set"},
      {"exec of an old version",
       kubeconfig(good, "{exec: {apiVersion: client.authentication.k8s.io/v1alpha1}}"),
       "users[0].user.exec.apiVersion: must be client.authentication.k8s.io/v1 or "
       "client.authentication.k8s.io/v1beta1"},
      {"exec without command", kubeconfig(good, "{exec: {apiVersion: client.authentication.k8s.io/v1}}"),
       "users[0].user.exec.command: must be set"},
      {"exec arguments",
       kubeconfig(good, "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, args: [a, 5]}}"),
       "users[0].user.exec.args[1]: must be a string"},
      {"exec environment",
       kubeconfig(
           good,
           "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, env: [{value: s3cr3t-t0ken}]}}"),
       "users[0].user.exec.env[0].name: must be set"},
      {"exec with a terminal",
       kubeconfig(
           good,
           "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Always}}"),
       "users[0].user.exec.interactiveMode: must be Never or IfAvailable: podium has no terminal"},
  };
  for (const auto& test : cases) {
    auto config = load(test.text);
    ASSERT_FALSE(config) << test.name;
    EXPECT_EQ(config.error().kind, Error::Kind::invalid) << test.name;
    EXPECT_EQ(config.error().message, directory_.path("config") + ": " + test.error) << test.name;
    EXPECT_THAT(config.error().message, Not(HasSubstr(kSecret))) << test.name;
  }
}

TEST_F(KubeconfigTest, FilesThatCannotBeReadAreNamed) {
  auto missing = load_kubeconfig(directory_.path("none"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, directory_.path("none") + ": No such file or directory");
  auto folder = load_kubeconfig(directory_.path(""));
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("Is a directory"));
  for (const char* text : {"a: [", "a: 1\na: 2\n", "token: \"s3cr3t-t0ken\n", "\xff\xfe\x00"}) {
    auto broken = load(text);
    ASSERT_FALSE(broken) << text;
    EXPECT_THAT(broken.error().message, HasSubstr(directory_.path("config"))) << text;
    EXPECT_THAT(broken.error().message, Not(HasSubstr(kSecret))) << text;
  }
  EXPECT_FALSE(load("a: " + std::string(2 << 20, 'x')));
}

// Sets environment variables, and restores them on destruction.
class Environment {
 public:
  explicit Environment(std::initializer_list<std::pair<const char*, std::string>> values) {
    for (const auto& [name, value] : values) {
      const char* before = std::getenv(name);
      before_.emplace_back(name, before ? std::optional<std::string>(before) : std::nullopt);
      ::setenv(name, value.c_str(), 1);
    }
  }
  ~Environment() {
    for (auto& [name, value] : before_) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

TEST_F(KubeconfigTest, InClusterConfig) {
  directory_.write("ca.crt", ca_.certificate());
  directory_.write("token", "sa-token");
  directory_.write("namespace", "podium-system\n");
  std::string directory = directory_.path("");
  {
    Environment environment({{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}});
    auto config = in_cluster_config(directory);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->server, "https://[fd00::1]:443");
    EXPECT_EQ(config->ca, ca_.certificate());
    EXPECT_EQ(config->ca_file, directory + "/ca.crt");
    EXPECT_EQ(config->default_namespace, "podium-system");
    EXPECT_EQ(config->token->current(), "sa-token");
    directory_.remove("token");
    EXPECT_EQ(in_cluster_config(directory).error().message, directory + "/token: No such file or directory");
    directory_.write("ca.crt", "");
    EXPECT_EQ(in_cluster_config(directory).error().message, directory + "/ca.crt: no PEM certificate in it");
  }
  Environment outside({{"KUBERNETES_SERVICE_HOST", ""}, {"KUBERNETES_SERVICE_PORT", ""}});
  EXPECT_THAT(in_cluster_config(directory).error().message, HasSubstr("not in a cluster"));
}

TEST_F(KubeconfigTest, FindsTheConfigInOrder) {
  auto text = [](const std::string& host) {
    return "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c, cluster: "
           "{server: 'https://" +
           host + "'}}]\n";
  };
  std::filesystem::create_directory(directory_.path(".kube"));
  directory_.write(".kube/config", text("home"));
  auto flag = directory_.write("flag", text("flag")),
       variable = directory_.write("variable", text("variable"));
  Environment environment({{"KUBECONFIG", directory_.path("none") + "::" + variable},
                           {"HOME", directory_.path("")},
                           {"KUBERNETES_SERVICE_HOST", ""}});
  EXPECT_EQ(find_config(flag)->server, "https://flag");
  EXPECT_EQ(find_config("")->server, "https://variable");
  Environment only_missing({{"KUBECONFIG", directory_.path("none")}});
  EXPECT_EQ(find_config("").error().message,
            "$KUBECONFIG: " + directory_.path("none") + ": No such file or directory");
  Environment no_variable({{"KUBECONFIG", ""}});
  EXPECT_EQ(find_config("")->server, "https://home");
  Environment no_home({{"HOME", directory_.path("nobody")}});
  EXPECT_THAT(find_config("").error().message, HasSubstr("no API server configured"));
}

TEST_F(KubeconfigTest, FlagsComeBeforeTheFile) {
  const auto file =
      directory_.write("config",
                       "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                       "clusters: [{name: c, cluster: {server: 'https://file'}}]\n"
                       "users: [{name: u, user: {token: of-u}}, {name: v, user: {token: of-v}}]\n");
  const auto token = [&](const ConfigFlags& flags) { return *find_config(file, flags)->token->current(); };
  EXPECT_EQ(token({}), "of-u");
  EXPECT_EQ(token({.user = "v"}), "of-v");
  EXPECT_EQ(token({.user = "v", .token = "given"}), "given");
  EXPECT_EQ(find_config(file, {.server = "https://flag:1"})->server, "https://flag:1");
  const auto as = find_config(file, {.impersonate = {"jane", {"dev", "ops"}}});
  EXPECT_EQ(as->impersonate.user, "jane");
  EXPECT_EQ(as->impersonate.groups, (std::vector<std::string>{"dev", "ops"}));
  const auto why = [&](const ConfigFlags& flags) { return find_config(file, flags).error().message; };
  EXPECT_THAT(why({.user = "w"}), HasSubstr("users: has no entry named \"w\""));
  EXPECT_THAT(why({.server = "a:1"}), HasSubstr("--server: must begin with https:// or http://"));
  EXPECT_EQ(why({.token = "a\r\nb"}), "--token: has characters that are not allowed in a token");
  EXPECT_EQ(why({.impersonate = {"", {"dev"}}}), "--as-group: needs --as");
  EXPECT_EQ(why({.impersonate = {"a\r\nX: y", {}}}), "--as: has characters that no header may have");
}

TEST(ServerUrl, Parses) {
  struct Case {
    const char* url;
    const char* authority;
    const char* prefix;
  } cases[] = {
      {"https://a", "a:443", ""},
      {"http://a", "a:80", ""},
      {"https://a:6443/", "a:6443", ""},
      {"https://10.0.0.1:1/k8s/c/", "10.0.0.1:1", "/k8s/c"},
      {"https://[::1]:6443", "[::1]:6443", ""},
  };
  for (const auto& test : cases) {
    auto url = parse_server_url(test.url);
    ASSERT_TRUE(url) << test.url;
    EXPECT_EQ(url->authority(), test.authority);
    EXPECT_EQ(url->prefix, test.prefix);
  }
  for (const char* bad :
       {"", "a", "https://", "https://a:0", "https://a:99999", "https://a?x", "https://a#x", "unix:///x"})
    EXPECT_FALSE(parse_server_url(bad)) << bad;
}

TEST(Base64, RoundTripsAndRefuses) {
  for (const char* text : {"", "a", "ab", "abc", "abcd", "\xff\xfe\xfd"})
    EXPECT_EQ(base64_decode(base64_encode(text)), text);
  EXPECT_EQ(base64_decode("YWJj\nZGVm\r\n"), "abcdef");
  for (const char* bad : {"YQ", "YQ=", "YQ=a", "Y===", "%%%%", "YW Jj"})
    EXPECT_FALSE(base64_decode(bad)) << bad;
}

TEST_F(KubeconfigTest, NamesOfTheContext) {
  const auto path =
      directory_.write("config", kubeconfig("{server: 'https://api.test'}", "{}", ", namespace: shop"));
  const auto names = names_in({path}, {});
  EXPECT_EQ(names.context, "x");
  EXPECT_EQ(names.user, "u");
  EXPECT_EQ(names.ns, "shop");
  ConfigFlags flags;
  flags.context = "other";
  flags.user = "admin";
  EXPECT_EQ(names_in({path}, flags).context, "other") << "even if it does not exist: find_config() says so";
  EXPECT_EQ(names_in({path}, flags).user, "admin");
  EXPECT_EQ(names_in({"/nowhere"}, {}).context, "");
}

}  // namespace
}  // namespace podium::client
