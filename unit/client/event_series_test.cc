#include "client/events/event_series.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/client/doubles.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;

std::string text(const EventSeries::Write& write) {
  switch (write.kind) {
    case EventSeries::Write::Kind::none:
      return "none";
    case EventSeries::Write::Kind::create:
      return "create " + write.name;
    case EventSeries::Write::Kind::patch:
      return fmt::format("patch {} count={}", write.name, write.count);
  }
  return "?";
}

class Series {
 public:
  explicit Series(std::size_t capacity = 100) : series(capacity) {}
  std::string happened(const std::string& identity) {
    std::vector<EventSeries::Write> also;
    const auto name = fmt::format("{}.{}", identity, ++names);
    auto out = text(series.happened(identity, "ns", name, clock.now(), clock.wall(), also));
    for (const auto& write : also) out += ", " + text(write);
    return out;
  }
  std::vector<std::string> due(bool all = false) {
    std::vector<std::string> out;
    for (const auto& write : series.due(clock.now(), all)) out.push_back(text(write));
    return out;
  }
  unit::ManualClock clock;
  EventSeries series;
  int names = 0;
};

using Texts = std::vector<std::string>;

TEST(EventSeries, WritesTheFirstTheSecondAndTheLastCount) {
  Series s;
  EXPECT_EQ(s.happened("a"), "create a.1");
  EXPECT_EQ(s.happened("b"), "create b.2");
  EXPECT_EQ(s.happened("a"), "patch a.1 count=2");
  EXPECT_EQ(s.happened("a"), "none");
  s.clock.advance(5min);
  EXPECT_EQ(s.due(), Texts{});
  EXPECT_EQ(s.happened("a"), "none");
  s.clock.advance(6min);
  EXPECT_EQ(s.due(), Texts{"patch a.1 count=4"});
  EXPECT_EQ(s.series.size(), 0u);
  EXPECT_EQ(s.happened("a"), "create a.6");
}

TEST(EventSeries, WhatComesBackAfterSixMinutesIsNew) {
  Series s;
  s.happened("a"), s.happened("a"), s.happened("a");
  s.clock.advance(6min);
  EXPECT_EQ(s.happened("a"), "create a.4, patch a.1 count=3");
}

TEST(EventSeries, RefreshesALongSeries) {
  Series s;
  s.happened("a"), s.happened("a");
  for (int i = 0; i < 6; ++i) {
    s.clock.advance(5min);
    EXPECT_EQ(s.happened("a"), "none");
  }
  EXPECT_EQ(s.due(), Texts{"patch a.1 count=8"});
  EXPECT_EQ(s.due(), Texts{});
}

TEST(EventSeries, ForgetsTheQuietestForRoom) {
  Series s(2);
  s.happened("a"), s.happened("a"), s.happened("a");
  s.happened("b");
  s.happened("a");
  EXPECT_EQ(s.happened("c"), "create c.6") << "b was quiet longest";
  EXPECT_EQ(s.happened("d"), "create d.7, patch a.1 count=4");
  EXPECT_EQ(s.series.size(), 2u);
}

TEST(EventSeries, AStopWritesAllCounts) {
  Series s;
  s.happened("a"), s.happened("a"), s.happened("a"), s.happened("b"), s.happened("c"), s.happened("c");
  EXPECT_EQ(s.due(true), Texts{"patch a.1 count=3"});
}

}  // namespace
}  // namespace podium::client
