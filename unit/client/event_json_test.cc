#include "client/events/event_json.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "unit/client/doubles.h"

namespace podium::client {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

const Wall kTime = Wall(std::chrono::microseconds(1'767'323'045'000'006));

EventText scheduled() {
  return {{"v1", "Pod", "shop", "web", "u1", "77"},
          std::nullopt,
          "Normal",
          "Scheduled",
          "Binding",
          "a \"note\"\\\n\x01 ä"};
}

TEST(EventJson, IsAnEvent) {
  EXPECT_EQ(json::parse(event_json(scheduled(), "web.1", "shop", "podium", "podium-host", kTime, {})),
            json::parse(R"({
    "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "web.1", "namespace": "shop"},
    "eventTime": "2026-01-02T03:04:05.000006Z", "reportingController": "podium", "reportingInstance": "podium-host",
    "action": "Binding", "reason": "Scheduled", "note": "a \"note\"\\\n\u0001 ä", "type": "Normal",
    "regarding": {"kind": "Pod", "namespace": "shop", "name": "web", "uid": "u1", "apiVersion": "v1", "resourceVersion": "77"}})"));
}

TEST(EventJson, HasRelatedAndSeriesWhereThereAreAny) {
  auto event = scheduled();
  event.related = EventRegarding{"v1", "Node", "", "n1", "", ""};
  const auto value = json::parse(event_json(event, "web.1", "shop", "podium", "i", kTime, {2, kTime}));
  EXPECT_EQ(value.at("related"), json::parse(R"({"kind": "Node", "name": "n1", "apiVersion": "v1"})"));
  EXPECT_EQ(value.at("series"),
            json::parse(R"({"count": 2, "lastObservedTime": "2026-01-02T03:04:05.000006Z"})"));
}

TEST(EventJson, IsTheSameAfterPacking) {
  auto event = scheduled();
  event.note += std::string("\0\0x", 3);
  const auto is_same = [&event] {
    const auto json = [](const EventText& of) {
      return event_json(of, "web.1", "shop", "podium", "i", kTime, {});
    };
    return json(unpack_event(pack(event))) == json(event);
  };
  EXPECT_TRUE(is_same());
  event.related = EventRegarding{"v1", "Node", "", "n1", "", ""};
  EXPECT_TRUE(is_same());
  const auto packed = pack(event);
  EXPECT_DEATH(unpack_event(""), "check failed at .*packed.size\\(\\)")
      << "the last count of a series has none";
  EXPECT_DEATH(unpack_event(std::string_view(packed).substr(0, packed.size() - 1)), "check failed at ");
}

TEST(CutNote, KeepsToTheLimitAndToWholeCharacters) {
  EXPECT_EQ(cut_note(std::string(1024, 'a')), std::string(1024, 'a'));
  EXPECT_EQ(cut_note(std::string(1025, 'a')), std::string(1020, 'a') + " ...");
  EXPECT_EQ(cut_note(std::string(1019, 'a') + "äöü" + "xyz"), std::string(1019, 'a') + " ...");
}

TEST(EventName, IsADnsSubdomain) {
  unit::FixedRandom zero;
  EXPECT_EQ(event_name("web", 0x1f, zero), "web.1f");
  const std::string random = "event-" + std::string(32, '0');
  for (const std::string& bad :
       {std::string(), std::string("Web"), std::string("a:b"), std::string(253, 'a')}) {
    EXPECT_EQ(event_name(bad, 0x1f, zero), random) << bad;
  }
}

}  // namespace
}  // namespace podium::client
