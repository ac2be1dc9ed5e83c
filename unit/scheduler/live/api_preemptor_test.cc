// The requests of a preemption, and the outcome for every kind of reply.
#include "scheduler/live/api_preemptor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/clock.h"
#include "base/random.h"
#include "unit/client/client_loop.h"
#include "unit/support/builders.h"
#include "unit/support/http_script.h"

namespace podium::live {
namespace {

using namespace cycle;

using client::ClientLoop;
using client::ScopedTransport;
using podium::test::pod;
using unit::HttpScript;
using unit::replying;
using Lines = std::vector<std::string>;

cluster::PodInfoPtr info(const api::Pod& pod) {
  return cluster::make_pod_info(std::make_shared<const api::Pod>(pod));
}

std::string failure(int code) {
  return fmt::format(R"({{"kind":"Status","status":"Failure","message":"no","code":{},"reason":"{}"}})", code,
                     code == 404 ? "NotFound" : "");
}

PodStatusOptions tries_once() {
  PodStatusOptions options;
  options.backoff = {std::chrono::hours(1), std::chrono::hours(1)};
  return options;
}

class ApiPreemptorTest : public testing::Test {
 protected:
  ~ApiPreemptorTest() override {
    gate_.cancel();
    transport_->close();
    loop_.finish();
  }
  cycle::PreemptionOutcome make(std::vector<api::Pod> victims, std::vector<api::Pod> to_withdraw = {}) {
    cycle::PreemptionOrder order{.preemptor = info(pod("p").scheduler("podium")), .node = "n"};
    for (const auto& victim : victims) order.victims.push_back(info(victim));
    for (const auto& other : to_withdraw) order.to_withdraw.push_back(info(other));
    return loop_.run(run_preemption(api_, statuses_, std::move(order)));
  }
  // "METHOD name subresource" of each request.
  Lines lines() const {
    const std::string pods = "/api/v1/namespaces/default/pods/";
    Lines out;
    for (const auto& request : server_.requests()) {
      EXPECT_TRUE(request.target.starts_with(pods)) << request.target;
      out.push_back(request.method + " " +
                    request.target.substr(pods.size(), request.target.find('?') - pods.size()));
    }
    return out;
  }
  boost::json::value body(std::size_t request) const {
    return boost::json::parse(server_.requests().at(request).body);
  }

  HttpScript server_;
  ClientLoop loop_;
  ScopedTransport transport_{loop_, client::config_for(server_.url())};
  client::Api api_{transport_.shared(), system_clock(), system_random()};
  async::Gate gate_;
  PodStatusWriter statuses_{api_, gate_, loop_.executor(), tries_once()};
};

TEST_F(ApiPreemptorTest, VictimsGetAConditionAndAreDeletedByUid) {
  server_.always(replying(200, "{}"));
  const auto outcome = make({pod("v1"), pod("v2")});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.evicted.size(), 2u);
  EXPECT_EQ(lines(), (Lines{"PATCH v1/status", "DELETE v1", "PATCH v2/status", "DELETE v2"}));

  auto patch = body(0);
  auto& condition = patch.at("status").at("conditions").at(0).as_object();
  EXPECT_EQ(patch.at("metadata"), boost::json::parse(R"({"uid": "uid-v1"})"));
  EXPECT_TRUE(condition.erase("lastTransitionTime"));
  EXPECT_EQ(condition, boost::json::parse(R"({"type": "DisruptionTarget", "status": "True",
    "reason": "PreemptionByScheduler", "message": "podium: preempting to accommodate a higher priority pod",
    "lastProbeTime": null, "observedGeneration": 0})"));
  EXPECT_EQ(body(1).at("preconditions"), boost::json::parse(R"({"uid": "uid-v1"})"));
  EXPECT_EQ(body(1).as_object().count("gracePeriodSeconds"), 0u) << "gracefully";
}

TEST_F(ApiPreemptorTest, ANominationIsWithdrawnFirst) {
  server_.always(replying(200, "{}"));
  EXPECT_EQ(make({pod("v")}, {pod("other").nominated("n")}).error, "");
  EXPECT_EQ(lines(), (Lines{"PATCH other/status", "PATCH v/status", "DELETE v"}));
  EXPECT_EQ(body(0), boost::json::parse(
                         R"({"metadata": {"uid": "uid-other"}, "status": {"nominatedNodeName": null}})"));
}

TEST_F(ApiPreemptorTest, AVictimThatKnowsAlreadyIsOnlyDeleted) {
  server_.always(replying(200, "{}"));
  make({pod("v").condition("DisruptionTarget", "True", "PreemptionByScheduler",
                           "podium: preempting to accommodate a higher priority pod")});
  EXPECT_EQ(lines(), (Lines{"DELETE v"}));
}

TEST_F(ApiPreemptorTest, APodThatIsGoneIsNotAFailure) {
  for (const int code : {404, 409}) {
    SCOPED_TRACE(code);
    HttpScript server;
    ScopedTransport transport(loop_, client::config_for(server.url()));
    client::Api api(transport.shared(), system_clock(), system_random());
    server.always(replying(code, failure(code)));
    cycle::PreemptionOrder order{.preemptor = info(pod("p")), .victims = {info(pod("v1")), info(pod("v2"))}};
    const auto outcome = loop_.run(run_preemption(api, statuses_, std::move(order)));
    EXPECT_EQ(outcome.error, "");
    EXPECT_TRUE(outcome.evicted.empty()) << "no event says that we did it";
    // A conflict is repeated, since it may be of another's change of the status.
    EXPECT_EQ(server.requests().size(), code == 409 ? 8u : 2u);
  }
}

TEST_F(ApiPreemptorTest, A404OfAProxySaysNothingOfTheVictim) {
  server_.always(replying(404, "404 page not found"));
  const auto outcome = make({pod("v1"), pod("v2")});
  EXPECT_TRUE(outcome.error.starts_with("default/v1 was not evicted: ")) << outcome.error;
}

TEST_F(ApiPreemptorTest, NorIsWhoGoesBeforeItIsDeleted) {
  server_.then(replying(200, "{}")).then(replying(404, failure(404))).always(replying(200, "{}"));
  const auto outcome = make({pod("v1"), pod("v2")});
  EXPECT_EQ(outcome.error, "");
  ASSERT_EQ(outcome.evicted.size(), 1u);
  EXPECT_EQ((*outcome.evicted[0])->meta.name, "v2");
  EXPECT_EQ(lines(), (Lines{"PATCH v1/status", "DELETE v1", "PATCH v2/status", "DELETE v2"}));
}

TEST_F(ApiPreemptorTest, AConditionIsRepeatedAndADeletionIsNot) {
  for (const int code : {500, 503, 409}) server_.then(replying(code, failure(code)));
  server_.then(replying(200, "{}")).always(replying(500, failure(500)));
  const auto outcome = make({pod("v")});
  EXPECT_TRUE(outcome.error.starts_with("default/v was not evicted: ")) << outcome.error;
  EXPECT_EQ(lines(),
            (Lines{"PATCH v/status", "PATCH v/status", "PATCH v/status", "PATCH v/status", "DELETE v"}));
}

TEST_F(ApiPreemptorTest, OneThatIsNotDeletedEndsIt) {
  for (int i = 0; i < 3; ++i) server_.then(replying(200, "{}"));
  server_.always(replying(403, failure(403)));
  const auto outcome = make({pod("v1"), pod("v2"), pod("v3")});
  EXPECT_TRUE(outcome.error.starts_with("default/v2 was not evicted: ")) << outcome.error;
  ASSERT_EQ(outcome.evicted.size(), 1u);
  EXPECT_EQ((*outcome.evicted[0])->meta.name, "v1");
  EXPECT_EQ(lines(), (Lines{"PATCH v1/status", "DELETE v1", "PATCH v2/status", "DELETE v2"}));
}

TEST_F(ApiPreemptorTest, ANominationThatStaysIsAFailureAndTheVictimsGo) {
  server_.then(replying(403, failure(403))).always(replying(200, "{}"));
  const auto outcome = make({pod("v")}, {pod("other").nominated("n")});
  EXPECT_TRUE(outcome.error.starts_with("cannot clear the nomination of default/other: ")) << outcome.error;
  EXPECT_EQ(outcome.evicted.size(), 1u);
}

TEST_F(ApiPreemptorTest, WithoutVictimsOnlyNominationsAreWithdrawn) {
  server_.always(replying(200, "{}"));
  EXPECT_EQ(make({}, {pod("other").nominated("n")}).error, "");
  EXPECT_EQ(lines(), (Lines{"PATCH other/status"}));
}

TEST_F(ApiPreemptorTest, TheFirstVictimThatStaysEndsIt) {
  server_.always(replying(403, failure(403)));
  const auto outcome = make({pod("v1"), pod("v2")}, {pod("other").nominated("n")});
  EXPECT_TRUE(outcome.error.starts_with("default/v1 was not evicted: ")) << outcome.error;
  EXPECT_EQ(lines(), (Lines{"PATCH other/status", "PATCH v1/status"}));
}

}  // namespace
}  // namespace podium::live
