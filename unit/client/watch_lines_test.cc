#include "client/watch_lines.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <vector>

namespace podium::client {
namespace {

const std::string kStream =
    R"({"type":"ADDED","object":{"metadata":{"name":"a","uid":"1","resourceVersion":"5"}}})"
    "\n\n"
    R"({"type":"DELETED","object":{"metadata":{"name":"ä\n","uid":"1","resourceVersion":"6"}}})"
    "\n";

std::vector<std::string> split(const std::vector<std::string>& pieces) {
  LineSplitter lines;
  std::vector<std::string> got;
  for (const auto& piece : pieces) {
    EXPECT_TRUE(lines.feed(piece, [&](std::string_view line) {
      got.emplace_back(line);
      return true;
    }));
  }
  return got;
}

TEST(LineSplitter, CutsTheSameLinesWhereverThePiecesEnd) {
  const auto whole = split({kStream});
  ASSERT_EQ(whole.size(), 2u);
  for (std::size_t i = 0; i <= kStream.size(); ++i) {
    for (std::size_t j = i; j <= kStream.size(); j += 7) {
      EXPECT_EQ(split({kStream.substr(0, i), kStream.substr(i, j - i), kStream.substr(j)}), whole)
          << i << " " << j;
    }
  }
}

TEST(LineSplitter, AStreamCutAnywhereGivesWholeObjectsOnly) {
  for (std::size_t i = 0; i <= kStream.size(); ++i) {
    for (const auto& line : split({kStream.substr(0, i)})) EXPECT_TRUE(parse_watch_event(line, {})) << i;
  }
}

TEST(LineSplitter, StopsWhenTold) {
  LineSplitter lines;
  int count = 0;
  EXPECT_TRUE(lines.feed("a\nb\nc\n", [&](std::string_view) { return ++count < 2; }));
  EXPECT_EQ(count, 2);
}

TEST(LineSplitter, RefusesALineThatGrowsWithoutEnd) {
  LineSplitter lines(10);
  const auto all = [](std::string_view) { return true; };
  EXPECT_TRUE(lines.feed("12345\n1234567890\n12345", all));
  EXPECT_FALSE(lines.feed("678901", all));
}

TEST(WatchEvent, Parses) {
  auto event = parse_watch_event(
      R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"77","annotations":{"k8s.io/initial-events-end":"true"}}}})",
      {});
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, WatchEvent::Type::bookmark);
  EXPECT_EQ(event->resource_version, "77");
  EXPECT_TRUE(event->initial_events_end);
}

TEST(WatchEvent, AnAnnotationOfAnObjectEndsNoList) {
  auto event = parse_watch_event(
      R"({"type":"ADDED","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}})", {});
  ASSERT_TRUE(event);
  EXPECT_FALSE(event->initial_events_end);
}

TEST(WatchEvent, RefusesWhatMakesNoSense) {
  for (const char* bad :
       {"", "{", "[]", "null", R"({"type":"ADDED"})", R"({"type":"ADDED","object":3})", R"({"object":{}})",
        R"({"type":"NEW","object":{}})", R"({"type":7,"object":{}})", R"({"type":"ADDED","object":{}} x)"}) {
    EXPECT_FALSE(parse_watch_event(bad, {})) << bad;
  }
}

TEST(WatchEvent, TakesDeepObjectsAndOddBytes) {
  std::string deep = R"({"type":"ADDED","object":)";
  for (int i = 0; i < 100; ++i) deep += R"({"a":)";
  deep += "\"\xff\"" + std::string(100, '}') + "}";
  EXPECT_TRUE(parse_watch_event(deep, {}));
}

TEST(StatusError, TellsCodeReasonAndWhenToComeBack) {
  const auto error = status_error(
      std::string_view(
          R"({"kind":"Status","message":"slow down","reason":"TooManyRequests","details":{"retryAfterSeconds":9},"code":429})"),
      0);
  EXPECT_EQ(error.kind, Error::Kind::status);
  EXPECT_EQ(error.code, 429);
  EXPECT_EQ(error.reason, "TooManyRequests");
  EXPECT_EQ(error.message, "slow down");
  EXPECT_EQ(error.retry_after, 9);
  EXPECT_EQ(status_error(std::string_view("<html>"), 502).code, 502);
}

}  // namespace
}  // namespace podium::client
