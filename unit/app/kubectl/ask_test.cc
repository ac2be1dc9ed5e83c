// A question's life, against a scripted API server: created, watched, answered, and deleted in all cases.
#include "app/kubectl/ask.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <functional>

#include "app/kubectl/reports.h"
#include "app/kubectl/targets.h"
#include "base/clock.h"
#include "controller/report/report_requests.h"
#include "unit/client/doubles.h"
#include "unit/support/manual_clock.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using unit::ScriptedTransport;
using unit::StreamScript;

constexpr const char* kReports = "/apis/podium.dev/v1alpha1/namespaces/shop/schedulingreports";
constexpr const char* kAnswered =
    R"({"metadata": {"name": "q", "generation": 1, "resourceVersion": "8"}, "spec": {"dryRun": true},
        "status": {"outcome": "Fits", "conditions": [{"type": "Complete", "status": "True"}]}})";
constexpr const char* kWaiting = R"({"metadata": {"name": "q", "generation": 1, "resourceVersion": "7"}})";

client::Response response(int status, std::string body) {
  client::Response out;
  out.status = status;
  out.body = std::move(body);
  return out;
}

std::string status_of(int code, const std::string& reason, const std::string& message,
                      const std::string& details = "{}") {
  return R"({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": )" + std::to_string(code) +
         R"(, "reason": ")" + reason + R"(", "message": ")" + message + R"(", "details": )" + details + "}";
}

constexpr const char* kReview = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

class Ask : public testing::Test {
 protected:
  LiveCluster cluster(std::chrono::milliseconds timeout = std::chrono::seconds(5)) {
    const LiveCluster::MakeTransport make = [this](auto) { return transport; };
    return LiveCluster(make, "shop", timeout, system_clock(), random);
  }
  // "GET /path" of each request, without the query.
  std::vector<std::string> requests() const {
    std::vector<std::string> out;
    for (const auto& r : transport->requests())
      out.push_back(r.method + " " + r.target.substr(0, r.target.find('?')));
    return out;
  }
  std::size_t deleted() const {
    return static_cast<std::size_t>(
        std::ranges::count(requests(), "DELETE " + std::string(kReports) + kName));
  }
  static constexpr const char* kName = "/whatif-0000000000000000";
  unit::FixedRandom random;
  std::shared_ptr<ScriptedTransport> transport = std::make_shared<ScriptedTransport>();
};

TEST_F(Ask, CreatesWatchesAndRemoves) {
  transport->on_send = [](const client::Request& request) -> Result<client::Response> {
    return response(request.method == "POST" ? 201 : 200, kWaiting);
  };
  transport->on_open = [](const client::Request&) -> Result<StreamScript> {
    std::string line = R"({"type": "MODIFIED", "object": )" + std::string(kAnswered) + "}";
    std::erase(line, '\n');
    return StreamScript{.pieces = {line.substr(0, 30), line.substr(30) + "\n"}};
  };
  auto server = cluster();
  const auto answered = ask(server, "shop", {{"dryRun", true}}, false);
  ASSERT_TRUE(answered) << answered.error().message;
  EXPECT_EQ(answered->at("status").at("outcome"), "Fits");
  const auto path = std::string(kReports);
  EXPECT_EQ(requests(), (std::vector<std::string>{"POST " + path, "GET " + path + kName, "GET " + path,
                                                  "DELETE " + path + kName}));
  const auto sent = transport->requests();
  EXPECT_EQ(sent[0].target, path + "?fieldValidation=Strict")
      << "an older podium must not answer another question";
  EXPECT_EQ(sent[2].target,
            path + "?watch=true&fieldSelector=metadata.name%3Dwhatif-0000000000000000&resourceVersion=7");
}

// --request-timeout bounds the command and not each of its requests.
TEST_F(Ask, AllRequestsShareTheTimeout) {
  unit::ManualClock clock;
  const LiveCluster::MakeTransport make = [this](auto) { return transport; };
  LiveCluster server(make, "shop", std::chrono::seconds(5), clock, random);
  std::vector<std::chrono::milliseconds> timeouts;
  transport->on_send = [&](const client::Request& request) -> Result<client::Response> {
    timeouts.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(request.timeout));
    clock.advance(std::chrono::seconds(3));
    return response(200, R"({"metadata": {"name": "p"}, "items": []})");
  };
  EXPECT_TRUE(server.get(client::resource::pods, "shop", "p"));
  EXPECT_TRUE(server.list(client::resource::pods, "shop", {}));
  const auto late = server.get(client::resource::pods, "shop", "p");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, Error::Kind::timeout);
  EXPECT_EQ(late.error().message, "no answer within 5 s");
  EXPECT_EQ(timeouts,
            (std::vector<std::chrono::milliseconds>{std::chrono::seconds(5), std::chrono::seconds(2)}));
  server.start_timeout();
  EXPECT_TRUE(server.get(client::resource::pods, "shop", "p")) << "the next question";
}

TEST_F(Ask, AfterATimeoutNoOtherKindIsAskedFor) {
  std::optional<Error> error;
  transport->on_send = [&](const client::Request& request) -> Result<client::Response> {
    if (request.target.find("/pods/") == std::string::npos && error) return std::unexpected(*error);
    return error && error->kind == Error::Kind::timeout ? Result<client::Response>(std::unexpected(*error))
                                                        : response(404, status_of(404, "NotFound", ""));
  };
  const auto* pods = api::pod_maker_named("pod");
  auto server = cluster();
  EXPECT_EQ(resolved(server, {pods, "web"}).maker, pods);
  EXPECT_EQ(requests().size(), api::pod_makers().size()) << "a name that nothing has";
  const auto after = requests().size();
  error = Error{.kind = Error::Kind::timeout, .message = "no answer"};
  EXPECT_EQ(resolved(server, {pods, "web"}).maker, pods);
  EXPECT_EQ(requests().size(), after + 1);
  EXPECT_EQ(did_you_mean(server, "shop", parse_targets({"web"}, "")->front()), "");
  EXPECT_EQ(requests().size(), after + 2);
}

TEST_F(Ask, AKeptQuestionStays) {
  transport->on_send = [](const client::Request&) -> Result<client::Response> {
    return response(200, kAnswered);
  };
  auto server = cluster();
  ASSERT_TRUE(ask(server, "shop", {}, true));
  EXPECT_EQ(deleted(), 0u);
}

TEST_F(Ask, WithoutAnAnswerItSaysSoAndRemoves) {
  transport->on_send = [](const client::Request&) -> Result<client::Response> {
    return response(200, kWaiting);
  };
  transport->on_open = [](const client::Request&) -> Result<StreamScript> {
    return StreamScript{.end = StreamScript::End::hang};
  };
  auto server = cluster(std::chrono::milliseconds(50));
  const auto answered = ask(server, "shop", {}, false);
  ASSERT_FALSE(answered);
  EXPECT_NE(answered.error().message.find("no answer within 0.05 s. Is podium running?"), std::string::npos)
      << answered.error().message;
  EXPECT_EQ(deleted(), 1u);
}

TEST_F(Ask, AQuestionWhoseReplyWasLostIsRemoved) {
  transport->on_send = [](const client::Request& request) -> Result<client::Response> {
    if (request.method == "DELETE") return response(200, "{}");
    Error lost{.kind = Error::Kind::unavailable, .message = "cut"};
    lost.maybe_applied = true;
    return std::unexpected(lost);
  };
  auto server = cluster();
  EXPECT_FALSE(ask(server, "shop", {}, false));
  EXPECT_EQ(deleted(), 1u);
}

TEST_F(Ask, SaysWhyItCannotBeAsked) {
  struct Case {
    const char* name;
    int code;
    std::string body;
    const char* words;
    Error::Kind kind;
  };
  const Case cases[] = {
      {"no CRD", 404, "404 page not found", "podium is not installed in this cluster", Error::Kind::status},
      {"no right", 403,
       status_of(403, "Forbidden", "User \\\"x\\\" cannot create resource schedulingreports"),
       "which you may not create in namespace shop", Error::Kind::status},
      {"an older podium", 400,
       status_of(400, "BadRequest", "strict decoding error: unknown field spec.changes"),
       "the podium of this cluster cannot answer this question", Error::Kind::invalid},
      {"the schema refuses", 422, status_of(422, "Invalid", "spec.replicas: too many"),
       "spec.replicas: too many", Error::Kind::invalid},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    transport->on_send = [&c](const client::Request& request) -> Result<client::Response> {
      if (request.target == kReview) return response(201, R"({"status": {"allowed": false}})");
      return response(c.code, c.body);
    };
    auto server = cluster();
    const auto answered = ask(server, "shop", {}, false);
    ASSERT_FALSE(answered);
    EXPECT_NE(answered.error().message.find(c.words), std::string::npos) << answered.error().message;
    EXPECT_EQ(answered.error().kind, c.kind);
  }
  EXPECT_EQ(deleted(), 0u) << "nothing was created";
}

TEST_F(Ask, TheApiServersRefusalOfThePodIsAnAnswer) {
  // Quota and RBAC have the same code and reason, so the user's access is reviewed.
  bool may_create = true;
  transport->on_send = [&may_create](const client::Request& request) -> Result<client::Response> {
    if (request.target == kReview) {
      EXPECT_EQ(json::parse(request.body).at("spec").at("resourceAttributes"),
                json::parse(R"({"namespace": "shop", "verb": "create", "group": "", "resource": "pods"})"));
      return response(201,
                      may_create ? R"({"status": {"allowed": true}})" : R"({"status": {"allowed": false}})");
    }
    EXPECT_EQ(request.target, "/api/v1/namespaces/shop/pods?dryRun=All&fieldValidation=Strict");
    return response(403, status_of(403, "Forbidden", "a reason in any words"));
  };
  auto server = cluster();
  const auto quota = dry_run_pod(server, "shop", json::object());
  EXPECT_TRUE(quota.refused);
  EXPECT_EQ(quota.pod.error().message, "the API server refuses such a pod: a reason in any words");
  may_create = false;
  const auto rights = dry_run_pod(server, "shop", json::object());
  EXPECT_FALSE(rights.refused);
  EXPECT_NE(rights.pod.error().message.find("you may not create such a pod"), std::string::npos);
}

TEST_F(Ask, AnObjectThatExistsIsCheckedAsItsReplacement) {
  std::vector<std::string> methods;
  transport->on_send = [&](const client::Request& request) -> Result<client::Response> {
    methods.push_back(request.method);
    if (request.method == "POST") return response(409, status_of(409, "AlreadyExists", "there"));
    return response(200, "{}");
  };
  auto server = cluster();
  const auto deployment = json::parse(
      R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "resourceVersion": "1"}})");
  const auto exists = dry_run(server, "shop", deployment);
  ASSERT_TRUE(exists) << exists.error().message;
  EXPECT_TRUE(*exists);
  EXPECT_EQ(methods, (std::vector<std::string>{"POST", "PUT"}));
}

// `kubectl get job -o yaml` prints the selector that the API server made for this Job.
TEST_F(Ask, AJobAsItIsStoredIsThere) {
  bool exists = true;
  transport->on_send = [&](const client::Request& request) -> Result<client::Response> {
    if (request.method == "POST")
      return response(422,
                      status_of(422, "Invalid", "Job.batch sum is invalid: `selector` not auto-generated"));
    return exists ? response(200, "{}") : response(404, status_of(404, "NotFound", "none"));
  };
  auto server = cluster();
  const auto job = json::parse(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "sum"}})");
  const auto replaced = dry_run(server, "shop", job);
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_TRUE(*replaced);
  exists = false;
  const auto created = dry_run(server, "shop", job);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().kind, Error::Kind::invalid);
}

// A quota of "count/deployments.apps" counts the POST before the API server says that the object exists.
TEST_F(Ask, AQuotaForObjectsRefusesOnlyNewOnes) {
  bool exists = true;
  std::vector<std::string> methods;
  transport->on_send = [&](const client::Request& request) -> Result<client::Response> {
    methods.push_back(request.method);
    if (request.method == "POST")
      return response(403, status_of(403, "Forbidden", "web is forbidden: exceeded quota: q, requested: 1"));
    return exists ? response(200, "{}") : response(404, status_of(404, "NotFound", "none"));
  };
  auto server = cluster();
  const auto deployment =
      json::parse(R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}})");
  const auto replaced = dry_run(server, "shop", deployment);
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_TRUE(*replaced);
  EXPECT_EQ(methods, (std::vector<std::string>{"POST", "GET", "PUT"}));
  exists = false;
  EXPECT_FALSE(dry_run(server, "shop", deployment));
}

TEST_F(Ask, TheReportOfAnEarlierPodOfThatNameIsNotThisPods) {
  const auto report = [](const char* name, const char* uid) {
    return R"({"metadata": {"name": ")" + std::string(name) +
           R"("}, "spec": {"podRef": {"name": "web", "uid": ")" + uid + R"("}}})";
  };
  const auto theirs = controller::suffixed("web", "new");
  transport->on_send = [&](const client::Request& request) -> Result<client::Response> {
    if (request.target == std::string(kReports) + "/web") return response(200, report("web", "old"));
    if (request.target == std::string(kReports) + "/" + theirs)
      return response(200, report(theirs.c_str(), "new"));
    if (request.target.find('?') == std::string::npos)
      return response(404, status_of(404, "NotFound", "not found"));
    return response(500, "{}");
  };
  auto server = cluster();
  const auto found = find_report(server, "shop", "web", "new");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->at("metadata").at("name").as_string(), theirs);
  const auto none = find_report(server, "shop", "web", "other");
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
  EXPECT_EQ(requests(),
            (std::vector<std::string>{
                "GET " + std::string(kReports) + "/web", "GET " + std::string(kReports) + "/" + theirs,
                "GET " + std::string(kReports) + "/web",
                "GET " + std::string(kReports) + "/" + controller::suffixed("web", "other")}))
      << "never all reports of the namespace";
}

TEST_F(Ask, TheReportOfAPodThatIsGoneIsFoundByTheMetadataOfOthers) {
  const auto theirs = controller::suffixed("web", "new");
  transport->on_send = [&](const client::Request& request) -> Result<client::Response> {
    if (request.target == std::string(kReports) + "/" + theirs) {
      return response(200, R"({"metadata": {"name": ")" + theirs +
                               R"("}, "spec": {"podRef": {"name": "web", "uid": "new"}}})");
    }
    if (request.target.find('?') == std::string::npos)
      return response(404, status_of(404, "NotFound", "not found"));
    EXPECT_NE(request.accept.find("PartialObjectMetadataList"), std::string::npos);
    return response(200,
                    R"({"metadata": {}, "items": [{"metadata": {"name": "web-2"}}, {"metadata": {"name": ")" +
                        theirs + R"("}}]})");
  };
  auto server = cluster();
  const auto found = find_report(server, "shop", "web", "");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(*found);
  EXPECT_EQ(requests().size(), 3u) << "its own name, the metadata, and the one that looks like it";
}

TEST(NoReport, SaysWhy) {
  const auto said = [](const char* pod) {
    return no_report(pod ? std::optional<json::value>(json::parse(pod)) : std::nullopt, "shop", "web",
                     "kubectl podium");
  };
  EXPECT_EQ(said(nullptr), "There is no pod shop/web, and podium has no report of such a pod.\n");
  EXPECT_EQ(said(R"({"spec": {"schedulingGates": [{"name": "g"}]}, "status": {"phase": "Pending"}})"),
            "shop/web waits for its scheduling gate: g. No node was evaluated.\n"
            "Without its gate? kubectl podium whatif pod/web -n shop\n");
  const auto placed = said(R"({"spec": {"nodeName": "n1", "schedulerName": "default-scheduler"}})");
  EXPECT_TRUE(placed.starts_with("shop/web is on n1. podium has no report of this pod. ")) << placed;
  EXPECT_TRUE(placed.ends_with("Where would it go now? kubectl podium whatif pod/web -n shop\n")) << placed;
  EXPECT_EQ(
      said(
          R"({"metadata": {"annotations": {"kubernetes.io/config.mirror": "abc"}}, "spec": {"nodeName": "n1"}})"),
      "shop/web is a static pod of n1: its kubelet runs it there, and no scheduler decides about it.\n");
  EXPECT_EQ(
      said(R"({"spec": {"schedulerName": "other"}, "status": {"phase": "Pending", "nominatedNodeName": "n1",
               "conditions": [{"type": "PodScheduled", "status": "False", "message": "preempting 1 victims"}]}})"),
      "shop/web is pending. podium has no report of this pod. Scheduler \"other\" says: preempting 1 "
      "victims\n"
      "It is nominated to n1.\nWhere would it go now? kubectl podium whatif pod/web -n shop\n");
  const auto untried = said(R"({"spec": {"schedulerName": "nobody"}, "status": {"phase": "Pending"}})");
  EXPECT_NE(untried.find("no scheduler has tried it yet: is there one named \"nobody\"?"), std::string::npos);
}

}  // namespace
}  // namespace podium::kubectl
