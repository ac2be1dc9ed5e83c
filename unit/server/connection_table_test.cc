// ConnectionTable: which connection is closed for a new one.
#include "server/connection_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace podium::server {
namespace {

using Id = ConnectionTable::Id;

TEST(ConnectionTable, ClosesTheOneThatHasBeenIdleForTheLongest) {
  ConnectionTable table(3, 3);
  const auto a = *table.admit("p").id, b = *table.admit("p").id, c = *table.admit("p").id;
  table.set_busy(a, true);
  table.set_busy(a, false);  // idle since now
  EXPECT_EQ(table.admit("p").victim, b);
  EXPECT_EQ(table.admit("p").victim, c);
  EXPECT_EQ(table.admit("p").victim, a);
  EXPECT_EQ(table.size(), 3u);
}

TEST(ConnectionTable, LeavesBusyOnesAlone) {
  ConnectionTable table(2, 2);
  const auto a = *table.admit("p").id, b = *table.admit("p").id;
  table.set_busy(a, true);
  table.set_busy(b, true);
  const auto refused = table.admit("p");
  EXPECT_EQ(refused.id, std::nullopt);
  EXPECT_EQ(refused.victim, std::nullopt);
  table.set_busy(b, false);
  EXPECT_EQ(table.admit("p").victim, b);
}

TEST(ConnectionTable, OnePeerDoesNotPushOutAnother) {
  ConnectionTable table(6, 4);
  const auto probe = *table.admit("kubelet").id;
  std::vector<Id> held;
  for (int i = 0; i < 4; ++i) held.push_back(*table.admit("greedy").id);
  EXPECT_EQ(table.admit("greedy").victim, held[0]) << "over its own bound";
  EXPECT_EQ(table.admit("other").victim, std::nullopt) << "there is room";
  EXPECT_EQ(table.admit("another").victim, held[1]) << "who has most gives way, not who came first";
  table.remove(probe);
  EXPECT_EQ(table.size(), 5u);
}

TEST(ConnectionTable, TakesFromAnyPeerWhereTheLargestIsBusy) {
  ConnectionTable table(3, 3);
  const auto a = *table.admit("large").id, b = *table.admit("large").id, idle = *table.admit("small").id;
  table.set_busy(a, true);
  table.set_busy(b, true);
  EXPECT_EQ(table.admit("new").victim, idle);
}

TEST(ConnectionTable, TakeIdlest) {
  ConnectionTable table(3, 3);
  EXPECT_EQ(table.take_longest_idle(), std::nullopt);
  const auto a = *table.admit("p").id, b = *table.admit("q").id;
  table.set_busy(a, true);
  EXPECT_EQ(table.take_longest_idle(), b);
  EXPECT_EQ(table.take_longest_idle(), std::nullopt);
  table.set_busy(b, false);  // without effect: it no longer counts
  table.remove(b);
  EXPECT_EQ(table.size(), 1u);
}

}  // namespace
}  // namespace podium::server
