#include "client/decode/watch_lines.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <utility>
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
    lines.feed(piece, [&](std::string_view line) {
      got.emplace_back(line);
      return true;
    });
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

TEST(LineSplitter, StopsOnRequest) {
  LineSplitter lines;
  int count = 0;
  lines.feed("a\nb\nc\n", [&](std::string_view) { return ++count < 2; });
  EXPECT_EQ(count, 2);
}

TEST(LineSplitter, OfALineThatIsTooLongThereIsItsBeginning) {
  const std::string stream = "12345\n1234567890\n12345678901\n1234567890123456\nx\n";
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    LineSplitter lines(10);
    std::vector<std::string> got;
    for (std::size_t at = 0; at < stream.size(); at += size) {
      lines.feed(stream.substr(at, size), [&](std::string_view line) {
        got.emplace_back(line);
        return true;
      });
    }
    EXPECT_EQ(got, (std::vector<std::string>{"12345", "1234567890", "1234567890", "1234567890", "x"}))
        << size;
  }
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
  const std::pair<const char*, const char*> cases[] = {
      {"", "not JSON: incomplete JSON"},
      {"{", "not JSON: incomplete JSON"},
      {"[]", "watch event has an unknown type"},
      {"null", "watch event has an unknown type"},
      {R"({"type":"ADDED"})", "watch event has no object"},
      {R"({"type":"ADDED","object":3})", "watch event has no object"},
      {R"({"object":{}})", "watch event has an unknown type"},
      {R"({"type":"NEW","object":{}})", "watch event has an unknown type"},
      {R"({"type":7,"object":{}})", "watch event has an unknown type"},
      {R"({"type":"ADDED")", "not JSON: incomplete JSON"},
      {R"({"type":"ADDED","obj)", "not JSON: incomplete JSON"},
      {R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"})", "not JSON: incomplete JSON"},
      {R"({"type":"ERROR","object":{"code":410})", "not JSON: incomplete JSON"},
  };
  for (const auto& [bad, why] : cases) {
    const auto event = parse_watch_event(bad, {});
    ASSERT_FALSE(event) << bad;
    EXPECT_EQ(event.error().message, why) << bad;
  }
}

std::string deep_event(const std::string& type, int levels) {
  std::string line =
      R"({"type":")" + type + R"(","object":{"metadata":{"name":"d","resourceVersion":"7"},"x":)";
  for (int i = 2; i < levels; ++i) line += R"({"a":)";
  return line + "\"\xff\"" + std::string(static_cast<std::size_t>(levels), '}');
}

TEST(WatchEvent, TakesDeepObjectsAndOddBytes) {
  for (const int levels : {3, 100, 140, 256}) {
    const auto event = parse_watch_event(deep_event("ADDED", levels), {});
    ASSERT_TRUE(event) << levels;
    EXPECT_EQ(event->problem, "") << levels;
  }
}

TEST(WatchEvent, OfAnObjectThatIsTooDeepThereIsItsOutline) {
  for (const int levels : {257, 1'000, 9'999, 100'000}) {
    for (const auto& [name, type] :
         {std::pair("ADDED", WatchEvent::Type::added), std::pair("DELETED", WatchEvent::Type::deleted)}) {
      const auto event = parse_watch_event(deep_event(name, levels), {});
      ASSERT_TRUE(event) << levels;
      EXPECT_EQ(event->type, type);
      EXPECT_NE(event->problem, "") << levels;
      EXPECT_EQ(event->resource_version, "7");
      EXPECT_EQ(boost::json::serialize(event->object), R"({"metadata":{"name":"d","resourceVersion":"7"}})");
    }
  }
}

TEST(StatusError, ReturnsCodeReasonAndWhenToComeBack) {
  const auto error = status_error(
      std::string_view(
          R"({"kind":"Status","message":"slow down","reason":"TooManyRequests","details":{"retryAfterSeconds":9},"code":429})"),
      0);
  EXPECT_EQ(error.kind, Error::Kind::status);
  EXPECT_EQ(error.status.code, 429);
  EXPECT_EQ(error.status.reason, "TooManyRequests");
  EXPECT_EQ(error.message, "slow down");
  EXPECT_EQ(error.status.retry_after, 9);
  EXPECT_EQ(status_error(std::string_view("<html>"), 502).status.code, 502);
  EXPECT_EQ(status_error(std::string_view(R"({"reason":"NotFound","code":404})"), 404).status.reason, "")
      << "no Status";
}

}  // namespace
}  // namespace podium::client
