// The text about a drain in steps: what would wait, what would be lost, and which waiting pods take the room.
#include "app/render/rolling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include "unit/app/render/fixtures.h"

namespace podium::render {
namespace {

using testing::HasSubstr;
using testing::Not;

RollingStep step_of(const char* node, std::size_t moved, std::size_t waits, std::size_t gone) {
  explain::ChangeResult change{.type = "DrainNodes", .node = {}, .message = {}};
  change.pods_moved = moved;
  change.pods_pending = waits;
  change.pods_gone = gone;
  change.pods_evicted = moved + waits + gone;
  if (moved > 0) change.fullest = {{"m-1", "cpu", 50}};
  change.spare = {{"cpu", "9"}, {"memory", "8Gi"}};
  return {.nodes = {node}, .change = std::move(change)};
}

TEST(Rolling, APodThatWaitsInSeveralStepsIsNotAddedUp) {
  const Rolling rolling{.steps = {step_of("n-1", 1, 1, 0), step_of("n-2", 1, 2, 0), step_of("n-3", 1, 0, 0)}};
  EXPECT_THAT(rolling_table(rolling, plain()),
              HasSubstr("; pods would wait in 2 steps, at most 2 at a time.\n"));
  const auto document = rolling_document(rolling);
  EXPECT_EQ(document.at("mostPodsPending"), 2u);
  EXPECT_EQ(document.at("stepsWithPodsPending"), 2u);
  EXPECT_FALSE(document.as_object().contains("podsPending")) << "it would be a sum";
}

TEST(Rolling, SaysWhyAStepHasNoFullestNode) {
  Rolling rolling{.steps = {step_of("n-1", 1, 0, 0), step_of("n-2", 0, 0, 0)}};
  EXPECT_THAT(rolling_table(rolling, plain()), HasSubstr("     2  n-2       0     0  -\n"));
  EXPECT_THAT(rolling_table(rolling, plain()), Not(HasSubstr("ot kept")));
  rolling.steps[0].change.fullest.clear();
  EXPECT_THAT(rolling_table(rolling, plain()), HasSubstr("     1  n-1       1     0  not kept\n"));
  EXPECT_THAT(rolling_table(rolling, plain()),
              HasSubstr("Not kept: the answer has reached its largest size. Fewer steps have their fullest "
                        "nodes.\n"));
  EXPECT_THAT(rolling_notes(rolling), HasSubstr("Not kept: the answer has reached its largest size."));
}

TEST(Rolling, TheEndIsNotCountedAsAStep) {
  Rolling rolling{.steps = {step_of("n-1", 1, 2, 0), step_of("n-2", 1, 1, 0), step_of("n-new-1", 0, 1, 0)}};
  rolling.steps[2].is_of_spares = true;
  EXPECT_THAT(
      rolling_table(rolling, plain()),
      HasSubstr(
          "2 nodes in 2 steps of 1; pods would wait in 2 steps and at the end, at most 2 at a time.\n"));
}

// Other pods took the node of the first step, so its pod still waits in the others.
TEST(Rolling, PodsOfEarlierStepsStillWait) {
  Rolling rolling{.steps = {step_of("n-1", 1, 1, 0), step_of("n-2", 1, 2, 0), step_of("n-3", 1, 0, 0)}};
  for (std::size_t i = 0; i < 3; ++i) rolling.steps[i].change.pending_so_far = i == 0 ? 1 : 3;
  const auto text = rolling_table(rolling, plain());
  EXPECT_THAT(text, HasSubstr("; pods would wait in 3 steps, at most 3 at a time.\n"));
  EXPECT_THAT(text, HasSubstr("     3  n-3       1     3  m-1 cpu 50%\n"));
  const auto document = rolling_document(rolling);
  EXPECT_EQ(document.at("mostPodsPending"), 3u);
  EXPECT_EQ(document.at("stepsWithPodsPending"), 3u);
  EXPECT_EQ(document.at("steps").at(2).at("podsPendingSoFar"), 3u);
  EXPECT_EQ(document.at("steps").at(2).at("podsPending"), 0u);
}

TEST(Rolling, PodsThatWouldBeGoneCount) {
  struct Case {
    std::size_t moved, waits, gone;
    const char* says;
    int code;
  };
  const Case cases[] = {
      {2, 0, 0, "; nothing would wait.\n", 0},
      {0, 0, 1, "; 1 pod without a controller would be lost.\n", 4},
      {2, 0, 1, "; 1 pod without a controller would be lost.\n", 3},
      {2, 1, 2, "; 1 pod would wait at some point; 2 pods without a controller would be lost.\n", 3},
      {0, 1, 0, "; 1 pod would wait at some point.\n", 4},
  };
  for (const auto& c : cases) {
    const Rolling rolling{.steps = {step_of("n-1", c.moved, c.waits, c.gone)}};
    const auto text = rolling_table(rolling, plain());
    EXPECT_THAT(text, HasSubstr(c.says));
    EXPECT_THAT(text, Not(HasSubstr("Not evaluated")));
    EXPECT_EQ(rolling_exit_code(rolling), c.code) << c.says;
    EXPECT_EQ(rolling_document(rolling).at("podsGone"), c.gone);
  }
}

TEST(Rolling, EachStepSaysWhichBudgetsDoNotAllowIt) {
  struct Case {
    std::size_t broken, several;
    std::vector<std::string> obstacles, with_several;
    const char* says;
  };
  const Case cases[] = {
      {1, 0, {}, {}, "  ! 1 budget does not allow it now\n"},
      {2,
       0,
       {"budget a/b allows 0 disruptions"},
       {},
       "  ! budget a/b allows 0 disruptions; 1 more budget does not allow it now\n"},
      {1, 0, {"budget a/b allows 0 disruptions"}, {}, "  ! budget a/b allows 0 disruptions\n"},
      {0, 1, {}, {}, "  ! several budgets match 1 pod, so its eviction is not allowed\n"},
      {0, 1, {}, {"a/x"}, "  ! several budgets match a/x, so its eviction is not allowed\n"},
      {0,
       4,
       {},
       {"a/x", "a/y", "a/z"},
       "  ! several budgets match a/x, a/y and 2 more, so their evictions are not allowed\n"},
      {3,
       2,
       {},
       {},
       "  ! 3 budgets do not allow it now; several budgets match 2 pods, so their evictions are not "
       "allowed\n"},
  };
  for (const auto& c : cases) {
    Rolling rolling{.steps = {step_of("n-1", 1, 0, 0)}};
    auto& step = rolling.steps[0];
    step.change.budgets_broken = c.broken;
    step.change.with_several_budgets = c.several;
    step.obstacles = c.obstacles;
    step.with_several = c.with_several;
    EXPECT_THAT(rolling_table(rolling, plain()), HasSubstr(c.says));
  }
}

TEST(Rolling, WhatIsNotEvaluatedIsTheRest) {
  Rolling rolling{.steps = {step_of("n-1", 1, 0, 1)}};
  rolling.steps[0].change.pods_evicted = 3;
  EXPECT_THAT(rolling_table(rolling, plain()),
              HasSubstr("Not evaluated: 1 pod of another scheduler, or the deadline passed.\n"));
}

TEST(Rolling, TheRowOfTheLeastSpareHasItsName) {
  Rolling rolling{.steps = {step_of("n-1", 1, 0, 0), step_of("n-2", 1, 0, 0), step_of("n-3", 1, 0, 0)}};
  rolling.steps[1].change.spare.front().amount = "8";
  rolling.steps[2].is_of_spares = true;
  EXPECT_THAT(rolling_table(rolling, plain()), HasSubstr("Least spare in step 2: 8 cpu, 8Gi memory.\n"));
  rolling.steps[2].change.spare.front().amount = "1";
  EXPECT_THAT(rolling_table(rolling, plain()), HasSubstr("Least spare at the end: 1 cpu, 8Gi memory.\n"));
}

TEST(Rolling, WhatWaitsNowAndGetsANodeIsNamed) {
  Rolling rolling{.steps = {step_of("n-1", 1, 0, 0), step_of("n-2", 1, 0, 0)}};
  rolling.steps[0].change.waiting_placed = 2;
  rolling.steps[1].change.waiting_placed = 1;
  EXPECT_THAT(rolling_table(rolling, plain()),
              HasSubstr("3 pending pods get a node during the drain, in the order of the queue. "));
  rolling.got_node = {{"ml", "big-1", "n-9", 0}};
  EXPECT_THAT(rolling_table(rolling, plain()),
              HasSubstr("in the order of the queue: ml/big-1 → n-9 and 2 more. "));
  const auto document = rolling_document(rolling);
  EXPECT_EQ(document.at("waitingPlaced"), 3u);
  EXPECT_EQ(document.at("waiting").at(0).at("step"), 1u);
}

}  // namespace
}  // namespace podium::render
