// How long a preemptor is held: until its victims are terminating, or its requests have ended.
#include "scheduler/cycle/preemptions.h"

#include <gtest/gtest.h>

namespace podium::cycle {
namespace {

using Uids = std::vector<std::string>;

TEST(Preemptions, HeldUntilTheLastVictimLeaves) {
  Preemptions preemptions;
  const auto number = preemptions.begin("p", {"v1", "v2"});
  EXPECT_TRUE(preemptions.holds("p"));
  EXPECT_EQ(preemptions.victim_leaves("other"), Uids{});
  EXPECT_EQ(preemptions.victim_leaves("v1"), Uids{});
  EXPECT_EQ(preemptions.victim_leaves("v1"), Uids{}) << "reported twice";
  EXPECT_EQ(preemptions.victim_leaves("v2"), Uids{"p"});
  EXPECT_FALSE(preemptions.holds("p"));
  EXPECT_EQ(preemptions.size(), 1u) << "its requests have not ended";
  EXPECT_TRUE(preemptions.end(number));
  EXPECT_EQ(preemptions.size(), 0u);
}

TEST(Preemptions, HeldUntilTheRequestsEnd) {
  Preemptions preemptions;
  const auto number = preemptions.begin("p", {"v1"});
  EXPECT_TRUE(preemptions.end(number));
  EXPECT_FALSE(preemptions.holds("p"));
  EXPECT_EQ(preemptions.victim_leaves("v1"), Uids{});
  EXPECT_FALSE(preemptions.end(number)) << "no such preemption any more";
}

TEST(Preemptions, AVictimOfSeveral) {
  Preemptions preemptions;
  preemptions.begin("p", {"v"});
  preemptions.begin("q", {"v", "w"});
  EXPECT_EQ(preemptions.victim_leaves("v"), Uids{"p"});
  EXPECT_TRUE(preemptions.holds("q"));
}

TEST(Preemptions, AnEarlierOneDoesNotFreeThePodOfALaterOne) {
  Preemptions preemptions;
  const auto first = preemptions.begin("p", {"v"});
  preemptions.victim_leaves("v");
  const auto second = preemptions.begin("p", {"w"});
  EXPECT_FALSE(preemptions.end(first));
  EXPECT_TRUE(preemptions.holds("p"));
  EXPECT_TRUE(preemptions.end(second));
}

}  // namespace
}  // namespace podium::cycle
