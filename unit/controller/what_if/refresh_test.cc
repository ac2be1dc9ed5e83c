// spec.refreshSeconds: what-ifs that are asked again and again, within their bounds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "async/virtual_time.h"
#include "base/time.h"
#include "controller/what_if/refreshes.h"
#include "explain/report/refusal.h"
#include "unit/controller/what_if/asking_controller.h"
#include "unit/metrics/sampled.h"

namespace podium::controller {

using namespace explain;
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using unit::kPlural;
using unit::Lines;
using unit::ObjectServer;
// The replicas that fit of each, "shop/probe 4".
using Fitting = std::vector<std::string>;

// A pod of one CPU. The node has four.
std::string probe(int seconds, std::string_view more = "", int replicas = 9) {
  return fmt::format(
      R"({{"dryRun":true,"refreshSeconds":{},{}"replicas":{},"template":{{"spec":{{"containers":[
      {{"name":"c","image":"i","resources":{{"requests":{{"cpu":"1"}}}}}}]}}}}}})",
      seconds, more, replicas);
}

struct Virtual {
  async::VirtualTime time;  // before the timers
};

struct Probing : Virtual, Asking {
  // The clock of the API and the timers go on together, by the second.
  void go_on(std::chrono::seconds by) {
    for (auto left = by; left > 0s; left -= 1s) {
      clock.advance(1s);
      const auto until = time.now() + 1s;
      while (time.now() < until) {
        time.advance(until - time.now());
        settle();
      }
    }
  }
  std::size_t reads(const std::string& name = "probe") const {
    const auto all = server.requests("GET");
    return static_cast<std::size_t>(std::ranges::count(all, "GET" + kPath.substr(5) + name));
  }
  std::size_t answers(const std::string& name = "probe") const {
    return static_cast<std::size_t>(std::ranges::count(writes(), kPath + name + "/status"));
  }
  Fitting fitting() const {
    Fitting out;
    for (const auto& [ns, name, numbers] : controller.refreshed())
      out.push_back(fmt::format("{}/{} {}", ns, name, numbers.fitting));
    return out;
  }
  std::string decided_at() const { return ObjectServer::text(status("probe"), "/decidedAt"); }
};

TEST(Refresh, AskingAgainDoesNotEvadeTheBoundOnThoseThatAreKept) {
  Probing w;
  w.retention.set(600s, {{1'000, 1u << 30}, {2, 1u << 30}});
  for (const char* name : {"first", "second"}) {
    w.ask(name, probe(10, R"("ttlSeconds":0,)"));
    w.settle();
  }
  EXPECT_EQ(w.accepted("first"), "True Accepted: request is valid");
  EXPECT_TRUE(w.accepted("second").starts_with("False Invalid: spec.ttlSeconds: too many what-ifs"));
  w.go_on(30s);
  EXPECT_EQ(w.status("first").at("outcome"), "PartlyFits");
  EXPECT_EQ(w.status("second").at("outcome"), "Refused");
  EXPECT_TRUE(w.status("second").as_object().contains("expiresAt"));
  EXPECT_EQ(w.fitting(), (Fitting{"shop/first 4"}));
}

TEST(Refresh, AnAnswerThatStaysTheSameIsWrittenOnceAMinute) {
  Probing w;
  w.ask("probe", probe(10));
  w.settle();
  EXPECT_EQ(w.answers(), 1u);
  EXPECT_EQ(w.fitting(), (Fitting{"shop/probe 4"}));
  const auto first = w.decided_at();
  const auto before = w.reads();
  w.go_on(55s);
  EXPECT_EQ(w.reads(), before + 5) << "asked every ten seconds";
  EXPECT_EQ(w.answers(), 1u);
  w.go_on(10s);
  EXPECT_EQ(w.answers(), 2u);
  EXPECT_NE(w.decided_at(), first);
  EXPECT_EQ(w.condition_time("Complete", "probe"), first) << "it is True as before";
  w.go_on(600s);
  EXPECT_EQ(w.answers(), 12u);
  EXPECT_EQ(w.retention.size(), 1u);
}

TEST(Refresh, AnAnswerThatTakesEffectLateDoesNotReplaceANewerOne) {
  Probing w;
  w.ask("probe", probe(10));
  w.settle();
  w.go_on(130s);
  ASSERT_EQ(w.answers(), 3u);
  const auto newest = w.report("probe");
  std::size_t late = 0;
  const auto sent = w.server.transport->requests();
  for (const auto& request : sent) {
    if (request.target.find("/probe/status") == std::string::npos) continue;
    ++late;
    EXPECT_EQ(w.server.transport->on_send(request)->status, 422);
  }
  EXPECT_EQ(late, 3u);
  EXPECT_EQ(w.report("probe"), newest);
}

TEST(Refresh, AnotherAnswerIsWrittenImmediatelyFromTheNewestSnapshot) {
  Probing w;
  w.server.put("pods", json::parse(R"({"metadata":{"name":"web","namespace":"shop"},"spec":{
      "schedulerName":"default-scheduler","containers":[{"name":"c","image":"i"}]}})"));
  w.ask("probe", R"({"dryRun":true,"refreshSeconds":10,"podRef":{"name":"web"}})");
  w.settle();
  EXPECT_EQ(w.status("probe").at("outcome"), "Fits");
  w.server.erase("pods", "shop", "web");
  w.go_on(10s);
  EXPECT_EQ(w.status("probe").at("outcome"), "Refused");
  EXPECT_EQ(w.labels("probe").at("podium.dev/outcome"), "Refused");
  EXPECT_EQ(w.fitting(), Fitting()) << "nobody knows how many fit";
  w.server.put("pods", json::parse(R"({"metadata":{"name":"web","namespace":"shop"},"spec":{
      "schedulerName":"default-scheduler","containers":[{"name":"c","image":"i"}]}})"));
  w.go_on(10s);
  EXPECT_EQ(w.status("probe").at("outcome"), "Fits") << "a question that was refused is asked again, too";
  EXPECT_EQ(w.fitting(), (Fitting{"shop/probe 1"}));
  EXPECT_EQ(w.answers(), 3u);
}

TEST(Refresh, SearchesForNodesHaveMetricsOfTheirOwn) {
  Probing w;
  using unit::sampled, unit::Sampled;
  w.ask("add", R"({"dryRun":true,"refreshSeconds":10,"search":{"forPending":{}}})");
  w.ask("go", R"({"dryRun":true,"refreshSeconds":10,"search":{"couldGo":{}}})");
  w.settle();
  const auto spare = static_cast<double>(w.controller.refreshed().back().numbers.nodes_spare.value_or(99));
  EXPECT_LE(spare, 1) << "there is one node";
  EXPECT_EQ(sampled(w.controller), (Sampled{{"podium_what_ifs_pending", 0},
                                            {"podium_nodes_wanted{shop,add}", 0},
                                            {"podium_nodes_wanted_unplaced_pods{shop,add}", 0},
                                            {"podium_nodes_spare{shop,go}", spare}}));
  w.server.erase(kPlural, "shop", "go");
  w.ask("add", R"({"dryRun":true,"refreshSeconds":10,"search":{"forPending":{"shapes":[{"name":"x"}]}}})", 2);
  w.settle();
  EXPECT_EQ(sampled(w.controller), (Sampled{{"podium_what_ifs_pending", 0}}))
      << "one is gone, the other one is refused";
}

TEST(Refresh, ItEndsWithTheObjectOrItsField) {
  Probing w;
  w.ask("probe", probe(10));
  w.ask("edited", probe(10));
  w.settle();
  w.server.erase(kPlural, "shop", "probe");
  w.ask("edited", probe(0, "", 2), 2);
  w.settle();
  EXPECT_EQ(w.status("edited").at("outcome"), "Fits");
  EXPECT_EQ(w.fitting(), Fitting());
  const auto before = w.reads("probe") + w.reads("edited");
  w.go_on(120s);
  EXPECT_EQ(w.reads("probe") + w.reads("edited"), before);
}

TEST(Refresh, AnEditedOneContinuesWithItsNewPeriod) {
  Probing w;
  w.ask("probe", probe(100));
  w.settle();
  w.ask("probe", probe(20, "", 3), 2);
  w.settle();
  EXPECT_EQ(w.status("probe").at("outcome"), "Fits");
  EXPECT_EQ(w.fitting(), (Fitting{"shop/probe 3"}));
  const auto before = w.reads();
  w.go_on(105s);
  EXPECT_EQ(w.reads(), before + 5);
}

TEST(Refresh, TheExpiryCountsFromTheLastAnswer) {
  Probing w;
  w.ask("probe", probe(10, R"("ttlSeconds":40,)"));
  w.settle();
  w.go_on(200s);
  EXPECT_GE(w.answers(), 9u) << "written before half of its time has passed";
  const auto expires = parse_time(ObjectServer::text(w.status("probe"), "/expiresAt"));
  const auto decided = parse_time(w.decided_at());
  ASSERT_TRUE(expires && decided);
  EXPECT_EQ(*expires - *decided, 40s);
  EXPECT_GT(*expires, w.clock.wall());
}

TEST(Refresh, WhatAnotherProcessAnsweredIsRefreshed) {
  Probing w;
  const auto answered = [&](const char* name, std::string_view spec, std::string_view reason,
                            std::string_view accepted) {
    w.server.put(kPlural, json::parse(fmt::format(
                              R"({{"metadata":{{"name":"{}","namespace":"shop","generation":4}},"spec":{},
      "status":{{"observedGeneration":4,"outcome":"Fits","decidedAt":"{}","conditions":[
        {{"type":"Accepted","status":"{}","reason":"{}","message":"m","lastTransitionTime":"{}"}}]}}}})",
                              name, spec, format_time(w.clock.wall() - 12s), accepted, reason,
                              format_time(w.clock.wall() - 1h))));
  };
  answered("probe", probe(20), "Accepted", "True");
  answered("refused", probe(20), kTooManyRefreshed, "False");
  answered("wrong", R"({"dryRun":true,"refreshSeconds":20,"template":3})", "Invalid", "False");
  w.settle();
  EXPECT_EQ(w.writes(), Lines());
  w.go_on(9s);
  EXPECT_EQ(w.answers(), 1u) << "twenty seconds after the answer that is there";
  w.go_on(100s);
  EXPECT_EQ(w.reads(), 6u);
  EXPECT_EQ(w.reads("refused"), 0u);
  EXPECT_EQ(w.reads("wrong"), 1u);
  EXPECT_EQ(w.answers("wrong"), 0u) << "it says so already";
  EXPECT_EQ(w.condition_time("Accepted", "probe"), format_time(w.clock.wall() - 109s - 1h));
}

TEST(Refresh, ATimeThatOthersWroteIsHarmless) {
  Probing w;
  for (const char* year : {"0001", "1680", "2260", "9999"}) {
    w.server.put(kPlural,
                 json::parse(fmt::format(
                     R"({{"metadata":{{"name":"probe-{}","namespace":"shop","generation":1}},"spec":{},
      "status":{{"observedGeneration":1,"outcome":"Fits","decidedAt":"{}-01-01T00:00:00Z"}}}})",
                     year, probe(20), year)));
  }
  w.settle();
  w.go_on(21s);
  EXPECT_EQ(w.fitting().size(), 4u) << "each was asked within its period";
  EXPECT_EQ(w.controller.answered(), 4u);
}

TEST(Refresh, ThereIsOneTurnHoweverLongAnAnswerTakes) {
  Probing w;
  w.ask("probe", probe(10));
  w.settle();
  bool away = true;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (!away || request.method != "GET" || !request.target.ends_with("/probe")) return std::nullopt;
    return client::Response{500, R"({"kind":"Status","code":500,"message":"no"})"};
  };
  w.go_on(300s);
  EXPECT_EQ(w.controller.waiting(), 1u);
  away = false;
  w.go_on(60s);
  const auto before = w.reads();
  w.go_on(60s);
  EXPECT_EQ(w.controller.waiting(), 0u);
  EXPECT_LE(w.reads() - before, 6u);
  EXPECT_GE(w.reads() - before, 5u);
}

TEST(Refresh, TooManyAreRefused) {
  Probing w;
  for (int i = 0; i < 11; ++i) w.ask(fmt::format("probe-{:02}", i), probe(10), 1, "flood");
  w.ask("probe", probe(10));
  w.settle();
  EXPECT_EQ(w.fitting().size(), 11u) << "ten of a namespace";
  int refused = -1;
  for (int i = 0; i < 11; ++i) {
    const auto accepted = w.accepted(fmt::format("probe-{:02}", i), "flood");
    if (accepted == "True Accepted: request is valid") continue;
    EXPECT_EQ(accepted,
              "False TooManyRefreshed: spec.refreshSeconds: too many what-ifs are refreshed (at most "
              "10 in a namespace, 100 in all); change the spec later to try again");
    EXPECT_EQ(refused, -1) << "one of them";
    refused = i;
  }
  ASSERT_GE(refused, 0);
  const auto name = fmt::format("probe-{:02}", refused);
  w.server.erase(kPlural, "flood", refused == 0 ? "probe-01" : "probe-00");
  w.go_on(30s);
  EXPECT_TRUE(w.accepted(name, "flood").starts_with("False TooManyRefreshed"));
  w.ask(name, probe(20), 2, "flood");
  w.settle();
  EXPECT_EQ(w.accepted(name, "flood"), "True Accepted: request is valid");
  for (int i = 0; i < 100; ++i) w.ask("probe", probe(10), 1, fmt::format("ns-{}", i));
  w.settle();
  EXPECT_EQ(w.fitting().size(), 100u) << "a hundred in all";
}

// Ten namespaces of one tenant would have all places.
TEST(Refresh, ANamespaceWithFewGetsThePlaceOfOneWithMany) {
  Probing w;
  for (int ns = 0; ns < 10; ++ns) {
    for (int i = 0; i < 10; ++i)
      w.ask(fmt::format("probe-{}", i), probe(200), 1, fmt::format("tenant-{}", ns));
  }
  w.settle();
  ASSERT_EQ(w.fitting().size(), 100u);
  w.ask("probe", probe(200));
  w.settle();
  w.go_on(2s);
  EXPECT_EQ(w.accepted("probe"), "True Accepted: request is valid");
  const auto fitting = w.fitting();
  EXPECT_EQ(fitting.size(), 100u);
  EXPECT_EQ(std::ranges::count(fitting, "shop/probe 4"), 1);
  int refused = 0;
  for (int ns = 0; ns < 10; ++ns) {
    for (int i = 0; i < 10; ++i)
      refused += w.accepted(fmt::format("probe-{}", i), fmt::format("tenant-{}", ns))
                     .starts_with("False TooManyRefreshed");
  }
  EXPECT_EQ(refused, 1) << "it says so";
  const auto reads = [&] {
    return std::ranges::count_if(w.server.requests("GET"),
                                 [](const std::string& each) { return each.contains("/namespaces/"); });
  };
  const auto before = reads();
  w.go_on(60s);
  EXPECT_EQ(reads(), before) << "they do not alternate";
}

TEST(Refresh, ItStopsWithTheController) {
  Probing w;
  w.ask("probe", probe(10));
  w.settle();
  w.controller.stop();
  w.gate.cancel();
  const auto before = w.reads();
  w.go_on(60s);
  EXPECT_EQ(w.reads(), before);
  EXPECT_EQ(w.gate.inside(), 0u);
}

// --- the places and due times ---

std::vector<std::string> due(Refreshes& refreshes, Steady now) {
  std::vector<std::string> out;
  for (const auto& each : refreshes.take_due(now)) out.push_back(each.key);
  return out;
}

TEST(Refreshes, PlacesAreBounded) {
  Refreshes refreshes({.all = 3, .per_namespace = 2});
  EXPECT_TRUE(refreshes.place("a", "1", "a/1", 10s));
  EXPECT_TRUE(refreshes.place("a", "2", "a/2", 10s));
  EXPECT_FALSE(refreshes.place("a", "3", "a/3", 10s));
  EXPECT_TRUE(refreshes.place("a", "1", "a/1", 20s)) << "it has one";
  EXPECT_TRUE(refreshes.place("b", "1", "b/1", 10s));
  EXPECT_FALSE(refreshes.place("b", "2", "b/2", 10s)) << "no namespace has two more than b";
  refreshes.drop("a/1");
  refreshes.drop("a/1");
  EXPECT_TRUE(refreshes.place("a", "3", "a/3", 10s));
}

TEST(Refreshes, TheNewestPlaceOfTheLargestGoesToOneWithTwoLess) {
  Refreshes refreshes({.all = 5, .per_namespace = 4});
  const auto place = [&](std::string_view key) {
    return refreshes.place(std::string(key.substr(0, 1)), std::string(key.substr(2)), std::string(key), 10s);
  };
  for (const char* key : {"a/4", "a/3", "a/2", "a/1", "b/1"}) EXPECT_TRUE(place(key)) << key;
  EXPECT_FALSE(place("a/5")) << "four of a namespace";
  EXPECT_TRUE(place("c/1"));
  EXPECT_EQ(due(refreshes, Steady{}), std::vector<std::string>{"a/1"}) << "it is due immediately";
  EXPECT_FALSE(place("a/1")) << "three are the most that it may have now";
  EXPECT_TRUE(place("c/2"));
  EXPECT_FALSE(place("c/3")) << "two of a, one of b, two of c: none has two more";
  EXPECT_TRUE(place("d/1") && place("e/1"));
  EXPECT_FALSE(place("f/1")) << "each has one";
}

TEST(Refreshes, APlaceThatIsLostCountsNoMore) {
  Refreshes refreshes({.all = 2, .per_namespace = 2});
  refreshes.place("a", "1", "a/1", 10s);
  refreshes.place("a", "2", "a/2", 10s);
  for (const char* key : {"a/1", "a/2"}) refreshes.set_numbers(key, Refreshes::Numbers{.fitting = 1});
  EXPECT_TRUE(refreshes.place("b", "1", "b/1", 10s));
  EXPECT_EQ(refreshes.answered(), (std::vector<Refreshes::Answered>{{"a", "1", {.fitting = 1}}}));
  refreshes.drop("a/2");
  EXPECT_EQ(refreshes.next_due(), std::nullopt);
  EXPECT_FALSE(refreshes.place("c", "1", "c/1", 10s));
  refreshes.drop("a/1");
  EXPECT_TRUE(refreshes.place("c", "1", "c/1", 10s));
}

TEST(Refreshes, EachHasOneDueTime) {
  Refreshes refreshes({.all = 3, .per_namespace = 3});
  const Steady now{};
  for (const char* name : {"1", "2", "3"}) refreshes.place("a", name, fmt::format("a/{}", name), 10s);
  EXPECT_EQ(refreshes.next_due(), std::nullopt);
  refreshes.set_next_due("a/1", now);
  refreshes.set_next_due("a/1", now + 5s);
  refreshes.set_due("a/2", now + 3s);
  refreshes.set_next_due("a/none", now);
  EXPECT_EQ(refreshes.next_due(), now + 3s);
  EXPECT_EQ(due(refreshes, now + 2s), std::vector<std::string>{});
  EXPECT_EQ(due(refreshes, now + 20s), (std::vector<std::string>{"a/2", "a/1"}));
  EXPECT_FALSE(refreshes.has_due("a/1"));
  refreshes.set_due("a/3", now);
  refreshes.set_due("a/3", now + 1s);
  EXPECT_TRUE(refreshes.has_due("a/3"));
  refreshes.clear_due("a/3");
  refreshes.set_next_due("a/2", now);
  refreshes.drop("a/2");
  EXPECT_EQ(refreshes.next_due(), std::nullopt);
}

TEST(Refreshes, AnAnswerIsNewsIfItIsAnotherOrOld) {
  Refreshes refreshes({.all = 1, .per_namespace = 1});
  const Steady now{};
  EXPECT_TRUE(refreshes.is_news("a/1", 7, now, 60s));
  refreshes.place("a", "1", "a/1", 10s);
  EXPECT_TRUE(refreshes.is_news("a/1", 7, now, 60s)) << "not written yet";
  refreshes.written("a/1", 7, now);
  EXPECT_FALSE(refreshes.is_news("a/1", 7, now + 59s, 60s));
  EXPECT_TRUE(refreshes.is_news("a/1", 8, now + 1s, 60s));
  EXPECT_TRUE(refreshes.is_news("a/1", 7, now + 60s, 60s));
}

}  // namespace
}  // namespace podium::controller
