#include "client/watch/reflector_state.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "unit/client/doubles.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;
using Kind = ReflectorState::Action::Kind;

Error status(int code, std::string reason = "", std::string message = "", int retry_after = 0) {
  Error error{Error::Kind::status, std::move(message)};
  error.status = {.code = code, .reason = std::move(reason), .retry_after = retry_after};
  return error;
}

Error ahead_of_server() {
  Error error = status(504, "Timeout", "Too large resource version: 9, current: 5");
  error.status.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  return error;
}

Error over_the_limit() { return {Error::Kind::too_large, "reply body over 1 bytes"}; }

Error refused() { return {Error::Kind::unavailable, "connection refused"}; }

std::string text(const ReflectorState::Action& action) {
  switch (action.kind) {
    case Kind::stream_list:
      return action.replace ? "stream_list replace" : "stream_list";
    case Kind::list:
      return fmt::format("list limit={}{}", action.limit, action.replace ? " replace" : "");
    case Kind::probe:
      return "probe";
    case Kind::watch:
      return "watch " + action.resource_version;
    case Kind::read:
      return "read";
    case Kind::wait:
      return fmt::format("wait {}", action.delay.count());
  }
  return "?";
}

// Drives a ReflectorState with a sequence of inputs and records the next action after each.
class Life {
 public:
  explicit Life(bool streaming = true, std::chrono::milliseconds relist = 0ms)
      : state({.streaming_list = streaming, .relist = relist}, random) {
    state.next(clock.now());
  }
  Life& then(const std::function<void(ReflectorState&, Steady)>& input) {
    input(state, clock.now());
    done.push_back(text(state.next(clock.now())));
    return *this;
  }
  Life& opened() {
    return then([](auto& s, auto now) { s.opened(now); });
  }
  Life& failed(Error error) {
    return then([&](auto& s, auto now) { s.failed(error, now); });
  }
  Life& ended() {
    return then([](auto& s, auto now) { s.ended(now); });
  }
  Life& silent() {
    return then([](auto& s, auto) { s.silent(); });
  }
  Life& settled() {
    return then([](auto& s, auto) { s.settled(); });
  }
  Life& waited() {
    return then([](auto& s, auto) { s.waited(); });
  }
  Life& probed(const char* rv) {
    return then([&](auto& s, auto now) { s.probed(rv, now); });
  }
  Life& listed(const char* rv) {
    return then([&](auto& s, auto now) { s.listed(rv, now); });
  }
  Life& event(const char* rv) {
    return then([&](auto& s, auto) { s.event(rv); });
  }
  Life& bookmark(const char* rv, bool end = false) {
    return then([&](auto& s, auto now) { s.bookmark(rv, end, now); });
  }
  Life& pass(std::chrono::seconds time) {
    clock.advance(time);
    return *this;
  }
  // Up to an open watch at version 100.
  Life& watching() {
    opened().bookmark("100", true);
    done.clear();
    return *this;
  }

  unit::ManualClock clock;
  unit::FixedRandom random;
  ReflectorState state;
  std::vector<std::string> done;
};

using Steps = std::vector<std::string>;

TEST(ReflectorState, StreamingListContinuesAsTheWatch) {
  Life life;
  EXPECT_EQ(text(life.state.next(life.clock.now())), "stream_list");
  life.opened().event("42").event("17").bookmark("50").bookmark("100", true).event("101").bookmark("110");
  EXPECT_EQ(life.done, (Steps(7, "read")));
  EXPECT_FALSE(life.state.listing());
  EXPECT_EQ(life.state.resource_version(), "110");
}

TEST(ReflectorState, WithoutStreamingListsAndWatches) {
  Life life(false);
  EXPECT_EQ(text(life.state.next(life.clock.now())), "list limit=500");
  life.listed("100").opened();
  EXPECT_EQ(life.done, (Steps{"watch 100", "read"}));
}

TEST(ReflectorState, StreamingListThatFails) {
  struct Case {
    const char* name;
    Error error;
    Steps expect;
  };
  const std::vector<Case> cases = {
      {"feature off", status(422, "Invalid", "sendInitialEvents is forbidden"), {"list limit=500"}},
      {"not understood", status(400, "BadRequest"), {"list limit=500"}},
      {"a proxy that holds the headers back", {Error::Kind::timeout, "deadline passed"}, {"list limit=500"}},
      {"expired", status(410, "Expired"), {"wait 800", "stream_list"}},
      {"too large", ahead_of_server(), {"wait 800", "stream_list"}},
      {"refused", refused(), {"wait 800", "stream_list"}},
      {"throttled", status(429, "TooManyRequests", "", 7), {"wait 7000", "stream_list"}},
      {"throttled for an hour", status(429, "TooManyRequests", "", 3600), {"wait 30000", "stream_list"}},
      {"no such kind", status(404, "NotFound"), {"wait 800", "stream_list"}},
      {"forbidden", status(403, "Forbidden"), {"wait 800", "stream_list"}},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    Life life;
    life.failed(test.error);
    if (test.expect.size() > 1) life.waited();
    EXPECT_EQ(life.done, test.expect);
    EXPECT_EQ(life.state.failing(), test.expect.size() > 1);
  }
}

TEST(ReflectorState, MissingInitialEventsEndFallsBackToListForAWhile) {
  Life life;
  life.opened();
  EXPECT_EQ(life.state.list_deadline(), life.clock.now() + 10s);
  life.pass(4s).then([](auto& s, auto now) { s.added(now); });
  EXPECT_EQ(life.state.list_deadline(), life.clock.now() + 10s) << "an ADDED event is progress";
  life.pass(10s).silent().listed("100").failed(status(410));
  life.waited();
  EXPECT_EQ(life.done, (Steps{"read", "read", "list limit=500", "watch 100", "wait 800", "list limit=500"}));
  life.pass(601s).then([](auto&, auto) {});
  EXPECT_EQ(life.done.back(), "list limit=500") << "a LIST in flight is not given up for a stream";
  life.listed("120").failed(status(410)).waited();
  EXPECT_EQ(life.done.back(), "stream_list");
}

TEST(ReflectorState, StreamingListIsGivenUpInTheEndThoughItAdds) {
  Life life;
  life.opened();
  const auto start = life.clock.now();
  for (int i = 0; i < 30; ++i) life.pass(5s).then([](auto& s, auto now) { s.added(now); });
  EXPECT_EQ(life.state.list_deadline(), start + 120s);
}

TEST(ReflectorState, StreamingListCutBeforeItsEndStartsAgain) {
  Life life;
  life.opened().event("42").ended().waited();
  EXPECT_EQ(life.done, (Steps{"read", "read", "wait 800", "stream_list"}));
}

TEST(ReflectorState, ListThatFails) {
  struct Case {
    const char* name;
    Error error;
    Steps expect;
  };
  const std::vector<Case> cases = {
      {"continue token expired between pages", status(410, "Expired"), {"list limit=0"}},
      {"refused", refused(), {"wait 800", "list limit=500"}},
      {"too large", ahead_of_server(), {"wait 800", "list limit=500"}},
      {"throttled", status(429, "TooManyRequests", "", 3), {"wait 3000", "list limit=500"}},
      {"no such kind", status(404), {"wait 800", "list limit=500"}},
      {"too large a reply", over_the_limit(), {"wait 800", "list limit=125"}},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    Life life(false);
    life.failed(test.error);
    if (test.expect.size() > 1) life.waited();
    EXPECT_EQ(life.done, test.expect);
  }
}

TEST(ReflectorState, StreamingListsThatCloseWithoutTheirBookmarkAreReplacedByAList) {
  Life life;
  for (int i = 0; i < 3; ++i) life.opened().event("42").ended().waited();
  EXPECT_EQ(life.done, (Steps{"read", "read", "wait 800", "stream_list", "read", "read", "wait 1600",
                              "stream_list", "read", "read", "wait 3200", "list limit=500"}));
  life.listed("100").failed(status(410)).waited();
  EXPECT_EQ(life.done.back(), "list limit=500") << "streams are not tried for a while";
}

TEST(ReflectorState, ListsThatAreTooLargeArePagedEverSmaller) {
  Life life(false);
  life.failed(status(410, "Expired")).failed(over_the_limit()).waited();
  EXPECT_EQ(life.done, (Steps{"list limit=0", "wait 800", "list limit=500"}));
  life.failed(status(410, "Expired")).waited();
  EXPECT_EQ(life.done.back(), "list limit=500") << "all pages together are known to be too much";
  for (int i = 0; i < 8; ++i) life.failed(over_the_limit()).waited();
  EXPECT_EQ(life.done.back(), "list limit=1");
  life.listed("100").failed(status(410)).waited();
  EXPECT_EQ(life.done.back(), "list limit=500");
}

TEST(ReflectorState, RelistsFromTimeToTime) {
  Life life(true, 1h);
  life.opened().bookmark("100", true).pass(3599s).event("101");
  EXPECT_EQ(life.done.back(), "read");
  life.pass(1s).event("102");
  EXPECT_EQ(life.done.back(), "stream_list");
  EXPECT_FALSE(life.state.failing());
  life.pass(600s).opened().bookmark("103", true).pass(3599s).event("104");
  EXPECT_EQ(life.done.back(), "read") << "the hour begins with the list";
  life.silent().probed("104").pass(1s).then([](auto&, auto) {});
  EXPECT_EQ(life.done.back(), "stream_list");
}

TEST(ReflectorState, AKindThatIsNotServedIsAskedForEveryFewSeconds) {
  Life life;
  life.watching().ended().failed(status(404)).waited();
  EXPECT_EQ(life.done, (Steps{"probe", "wait 800", "stream_list"})) << "its objects went with it";
  life.done.clear();
  for (int i = 0; i < 4; ++i) life.failed(status(404)).waited();
  EXPECT_EQ(life.done, (Steps{"wait 1600", "stream_list", "wait 3000", "stream_list", "wait 3000",
                              "stream_list", "wait 3000", "stream_list"}));
  life.failed(status(410)).waited();
  EXPECT_EQ(life.done[8], "wait 800") << "an absence is not a failure of existing kinds";
}

TEST(ReflectorState, AfterAnOutageA410IsNotWaitedForAsLong) {
  Life life;
  life.watching();
  for (int i = 0; i < 8; ++i) life.failed({Error::Kind::unavailable, "refused"}).waited();
  EXPECT_EQ(life.done[life.done.size() - 2], "wait 30000");
  life.probed("1000").failed(status(410, "Expired")).waited();
  EXPECT_EQ(life.done[life.done.size() - 2], "wait 800");
  EXPECT_EQ(life.done.back(), "stream_list");
}

TEST(ReflectorState, WatchThatEnds) {
  const Error too_large = ahead_of_server();
  struct Case {
    const char* name;
    std::function<void(Life&)> input;
    Steps expect;
  };
  const std::vector<Case> cases = {
      {"server's timeout",
       [](Life& l) { l.event("101").pass(300s).ended().probed("120").opened(); },
       {"read", "probe", "watch 101", "read"}},
      {"cut after an event",
       [](Life& l) { l.event("105").ended().probed("105"); },
       {"read", "probe", "watch 105"}},
      {"silent", [](Life& l) { l.silent().probed("100"); }, {"probe", "watch 100"}},
      {"bookmarks move the version",
       [](Life& l) { l.bookmark("200").silent().probed("200"); },
       {"read", "probe", "watch 200"}},
      {"an event that goes back in time does not",
       [](Life& l) { l.event("90").silent().probed("100"); },
       {"read", "probe", "watch 100"}},
      {"410 as an event",
       [](Life& l) { l.failed(status(410, "Expired")).waited(); },
       {"wait 800", "stream_list"}},
      {"Gone as an event",
       [](Life& l) { l.failed(status(0, "Gone")).waited(); },
       {"wait 800", "stream_list"}},
      {"too large", [&](Life& l) { l.failed(too_large).waited(); }, {"wait 800", "stream_list"}},
      {"an event that makes no sense",
       [](Life& l) { l.failed({Error::Kind::invalid, "not JSON"}).waited(); },
       {"wait 800", "stream_list"}},
      {"internal error", [](Life& l) { l.failed(status(500)).waited(); }, {"wait 800", "probe"}},
      {"throttled", [](Life& l) { l.failed(status(429, "", "", 2)).waited(); }, {"wait 2000", "probe"}},
      {"server away",
       [](Life& l) { l.ended().failed(refused()).waited().failed(refused()).waited().probed("100"); },
       {"probe", "wait 800", "probe", "wait 1600", "probe", "watch 100"}},
      {"etcd restored, seen by the probe",
       [](Life& l) { l.silent().probed("60").opened().event("55").bookmark("60", true).event("61"); },
       {"probe", "stream_list replace", "read", "read", "read", "read"}},
      {"etcd restored, seen by a bookmark", [](Life& l) { l.bookmark("60"); }, {"stream_list replace"}},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    Life life;
    life.watching().event("100");
    life.done.clear();
    test.input(life);
    EXPECT_EQ(life.done, test.expect);
  }
}

TEST(ReflectorState, AVeryShortWatchIsNotReopenedImmediately) {
  Life life;
  life.watching().silent().probed("100").opened().ended().waited();
  EXPECT_EQ(life.done, (Steps{"probe", "watch 100", "read", "wait 800", "probe"}));
}

TEST(ReflectorState, AnOlderListIsTakenOnlyWhenASecondOneSaysSo) {
  Life life(false);
  life.listed("100").failed(status(410)).waited().listed("60").listed("61");
  EXPECT_EQ(life.done,
            (Steps{"watch 100", "wait 800", "list limit=500", "list limit=500 replace", "watch 61"}));
  EXPECT_EQ(life.state.resource_version(), "61");
}

TEST(ReflectorState, AnOlderStreamingListIsTakenOnlyWhenASecondOneSaysSo) {
  Life life;
  life.watching().failed(status(410)).waited().opened().bookmark("60", true).opened().bookmark("61", true);
  EXPECT_EQ(life.done, (Steps{"wait 800", "stream_list", "read", "stream_list replace", "read", "read"}));
  EXPECT_EQ(life.state.resource_version(), "61");
}

TEST(ReflectorState, VersionsOfAListThatWasCutCountForGoingBack) {
  Life life;
  life.opened().event("90").ended().waited().opened().bookmark("60", true);
  EXPECT_EQ(life.done.back(), "stream_list replace");
}

TEST(ReflectorState, FailingUntilSomethingWorks) {
  struct Case {
    const char* name;
    std::function<void(Life&)> input;  // after an outage and a probe that went well
    bool failing;
  } cases[] = {
      {"the watch has only opened", [](Life& l) { l.opened(); }, true},
      {"a 410 follows", [](Life& l) { l.opened().failed(status(410, "Expired")).waited(); }, true},
      {"a list has begun",
       [](Life& l) { l.opened().failed(status(410, "Expired")).waited().opened().event("101"); }, true},
      {"a list is complete",
       [](Life& l) { l.failed(status(410, "Expired")).waited().opened().bookmark("101", true); }, false},
      {"an event", [](Life& l) { l.opened().event("101"); }, false},
      {"a bookmark", [](Life& l) { l.opened().bookmark("101"); }, false},
      {"open for a while", [](Life& l) { l.opened().settled(); }, false},
      {"open for a while, but it was cut", [](Life& l) { l.opened().ended().settled(); }, true},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    Life life;
    life.watching().ended();
    EXPECT_FALSE(life.state.failing());
    life.failed(refused());
    EXPECT_TRUE(life.state.failing());
    life.waited().probed("100");
    EXPECT_TRUE(life.state.failing()) << "the probe is not a watch";
    test.input(life);
    EXPECT_EQ(life.state.failing(), test.failing);
  }
}

TEST(ReflectorState, AnOutageHasTheCodeOfItsLastFailure) {
  Life life;
  EXPECT_EQ(life.state.outage(), std::nullopt);
  life.watching().ended().failed(refused()).waited();
  EXPECT_EQ(life.state.outage(), 0);
  life.failed(status(404, "NotFound")).waited();
  EXPECT_EQ(life.state.outage(), 404);
  life.failed(status(422, "Invalid"));
  EXPECT_EQ(life.state.outage(), 404) << "a list without streaming may do";
  life.failed(status(403, "Forbidden")).waited();
  EXPECT_EQ(life.state.outage(), 403);
  life.listed("120");
  EXPECT_EQ(life.state.outage(), std::nullopt);
}

TEST(RelistBackoff, DoublesToItsLimitAndIsResetByAQuietTime) {
  unit::ManualClock clock;
  unit::FixedRandom none;
  RelistBackoff backoff(800ms, 30s);
  std::vector<std::int64_t> delays;
  for (int i = 0; i < 8; ++i) delays.push_back(backoff.next(clock.now(), none).count());
  EXPECT_EQ(delays, (std::vector<std::int64_t>{800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}));
  clock.advance(121s);
  EXPECT_EQ(backoff.next(clock.now(), none), 800ms);
}

TEST(VersionNumber, IsZeroForWhatIsNotANumber) {
  EXPECT_EQ(version_number("18446744073709551615"), 18446744073709551615u);
  for (const char* bad : {"", "x", "1x", "-1", "18446744073709551616"})
    EXPECT_EQ(version_number(bad), 0u) << bad;
}

TEST(ReflectorState, AVersionThatIsNotANumberIsNotTaken) {
  for (const char* version : {"abc", "", "0", "-5", "1e3", "18446744073709551616"}) {
    Life life;
    life.watching().event(version).bookmark(version).ended().probed("100");
    EXPECT_EQ(life.done.back(), "watch 100") << version;
  }
}

TEST(ReflectorState, AWatchThatFailsAtOneVersionAgainAndAgainLeadsToAList) {
  Life life;
  life.watching();
  int watches = 0;
  for (; watches < 20 && life.state.listing() == false; ++watches) {
    life.failed(status(500)).waited();
    if (!life.state.listing()) life.probed("100");
  }
  EXPECT_EQ(watches, 5);
  EXPECT_EQ(life.done.back(), "stream_list");
}

TEST(ReflectorState, VersionsThatGoBackAgainAndAgainBackOff) {
  Life life;
  life.watching().bookmark("50");
  EXPECT_EQ(life.done.back(), "stream_list replace") << "the first time immediately";
  for (int i = 0; i < 3; ++i) {
    life.opened().bookmark("100", true).bookmark("50");
    EXPECT_TRUE(life.done.back().starts_with("wait ")) << life.done.back();
    life.waited();
    EXPECT_EQ(life.done.back(), "stream_list replace");
  }
}

}  // namespace
}  // namespace podium::client
