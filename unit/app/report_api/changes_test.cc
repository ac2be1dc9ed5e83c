// Requests that wait for a change of the decisions: when they end, whom they are for, and how many there are.
#include <gtest/gtest.h>

#include <map>

#include "unit/app/report_api/fixture.h"

namespace podium::app::report_api {
namespace {

const std::string kChanges = "/v1/namespaces/shop/changes";

std::string version_of(const Reply& reply) {
  EXPECT_EQ(reply.status, 200) << reply.body;
  return std::string(json::parse(reply.body).at("version").as_string());
}

// A request that has waited for a moment.
struct Waiting {
  explicit Waiting(Served& served, const std::string& path = kChanges, const char* user = "ann",
                   const char* peer = "10.0.0.1")
      : Waiting(served, served.request("GET", path), user, peer) {}
  Waiting(Served& served, Request request, const char* user = "ann", const char* peer = "10.0.0.1")
      : served(&served) {
    request.authorization = user;
    request.peer = peer;
    reply = served.begin(std::move(request));
    served.pass();
  }
  Waiting(Waiting&&) = default;
  // The API outlives its requests.
  ~Waiting() {
    if (!reply.valid() || !waits()) return;
    served->asker.stop();
    served->pass(1s);
  }
  bool waits() const { return reply.wait_for(0s) != std::future_status::ready; }

  Served* served;
  std::future<Reply> reply;
};

std::string since(Served& served, const std::string& path = kChanges) {
  return path + "?since=" + version_of(served.get(path));
}

TEST(Changes, ADecisionEndsTheWait) {
  Served served;
  served.decide();
  const auto first = version_of(served.get(kChanges));
  Waiting waiting(served, kChanges + "?since=" + first);
  served.pass(1s);
  EXPECT_TRUE(waiting.waits());
  served.wait("shop", "huge");
  served.pass(300ms);
  ASSERT_FALSE(waiting.waits());
  EXPECT_NE(version_of(waiting.reply.get()), first);
  EXPECT_EQ(served.replied.back(), "200 /v1/namespaces/{namespace}/changes");
}

TEST(Changes, APodThatIsGoneIsAChange) {
  Served served;
  served.decide();
  Waiting waiting(served, since(served));
  served.decisions.gone("a-uid");
  served.pass(300ms);
  EXPECT_FALSE(waiting.waits());
}

TEST(Changes, OtherNamespacesAreNotOnes) {
  Served served;
  Waiting here(served, since(served)), everywhere(served, since(served, "/v1/changes"));
  served.wait("bank", "vault");
  served.pass(1s);
  EXPECT_TRUE(here.waits());
  EXPECT_FALSE(everywhere.waits());
}

TEST(Changes, AnUnknownVersionIsAnsweredImmediately) {
  Served served;
  Waiting waiting(served, kChanges + "?since=of-another-process");
  EXPECT_FALSE(waiting.waits());
}

TEST(Changes, AWaitHasAnEnd) {
  Served served;
  const auto path = since(served);
  Waiting waiting(served, path);
  served.pass(24s);
  EXPECT_TRUE(waiting.waits());
  served.pass(2s);
  ASSERT_FALSE(waiting.waits());
  EXPECT_EQ(path, kChanges + "?since=" + version_of(waiting.reply.get()));
}

TEST(Changes, ALostLeaseAndAStopEndTheWait) {
  for (const bool stops : {false, true}) {
    Served served;
    Waiting waiting(served, since(served));
    if (stops)
      served.asker.stop();
    else
      served.leads = false;
    served.pass(300ms);
    ASSERT_FALSE(waiting.waits());
    const auto reply = waiting.reply.get();
    EXPECT_EQ(reply.status, 503);
    EXPECT_NE(reply.body.find(stops ? "stopping" : "does not schedule"), std::string::npos) << reply.body;
  }
}

TEST(Changes, RightsAreReviewedAgainBeforeTheReply) {
  Served served;
  Waiting waiting(served, since(served));
  served.revoked = true;
  served.decide();
  served.pass(300ms);
  ASSERT_FALSE(waiting.waits());
  EXPECT_EQ(waiting.reply.get().status, 403);
}

async::Task<bool> leaves(std::chrono::milliseconds) { co_return false; }

TEST(Changes, AClientThatLeavesHoldsNothing) {
  Served served;
  const auto path = since(served);
  for (int i = 0; i < 50; ++i) {
    auto request = served.request("GET", path);
    request.rest = leaves;
    Waiting waiting(served, std::move(request));
    EXPECT_FALSE(waiting.waits());
  }
  Waiting waiting(served, path);
  EXPECT_TRUE(waiting.waits());
}

// The status of each, or 0 if it waits.
std::map<int, int> states(std::vector<Waiting>& all) {
  std::map<int, int> out;
  for (auto& one : all) ++out[one.waits() ? 0 : one.reply.get().status];
  return out;
}

TEST(Changes, AUserAndAnAddressHaveABound) {
  Served served;
  const auto path = since(served);
  std::vector<Waiting> of_user, of_address, of_others;
  for (int i = 0; i < 6; ++i) of_user.emplace_back(served, path, "ann", "10.0.0.1");
  EXPECT_EQ(states(of_user), (std::map<int, int>{{0, 4}, {429, 2}}));
  for (int i = 0; i < 12; ++i)
    of_address.emplace_back(served, path, ("user-" + std::to_string(i)).c_str(), "10.0.0.1");
  EXPECT_EQ(states(of_address), (std::map<int, int>{{0, 8}, {429, 4}}));
  for (int i = 0; i < 30; ++i) {
    const auto name = "other-" + std::to_string(i);
    of_others.emplace_back(served, path, name.c_str(), name.c_str());
  }
  EXPECT_EQ(states(of_others), (std::map<int, int>{{0, 20}, {429, 10}})) << "32 in all";
  EXPECT_EQ(served.get(kScores).status, 404) << "other requests of the user have their own bound";
}

}  // namespace
}  // namespace podium::app::report_api
