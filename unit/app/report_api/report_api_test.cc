// ReportApi: paths, methods, access, limits and answers.
#include "app/report_api/report_api.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <map>

#include "app/report_api/api_limits.h"
#include "base/time.h"
#include "unit/app/report_api/fixture.h"

namespace podium::app::report_api {
namespace {

using testing::HasSubstr;

TEST(ReportApi, TheLastDecisionOnAPod) {
  Served served;
  served.decide();
  EXPECT_EQ(served.get(kScores).body, R"([{"Host":"n1","Score":731},{"Host":"n2","Score":700}])"
                                      "\n");
  EXPECT_EQ(served.get("/v1/namespaces/shop/pods/web/strategies").body,
            R"([{"Strategy":"NodeResourcesFit","Weight":2,"HostPriority":[{"Host":"n1","Score":92}]}])"
            "\n");
  const auto report = json::parse(served.get("/v1/namespaces/shop/pods/web/report").body);
  EXPECT_EQ(report.at("kind"), "SchedulingReport");
  EXPECT_EQ(report.at("spec"), json::parse(R"({"podRef":{"name":"web","uid":"a-uid"},"dryRun":false})"));
  EXPECT_EQ(report.at("status").at("outcome"), "Scheduled");
  for (const auto& [field, value] : report.at("status").as_object()) EXPECT_FALSE(value.is_null()) << field;
  EXPECT_EQ(served.asked.front(), "ann get schedulingreports.podium.dev/v1alpha1 in shop");
  EXPECT_EQ(served.replied.front(), "200 /v1/namespaces/{namespace}/pods/{pod}/scores");
}

TEST(ReportApi, ListsDecisions) {
  Served served;
  served.decide();
  served.wait("shop", "huge");
  served.wait("bank", "vault");
  const auto listed = json::parse(served.get("/v1/namespaces/shop/decisions").body);
  EXPECT_TRUE(listed.at("metadata").as_object().empty());
  ASSERT_EQ(listed.at("items").as_array().size(), 2u);
  EXPECT_EQ(listed.at("items").at(0), json::parse(R"json({
      "namespace": "shop", "name": "huge", "uid": "huge", "outcome": "Unschedulable", "attempts": 3,
      "summary": "Insufficient cpu (4 of 5 nodes)",
      "rejection": {"code": "InsufficientResource", "reason": "Insufficient cpu", "nodeCount": 4,
                    "preemptionMayHelp": false, "plugin": "NodeResourcesFit"}})json"));
  auto web = json::parse(R"json({
      "namespace": "shop", "name": "web", "uid": "a-uid", "outcome": "Scheduled", "attempts": 0,
      "summary": "-", "node": "n1", "score": 731})json");
  web.as_object()["since"] = web.as_object()["decidedAt"] = format_time(served.clock.wall());
  EXPECT_EQ(listed.at("items").at(1), web);
  EXPECT_EQ(served.asked.back(), "ann list schedulingreports.podium.dev/v1alpha1 in shop");
  const auto all = json::parse(served.get("/v1/decisions?limit=2").body);
  EXPECT_EQ(served.asked.back(), "ann list schedulingreports.podium.dev/v1alpha1 in ");
  EXPECT_EQ(served.replied.back(), "200 /v1/decisions");
  EXPECT_EQ(all.at("items").as_array().size(), 2u);
  EXPECT_EQ(all.at("metadata").at("continue"), "shop/huge");
  const auto rest = json::parse(served.get("/v1/decisions?limit=2&continue=shop%2Fhuge").body);
  EXPECT_EQ(rest.at("items").at(0).at("name"), "web");
  EXPECT_FALSE(rest.at("metadata").as_object().contains("continue"));
  const auto waiting = json::parse(served.get("/v1/decisions?waiting=true").body);
  ASSERT_EQ(waiting.at("items").as_array().size(), 2u);
  EXPECT_EQ(waiting.at("items").at(0).at("name"), "vault");
  const auto newest = json::parse(served.get("/v1/decisions?newest=true&limit=1").body);
  EXPECT_EQ(newest.at("items").as_array().size(), 1u);
  EXPECT_FALSE(newest.at("metadata").as_object().contains("continue"));
  served.leads = false;
  EXPECT_EQ(served.get("/v1/decisions").status, 503);
}

TEST(ReportApi, SaysWhyThereIsNoDecision) {
  Served served;
  EXPECT_THAT(
      message(served.get(kScores)),
      HasSubstr("404 NotFound: pod shop/web: not decided since this process began to schedule at 20"));
  EXPECT_THAT(served.get(kScores).body, HasSubstr(R"("causes":[{"reason":"NeverDecided")"));
  served.decide();
  served.clock.advance(10min);
  EXPECT_THAT(message(served.get(kScores)), HasSubstr("longer ago than decisions are kept (reports.ttl)"));
  EXPECT_THAT(served.get(kScores).body, HasSubstr(R"("causes":[{"reason":"Expired")"));
}

TEST(ReportApi, AFollowerNamesTheLeaderAndAnswersWhatIfs) {
  Served served;
  served.leads = false;
  const auto reply = served.get(kScores);
  EXPECT_EQ(message(reply),
            "503 ServiceUnavailable: this process does not schedule, so it has no decisions; the leader is "
            "podium-0");
  EXPECT_EQ(header(reply, "Retry-After"), "1");
  EXPECT_EQ(served.post(kAsk + "scores").status, 200);
}

TEST(ReportApi, WhatIfs) {
  Served served;
  const auto scores = json::parse(served.post(kAsk + "scores").body).as_array();
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_EQ(scores[0].at("Host"), "n1");
  EXPECT_GT(scores[0].at("Score").as_int64(), 0);
  const auto strategies = json::parse(served.post(kAsk + "strategies").body).as_array();
  EXPECT_GT(strategies.size(), 3u);
  EXPECT_EQ(strategies[0].at("HostPriority").at(0).at("Host"), "n1");
  auto yaml = served.request(
      "POST", kAsk + "report?replicas=3",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: i}]}\n");
  yaml.content_type = "application/yaml";
  const auto report = json::parse(served.send(std::move(yaml)).body);
  EXPECT_EQ(report.at("status").at("outcome"), "Fits");
  EXPECT_EQ(report.at("spec"), json::parse(R"({"dryRun":true,"replicas":3})"));
  EXPECT_EQ(report.at("metadata").at("name"), "web");
  EXPECT_EQ(served.asked.back(), "ann create schedulingreports.podium.dev/v1alpha1 in shop");
}

TEST(ReportApi, RefusesWhatItCannotAnswer) {
  struct Case {
    const char *method, *path, *body, *reply;
  };
  const Case cases[] = {
      {"GET", "/v1/namespaces/%2E%2E%2Fx/pods/web/scores", "",
       "400 BadRequest: namespace \"../x\": a lowercase"},
      {"GET", "/v1/namespaces/sh%00p/pods/web/scores", "",
       "400 BadRequest: namespace \"sh\\x00p\": a lowercase"},
      {"GET", "/v1/namespaces/shop/pods/%ff/scores", "", "400 BadRequest: pod \"\\xff\": a lowercase"},
      {"GET", "/v1/namespaces/shop/pods/a%/scores", "",
       "400 BadRequest: path: '%' needs two hexadecimal digits"},
      {"GET", "/v1/namespaces//pods/web/scores", "", "400 BadRequest: namespace \"\": a lowercase"},
      {"GET", "/v1/namespaces/shop/pods/web/scores?limit=5", "",
       "400 BadRequest: unknown query parameter \"limit\" (known: none)"},
      {"GET", "/v1/namespaces/Shop/decisions", "", "400 BadRequest: namespace \"Shop\": a lowercase"},
      {"GET", "/v1/decisions?limit=501", "", "400 BadRequest: limit: must be an integer between 1 and 500"},
      {"GET", "/v1/decisions?limit=0", "", "400 BadRequest: limit: must be an integer between 1 and 500"},
      {"GET", "/v1/decisions?waiting=yes", "", "400 BadRequest: waiting: must be true or false"},
      {"GET", "/v1/decisions?newest=true&waiting=true", "",
       "400 BadRequest: waiting: cannot be combined with newest"},
      {"GET", "/v1/decisions?newest=true&continue=shop%2Fhuge", "",
       "400 BadRequest: continue: newest has one page only"},
      {"GET", "/v1/decisions?continue=x", "", "400 BadRequest: continue: must be metadata.continue"},
      {"GET", "/v1/namespaces/shop/decisions?continue=bank%2Fx", "",
       "400 BadRequest: continue: must be metadata.continue"},
      {"GET", "/v1/decisions?replicas=3", "",
       "400 BadRequest: unknown query parameter \"replicas\" (known: limit, continue, waiting, newest, "
       "words)"},
      {"DELETE", "/v1/decisions", "", "405 MethodNotAllowed: \"DELETE\" is not served here"},
      {"HEAD", "/v1/namespaces/shop/pods/web/scores", "",
       "405 MethodNotAllowed: \"HEAD\" is not served here"},
      {"OPTIONS", "/v1/namespaces/shop/whatif/scores", "",
       "405 MethodNotAllowed: \"OPTIONS\" is not served here"},
      {"GET", "/v1/namespaces/shop/whatif/scores", "", "405 MethodNotAllowed: \"GET\" is not served here"},
      {"POST", "/v1/namespaces/shop/whatif/scores?colour=red", "{}",
       "400 BadRequest: unknown query parameter \"colour\" (known: replicas, minCount"},
      {"POST", "/v1/namespaces/shop/whatif/scores", "{", "400 BadRequest: body: "},
      {"POST", "/v1/namespaces/shop/whatif/scores", "{}", "400 BadRequest: kind: required"},
      {"POST", "/v1/namespaces/shop/whatif/scores?profile=none", kPod.data(),
       "422 Invalid: profile: unknown profile \"none\" (known: default-scheduler)"},
  };
  for (const auto& c : cases) {
    Served served;
    EXPECT_THAT(message(served.send(served.request(c.method, c.path, c.body))), HasSubstr(c.reply)) << c.path;
  }
}

TEST(ReportApi, OtherMethodsGetTheAllowedOnes) {
  Served served;
  EXPECT_EQ(header(served.send(served.request("DELETE", kScores)), "Allow"), "GET");
  EXPECT_EQ(header(served.send(served.request("GET", kAsk + "report")), "Allow"), "POST");
}

// Neither the body nor the memory is read before access is granted. A bad name causes no review.
TEST(ReportApi, AccessComesFirst) {
  Served served;
  served.decide();
  auto read = served.request("GET", kScores);
  read.authorization = "nobody";
  EXPECT_EQ(message(served.send(std::move(read))), "403 Forbidden: no");
  auto question = served.request("POST", kAsk + "scores", kPod);
  question.authorization = "nobody";
  EXPECT_EQ(served.send(std::move(question)).status, 403);
  auto list = served.request("GET", "/v1/decisions");
  list.authorization = "nobody";
  EXPECT_EQ(message(served.send(std::move(list))), "403 Forbidden: no");
  auto anonymous = served.request("GET", kScores);
  anonymous.authorization = "system:anonymous";
  const auto unauthorized = served.send(std::move(anonymous));
  EXPECT_EQ(message(unauthorized), "401 Unauthorized: Unauthorized");
  EXPECT_EQ(header(unauthorized, "WWW-Authenticate"), "Bearer");
  EXPECT_EQ(served.bodies_read, 0);
  EXPECT_EQ(served.forks, 0);
  const auto before = served.asked.size();
  EXPECT_EQ(served.get("/v1/namespaces/a%2Fb/pods/web/scores").status, 400);
  EXPECT_EQ(served.asked.size(), before);
}

TEST(ReportApi, NamesOfNodesAreForThoseWhoMayListNodes) {
  const std::string question = kAsk + "report";
  const std::vector<std::pair<const char*, std::string>> requests = {
      {"GET", kScores},
      {"GET", "/v1/namespaces/shop/pods/web/report"},
      {"GET", "/v1/decisions"},
      {"POST", question},
      {"POST", kAsk + "scores"}};
  const auto reply_to = [](const char* method, const std::string& path, const char* user, bool withholds) {
    Served served(true, withholds);
    served.decide();
    auto request = served.request(method, path, method == std::string_view("POST") ? kPod : "");
    request.authorization = user;
    return served.send(std::move(request)).body;
  };
  for (const auto& [method, path] : requests) {
    SCOPED_TRACE(path);
    EXPECT_THAT(reply_to(method, path, "tenant", false), HasSubstr("\"n1\"")) << "the switch is off";
    EXPECT_THAT(reply_to(method, path, "ann", true), HasSubstr("\"n1\""));
    const auto withheld = reply_to(method, path, "tenant", true);
    // The decision's outcome is Scheduled: its pod says where it is.
    const bool is_of_pod = path.contains("/pods/") || path.contains("decisions");
    EXPECT_EQ(withheld.contains("\"n1\""), is_of_pod) << withheld;
    EXPECT_FALSE(withheld.contains("\"n2\"")) << withheld;
    if (!path.contains("decisions")) {
      EXPECT_THAT(withheld, HasSubstr("withheld-1"));
    }
  }
}

TEST(ReportApi, BodiesHaveATypeAndASize) {
  Served served;
  auto form = served.request("POST", kAsk + "scores", kPod);
  form.content_type = "application/x-www-form-urlencoded";
  EXPECT_EQ(message(served.send(std::move(form))),
            "415 UnsupportedMediaType: Content-Type \"application/x-www-form-urlencoded\" is not supported "
            "(supported: "
            "application/json, application/yaml)");
  EXPECT_EQ(served.bodies_read, 0);
  EXPECT_EQ(message(served.post(kAsk + "scores", std::string(kBodyBytes + 1, ' '))),
            "413 RequestEntityTooLarge: large");
}

TEST(ReportApi, SaysThatItCannotAnswerNow) {
  {
    Served off(false);
    EXPECT_EQ(message(off.post(kAsk + "scores")), "404 NotFound: what-ifs are switched off: whatIf.enabled");
  }
  Served served;
  served.missing = {"pods: forbidden"};
  EXPECT_EQ(message(served.post(kAsk + "scores")),
            "503 ServiceUnavailable: not synced with the API server: pods: forbidden");
  served.missing.clear();
  served.asker.stop();
  EXPECT_EQ(message(served.post(kAsk + "scores")), "503 ServiceUnavailable: this process is stopping");
}

TEST(ReportApi, AUserCannotTakeItAll) {
  Served served;
  std::map<int, int> codes;
  std::vector<std::future<Reply>> replies;
  for (int i = 0; i < 1000; ++i)
    replies.push_back(served.begin(served.request("POST", kAsk + "scores", kPod)));
  auto other = served.request("POST", kAsk + "scores", kPod);
  other.authorization = "bob";
  replies.push_back(served.begin(std::move(other)));
  while (served.io.poll() > 0) served.io.restart();
  for (auto& reply : replies) {
    ASSERT_EQ(reply.wait_for(0s), std::future_status::ready);
    auto got = reply.get();
    ++codes[got.status];
    EXPECT_EQ(got.status == 429, !header(got, "Retry-After").empty());
    if (&reply == &replies.back()) {
      EXPECT_EQ(got.status, 200) << "another user has room";
    }
  }
  EXPECT_EQ(codes[200] + codes[429], 1001);
  EXPECT_LE(codes[200], 21);
  EXPECT_EQ(served.forks, codes[200]);
  EXPECT_EQ(served.gate.inside(), 0u);
}

async::Task<Result<std::string>> slowly(std::shared_ptr<asio::steady_timer> until, std::size_t) {
  boost::system::error_code ended;
  co_await until->async_wait(asio::redirect_error(asio::use_awaitable, ended));
  Result<std::string> out = std::string(kPod);
  co_return out;
}

// Accounts of one namespace that send their bodies slowly.
TEST(ReportApi, WhoSendsABodySlowlyHoldsNoSlotOfTheQuestions) {
  Served served;
  const auto until = std::make_shared<asio::steady_timer>(served.io, 1h);
  std::vector<std::future<Reply>> slow;
  for (const char* who : {"ann", "bob"}) {
    for (int i = 0; i < 4; ++i) {
      auto request = served.request("POST", kAsk + "scores");
      request.authorization = who;
      request.read_body = [until](std::size_t limit) { return slowly(until, limit); };
      slow.push_back(served.begin(std::move(request)));
    }
  }
  while (served.io.poll() > 0) served.io.restart();
  for (int i = 0; i < 9; ++i) {
    auto other = served.request("POST", "/v1/namespaces/other/whatif/scores", kPod);
    other.authorization = "carol";
    EXPECT_EQ(served.send(std::move(other)).status, 200);
  }
  EXPECT_EQ(served.post(kAsk + "scores").status, 429) << "its own and its namespace's share is taken";
  until->cancel();
  served.io.restart();
  while (served.io.poll() > 0) served.io.restart();
  std::map<int, int> codes;
  for (auto& reply : slow) ++codes[reply.get().status];
  EXPECT_EQ(codes, (std::map<int, int>{{200, 6}, {429, 2}}));
}

std::string about(const std::string& reference) {
  return R"({"apiVersion":"podium.dev/v1alpha1","kind":"SchedulingReport","spec":{"dryRun":true,)" +
         reference + "}}";
}

// The pod asks for 5 CPUs, and the node has 4.
TEST(ReportApi, AnswersAboutAPodOfTheClusterForWhoMayReadIt) {
  Served served;
  const auto report = json::parse(served.post(kAsk + "report", about(R"("podRef":{"name":"web"})")).body);
  EXPECT_EQ(report.at("status").at("outcome"), "DoesNotFit");
  EXPECT_EQ(served.asked.back(), "ann get pods./v1 in shop");
  EXPECT_EQ(served.referred, std::vector<std::string>{"pods web"});

  auto other = served.request("POST", kAsk + "report", about(R"("podRef":{"name":"web"})"));
  other.authorization = "asker";
  EXPECT_EQ(message(served.send(std::move(other))), "403 Forbidden: no");
  EXPECT_EQ(served.referred.size(), 1u) << "the pod is read for nobody else";

  const auto missing =
      served.post(kAsk + "report", about(R"("workloadRef":{"kind":"Deployment","name":"web"})"));
  EXPECT_EQ(message(missing), "404 NotFound: spec.workloadRef.name: Deployment web not found");
  EXPECT_EQ(served.asked.back(), "ann get deployments.apps/v1 in shop");
  EXPECT_EQ(message(served.post(kAsk + "report", about(R"("podRef":{"name":"away"})"))),
            "503 ServiceUnavailable: the API server does not answer: refused");
  EXPECT_EQ(message(served.post(kAsk + "report", about(R"("podRef":{"name":"web","uid":"other"})"))),
            "400 BadRequest: spec.podRef.uid: pod web has another UID");
}

TEST(ReportApi, NodesAreForThoseWhoMayListThem) {
  Served served;
  const auto list = json::parse(served.get("/v1/nodes").body);
  EXPECT_EQ(served.asked.back(), "ann list nodes./v1 in ");
  EXPECT_EQ(list.at("metadata"), json::parse(R"({"leader":"podium-0","nodes":1,"cordoned":0})"));
  EXPECT_EQ(list.at("resources"), json::parse(R"(["cpu","memory","pods"])"));
  EXPECT_EQ(list.at("items"), json::parse(R"([{"name":"n1","zone":"","pods":0,
    "allocatable":[4000,8589934592,110],"requested":[0,0,0]}])"));
  const auto zones = json::parse(served.get("/v1/nodes?zonesOnly=true").body);
  EXPECT_FALSE(zones.as_object().contains("items"));
  EXPECT_EQ(zones.at("zones"), json::parse(R"([{"name":"","nodes":1,"cordoned":0,
    "allocatable":[4000,8589934592,110],"requested":[0,0,0],"free":[4000,8589934592,110]}])"));
  auto tenant = served.request("GET", "/v1/nodes");
  tenant.authorization = "tenant";
  EXPECT_EQ(served.send(std::move(tenant)).status, 403);
  EXPECT_TRUE(
      json::parse(served.get("/v1/nodes?selector=a%20in%20(b,%20c)").body).at("items").as_array().empty());
  EXPECT_EQ(served.get("/v1/nodes?selector=%3D").status, 400);
}

bool may_ask(Served& of, const char* user, const char* path = "/v1/access?namespace=shop") {
  auto request = of.request("GET", path);
  request.authorization = user;
  return json::parse(of.send(std::move(request)).body).at("mayAskAboutPods").as_bool();
}

TEST(ReportApi, SaysWhoMayAskAboutThePodsOfANamespace) {
  Served served;
  EXPECT_TRUE(may_ask(served, "ann"));
  EXPECT_TRUE(may_ask(served, "half"));
  EXPECT_FALSE(may_ask(served, "half", "/v1/access?namespace=vault"));
  EXPECT_FALSE(may_ask(served, "asker")) << "without the right to get pods";
  EXPECT_FALSE(may_ask(served, "nobody"));
  EXPECT_EQ(served.get("/v1/access?namespace=No").status, 400);
}

TEST(ReportApi, NoUserMayAskIfWhatIfsAreOff) {
  Served silent(false);
  EXPECT_FALSE(may_ask(silent, "ann"));
}

TEST(ReportApi, EveryKnownUserMayAskForTheirAccess) {
  Served served;
  const auto access = [&](const char* user) {
    auto request = served.request("GET", "/v1/access");
    request.authorization = user;
    return served.send(std::move(request));
  };
  EXPECT_EQ(json::parse(access("ann").body), json::parse(R"({"user":"ann","leader":"podium-0",
    "mayListNodes":true,"mayListDecisions":true})"));
  EXPECT_EQ(json::parse(access("tenant").body), json::parse(R"({"user":"tenant","leader":"podium-0",
    "mayListNodes":false,"mayListDecisions":true})"));
  EXPECT_EQ(json::parse(access("nobody").body), json::parse(R"({"user":"nobody","leader":"podium-0",
    "mayListNodes":false,"mayListDecisions":false})"));
  EXPECT_EQ(access("system:anonymous").status, 401);
}

}  // namespace
}  // namespace podium::app::report_api
