// DecisionMemory: what it keeps, for how long, what goes first, and what it says of what it lacks.
#include "controller/recorder/decision_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/text_hash.h"
#include "unit/controller/recorder/decision_memory_fixture.h"

namespace podium::controller {

using namespace explain;
namespace {

using namespace std::chrono_literals;

TEST(DecisionMemory, KeepsTheLastDecisionOfAPod) {
  Memory m;
  EXPECT_EQ(m.find("web"), "never");
  m.decide("web", "n1");
  m.decide("web", "n2");
  EXPECT_EQ(m.find("web"), "n2");
  EXPECT_EQ(m.find("web", "bank"), "never");
  EXPECT_EQ(m.memory.counts().decisions, 1u);
}

TEST(DecisionMemory, APodThatIsRecreatedTakesOverTheName) {
  Memory m;
  m.remember("shop", "db-0", "old", m.status("n1"));
  m.remember("shop", "db-0", "new", m.status("n2"));
  m.memory.gone("old");
  EXPECT_EQ(m.find("db-0"), "n2");
  EXPECT_EQ(m.memory.find("shop", "db-0").decision->uid, "new");
}

// The names of a page, and where the next one begins.
std::string page(const Memory& m, const DecisionMemory::Query& query) {
  const auto listed = m.memory.list(query);
  std::string out;
  for (const auto& [decision, is_gone] : listed.items)
    out += fmt::format("{}/{}{} ", decision->ns, decision->pod, is_gone ? " (gone)" : "");
  return out + "| " + listed.next;
}

TEST(DecisionMemory, ListsByNamespaceAndNamePageByPage) {
  Memory m;
  EXPECT_EQ(page(m, {}), "| ");
  for (const char* pod : {"web", "api", "db"}) m.decide(pod);
  m.remember("shop-eu", "web", "eu", m.status("n1"));
  m.remember("bank", "till", "till", m.status("n1"));
  EXPECT_EQ(page(m, {}), "bank/till shop-eu/web shop/api shop/db shop/web | ");
  EXPECT_EQ(page(m, {.limit = 2}), "bank/till shop-eu/web | shop-eu/web");
  EXPECT_EQ(page(m, {.after = "shop-eu/web", .limit = 2}), "shop/api shop/db | shop/db");
  EXPECT_EQ(page(m, {.after = "shop/db", .limit = 2}), "shop/web | ");
  EXPECT_EQ(page(m, {.ns = "shop"}), "shop/api shop/db shop/web | ");
  EXPECT_EQ(page(m, {.ns = "shop", .limit = 3}), "shop/api shop/db shop/web | ");
  EXPECT_EQ(page(m, {.ns = "shop", .after = "shop/api"}), "shop/db shop/web | ");
  EXPECT_EQ(page(m, {.ns = "shop", .after = "shop/c"}), "shop/db shop/web | ") << "a pod that is gone";
  EXPECT_EQ(page(m, {.ns = "shop", .after = "bank/till"}), "shop/api shop/db shop/web | ");
  EXPECT_EQ(page(m, {.ns = "shop", .after = "zoo/x"}), "| ");
  EXPECT_EQ(page(m, {.ns = "sho"}), "| ");
}

TEST(DecisionMemory, ListsTheNewestFirst) {
  Memory m;
  const auto newest = [&](const std::string& ns, std::size_t limit) {
    return page(m, {.ns = ns, .is_newest_first = true, .limit = limit});
  };
  EXPECT_EQ(newest("", 10), "| ");
  for (const char* pod : {"web", "api", "db"}) m.decide(pod);
  m.remember("bank", "till", "till", m.status("n1"));
  m.memory.gone("uid-of-api");
  EXPECT_EQ(newest("", 10), "bank/till shop/db shop/api (gone) shop/web | ");
  EXPECT_EQ(newest("", 2), "bank/till shop/db | ");
  EXPECT_EQ(newest("shop", 2), "shop/db shop/api (gone) | ");
  EXPECT_EQ(newest("none", 2), "| ");
  m.clock.advance(1s);
  m.decide("web");
  EXPECT_EQ(newest("", 2), "shop/web bank/till | ");
}

TEST(DecisionMemory, ListsWhatWaits) {
  Memory m;
  auto status = m.status("n1");
  status.choice.reset();
  status.outcome = "Unschedulable";
  m.remember("shop", "huge", "huge", status);
  m.remember("shop", "big", "big", status);
  m.decide("web");
  EXPECT_EQ(page(m, {.is_waiting_only = true}), "shop/big shop/huge | ");
  m.memory.gone("big");
  EXPECT_EQ(page(m, {.is_waiting_only = true}), "shop/huge | ");
  EXPECT_EQ(page(m, {}), "shop/big (gone) shop/huge shop/web | ");
  m.decide("huge");
  EXPECT_EQ(page(m, {.is_waiting_only = true}), "| ") << "it was placed";
  EXPECT_EQ(page(m, {}), "shop/big (gone) shop/huge shop/web | ");
}

// What has expired is not listed, and no page looks at more than a bound of it.
TEST(DecisionMemory, PassesOverWhatHasExpired) {
  Memory m;
  auto status = m.status("n1");
  for (int i = 0; i < 300; ++i)
    m.remember("a", fmt::format("web-{:03}", i), fmt::format("uid-{}", i), status);
  status.expires_at = m.clock.wall() + 1h;
  m.remember("b", "late", "late", status);
  m.clock.advance(11min);
  EXPECT_EQ(page(m, {}), "| a/web-255");
  EXPECT_EQ(page(m, {.after = "a/web-255"}), "b/late | ");
  for (int i = 0; i < 10; ++i) m.decide("new");
  EXPECT_EQ(page(m, {}), "b/late shop/new | ") << "forgotten with the next decisions";
}

TEST(DecisionMemory, WhatIsEvictedIsNotListed) {
  Memory m(room_for(2));
  for (const char* pod : {"web-1", "web-2", "web-3"}) m.decide(pod);
  EXPECT_EQ(page(m, {}), "shop/web-2 shop/web-3 | ");
}

TEST(DecisionMemory, ForgetsAfterTheTtl) {
  Memory m;
  m.decide("web");
  m.clock.advance(10min - 2s);
  EXPECT_EQ(m.find("web"), "n1");
  m.clock.advance(1s);
  EXPECT_EQ(m.find("web"), "expired");
  EXPECT_EQ(m.memory.counts().decisions, 1u) << "nothing was decided since";
  m.decide("other");
  EXPECT_EQ(m.find("web"), "expired");
  EXPECT_EQ(m.memory.counts().decisions, 1u);
  EXPECT_EQ(m.memory.find("shop", "web").decided_at, m.clock.wall() - 10min - 1s);
}

// Many decisions that expire together do not delay the next one.
TEST(DecisionMemory, ForgetsABoundedNumberInOneStep) {
  Memory m;
  for (int i = 0; i < 300; ++i) m.decide(fmt::format("p{:03}", i));
  m.clock.advance(1h);
  m.decide("web");
  EXPECT_GT(m.memory.counts().decisions, 200u);
  EXPECT_EQ(m.find("p299"), "expired");
  for (int i = 0; i < 40; ++i) m.decide("web");
  EXPECT_EQ(m.memory.counts().decisions, 1u);
}

TEST(DecisionMemory, WhatHasExpiredIsNotCalledEvicted) {
  Memory m(room_for(100));
  for (int i = 0; i < 100; ++i) m.decide(fmt::format("p{:03}", i));
  m.clock.advance(1h);
  auto large = m.status("n1");
  large.message.assign(room_for(80).bytes, 'x');
  m.remember("shop", "large", "u", large);
  EXPECT_LT(m.memory.counts().decisions, 30u) << "more went than one step drops";
  EXPECT_EQ(m.find("p070"), "expired");
  EXPECT_EQ(m.memory.find("shop", "p070").decided_at, m.clock.wall() - 1h - 30s);
  EXPECT_EQ(m.dropped(), 0);
}

TEST(DecisionMemory, PodsThatAreGoneMakeRoomFirstThenTheOldest) {
  Memory m(room_for(4));
  for (const auto* pod : {"web-1", "web-2", "web-3", "web-4"}) m.decide(pod);
  m.memory.gone("uid-of-web-3");
  m.memory.gone("uid-of-web-3");
  m.decide("web-5");
  EXPECT_EQ(m.find("web-3"), "evicted");
  EXPECT_EQ(m.find("web-1"), "n1");
  EXPECT_EQ(m.dropped(), 0) << "the pod is gone";
  m.decide("web-6");
  EXPECT_EQ(m.find("web-1"), "evicted");
  EXPECT_EQ(m.dropped(), 1);
  m.decide("web-2");  // another attempt: no longer the oldest
  EXPECT_EQ(m.dropped(), 1) << "its own decision makes room";
  m.decide("web-7");
  EXPECT_EQ(m.find("web-2"), "n1");
  EXPECT_EQ(m.find("web-4"), "evicted");
  m.decide("web-1", "n2");
  EXPECT_EQ(m.find("web-1"), "n2") << "a decision replaces the trace";
}

// However many pods a namespace has.
TEST(DecisionMemory, TheFullestNamespaceMakesRoom) {
  Memory m(room_for(10));
  m.remember("modest", "web-0", "uid-of-modest", m.status("n1"));
  for (int i = 0; i < 100; ++i) m.decide(fmt::format("web-{}", i));
  EXPECT_EQ(m.find("web-0", "modest"), "n1");
  EXPECT_EQ(m.find("web-99"), "n1");
  EXPECT_EQ(m.find("web-80"), "evicted");
}

TEST(DecisionMemory, StaysWithinItsBudget) {
  Memory m({.bytes = 100'000, .traces = 50});
  for (int i = 0; i < 2'000; ++i) {
    auto status = m.status("n1");
    status.message.assign(static_cast<std::size_t>(i * 7 % 900), 'x');
    for (int n = 0; n < i % 11; ++n) status.top_nodes.push_back({"a-node-with-a-long-name", n});
    m.remember("shop", fmt::format("p{}", i), fmt::format("u{}", i), status);
    if (i % 3 == 0) m.memory.gone(fmt::format("u{}", i));
    EXPECT_LE(m.memory.counts().bytes, 100'000u);
  }
  EXPECT_GT(m.memory.counts().decisions, 20u);
  EXPECT_EQ(m.find("p1999"), "n1");
  EXPECT_EQ(m.find("p0"), "lost") << "its trace is gone, too";
}

TEST(DecisionMemory, OneThatIsLargerThanTheBudgetIsNotKept) {
  Memory m({.bytes = 1});
  m.decide("web");
  EXPECT_EQ(m.find("web"), "evicted");
  EXPECT_EQ(m.memory.counts().bytes, 0u);
}

TEST(DecisionMemory, KnowsWhenThePodWasCreated) {
  Memory m;
  const auto status = m.status("n1");
  const auto created = *status.decided_at - std::chrono::seconds(5);
  m.memory.remember("shop", "web", "u", status, pack(status), nullptr, created);
  ASSERT_TRUE(m.memory.find("shop", "web").decision);
  EXPECT_EQ(m.memory.find("shop", "web").decision->created, created);
}

TEST(DecisionMemory, AFollowerHasNone) {
  unit::ManualClock clock;
  DecisionMemory memory(clock, {});
  EXPECT_EQ(memory.find("shop", "web").absence, DecisionMemory::Absence::not_begun);
  memory.begin();
  const auto began = clock.wall();
  clock.advance(1min);
  memory.begin();
  EXPECT_EQ(memory.find("shop", "web").began, began);
}

// For TSan: the strand writes while the I/O thread reads.
TEST(DecisionMemory, IsReadWhileItIsWritten) {
  Memory m(room_for(20));
  std::thread reader([&] {
    for (int i = 0; i < 5'000; ++i) {
      const auto found = m.memory.find("shop", fmt::format("p{}", i % 50));
      if (found.decision) {
        EXPECT_EQ(found.decision->status.choice->node, "n1");
      }
    }
  });
  for (int i = 0; i < 5'000; ++i) {
    const auto pod = fmt::format("p{}", i % 50);
    m.remember("shop", pod, pod, m.status("n1"));
    if (i % 7 == 0) m.memory.gone(pod);
  }
  reader.join();
}

using unit::Sampled;
constexpr auto kByCpu = "podium_blocked_pods{shop,InsufficientResource,cpu}";
constexpr auto kByMemory = "podium_blocked_pods{shop,InsufficientResource,memory}";

Sampled blocked(const Memory& m) { return unit::sampled(m.memory, "podium_blocked_pods"); }

TEST(DecisionMemory, CountsWaitingPodsByWhatBlocksThem) {
  Memory test;
  const auto waits = [&](const std::string& pod, const char* resource) {
    auto status = test.status("");
    status.outcome = "Unschedulable";
    status.choice.reset();
    auto& rejection = status.rejections.emplace_back();
    rejection.code = "InsufficientResource";
    rejection.about = {{framework::Topic::resource, resource}};
    test.remember("shop", pod, "uid-of-" + pod, status);
  };
  waits("a", "cpu");
  waits("b", "cpu");
  waits("c", "memory");
  test.decide("placed");
  EXPECT_EQ(blocked(test), (Sampled{{kByCpu, 2}, {kByMemory, 1}}));
  waits("b", "memory");
  test.decide("a");
  EXPECT_EQ(blocked(test), (Sampled{{kByMemory, 2}}));
  test.memory.gone("uid-of-b");
  test.memory.gone("uid-of-b");
  EXPECT_EQ(blocked(test), (Sampled{{kByMemory, 1}}));
  test.clock.advance(11min);
  test.decide("later");
  EXPECT_EQ(blocked(test), Sampled());
}

TEST(DecisionMemory, CountsThemByTheMainReason) {
  Memory test;
  auto status = test.status("");
  status.outcome = "Unschedulable";
  status.choice.reset();
  status.rejections.resize(2);
  status.rejections[0].code = "NodeSelectorMismatch";
  status.rejections[0].nodes = 300;
  status.rejections[1].code = "InsufficientResource";
  status.rejections[1].about = {{framework::Topic::resource, "cpu"}};
  status.rejections[1].nodes = 2;
  test.remember("shop", "a", "u", status);
  EXPECT_EQ(blocked(test), (Sampled{{kByCpu, 1}}));
}

TEST(DecisionMemory, SumsUpTheSmallestSeriesBeyondABound) {
  Memory test;
  for (int i = 0; i < 1'010; ++i) {
    auto status = test.status("");
    status.outcome = "Unschedulable";
    test.remember(fmt::format("ns-{}", i), "pod", fmt::format("uid-{}", i), status);
  }
  const auto series = blocked(test);
  EXPECT_EQ(series.size(), 1'001u);
  EXPECT_EQ(series.at("podium_blocked_pods{,Other,}"), 10);
}

// Namespaces may share a count of changes. A user who could choose with which one would see its changes.
TEST(DecisionMemory, TheSeedDecidesWhichNamespacesShareACount) {
  const auto sharing = [](std::uint64_t seed) {
    seed_hashes(seed, seed + 1);
    Memory m;
    std::vector<std::string> out;
    for (int i = 0; i < 600; ++i) {
      const auto ns = fmt::format("ns-{}", i);
      const auto before = m.memory.version("shop");
      m.remember(ns, "web", fmt::format("uid-{}", i), m.status("n1"));
      if (m.memory.version("shop") != before) out.push_back(ns);
    }
    return out;
  };
  const auto one = sharing(1), other = sharing(2);
  hash_secret = {};
  EXPECT_FALSE(one.empty());
  EXPECT_NE(one, other);
}

}  // namespace
}  // namespace podium::controller
