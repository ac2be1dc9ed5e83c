#include "client/leader/leader_state.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "base/time.h"
#include "unit/client/doubles.h"

namespace podium::client::leader_state_test {
namespace {

using namespace std::chrono_literals;
using Kind = LeaderState::Action::Kind;

std::string text(const LeaderState::Action& action) {
  const auto& r = action.record;
  switch (action.kind) {
    case Kind::get:
      return "get";
    case Kind::create:
      return fmt::format("create {} transitions={}", r.holder, r.transitions);
    case Kind::update:
      return fmt::format("update {} transitions={}", r.holder, r.transitions);
    case Kind::wait:
      return fmt::format("wait {}", action.time.count());
    case Kind::lost:
      return "lost";
  }
  return "?";
}

LeaseRecord held_by(const std::string& holder, const std::string& renew = "r1", int transitions = 3) {
  return {holder, holder.empty() ? 1 : 15, "a0", renew, transitions};
}

// Drives a LeaderState with a sequence of inputs and records the next action after each.
class Life {
 public:
  Life() : state({"kube-system", "podium", "me"}, random) { next(); }
  Life& next() {
    last = state.next(clock.now(), clock.wall());
    done.push_back(text(last));
    return *this;
  }
  Life& observed(LeaseRecord record) { return state.observed(std::move(record), clock.now()), next(); }
  Life& absent() { return state.absent(), next(); }
  Life& written() { return state.written(clock.now()), next(); }
  Life& failed() { return state.failed(), next(); }
  // Waits as long as the action says.
  Life& waited() {
    clock.advance(last.time);
    return state.waited(), next();
  }
  Life& pass(std::chrono::milliseconds time) {
    clock.advance(time);
    return *this;
  }
  Life& lead() {
    observed(held_by("")).written();
    done.clear();
    return *this;
  }
  bool leading() const { return state.leading_until() && clock.now() < *state.leading_until(); }

  unit::ManualClock clock;
  unit::FixedRandom random;
  LeaderState state;
  LeaderState::Action last;
  std::vector<std::string> done;
};

using Steps = std::vector<std::string>;

// The API server takes any number of 32 bits, and refuses a negative one.
TEST(LeaderState, TheTransitionsStopAtTheirBound) {
  constexpr int kMost = std::numeric_limits<std::int32_t>::max();
  Life life;
  life.observed(held_by("", "r1", kMost));
  EXPECT_EQ(life.done.back(), fmt::format("update me transitions={}", kMost));
}

TEST(LeaderState, Acquires) {
  struct Case {
    const char* name;
    std::function<void(Life&)> input;
    Steps expect;
    bool leading;
  };
  const std::vector<Case> cases = {
      {"a lease that is absent",
       [](Life& l) { l.absent().written(); },
       {"get", "create me transitions=0", "wait 2000"},
       true},
      {"a lease that was released",
       [](Life& l) { l.observed(held_by("")).written(); },
       {"get", "update me transitions=4", "wait 2000"},
       true},
      {"its own, from before a restart",
       [](Life& l) { l.observed(held_by("me")).written(); },
       {"get", "update me transitions=3", "wait 2000"},
       true},
      {"not one that another holds",
       [](Life& l) { l.observed(held_by("other")).waited(); },
       {"get", "wait 500", "get"},
       false},
      {"not while the other renews",
       [](Life& l) {
         l.observed(held_by("other"))
             .pass(14s)
             .waited()
             .observed(held_by("other", "r2"))
             .pass(14s)
             .waited()
             .observed(held_by("other", "r2"));
       },
       {"get", "wait 500", "get", "wait 500", "get", "wait 500"},
       false},
      {"one that expires, when it does",
       [](Life& l) {
         l.observed(held_by("other"))
             .pass(14'300ms)
             .waited()
             .observed(held_by("other"))
             .waited()
             .observed(held_by("other"));
       },
       {"get", "wait 500", "get", "wait 200", "get", "update me transitions=4"},
       false},
      {"one that has not changed for its duration",
       [](Life& l) { l.observed(held_by("other")).pass(15s).waited().observed(held_by("other")).written(); },
       {"get", "wait 500", "get", "update me transitions=4", "wait 2000"},
       true},
      {"not when another was faster",
       [](Life& l) { l.absent().failed().waited(); },
       {"get", "create me transitions=0", "wait 2000", "get"},
       false},
      {"not without the right to (403)",
       [](Life& l) { l.failed().waited().failed(); },
       {"get", "wait 2000", "get", "wait 2000"},
       false},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    Life life;
    test.input(life);
    EXPECT_EQ(life.done, test.expect);
    EXPECT_EQ(life.leading(), test.leading);
  }
}

TEST(LeaderState, Leads) {
  struct Case {
    const char* name;
    std::function<void(Life&)> input;
    Steps expect;
    bool leading;
  };
  const std::vector<Case> cases = {
      {"renews without reading",
       [](Life& l) { l.waited().written().waited(); },
       {"update me transitions=4", "wait 2000", "update me transitions=4"},
       true},
      {"reads after a conflict, and continues where it is still its own",
       [](Life& l) { l.waited().failed().observed(held_by("me", "r9", 4)).written(); },
       {"update me transitions=4", "get", "update me transitions=4", "wait 2000"},
       true},
      {"is over immediately when another's name is there",
       [](Life& l) { l.waited().failed().observed(held_by("other")); },
       {"update me transitions=4", "get", "lost"},
       false},
      {"continues like kube-scheduler if another client emptied it and no other process has led",
       [](Life& l) { l.waited().failed().observed(held_by("", "r1", 4)).written(); },
       {"update me transitions=4", "get", "update me transitions=5", "wait 2000"},
       true},
      {"is over when another has led and released it",
       [](Life& l) { l.waited().failed().observed(held_by("")); },
       {"update me transitions=4", "get", "lost"},
       false},
      {"creates the lease again that was deleted",
       [](Life& l) { l.waited().failed().absent().written(); },
       {"update me transitions=4", "get", "create me transitions=0", "wait 2000"},
       true},
      {"is over after the renew deadline without a server",
       [](Life& l) {
         l.waited().failed().failed().waited().failed().failed().pass(2s).waited().failed().failed().waited();
       },
       {"update me transitions=4", "get", "wait 2000", "update me transitions=4", "get", "wait 2000",
        "update me transitions=4", "get", "wait 2000", "lost"},
       false},
      {"is over after a freeze, before it renews", [](Life& l) { l.pass(20s).waited(); }, {"lost"}, false},
      {"is over after a freeze in a request, though it went through",
       [](Life& l) { l.waited().pass(20s).written(); },
       {"update me transitions=4", "lost"},
       false},
      {"does not come back", [](Life& l) { l.pass(20s).waited().next(); }, {"lost", "lost"}, false},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    Life life;
    life.lead();
    test.input(life);
    EXPECT_EQ(life.done, test.expect);
    EXPECT_EQ(life.leading(), test.leading);
  }
}

TEST(LeaderState, LeadershipEndsOnTheLocalClockAlone) {
  Life life;
  life.lead().pass(9999ms);
  EXPECT_TRUE(life.leading());
  life.pass(1ms);
  EXPECT_FALSE(life.leading());
}

TEST(LeaderState, ARenewalCountsFromWhenItWasSent) {
  Life life;
  life.lead().waited().pass(3s).written();
  life.pass(6999ms);
  EXPECT_TRUE(life.leading());
  life.pass(1ms);
  EXPECT_FALSE(life.leading());
}

TEST(LeaderState, WritesTheRecord) {
  Life life;
  life.lead().pass(1s).waited();
  const auto acquired = format_micro_time(life.clock.wall() - 3s),
             renewed = format_micro_time(life.clock.wall());
  EXPECT_EQ(life.last.record, (LeaseRecord{"me", 15, acquired, renewed, 4}));
  EXPECT_EQ(life.last.time, 5s) << "half the renew deadline";
}

TEST(LeaderState, ARequestDoesNotOutliveTheDeadline) {
  Life life;
  life.lead().waited().failed().pass(6s).failed();
  EXPECT_EQ(text(life.last), "wait 2000");
  life.waited();
  EXPECT_EQ(text(life.last), "lost");
}

}  // namespace
}  // namespace podium::client::leader_state_test
