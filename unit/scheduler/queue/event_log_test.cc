#include "scheduler/queue/event_log.h"

#include <gtest/gtest.h>

#include <vector>

namespace podium::queue {
namespace {

using framework::ClusterEvent;

ClusterEvent event(std::uint32_t actions) { return {framework::EventResource::node, actions, {}, {}}; }

// The actions of the events since `start`.
std::vector<std::uint32_t> since(const EventLog& log, std::uint64_t start) {
  std::vector<std::uint32_t> out;
  log.any_since(start, [&](const ClusterEvent& e) {
    out.push_back(e.actions);
    return false;
  });
  return out;
}

TEST(EventLog, KeepsWhatAFlightHasSeenAndNoMore) {
  EventLog log(100);
  log.push(event(1));
  EXPECT_EQ(log.size(), 0u);  // no pod is in flight

  const auto first = log.begin_flight();
  log.push(event(2));
  const auto second = log.begin_flight();
  log.push(event(3));
  EXPECT_EQ(since(log, first), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(since(log, second), (std::vector<std::uint32_t>{3}));

  log.end_flight(first);
  EXPECT_EQ(log.size(), 1u);
  EXPECT_EQ(since(log, second), (std::vector<std::uint32_t>{3}));
  log.end_flight(second);
  EXPECT_EQ(log.size(), 0u);
}

TEST(EventLog, FlightsMayEndInAnyOrder) {
  EventLog log(100);
  const auto first = log.begin_flight();
  log.push(event(1));
  const auto second = log.begin_flight();
  log.push(event(2));
  log.end_flight(second);
  EXPECT_EQ(since(log, first), (std::vector<std::uint32_t>{1, 2}));
  log.end_flight(first);
  EXPECT_EQ(log.size(), 0u);
}

TEST(EventLog, IsBoundedAndSaysWhatItLost) {
  EventLog log(2);
  const auto early = log.begin_flight();
  for (std::uint32_t i = 1; i <= 3; ++i) log.push(event(i));
  const auto late = log.begin_flight();
  EXPECT_EQ(log.size(), 2u);
  EXPECT_TRUE(log.any_since(early, [](const ClusterEvent&) { return false; }));
  EXPECT_FALSE(log.any_since(late, [](const ClusterEvent&) { return false; }));
  log.end_flight(early);
  EXPECT_EQ(log.size(), 0u);
  log.end_flight(late);
}

TEST(EventLogDeathTest, AFlightEndsOnce) {
  EventLog log(4);
  const auto flight = log.begin_flight();
  log.end_flight(flight);
  EXPECT_DEATH(log.end_flight(flight), "check failed at .*flight != flights_.end\\(\\)");
}

}  // namespace
}  // namespace podium::queue
