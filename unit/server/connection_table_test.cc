// ConnectionTable: which connection is closed for a new one.
#include "server/connection_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace podium::server {
namespace {

using Id = ConnectionTable::Id;

TEST(ConnectionTable, ClosesTheOneThatHasBeenIdleForTheLongest) {
  ConnectionTable table({3, 3});
  const auto a = *table.admit("p").id, b = *table.admit("p").id, c = *table.admit("p").id;
  table.set_busy(a);
  table.set_idle(a);  // idle since now
  EXPECT_EQ(table.admit("p").victim, b);
  EXPECT_EQ(table.admit("p").victim, c);
  EXPECT_EQ(table.admit("p").victim, a);
  EXPECT_EQ(table.size(), 3u);
}

TEST(ConnectionTable, LeavesBusyOnesAlone) {
  ConnectionTable table({2, 2});
  const auto a = *table.admit("p").id, b = *table.admit("p").id;
  table.set_busy(a);
  table.set_busy(b);
  const auto refused = table.admit("p");
  EXPECT_EQ(refused.id, std::nullopt);
  EXPECT_EQ(refused.victim, std::nullopt);
  table.set_idle(b);
  EXPECT_EQ(table.admit("p").victim, b);
}

TEST(ConnectionTable, OnePeerDoesNotPushOutAnother) {
  ConnectionTable table({6, 4});
  const auto probe = *table.admit("kubelet").id;
  std::vector<Id> held;
  for (int i = 0; i < 4; ++i) held.push_back(*table.admit("greedy").id);
  EXPECT_EQ(table.admit("greedy").victim, held[0]) << "over its own bound";
  EXPECT_EQ(table.admit("other").victim, std::nullopt) << "there is room";
  EXPECT_EQ(table.admit("another").victim, held[1])
      << "the peer with the most connections loses one, not the oldest";
  table.remove(probe);
  EXPECT_EQ(table.size(), 5u);
}

TEST(ConnectionTable, TakesFromAnyPeerWhereTheLargestIsBusy) {
  ConnectionTable table({3, 3});
  const auto a = *table.admit("large").id, b = *table.admit("large").id, idle = *table.admit("small").id;
  table.set_busy(a);
  table.set_busy(b);
  EXPECT_EQ(table.admit("new").victim, idle);
}

TEST(ConnectionTable, TakeIdlest) {
  ConnectionTable table({3, 3});
  EXPECT_EQ(table.take_victim(), std::nullopt);
  const auto a = *table.admit("p").id, b = *table.admit("q").id;
  table.set_busy(a);
  EXPECT_EQ(table.take_victim(), b);
  EXPECT_EQ(table.take_victim(), std::nullopt);
  table.set_idle(b);  // without effect: it no longer counts
  table.remove(b);
  EXPECT_EQ(table.size(), 1u);
}

TEST(ConnectionTable, WhoOnlyWritesIsClosedAfterWhoIsIdle) {
  ConnectionTable table({3, 3});
  const auto a = *table.admit("p").id, b = *table.admit("p").id, c = *table.admit("p").id;
  table.set_writing(b, 10);
  table.set_writing(a, 10);
  const auto next = table.admit("p");
  EXPECT_EQ(next.victim, c) << "idle";
  table.set_busy(*next.id);
  EXPECT_EQ(table.admit("p").victim, b) << "it writes for longest";
  EXPECT_EQ(table.unread(), 10u);
  table.set_busy(a);
  EXPECT_EQ(table.unread(), 0u);
}

// Two addresses hold all slots and read nothing; a probe comes again and again.
TEST(ConnectionTable, AModestPeerAlwaysFindsASlotAmongThoseThatDoNotRead) {
  for (const std::string prober : {"kubelet", "greedy-1"}) {
    ConnectionTable table({64, 32});
    const auto crowd = [&] {
      for (int i = 0; i < 32; ++i) {
        for (const char* peer : {"greedy-1", "greedy-2"}) {
          if (const auto id = table.admit(peer).id) table.set_writing(*id, 100);
        }
      }
    };
    crowd();
    for (int i = 0; i < 9; ++i) {
      const auto probe = table.admit(prober).id;
      ASSERT_TRUE(probe) << prober << i;
      table.set_busy(*probe);
      crowd();
      table.set_writing(*probe, 2);
      table.set_idle(*probe);
      table.remove(*probe);
      EXPECT_LE(table.size(), 64u);
    }
  }
}

TEST(ConnectionTable, BytesThatAreNotReadAreBoundedForAPeerAndInSum) {
  ConnectionTable table({.connections = 9, .connections_per_peer = 9, .unread = 100, .unread_per_peer = 60});
  const auto a = *table.admit("greedy").id, b = *table.admit("greedy").id, c = *table.admit("greedy").id;
  const auto modest = *table.admit("modest").id;
  EXPECT_TRUE(table.set_writing(modest, 10).empty());
  EXPECT_TRUE(table.set_writing(a, 30).empty());
  EXPECT_TRUE(table.set_writing(b, 30).empty());
  EXPECT_EQ(table.set_writing(c, 20), std::vector<Id>{a}) << "its peer has more than its share";
  EXPECT_EQ(table.unread(), 60u);
  const auto third = *table.admit("third").id;
  EXPECT_EQ(table.set_writing(third, 50), std::vector<Id>{b}) << "of the peer with the most unread";
  EXPECT_EQ(table.unread(), 80u);
  EXPECT_EQ(table.set_writing(third, 1'000), (std::vector<Id>{modest, c})) << "alone, any size is written";
}

}  // namespace
}  // namespace podium::server
