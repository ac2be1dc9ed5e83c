// Placing of pods that wait: a failed kind is tried again only after a pod that may help it was placed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "explain/answer/waiting.h"
#include "explain/workload/device_claims.h"
#include "scheduler/framework/decision.h"
#include "unit/explain/answer/nodes_wanted.h"
#include "unit/support/seed.h"

namespace podium::explain {
namespace {

using cluster::Snapshot;
using unit::Pods;
using unit::waits;

constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";
constexpr const char* kHostLabel = "kubernetes.io/hostname";

struct Placing {
  Places places;
  int tries = 0;
};

// The budget is asked before each try.
Placing place(const Pods& pods, Snapshot fork) {
  const QuietProfiles profiles(unit::default_config());
  const auto waiters = sort_waiting(pods, profiles, {}, fork);
  Placing out;
  EXPECT_TRUE(place_waiters(waiters, [&] { return ++out.tries, true; }, out.places, fork));
  return out;
}

// The same: tries each failed kind again in each round.
Places place_in_all_rounds(const Pods& pods, Snapshot fork) {
  const QuietProfiles profiles(unit::default_config());
  const auto waiters = sort_waiting(pods, profiles, {}, fork);
  Places places(waiters.pods.size());
  for (bool has_moved = true; std::exchange(has_moved, false);) {
    std::vector<bool> has_failed(waiters.kinds);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& [pod, profile, kind] = waiters.pods[i];
      if (places[i] || has_failed[kind]) continue;
      const auto decision = framework::evaluate(*pod, fork, *profile);
      if (decision.choice && !place_with_devices(pod, *decision.choice, *profile, fork)) {
        places[i] = decision.choice;
        has_moved = true;
      } else {
        has_failed[kind] = true;
      }
    }
  }
  return places;
}

std::size_t placed(const Places& places) {
  return static_cast<std::size_t>(
      std::ranges::count_if(places, [](const auto& row) { return row.has_value(); }));
}

std::string text(const Places& places) {
  std::string out;
  for (const auto& row : places) out += row ? fmt::format("{} ", *row) : "- ";
  return out;
}

Snapshot one_node() {
  Snapshot snapshot;
  snapshot.set_node(test::node("n")
                        .cap("cpu", "1000")
                        .cap("memory", "1Ti")
                        .cap("pods", "1000")
                        .label(kHostLabel, "n")
                        .ptr());
  return snapshot;
}

// Each needs the one of the next lower priority, so that a round over all would place one more.
TEST(PlaceWaiters, AChainTakesTwoTriesForEachLink) {
  constexpr int kLinks = 60;
  Pods pods;
  for (int i = 0; i < kLinks; ++i) {
    auto link = unit::one_of("w", i, "1").priority(i).label("link", std::to_string(i));
    if (i > 0) link.affinity(test::term(kHostLabel).label("link", std::to_string(i - 1)));
    pods.push_back(waits(link));
  }
  const auto result = place(pods, one_node());
  EXPECT_EQ(placed(result.places), pods.size());
  EXPECT_LE(result.tries, 2 * kLinks);
}

TEST(PlaceWaiters, PodsWithoutRoomAreTriedOnce) {
  Pods pods;
  for (int i = 0; i < 10; ++i) {
    pods.push_back(waits(unit::one_of("large", i, "2000").label("kind", std::to_string(i)).priority(1)));
    pods.push_back(waits(unit::one_of("small", i, "1").label("kind", std::to_string(i))));
  }
  const auto result = place(pods, one_node());
  EXPECT_EQ(placed(result.places), 10u);
  EXPECT_EQ(result.tries, 20);
}

// A term that selects namespaces by labels is helped by pods of these: the event of a queueing hint does not
// have the labels.
TEST(PlaceWaiters, AffinityToPodsOfOtherNamespaces) {
  auto snapshot = one_node();
  snapshot.objects().set<api::Namespace>(std::make_shared<const api::Namespace>(
      api::Namespace{.meta = {.name = "db", .labels = {{"team", "x"}}}}));
  const auto needs = [](const char* name, api::PodAffinityTerm term) {
    return waits(unit::one_of(name, 0, "1").priority(9).affinity(std::move(term)));
  };
  const auto by_label = [](const char* team) {
    return test::term(kHostLabel)
        .label("app", "db")
        .namespace_selector(test::select_labels({{"team", team}}));
  };
  const Pods pods{needs("a", by_label("x")), needs("b", by_label("y")),
                  needs("c", test::term(kHostLabel).label("app", "db").namespaces({"db"})),
                  needs("d", test::term(kHostLabel).label("app", "db")),
                  waits(unit::one_of("db", 0, "1").ns("db").label("app", "db"))};
  EXPECT_EQ(text(place(pods, snapshot).places), "0 - 0 - 0 ");
}

Pods drawn_pods(const std::function<int(int, int)>& number) {
  Pods out;
  const auto letter = [&] { return std::string(1, static_cast<char>('a' + number(0, 3))); };
  const int count = number(2, 24);
  for (int i = 0; i < count; ++i) {
    auto built = unit::one_of("p", i, number(0, 9) ? "1" : "3").priority(number(0, 5)).label("app", letter());
    if (number(0, 5) == 0) built.ns("other");
    if (number(0, 2) == 0) built.label("tier", letter());
    for (int terms = number(0, 2); terms > 0; --terms) {
      auto term = test::term(number(0, 1) ? kZoneLabel : kHostLabel);
      switch (number(0, 4)) {
        case 0:
          term.selector(test::select_where({test::in("app", {letter(), letter()})}));
          break;
        case 1:
          term.selector(test::select_where({test::exists("tier")}));
          break;
        case 2:
          term.selector(test::select_all());
          break;
        default:
          term.label("app", letter());
      }
      if (number(0, 3) == 0) term.namespaces({"other"});
      if (number(0, 4) == 0) term.namespace_selector(test::select_all());
      number(0, 3) == 0 ? built.anti_affinity(term) : built.affinity(term);
    }
    if (number(0, 2) == 0) {
      auto constraint = test::spread(number(0, 1) ? kZoneLabel : kHostLabel).max_skew(number(1, 2));
      number(0, 1) ? constraint.label("app", letter()) : constraint.selector(test::select_all());
      built.spread(constraint);
    }
    out.push_back(waits(built));
  }
  return out;
}

TEST(PlaceWaiters, AsIfEachFailedPodWereTriedInEachRound) {
  const auto first = podium::test::drawn_seed();
  int later_rounds = 0;
  for (std::uint64_t seed = first; seed < first + 300; ++seed) {
    SCOPED_SEED(seed);
    std::mt19937_64 random(seed);
    const auto number = [&](int least, int most) {
      return std::uniform_int_distribution(least, most)(random);
    };
    Snapshot snapshot;
    for (int i = 0; i < 5; ++i) {
      const auto name = fmt::format("n{}", i);
      snapshot.set_node(test::node(name)
                            .cap("cpu", std::to_string(number(1, 5)))
                            .cap("pods", "9")
                            .label(kHostLabel, name)
                            .label(kZoneLabel, std::to_string(i % 3))
                            .ptr());
    }
    const auto pods = drawn_pods(number);
    const auto result = place(pods, snapshot);
    EXPECT_EQ(text(result.places), text(place_in_all_rounds(pods, snapshot)));
    later_rounds += result.tries > static_cast<int>(pods.size()) ? 1 : 0;
  }
  EXPECT_GE(later_rounds, 10) << "pods help each other";
}

}  // namespace
}  // namespace podium::explain
