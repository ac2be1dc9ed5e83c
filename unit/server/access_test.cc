// Access, with users from a scripted API server's reviews or from client certificates.
#include "server/access.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <future>

#include "unit/client/doubles.h"
#include "unit/support/test_tls.h"

namespace podium::server {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A source that has the CA already.
class FixedCa final : public ClientCaSource {
 public:
  explicit FixedCa(const std::string& pem) : ca_(*ClientCa::parse(pem, "ca")) {}
  std::shared_ptr<const ClientCa> current() override { return ca_; }

 private:
  std::shared_ptr<const ClientCa> ca_;
};

std::shared_ptr<const Certificates> presented(const std::string& pem) {
  auto out = std::make_shared<Certificates>();
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free_all);
  while (auto* one = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))
    out->push_back(std::shared_ptr<X509>(one, X509_free));
  return out;
}

client::Response reply_of(int status, json::value body) {
  client::Response out;
  out.status = status;
  out.body = json::serialize(body);
  return out;
}

// An API server that knows two tokens, allows "reader" to read all metrics, and can fail.
class Reviewer {
 public:
  Reviewer() {
    transport->on_send = [this](const client::Request& request) { return answer(request); };
  }

  std::size_t asked(const std::string& what) const {
    std::size_t out = 0;
    for (const auto& one : transport->requests()) out += one.target.find(what) != std::string::npos;
    return out;
  }
  json::value last() const { return json::parse(transport->requests().back().body); }

  bool reachable = true, lets_none = false;
  int cut_replies = 0;  // how many replies are lost
  unit::ManualClock clock;
  unit::FixedRandom random;
  std::shared_ptr<unit::ScriptedTransport> transport = std::make_shared<unit::ScriptedTransport>();
  client::Api api{transport, clock, random};

 private:
  Result<client::Response> answer(const client::Request& request) {
    if (!reachable) return fail(Error::Kind::unavailable, "connection refused");
    if (cut_replies > 0) {
      --cut_replies;
      auto error = fail(Error::Kind::unavailable, "cut");
      error.error().maybe_applied = true;
      return error;
    }
    const auto body = json::parse(request.body);
    const auto& spec = body.at("spec").as_object();
    if (request.target == "/apis/authentication.k8s.io/v1/tokenreviews") {
      const std::string token(spec.at("token").as_string());
      json::object status{{"authenticated", false}};
      if (token == "refused") status["error"] = "invalid bearer token";
      if (token == "good" || token == "masters") {
        status = {{"authenticated", true},
                  {"user",
                   {{"username", token == "good" ? "reader" : "root"},
                    {"uid", "u-1"},
                    {"groups", json::array{token == "good" ? "scrapers" : "system:masters"}},
                    {"extra", {{"node", json::array{"n1"}}}}}}};
      }
      return reply_of(201, {{"status", std::move(status)}});
    }
    EXPECT_EQ(request.target, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
    const bool is_reader = !lets_none && spec.at("user") == "reader";
    return reply_of(201, {{"status", {{"allowed", is_reader && is_allowed(spec)}}}});
  }
  static bool is_allowed(const json::object& spec) {
    if (const auto* resource = spec.if_contains("resourceAttributes"))
      return resource->at("verb") == "get" && resource->at("namespace") == "shop";
    const auto& path = spec.at("nonResourceAttributes");
    return path.at("verb") == "get" && path.at("path") == "/metrics";
  }
};

// Runs Access on its own io_context.
class Asker {
 public:
  explicit Asker(Reviewer& reviewer, ClientCaSource* ca = nullptr)
      : tokens_(reviewer.api, shares, seconds(10)),
        reviews_(reviewer.api, shares, seconds(20), seconds(5)),
        access_({reviewer.clock, *OpenPaths::parse({"/healthz", "/livez", "/open/*"}), ca, &tokens_,
                 &reviews_}) {}

  // The reply's status; 200 where the request is allowed.
  int status(const Request& request) {
    const auto refused = reply(request);
    return refused ? refused->status : 200;
  }
  int status(const std::string& path, const std::string& authorization = "",
             const std::string& method = "GET", const std::string& peer = "") {
    Request request;
    request.peer = peer;
    request.method = method;
    request.path = path;
    request.authorization = authorization;
    return status(request);
  }
  // Asks for a resource in a namespace.
  AccessDecision admit(const std::string& verb, const std::string& ns, const std::string& authorization,
                       const std::string& path = "/v1/x", bool of_pods = false) {
    Request request;
    request.path = path;
    request.authorization = authorization;
    Attributes what;
    what.verb = verb;
    what.ns = ns;
    what.group = "podium.dev";
    what.version = "v1alpha1";
    what.resource = "schedulingreports";
    if (of_pods) {
      what.group.clear();
      what.version = "v1";
      what.resource = "pods";
    }
    auto future = asio::co_spawn(io_, access_.admit(request, what), asio::use_future);
    io_.restart();
    io_.run();
    return future.get();
  }
  std::optional<Reply> reply(const Request& request) {
    auto future = asio::co_spawn(io_, access_.refusal(request), asio::use_future);
    io_.restart();
    io_.run();
    return future.get();
  }

  Shares shares{kReviewShares};

 private:
  asio::io_context io_;
  TokenReviews tokens_;
  AccessReviews reviews_;
  Access access_;
};

TEST(Access, StatusByPathAndToken) {
  Reviewer reviewer;
  Asker asker(reviewer);
  struct Case {
    const char *path, *authorization, *method;
    int status;
  };
  const Case cases[] = {
      {"/healthz", "", "GET", 200},
      {"/open/anything", "", "GET", 200},
      {"/healthz/ping", "", "GET", 403},
      {"/healthz", "Bearer refused", "GET", 401},
      {"/healthz", "Bearer unknown", "GET", 401},
      {"/metrics", "", "GET", 403},
      {"/metrics", "Bearer ", "GET", 403},
      {"/metrics", "Basic Z29vZA==", "GET", 403},
      {"/metrics", "Bearer refused", "GET", 401},
      {"/metrics", "Bearer good", "GET", 200},
      {"/metrics", "  bearer good ", "GET", 200},
      {"/metrics", "Bearer good", "POST", 403},
      {"/configz", "Bearer good", "GET", 403},
      {"/configz", "Bearer masters", "GET", 200},
      {"/no/such/path", "", "GET", 403},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(asker.status(c.path, c.authorization, c.method), c.status)
        << c.method << " " << c.path << " " << c.authorization;
  }
}

// Somebody with random tokens, and random paths without one, has as many reviews in progress as he gets.
TEST(Access, KnownTokensAndOtherPeersDoNotWaitBehindReviews) {
  Reviewer reviewer;
  Asker asker(reviewer);
  ASSERT_EQ(asker.status("/metrics", "Bearer good", "GET", "greedy"), 200);
  std::vector<Shares::Slot> held;
  while (auto slot = asker.shares.take("greedy")) held.push_back(std::move(slot));
  EXPECT_EQ(held.size(), kReviewShares.of_one);
  while (auto slot = asker.shares.take("greedy-2")) held.push_back(std::move(slot));
  const auto before = reviewer.asked("");
  EXPECT_EQ(asker.status("/metrics", "Bearer random", "GET", "greedy"), 503);
  EXPECT_EQ(asker.status("/livez", "Bearer random", "GET", "greedy"), 503);
  EXPECT_EQ(asker.status("/random", "", "GET", "greedy"), 503);
  EXPECT_EQ(reviewer.asked(""), before) << "refused immediately";
  EXPECT_EQ(asker.status("/metrics", "Bearer good", "GET", "greedy"), 200) << "known, also at this address";
  EXPECT_EQ(asker.status("/livez", "", "GET", "greedy"), 200);
  EXPECT_EQ(asker.status("/metrics", "Bearer unknown", "GET", "modest"), 401) << "reviewed";
  EXPECT_EQ(asker.status("/configz", "Bearer good", "GET", "modest"), 403) << "reviewed";
}

TEST(Access, RandomTokensAndPathsPushOutNoKnownOnes) {
  Reviewer reviewer;
  Asker asker(reviewer);
  ASSERT_EQ(asker.status("/metrics", "Bearer good"), 200);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(asker.status("/metrics", "Bearer random-" + std::to_string(i)), 401);
    ASSERT_EQ(asker.status("/random/" + std::to_string(i)), 403);
  }
  const auto before = reviewer.asked("");
  EXPECT_EQ(asker.status("/metrics", "Bearer good"), 200);
  EXPECT_EQ(reviewer.asked(""), before);
}

TEST(Access, AsksAsKubeSchedulerDoes) {
  Reviewer reviewer;
  Asker asker(reviewer);
  ASSERT_EQ(asker.status("/metrics", "Bearer good"), 200);
  EXPECT_EQ(reviewer.last(),
            json::parse(R"({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
      "spec": {"user": "reader", "uid": "u-1", "groups": ["scrapers", "system:authenticated"],
               "extra": {"node": ["n1"]}, "nonResourceAttributes": {"path": "/metrics", "verb": "get"}}})"));
  ASSERT_EQ(asker.status("/metrics"), 403);
  EXPECT_EQ(reviewer.last(),
            json::parse(R"({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
      "spec": {"user": "system:anonymous", "groups": ["system:unauthenticated"],
               "nonResourceAttributes": {"path": "/metrics", "verb": "get"}}})"));
}

TEST(Access, RefusesInKubeSchedulersWords) {
  Reviewer reviewer;
  Asker asker(reviewer);
  Request request;
  request.method = "GET";
  request.path = "/metrics/<b>";
  const auto forbidden = asker.reply(request);
  EXPECT_EQ(forbidden->content_type, "application/json");
  EXPECT_EQ(json::parse(forbidden->body),
            json::parse(R"({"kind": "Status", "apiVersion": "v1", "metadata": {},
      "status": "Failure", "message": "forbidden: User \"system:anonymous\" cannot get path \"/metrics/&lt;b&gt;\"",
      "reason": "Forbidden", "details": {}, "code": 403})"));
  request.authorization = "Bearer refused";
  EXPECT_EQ(json::parse(asker.reply(request)->body), json::parse(R"({"kind": "Status", "apiVersion": "v1",
      "metadata": {}, "status": "Failure", "message": "Unauthorized", "reason": "Unauthorized", "code": 401})"));
}

TEST(Access, OfAResourceInANamespace) {
  Reviewer reviewer;
  Asker asker(reviewer);
  const auto allowed = asker.admit("get", "shop", "Bearer good");
  EXPECT_EQ(allowed.refusal, std::nullopt);
  EXPECT_EQ(allowed.user.name, "reader");
  EXPECT_EQ(reviewer.last().at("spec").at("resourceAttributes"),
            json::parse(R"({"namespace": "shop", "verb": "get", "group": "podium.dev", "version": "v1alpha1",
                            "resource": "schedulingreports"})"));
  EXPECT_FALSE(reviewer.last().at("spec").as_object().contains("nonResourceAttributes"));
  const auto refused = asker.admit("create", "shop", "Bearer good");
  EXPECT_EQ(json::parse(refused.refusal->body),
            json::parse(R"({"kind": "Status", "apiVersion": "v1", "metadata": {},
      "status": "Failure", "message": "schedulingreports.podium.dev is forbidden: User \"reader\" cannot create resource \"schedulingreports\" in API group \"podium.dev\" in the namespace \"shop\"",
      "reason": "Forbidden", "details": {"group": "podium.dev", "kind": "schedulingreports"}, "code": 403})"));
  EXPECT_EQ(asker.admit("get", "bank", "Bearer good").refusal->status, 403);
  EXPECT_EQ(asker.admit("get", "shop", "").refusal->status, 403);
  EXPECT_EQ(asker.admit("get", "shop", "Bearer refused").refusal->status, 401);
  EXPECT_EQ(asker.admit("create", "bank", "Bearer masters").refusal, std::nullopt);
  EXPECT_EQ(asker.admit("get", "bank", "Bearer good", "/open/anything").refusal->status, 403)
      << "open paths open no resource";
}

TEST(Access, OfAResourceInAllNamespaces) {
  Reviewer reviewer;
  Asker asker(reviewer);
  const auto refused = asker.admit("list", "", "Bearer good");
  EXPECT_EQ(reviewer.last().at("spec").at("resourceAttributes").at("namespace"), "");
  EXPECT_EQ(json::parse(refused.refusal->body).at("message"),
            "schedulingreports.podium.dev is forbidden: User \"reader\" cannot list resource "
            "\"schedulingreports\" in API group \"podium.dev\" at the cluster scope");
  const auto pods = asker.admit("get", "bank", "Bearer good", "/v1/x", true);
  EXPECT_EQ(
      json::parse(pods.refusal->body).at("message"),
      "pods is forbidden: User \"reader\" cannot get resource \"pods\" in API group \"\" in the namespace "
      "\"bank\"");
}

TEST(Access, VerdictsOnResourcesAreKeptApart) {
  Reviewer reviewer;
  Asker asker(reviewer);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(asker.admit("get", "shop", "Bearer good").refusal, std::nullopt);
    EXPECT_TRUE(asker.admit("get", "bank", "Bearer good").refusal);
    EXPECT_TRUE(asker.admit("create", "shop", "Bearer good").refusal);
  }
  EXPECT_EQ(reviewer.asked("subjectaccessreviews"), 3u);
  reviewer.reachable = false;
  reviewer.clock.advance(seconds(6));
  const auto closed = asker.admit("create", "shop", "Bearer good");
  EXPECT_EQ(closed.refusal->status, 500);
  EXPECT_EQ(json::parse(closed.refusal->body).at("kind"), "Status");
}

TEST(Access, AnswersHoldForAWhile) {
  Reviewer reviewer;
  Asker asker(reviewer);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(asker.status("/metrics", "Bearer good"), 200);
    EXPECT_EQ(asker.status("/metrics"), 403);
  }
  EXPECT_EQ(reviewer.asked("tokenreviews"), 1u);
  EXPECT_EQ(reviewer.asked("subjectaccessreviews"), 2u);
  reviewer.clock.advance(seconds(6));  // the denial has expired
  asker.status("/metrics", "Bearer good");
  asker.status("/metrics");
  EXPECT_EQ(reviewer.asked("tokenreviews"), 1u);
  EXPECT_EQ(reviewer.asked("subjectaccessreviews"), 3u);
  reviewer.clock.advance(seconds(6));  // the token's review, too
  asker.status("/metrics", "Bearer good");
  EXPECT_EQ(reviewer.asked("tokenreviews"), 2u);
  EXPECT_EQ(reviewer.asked("subjectaccessreviews"), 3u);
  reviewer.lets_none = true;
  reviewer.clock.advance(seconds(9));
  EXPECT_EQ(asker.status("/metrics", "Bearer good"), 403);
}

TEST(Access, StaysClosedWithoutTheApiServer) {
  Reviewer reviewer;
  Asker asker(reviewer);
  reviewer.reachable = false;
  EXPECT_EQ(asker.status("/healthz"), 200);
  EXPECT_EQ(asker.status("/metrics", "Bearer good"), 401);
  EXPECT_EQ(asker.status("/metrics"), 500);
  reviewer.reachable = true;
  EXPECT_EQ(asker.status("/metrics", "Bearer good"), 200) << "failures are not kept";
  EXPECT_EQ(asker.status("/metrics"), 403);
}

TEST(Access, AsksAgainWhereTheReplyWasLost) {
  Reviewer reviewer;
  Asker asker(reviewer);
  reviewer.cut_replies = 1;
  EXPECT_EQ(asker.status("/metrics", "Bearer good"), 200);
}

TEST(Access, WithoutReviewersOnlyOpenPathsAreServed) {
  unit::ManualClock clock;
  Access access({clock, *OpenPaths::parse({"/healthz"}), nullptr, nullptr, nullptr});
  asio::io_context io;
  Request request;
  request.path = "/metrics";
  request.authorization = "Bearer good";
  auto refused = asio::co_spawn(io, access.refusal(request), asio::use_future);
  request.path = "/healthz";
  auto open = asio::co_spawn(io, access.refusal(request), asio::use_future);
  io.run();
  EXPECT_EQ(refused.get()->status, 403);
  EXPECT_EQ(open.get(), std::nullopt);
}

TEST(Access, ClientCertificates) {
  const unit::TestCa ca, other("another CA");
  FixedCa source(ca.certificate());
  Reviewer reviewer;
  Asker asker(reviewer, &source);
  const auto ask = [&](const std::string& certificate, const std::string& authorization = "") {
    Request request;
    request.method = "GET";
    request.path = "/metrics";
    request.authorization = authorization;
    request.certificates = presented(certificate);
    return asker.status(request);
  };
  EXPECT_EQ(ask(ca.issue({.common_name = "reader"}).certificate), 200);
  EXPECT_EQ(ask(ca.issue({.common_name = "somebody"}).certificate), 403);
  EXPECT_EQ(ask(ca.issue({.common_name = "root", .organizations = {"system:masters"}}).certificate), 200);
  EXPECT_EQ(ask(ca.issue({.common_name = ""}).certificate), 403) << "it names nobody: anonymous";
  EXPECT_EQ(ask(other.issue({.common_name = "reader"}).certificate), 401);
  EXPECT_EQ(ask(other.issue({.common_name = "reader"}).certificate, "Bearer good"), 200);
  EXPECT_EQ(ask(ca.issue({.common_name = "reader", .valid_to = seconds(-60)}).certificate), 401);
  EXPECT_EQ(reviewer.last().at("spec").at("user"), "reader");
}

TEST(ClientCa, NamesTheUser) {
  const unit::TestCa ca;
  const auto parsed = *ClientCa::parse(ca.certificate(), "ca");
  const auto pem = ca.issue({.common_name = "jane", .organizations = {"dev", "ops"}}).certificate;
  const auto user = parsed->user(*presented(pem));
  ASSERT_TRUE(user);
  ASSERT_TRUE(*user);
  EXPECT_EQ((*user)->name, "jane");
  EXPECT_EQ((*user)->groups, (std::vector<std::string>{"dev", "ops"}));
  const auto id = (*user)->extra.at("authentication.kubernetes.io/credential-id").at(0);
  EXPECT_TRUE(id.starts_with("X509SHA256=")) << id;
  EXPECT_EQ(id.size(), 11u + 64u);
}

TEST(ClientCa, NeedsACertificate) {
  EXPECT_EQ(ClientCa::parse("junk", "ca.crt").error().message, "ca.crt: no PEM certificate in it");
}

TEST(OpenPaths, Parse) {
  EXPECT_FALSE(OpenPaths::parse({"/a*b"}));
  EXPECT_FALSE(OpenPaths::parse({"/a**"}));
  const auto paths = *OpenPaths::parse({"healthz", "/metrics*", "/"});
  for (const auto* path : {"/healthz", "/metrics", "/metrics/resources", "/"})
    EXPECT_TRUE(paths.contains(path)) << path;
  for (const auto* path : {"/healthz/", "/metric", "/x", "//"}) EXPECT_FALSE(paths.contains(path)) << path;
  EXPECT_TRUE(OpenPaths::parse({"*"})->contains("/anything"));
}

TEST(ClientCaDeathTest, ACertificateIsPresented) {
  const auto ca = *ClientCa::parse(unit::TestCa().certificate(), "ca");
  EXPECT_DEATH(static_cast<void>(ca->user({})), "check failed at .*!certificates.empty\\(\\)");
}

}  // namespace
}  // namespace podium::server
