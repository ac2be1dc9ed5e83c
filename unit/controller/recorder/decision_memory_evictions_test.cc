// DecisionMemory: which pod another one had to make room for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/controller/recorder/decision_memory_fixture.h"

namespace podium::controller {

using namespace explain;
namespace {

using namespace std::chrono_literals;

TEST(DecisionMemory, KnowsWhichPodAnotherOneHadToGoFor) {
  Memory m;
  m.decide("low");
  m.decide("other");
  auto preempts = m.preempting({{"shop", "low"}, {"shop", "unknown"}});
  m.remember("ml", "vip", "v", preempts);
  EXPECT_FALSE(m.memory.find("shop", "low").is_gone);
  m.memory.gone("uid-of-low");
  m.memory.gone("uid-of-other");
  EXPECT_TRUE(m.memory.find("shop", "low").is_gone);
  EXPECT_EQ(m.evictor("shop", "low"), "ml/vip");
  EXPECT_EQ(m.evictor("shop", "other"), "");
  EXPECT_EQ(m.memory.find("shop", "low").eviction->at, preempts.decided_at);
  EXPECT_TRUE(m.memory.find("shop", "low").gone_at);
  EXPECT_FALSE(m.memory.find("shop", "other").eviction);
  m.decide("low");
  EXPECT_FALSE(m.memory.find("shop", "low").is_gone) << "a new pod of that name";
  EXPECT_FALSE(m.memory.find("shop", "low").gone_at);
  EXPECT_EQ(m.evictor("shop", "low"), "");
}

TEST(DecisionMemory, AnEvictionIsKnownWithoutADecisionOnTheVictim) {
  Memory m;
  m.decide("low");
  auto preempts = m.preempting({{"shop", "low"}, {"shop", "older"}});
  m.remember("ml", "vip", "v", preempts);
  m.memory.gone("uid-of-low");
  m.clock.advance(std::chrono::hours(48));
  for (const char* pod : {"low", "older"}) {
    const auto found = m.memory.find("shop", pod);
    EXPECT_FALSE(found.decision) << pod << " has expired, or was decided by another process";
    ASSERT_TRUE(found.eviction) << pod;
    EXPECT_EQ(found.eviction->preemptor.text(), "ml/vip") << pod;
    EXPECT_EQ(found.eviction->node, "n1") << pod;
    EXPECT_EQ(found.eviction->at, preempts.decided_at) << pod;
  }
  m.decide("older");
  m.remember("ml", "vip", "v", preempts);
  EXPECT_EQ(m.evictor("shop", "older"), "") << "a new pod; the decision repeats the old one";
  m.remember("ml", "vip", "v2", preempts);
  EXPECT_EQ(m.evictor("shop", "older"), "ml/vip") << "a new preemptor of the same name";
}

TEST(DecisionMemory, EachOfManyVictimsKnowsItsEviction) {
  Memory m;
  std::vector<NamespacedName> victims;
  for (int i = 0; i < 200; ++i) victims.push_back({"shop", fmt::format("low-{}", i)});
  m.remember("ml", "vip", "v", m.preempting(victims));
  for (const auto& [ns, name] : victims) EXPECT_EQ(m.evictor(ns, name), "ml/vip") << name;
}

// A StatefulSet's next pod has the same name, and a place from which the same preemptor evicts it.
TEST(DecisionMemory, ANextPodOfThatNameMayBeEvictedAgain) {
  Memory m;
  m.decide("db-0");
  auto preempts = m.preempting({{"shop", "db-0"}});
  preempts.preemption->decided_at = preempts.decided_at;
  m.remember("ml", "vip", "v", preempts);
  m.memory.gone("uid-of-db-0");
  m.clock.advance(1s);
  m.remember("shop", "db-0", "next", m.status("n1"));
  auto repeats = preempts;
  repeats.decided_at = m.clock.wall();
  m.remember("ml", "vip", "v", repeats);
  EXPECT_EQ(m.evictor("shop", "db-0"), "") << "a later attempt repeats the first preemption";
  auto again = repeats;
  again.preemption->decided_at = again.decided_at;
  m.remember("ml", "vip", "v", again);
  EXPECT_EQ(m.evictor("shop", "db-0"), "ml/vip");
  EXPECT_EQ(m.memory.find("shop", "db-0").eviction->at, again.decided_at);
}

TEST(DecisionMemory, ADecisionOnTheVictimItselfKeepsItsEviction) {
  Memory m;
  m.decide("low");
  auto preempts = m.preempting({{"shop", "low"}});
  m.remember("ml", "vip", "v", preempts);
  m.decide("low");  // of the same UID: its binding has ended
  EXPECT_EQ(m.evictor("shop", "low"), "ml/vip");
}

TEST(DecisionMemory, ANominationIsOfTheFirstDecisionThatNamesTheVictim) {
  Memory m;
  m.decide("low");
  auto preempts = m.preempting({{"shop", "low"}});
  const auto first = preempts.decided_at;
  m.remember("ml", "vip", "v", preempts);
  *preempts.decided_at += std::chrono::seconds(9);
  m.remember("ml", "vip", "v", preempts);
  EXPECT_EQ(m.memory.find("shop", "low").eviction->at, first);
}

TEST(DecisionMemory, RecallsEvictionsByAnEarlierProcess) {
  Memory m;
  m.decide("decided");
  auto preempts = m.preempting({{"shop", "low"}});
  m.remember("ml", "vip", "v", preempts);
  const Preempted earlier{
      "n2", {{"shop", "low"}, {"shop", "decided"}, {"shop", "older"}}, 3, 0, m.clock.wall() - 2h};
  m.memory.recall("ml", "earlier", "e", earlier);
  EXPECT_EQ(m.evictor("shop", "low"), "ml/vip") << "this process knows better";
  EXPECT_EQ(m.evictor("shop", "decided"), "") << "a new pod";
  const auto found = m.memory.find("shop", "older");
  ASSERT_TRUE(found.eviction);
  EXPECT_EQ(found.eviction->preemptor.text(), "ml/earlier");
  EXPECT_EQ(found.eviction->node, "n2");
  EXPECT_EQ(found.eviction->at, earlier.decided_at);
}

}  // namespace
}  // namespace podium::controller
