// Reflector::run(): the requests it sends, the streams it reads, and when it stops.
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "unit/client/reflector_fixture.h"

namespace podium::client::reflector_test {
namespace {

TEST(Reflector, StreamsTheListAndContinuesToWatch) {
  Script run;
  run.streams = {{200,
                  {event("ADDED", "a", "1", 5) + event("ADDED", "b", "2", 3), bookmark(9, true),
                   event("MODIFIED", "a", "1", 10), event("DELETED", "b", "2", 11)},
                  End::hang}};
  run.go("-b/2");
  EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "+b/2", "synced", "~a/1", "-b/2"}));
  EXPECT_EQ(run.diary.lists, Lines{"9"});
  EXPECT_EQ(run.targets(), (Lines{"/api/v1/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
                                  "&resourceVersionMatch=NotOlderThan"}));
}

TEST(Reflector, ResumesACutWatchWhereItWas) {
  Script run;
  const auto next = event("ADDED", "c", "3", 12);
  run.streams = {
      {200,
       {event("ADDED", "a", "1", 5), bookmark(9, true), event("MODIFIED", "a", "1", 10) + next.substr(0, 30)},
       End::cut},
      {200, {next}, End::hang}};
  run.go("+c/3");
  EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "synced", "~a/1", "+c/3"}));
  EXPECT_EQ(run.targets()[1], "/api/v1/pods?limit=1");
  EXPECT_EQ(run.targets()[2], "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=10");
}

TEST(Reflector, RelistsOnGoneAndReportsTheDeletesThatWereMissed) {
  Script run;
  run.streams = {{200,
                  {event("ADDED", "a", "1", 5), event("ADDED", "b", "2", 6), bookmark(9, true), kExpired},
                  End::hang},
                 {200, {event("ADDED", "b", "7", 20), bookmark(21, true)}, End::hang}};
  run.go("-a/1");
  EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "+b/2", "synced", "-b/2", "+b/7", "-a/1"}));
}

TEST(Reflector, ListsByPagesWhereStreamingIsRefused) {
  ReflectorOptions options;
  options.ns = "shop";
  options.label_selector = "app=a,b";
  Script run(options);
  run.streams = {{422, {R"({"code":422,)", R"("reason":"Invalid"})"}},
                 {200, {event("ADDED", "c", "3", 12)}, End::hang}};
  run.replies = {
      Response{
          200,
          R"({"metadata":{"resourceVersion":"9","continue":"t+1"},"items":[{"metadata":{"name":"a","uid":"1"}}]})"},
      Response{200, R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"b","uid":"2"}}]})"}};
  run.go("+c/3");
  EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "+b/2", "synced", "+c/3"}));
  EXPECT_EQ(run.targets()[1], "/api/v1/namespaces/shop/pods?limit=500&labelSelector=app%3Da%2Cb");
  EXPECT_EQ(run.targets()[2],
            "/api/v1/namespaces/shop/pods?limit=500&labelSelector=app%3Da%2Cb&continue=t%2B1");
  EXPECT_EQ(run.targets()[3],
            "/api/v1/namespaces/shop/"
            "pods?watch=true&allowWatchBookmarks=true&resourceVersion=9&labelSelector=app%3Da%2Cb");
}

TEST(Reflector, ListsAllInOnePageWhenAPageExpired) {
  ReflectorOptions options;
  options.streaming_list = false;
  Script run(options);
  run.replies = {
      Response{
          200,
          R"({"metadata":{"resourceVersion":"9","continue":"t"},"items":[{"metadata":{"name":"a","uid":"1"}}]})"},
      Response{410, R"({"code":410,"reason":"Expired"})"},
      Response{200,
               R"({"metadata":{"resourceVersion":"12"},"items":[{"metadata":{"name":"b","uid":"2"}}]})"}};
  run.go("synced");
  EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "+b/2", "-a/1", "synced"}));
  EXPECT_EQ(run.targets()[2], "/api/v1/pods?");
}

TEST(Reflector, FallsBackWhenTheInitialEventsDoNotEnd) {
  ReflectorOptions options;
  options.initial_events = 5ms;
  Script run(options);
  run.streams = {{200, {event("ADDED", "a", "1", 5)}, End::hang}};
  run.replies = {Response{
      200,
      R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"namespace":"ns","name":"a","uid":"1","resourceVersion":"5"}}]})"}};
  run.go("synced");
  EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "synced"}));
}

TEST(Reflector, RenewsASilentWatch) {
  ReflectorOptions options;
  options.silence = 5ms;
  Script run(options);
  run.streams = {{200, {bookmark(9, true)}, End::hang}, {200, {event("ADDED", "a", "1", 12)}, End::hang}};
  run.go("+a/1");
  EXPECT_EQ(run.diary.entries, (Lines{"synced", "+a/1"}));
}

TEST(Reflector, RelistsWhenTheServerWentBack) {
  Script run;
  run.streams = {
      {200, {event("ADDED", "a", "1", 5), event("ADDED", "b", "2", 2000), bookmark(2000, true)}, End::cut},
      {200, {event("ADDED", "a", "1", 5), bookmark(1000, true)}, End::hang}};
  run.go("-b/2");
  EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "+b/2", "synced", "versions restarted", "~a/1", "-b/2"}));
}

TEST(Reflector, AnEventWithAVersionThatIsNotANumberLeadsToAList) {
  Script run;
  const std::string odd =
      R"({"type":"MODIFIED","object":{"metadata":{"namespace":"ns","name":"a","uid":"1","resourceVersion":"abc"}}})"
      "\n";
  run.streams = {
      {200, {event("ADDED", "a", "1", 5), bookmark(9, true), odd}, End::hang},
      {200, {event("ADDED", "a", "1", 5), event("ADDED", "b", "2", 10), bookmark(12, true)}, End::hang}};
  run.go("available");
  EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "synced", "unavailable 0", "+b/2", "available"}));
}

TEST(Reflector, AListWhosePagesHaveNoEndIsAnError) {
  const auto page = [](const std::string& token, const std::string& name) {
    return Response{200, fmt::format(R"({{"metadata":{{"resourceVersion":"9","continue":"{}"}},)"
                                     R"("items":[{{"metadata":{{"name":"{}","uid":"{}"}}}}]}})",
                                     token, name, name)};
  };
  const std::vector<Response> cases[] = {
      {page("t", "a"), page("t", "b")},                                                 // the token repeats
      {page("t", "a"), page("u", "a"), page("v", "a"), page("w", "a"), page("x", "b")}  // no object is new
  };
  for (const auto& pages : cases) {
    ReflectorOptions options;
    options.streaming_list = false;
    Script run(options);
    run.replies.assign(pages.begin(), pages.end());
    run.go("unavailable 0");
    EXPECT_EQ(run.diary.entries.back(), "unavailable 0");
    EXPECT_LE(run.transport->requests().size(), 4u);
  }
}

TEST(Reflector, AWatchWithNothingButEmptyLinesEnds) {
  Script run;
  run.streams = {{200, {bookmark(9, true), std::string(40'000, '\n'), std::string(40'000, '\n')}, End::hang},
                 {200, {event("ADDED", "a", "1", 2000)}, End::hang}};
  run.go("+a/1");
  EXPECT_EQ(run.diary.entries, (Lines{"synced", "+a/1"}));
  EXPECT_EQ(run.counts.watches, 2u);
}

TEST(Reflector, ReportsWhenTheKindCannotBeListedAndWhenItCanAgain) {
  Script run;
  run.streams = {
      {404, {R"({"code":404})"}}, {403, {R"({"code":403})"}}, {200, {bookmark(9, true)}, End::hang}};
  run.go("available");
  EXPECT_EQ(run.diary.entries, (Lines{"unavailable 404", "unavailable 403", "synced", "available"}));
}

TEST(Reflector, ReportsOnceWhileTheFailureStaysTheSame) {
  Script run;
  run.streams = {{503, {}}, {503, {}}, {404, {}}, {404, {}}, {200, {bookmark(9, true)}, End::hang}};
  run.go("available");
  EXPECT_EQ(run.diary.entries, (Lines{"unavailable 503", "unavailable 404", "synced", "available"}));
}

TEST(Reflector, SurvivesEventsThatMakeNoSense) {
  Script run;
  run.streams = {{200, {bookmark(9, true), "{\"type\":\n"}, End::hang},
                 {200,
                  {event("ADDED", "a", "1", 10), "\n", R"({"type":"ADDED","object":{"metadata":{}}})", "\n",
                   bookmark(12, true)},
                  End::hang}};
  run.go("+a/1");
  EXPECT_EQ(run.diary.entries, (Lines{"synced", "unavailable 0", "+a/1"}));
}

TEST(Reflector, RefusesOnlyTheObjectThatCannotBeRead) {
  for (const int levels : {100, 140, 1'000, 9'999, 100'000}) {
    SCOPED_TRACE(levels);
    const bool readable = levels < 200;
    ReflectorOptions options;
    options.streaming_list = false;
    Script run(options);
    run.replies = {Response{200, R"({"metadata":{"resourceVersion":"9"},"items":[)" +
                                     deep_object("a", "1", 5, 3) + "," + deep_object("d", "2", 6, levels) +
                                     "," + deep_object("b", "3", 7, 3) + "]}"}};
    run.streams = {{200,
                    {event_of("MODIFIED", deep_object("d", "2", 10, levels)) + event("ADDED", "c", "4", 11),
                     event_of("DELETED", deep_object("d", "2", 12, levels)) + event("ADDED", "e", "5", 13)},
                    End::hang}};
    run.go("+e/5");
    EXPECT_EQ(run.diary.entries,
              readable ? (Lines{"+a/1", "+d/2", "+b/3", "synced", "~d/2", "+c/4", "-d/2", "+e/5"})
                       : (Lines{"+a/1", "!d/2", "+b/3", "synced", "!d/2", "+c/4", "-d/2", "+e/5"}));
    EXPECT_EQ(run.counts.unreadable, readable ? 0u : 2u);
    EXPECT_EQ(run.counts.errors, 0u);
  }
}

TEST(Reflector, StreamingListsTooRefuseOnlyTheObjectThatCannotBeRead) {
  Script run;
  run.streams = {{200,
                  {event("ADDED", "a", "1", 5) + event_of("ADDED", deep_object("d", "2", 6, 5'000)) +
                       event("ADDED", "b", "3", 7) + bookmark(9, true),
                   event_of("MODIFIED", deep_object("d", "2", 15, 5'000))},
                  End::cut},
                 {200, {event_of("MODIFIED", deep_object("d", "2", 16, 5))}, End::hang}};
  run.go("+d/2");
  EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "!d/2", "+b/3", "synced", "!d/2", "+d/2"}));
  EXPECT_EQ(run.targets()[2], "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=15")
      << "it counts for progress";
}

TEST(Reflector, AnObjectLongerThanALineMayBeIsRefusedAlone) {
  Script run;
  const std::string chunk(1u << 20, 'x');
  std::vector<std::string> pieces{bookmark(9, true), event("ADDED", "a", "1", 10)};
  auto object = deep_object("big", "2", 11, 3);
  object.pop_back();
  pieces.push_back(R"({"type":"ADDED","object":)" + object + R"(,"y":")");
  pieces.insert(pieces.end(), 20, chunk);
  pieces.push_back("\"}}\n" + event("ADDED", "b", "3", 12));
  run.streams = {{200, std::move(pieces), End::hang}};
  run.go("+b/3");
  EXPECT_EQ(run.diary.entries, (Lines{"synced", "+a/1", "!big/2", "+b/3"}));
  EXPECT_EQ(run.targets().size(), 1u);
}

TEST(Reflector, PagesSmallerWhereAPageIsTooLarge) {
  ReflectorOptions options;
  options.streaming_list = false;
  Script run(options);
  run.replies = {
      std::unexpected(Error{Error::Kind::too_large, "reply body over 1 bytes"}),
      Response{200, R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a","uid":"1"}}]})"}};
  run.go("synced");
  EXPECT_EQ(run.diary.entries, (Lines{"unavailable 0", "+a/1", "synced"}));
  EXPECT_EQ(run.targets()[1], "/api/v1/pods?limit=125");
}

TEST(Reflector, RelistsFromTimeToTimeAndReportsTheDeleteThatWasLost) {
  ReflectorOptions options;
  options.relist = 1ms;
  options.silence = 5ms;
  Script run(options);
  run.streams = {
      {200, {event("ADDED", "a", "1", 5), event("ADDED", "b", "2", 6), bookmark(9, true)}, End::hang},
      {200, {event("ADDED", "b", "2", 6), bookmark(1000, true)}, End::hang}};
  run.go("-a/1");
  EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "+b/2", "synced", "-a/1"}));
}

TEST(Reflector, AWatchThatStaysOpenWorks) {
  ReflectorOptions options;
  options.settle = 1ms;
  Script run(options);
  run.streams = {{200, {bookmark(9, true)}, End::cut}, {503, {}}, {200, {}, End::hang}};
  run.go("available");
  EXPECT_EQ(run.diary.entries, (Lines{"synced", "unavailable 503", "available"}));
}

TEST(Reflector, AWatchThatOpensAndExpiresDoesNotWorkYet) {
  ReflectorOptions options;
  options.settle = 1h;
  Script run(options);
  run.streams = {{200, {bookmark(9, true)}, End::cut},
                 {503, {}},
                 {200, {kExpired}, End::hang},
                 {200, {event("ADDED", "a", "1", 1500), bookmark(2000, true)}, End::hang}};
  run.go("available");
  EXPECT_EQ(run.diary.entries, (Lines{"synced", "unavailable 503", "+a/1", "available"}));
}

TEST(Reflector, StopsBeforeItStarted) {
  Script run;
  Api api(run.transport, system_clock(), system_random());
  Reflector reflector(api, run.options, run.diary);
  reflector.stop();
  asio::io_context context;
  asio::co_spawn(context, reflector.run(), asio::detached);
  context.run();
  EXPECT_TRUE(run.targets().empty());
}

}  // namespace
}  // namespace podium::client::reflector_test
