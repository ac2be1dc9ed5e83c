// Reflector::run(): the requests it sends, the streams it reads, and how it stops.
#include "client/watch/reflector.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/serialize.hpp>
#include <deque>
#include <thread>

#include "unit/client/doubles.h"
#include "unit/support/http_script.h"

namespace podium::client {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;
using End = unit::StreamScript::End;

std::string event(const std::string& type, const std::string& name, const std::string& uid, int version) {
  return json::serialize(json::value{{"type", type},
                                     {"object",
                                      {{"apiVersion", "v1"},
                                       {"kind", "Pod"},
                                       {"metadata",
                                        {{"namespace", "ns"},
                                         {"name", name},
                                         {"uid", uid},
                                         {"resourceVersion", std::to_string(version)}}}}}}) +
         "\n";
}

std::string bookmark(int version, bool end) {
  return fmt::format(
      R"({{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"{}","annotations":{{{}}}}}}}}})"
      "\n",
      version, end ? R"("k8s.io/initial-events-end":"true")" : "");
}

// An object with that many levels of nesting.
std::string deep_object(const std::string& name, const std::string& uid, int version, int levels) {
  auto text =
      fmt::format(R"({{"metadata":{{"namespace":"ns","name":"{}","uid":"{}","resourceVersion":"{}"}},"x":)",
                  name, uid, version);
  for (int i = 2; i < levels; ++i) text += R"({"a":)";
  return text + "{}" + std::string(static_cast<std::size_t>(levels) - 1, '}');
}

std::string event_of(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

const std::string kExpired =
    R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
    "\n";

// Records all calls; stops the reflector after the entry `until`.
class Diary final : public ReflectorHandler {
 public:
  void changed(std::span<const Change> changes) override {
    for (const auto& change : changes) {
      const auto& meta = change.object.view().at("metadata").as_object();
      note(fmt::format("{}{}/{}", "+~-!"[static_cast<int>(change.type)], meta.at("name").as_string().c_str(),
                       meta.at("uid").as_string().c_str()));
    }
  }
  void synced() override { note("synced"); }
  void listed(std::string_view version) override { lists.emplace_back(version); }
  void unavailable(const Error& error) override { note(fmt::format("unavailable {}", error.code)); }
  void available() override { note("available"); }
  void note(std::string entry) {
    entries.push_back(std::move(entry));
    if (entries.back() == until) reflector->stop();
  }
  std::vector<std::string> entries, lists;
  std::string until;
  Reflector* reflector = nullptr;
};

struct Script {
  explicit Script(ReflectorOptions given = {}) : options(std::move(given)) {
    options.resource = resource::pods;
    options.backoff = options.backoff_max = 1ms;
    transport->on_open = [this](const Request&) -> Result<unit::StreamScript> {
      if (streams.empty()) return unit::StreamScript{200, {}, End::hang};
      auto next = std::move(streams.front());
      streams.pop_front();
      return next;
    };
    transport->on_send = [this](const Request& request) -> Result<Response> {
      if (replies.empty()) return Response{200, R"({"metadata":{"resourceVersion":"1000"}})"};
      if (request.target.find("limit=1") != std::string::npos && request.target.ends_with("limit=1")) {
        return Response{200, R"({"metadata":{"resourceVersion":"1000"}})"};
      }
      auto next = std::move(replies.front());
      replies.pop_front();
      return next;
    };
  }
  // Runs until the diary has `until`.
  Script& go(std::string until) {
    Api api(transport, system_clock(), system_random());
    Reflector reflector(api, options, diary);
    diary.until = std::move(until);
    diary.reflector = &reflector;
    asio::io_context context;
    asio::co_spawn(context, reflector.run(), asio::detached);
    context.run();
    counts = reflector.counts();
    return *this;
  }
  std::vector<std::string> targets() const {
    std::vector<std::string> out;
    for (const auto& request : transport->requests()) {
      auto target = request.target;
      if (const auto at = target.find("&timeoutSeconds="); at != std::string::npos) {
        target.erase(at, target.find('&', at + 1) - at);
      }
      out.push_back(target);
    }
    return out;
  }

  ReflectorOptions options;
  std::shared_ptr<unit::ScriptedTransport> transport = std::make_shared<unit::ScriptedTransport>();
  std::deque<unit::StreamScript> streams;
  std::deque<Result<Response>> replies;
  Diary diary;
  ReflectorCounts counts;
};

using Lines = std::vector<std::string>;

TEST(Reflector, StreamsTheListAndGoesOnWatching) {
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

TEST(Reflector, RelistsOnGoneAndTellsTheDeletesThatWereMissed) {
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

TEST(Reflector, ListsAllAtOnceWhenAPageExpired) {
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

TEST(Reflector, ListsAnewWhenTheServerWentBack) {
  Script run;
  run.streams = {
      {200, {event("ADDED", "a", "1", 5), event("ADDED", "b", "2", 2000), bookmark(2000, true)}, End::cut},
      {200, {event("ADDED", "a", "1", 5), bookmark(1000, true)}, End::hang}};
  run.go("-b/2");
  EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "+b/2", "synced", "~a/1", "-b/2"}));
}

TEST(Reflector, TellsWhenTheKindCannotBeListedAndWhenItCanAgain) {
  Script run;
  run.streams = {
      {404, {R"({"code":404})"}}, {403, {R"({"code":403})"}}, {200, {bookmark(9, true)}, End::hang}};
  run.go("available");
  EXPECT_EQ(run.diary.entries, (Lines{"unavailable 404", "synced", "available"}));
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
      std::unexpected(Error{Error::Kind::internal, "reply body over 1 bytes", 0, "BodyTooLarge"}),
      Response{200, R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a","uid":"1"}}]})"}};
  run.go("synced");
  EXPECT_EQ(run.diary.entries, (Lines{"unavailable 0", "+a/1", "synced"}));
  EXPECT_EQ(run.targets()[1], "/api/v1/pods?limit=125");
}

TEST(Reflector, ListsAnewFromTimeToTimeAndTellsTheDeleteThatWasLost) {
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

// Keeps the first object's name, as a view or of a clone, and reads it in the next batch.
class Keeper final : public ReflectorHandler {
 public:
  explicit Keeper(bool clones) : clones_(clones) {}
  void changed(std::span<const Change> changes) override {
    if (!kept_.empty()) {
      seen = std::string(kept_);
      reflector->stop();
      return;
    }
    if (clones_) clone_ = changes[0].object.clone();
    const auto& object = clones_ ? clone_ : changes[0].object.view();
    kept_ = std::string_view(object.at("metadata").at("name").as_string());
  }
  void synced() override {}
  Reflector* reflector = nullptr;
  std::string seen;

 private:
  const bool clones_;
  json::value clone_;
  std::string_view kept_;
};

std::string seen_by_a_keeper(bool clones) {
  Script run;
  run.streams = {{200, {event("ADDED", "first", "1", 5), event("ADDED", "second", "2", 6)}, End::hang}};
  Keeper keeper(clones);
  Api api(run.transport, system_clock(), system_random());
  Reflector reflector(api, run.options, keeper);
  keeper.reflector = &reflector;
  asio::io_context context;
  asio::co_spawn(context, reflector.run(), asio::detached);
  context.run();
  return keeper.seen;
}

TEST(Reflector, ACloneOfAnObjectMayBeKept) { EXPECT_EQ(seen_by_a_keeper(true), "first"); }

#if defined(__SANITIZE_ADDRESS__)
TEST(ReflectorDeathTest, AnObjectThatIsKeptIsReported) {
  EXPECT_DEATH(seen_by_a_keeper(false), "AddressSanitizer: use-after-poison");
}
#endif

TEST(Reflector, ABatchThatIsLargeComesInParts) {
  Script run;
  std::string all;
  for (int i = 0; i < 1000; ++i) all += event("ADDED", fmt::format("p{}", i), "u", i + 1);
  run.streams = {{200, {all + bookmark(1000, true)}, End::hang}};
  run.go("synced");
  EXPECT_EQ(run.diary.entries.size(), 1001u);
  EXPECT_EQ(run.counts.changes, 1000u);
}

TEST(Reflector, BatchesThatOutgrowTheirFirstBlockGiveItBack) {
  Script run;
  const std::string filler(200'000, 'x');
  run.streams = {{200, {bookmark(9, true)}, End::hang}};
  for (int i = 0; i < 100; ++i) {
    run.streams[0].pieces.push_back(fmt::format(
        R"({{"type":"ADDED","object":{{"metadata":{{"name":"p{}","uid":"u","resourceVersion":"{}"}},"x":["{}"]}}}})"
        "\n",
        i, i + 10, filler));
  }
  run.go("+p99/u");
  EXPECT_EQ(run.counts.changes, 100u);
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

// Against the real transport: a stream is cut at every byte, and stop() comes from another thread while a
// read is pending.
TEST(ReflectorOnTheWire, SurvivesCutsAtEveryByteAndStops) {
  const std::string first = event("ADDED", "a", "1", 5) + bookmark(9, true);
  const std::string second = event("MODIFIED", "a", "1", 10);
  for (std::size_t cut = 0; cut <= second.size(); cut += 9) {
    SCOPED_TRACE(cut);
    unit::HttpScript server;
    server.then([&](unit::HttpExchange& exchange) {
      exchange.start_chunks();
      exchange.chunk(first);
      exchange.chunk(second.substr(0, cut));
      exchange.cut();
    });
    server.then(unit::replying(200, R"({"metadata":{"resourceVersion":"10"}})"));
    server.then([&](unit::HttpExchange& exchange) {
      exchange.start_chunks();
      exchange.chunk(second + event("ADDED", "b", "2", 12));
      exchange.wait_closed();
    });
    asio::io_context context;
    ClientConfig config;
    config.server = server.url();
    auto transport = make_transport(context.get_executor(), config);
    Api api(transport, system_clock(), system_random());
    Script run;
    Reflector reflector(api, run.options, run.diary);
    run.diary.reflector = &reflector;
    run.diary.until = "+b/2";
    asio::co_spawn(context, reflector.run(), [&](std::exception_ptr) { transport->close(); });
    std::thread thread([&] { context.run(); });
    thread.join();
    EXPECT_EQ(run.diary.entries, (Lines{"+a/1", "synced", "~a/1", "+b/2"}));
  }
}

TEST(ReflectorOnTheWire, StopsFromAnotherThreadWhileItReads) {
  unit::HttpScript server;
  server.always([](unit::HttpExchange& exchange) {
    exchange.start_chunks();
    exchange.chunk(bookmark(9, true));
    exchange.wait_closed();
  });
  asio::io_context context;
  ClientConfig config;
  config.server = server.url();
  auto transport = make_transport(context.get_executor(), config);
  Api api(transport, system_clock(), system_random());
  Script run;
  Reflector reflector(api, run.options, run.diary);
  asio::co_spawn(context, reflector.run(), [&](std::exception_ptr) { transport->close(); });
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { context.run(); });
  server.wait_requests(1);
  reflector.stop();
  for (auto& thread : threads) thread.join();
  EXPECT_LE(run.diary.entries.size(), 1u);
}

}  // namespace
}  // namespace podium::client
