// Reports go when their time is up, and no others do.
#include "controller/retention.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <string>
#include <vector>

#include "base/time.h"
#include "unit/controller/served_api.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;
using unit::kPlural;
using unit::Lines;
using unit::ObjectServer;
using unit::ServedApi;

struct Keeping : ServedApi {
  // Rounds and paces of a millisecond; what is due is told by the clock, which only the test moves.
  Keeping()
      : retention(api, {.default_ttl = 600s, .round = 1ms, .relist = 30min, .deletes_per_second = 100'000}) {}

  // A report as it is found on the API server.
  void keep(const std::string& name, json::value spec,
            std::optional<std::chrono::seconds> expires_in = std::nullopt, std::chrono::seconds age = 0s) {
    json::object object{{"metadata",
                         {{"name", name},
                          {"namespace", "shop"},
                          {"uid", "uid-of-" + name},
                          {"creationTimestamp", format_time(clock.wall() - age)}}},
                        {"spec", std::move(spec)}};
    if (expires_in) object["status"] = {{"expiresAt", format_time(clock.wall() + *expires_in)}};
    server.put(kPlural, std::move(object));
  }
  // Runs it until so many rounds after the condition came true have had the chance to do more.
  template <typename Condition>
  void run_until(Condition condition) {
    asio::co_spawn(io, retention.run(), asio::detached);
    for (int i = 0; i < 10'000 && !condition(); ++i) io.run_one();
    EXPECT_TRUE(condition());
    for (int i = 0; i < 20; ++i) io.run_one();
    retention.stop();
    io.run();
  }
  Lines names() const {
    Lines out;
    for (const auto& report : server.all(kPlural))
      out.push_back(ObjectServer::text(report, "/metadata/name"));
    return out;
  }
  Lines deletes() const {
    Lines out;
    for (const auto& line : server.requests("DELETE")) out.push_back(line.substr(line.rfind('/') + 1));
    return out;
  }

  Retention retention;
};

TEST(Retention, DeletesWhatIsDueInTheOrderInWhichItIs) {
  Keeping k;
  for (const auto& [name, expires_in] : {std::pair{"a", 20s}, {"b", 10s}, {"c", 31s}}) {
    k.keep(name, json::object(), expires_in);
    k.retention.track("shop", name, std::string("uid-of-") + name, k.clock.wall() + expires_in);
  }
  k.clock.advance(30s);
  k.run_until([&] { return k.retention.deleted() == 2; });
  EXPECT_EQ(k.deletes(), (Lines{"b", "a"}));
  EXPECT_EQ(k.names(), Lines{"c"});
  EXPECT_EQ(k.retention.size(), 1u);
}

TEST(Retention, AReportThatIsWrittenAgainLivesOn) {
  Keeping k;
  k.keep("a", json::object(), 100s);
  k.keep("b", json::object(), 10s);
  const auto now = k.clock.wall();
  for (const char* name : {"a", "b"})
    k.retention.track("shop", name, std::string("uid-of-") + name, now + 10s);
  k.retention.track("shop", "a", "uid-of-a", now + 100s);
  k.clock.advance(30s);
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.names(), Lines{"a"});
}

TEST(Retention, FindsWhatOthersHaveLeft) {
  struct Case {
    const char* name;
    json::value spec;
    std::optional<std::chrono::seconds> expires_in;
    std::chrono::seconds age;
    bool goes;
  };
  const Case cases[] = {
      {"expired", json::object(), -1s, 10s, true},
      {"not expired", json::object(), 1s, 10'000s, false},
      {"no status, young", json::object(), std::nullopt, 599s, false},
      {"no status, old", json::object(), std::nullopt, 601s, true},
      {"no status, a ttl of its own, young", {{"ttl", "1h"}}, std::nullopt, 3'599s, false},
      {"no status, a ttl of its own, old", {{"ttl", "1h"}}, std::nullopt, 3'601s, true},
      {"no status, a ttl that makes no sense", {{"ttl", "soon"}}, std::nullopt, 601s, true},
      {"the status goes before the ttl", {{"ttl", "1s"}}, 60s, 100s, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Keeping k;
    k.keep("it", c.spec, c.expires_in, c.age);
    k.run_until([&] { return c.goes ? k.retention.deleted() == 1 : k.retention.size() == 1; });
    EXPECT_EQ(k.names(), c.goes ? Lines() : Lines{"it"});
  }
}

TEST(Retention, AnotherOfTheSameNameIsLeftAlone) {
  Keeping k;
  k.retention.track("shop", "a", "uid-of-the-first", k.clock.wall() - 1s);
  k.keep("a", json::object(), 100s);
  k.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method == "GET")
      return client::Response{403, "{}"};  // it is not listed: only the precondition saves it
    return std::nullopt;
  };
  k.run_until([&] { return k.deletes().size() == 1; });
  EXPECT_EQ(k.names(), Lines{"a"});
  EXPECT_EQ(k.retention.size(), 0u);
  EXPECT_EQ(k.retention.deleted(), 0u);
}

TEST(Retention, WhatIsGoneAlreadyIsForgotten) {
  Keeping k;
  k.retention.track("shop", "a", "uid-of-a", k.clock.wall() - 1s);
  k.retention.track("shop", "b", "uid-of-b", k.clock.wall() + 1s);
  k.retention.forget("shop", "b");
  k.clock.advance(2s);
  k.run_until([&] { return k.retention.size() == 0; });
  EXPECT_EQ(k.deletes(), Lines{"a"});
  EXPECT_EQ(k.retention.deleted(), 0u);
}

TEST(Retention, WhatCannotBeDeletedNowIsTriedAgain) {
  Keeping k;
  int refusals = 3;
  k.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method != "DELETE" || refusals == 0) return std::nullopt;
    --refusals;
    return client::Response{403, "{}"};
  };
  for (const char* name : {"a", "b"}) k.keep(name, json::object(), -1s);
  k.run_until([&] { return k.retention.deleted() == 2; });
  EXPECT_EQ(refusals, 0);
  EXPECT_EQ(k.names(), Lines());
  EXPECT_EQ(k.retention.size(), 0u);
}

TEST(Retention, ListsUntilItSucceedsAndThenAgainInTime) {
  Keeping k;
  const auto lists = [&] { return k.server.requests("GET").size(); };
  k.server.refuse(2, client::Response{403, "{}"});
  k.keep("a", json::object(), 3'000s);
  bool late = false;
  k.run_until([&] {
    if (k.retention.size() == 1 && !late) {
      EXPECT_EQ(lists(), 3u);
      late = true;
      k.keep("b", json::object(), 3'000s);
      k.clock.advance(31min);
    }
    return k.retention.size() == 2;
  });
  EXPECT_EQ(lists(), 4u);
}

TEST(Retention, CatchesUpOnALongListByPages) {
  Keeping k;
  for (int i = 0; i < 1'200; ++i) k.keep(fmt::format("r{:04}", i), json::object(), i < 400 ? -1s : 100s);
  k.run_until([&] { return k.retention.deleted() == 400; });
  EXPECT_EQ(k.retention.size(), 800u);
  EXPECT_EQ(k.names().front(), "r0400");
  EXPECT_EQ(k.server.requests("GET").size(), 3u);
}

TEST(Retention, StopsInTheMiddleOfABacklog) {
  Keeping k;
  for (int i = 0; i < 100; ++i) k.keep(fmt::format("r{:02}", i), json::object(), -1s);
  asio::co_spawn(k.io, k.retention.run(), asio::detached);
  while (k.retention.deleted() < 10) k.io.run_one();
  k.retention.stop();
  k.io.run();
  EXPECT_LE(k.retention.deleted(), 11u);
}

}  // namespace
}  // namespace podium::controller
