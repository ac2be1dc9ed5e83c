// Groups of pods that are of use only together: no node is proposed for a group that would stay too small.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "explain/answer/pod_groups.h"
#include "unit/explain/answer/nodes_wanted.h"

namespace podium::explain {
namespace {

using testing::HasSubstr;
using unit::choice_in;
using unit::full_cluster;
using unit::Pods;

cluster::PodInfoPtr member(const std::string& group, int number, const char* cpu) {
  auto pod = unit::one_of(group, number, cpu);
  return unit::waits(pod.label("scheduling.x-k8s.io/pod-group", group));
}

Pods group_of(const std::string& group, int count, const char* cpu) {
  Pods out;
  for (int i = 0; i < count; ++i) out.push_back(member(group, i, cpu));
  return out;
}

Pods joined(Pods a, const Pods& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

ReportStatus search_for(const std::string& shapes, const Pods& waiting,
                        const api::PodGroupMinimums& minimums = {},
                        const cluster::Snapshot& snapshot = full_cluster(), const Budget& budget = {}) {
  const auto question =
      unit::read(fmt::format(R"({{"search": {{"forPending": {{"shapes": [{}]}}}}}})", shapes));
  api::AdmissionObjects objects;
  objects.group_minimums = minimums;
  return question ? answer(*question, snapshot, unit::default_config(), budget, objects, waiting)
                  : refusal(question.error());
}

constexpr const char* kTwo = R"({"name": "s", "allocatable": {"cpu": 4}, "max": 2})";
constexpr const char* kAny = R"({"name": "s", "allocatable": {"cpu": 4}})";

TEST(NodesWantedGroups, AWholeGroupGetsItsNodes) {
  const auto status = search_for(kAny, group_of("g", 3, "3"));
  EXPECT_EQ(choice_in(status), "3 s (3 g)");
  EXPECT_THAT(status.answer->not_modelled, testing::Contains(HasSubstr("groups without a PodGroup")));
}

TEST(NodesWantedGroups, NoNodeForAGroupThatStaysTooSmall) {
  const auto status = search_for(kTwo, group_of("g", 3, "3"));
  EXPECT_EQ(
      choice_in(status),
      "none (3 g): group g: 2 of 3 fit; more nodes would be needed than the shapes, or this question, allow");
  EXPECT_EQ(status.answer->asked, 3u);
  EXPECT_EQ(status.answer->fitting, 0u);
  EXPECT_EQ(status.outcome, "DoesNotFit");
}

TEST(NodesWantedGroups, TheReasonIsThatOfThePodThatHoldsItUp) {
  auto waiting = group_of("g", 2, "3");
  waiting.push_back(member("g", 2, "30"));
  EXPECT_EQ(choice_in(search_for(kAny, joined(std::move(waiting), unit::many("web", 1, "3")))),
            "1 s (1 web); none (3 g): group g: 2 of 3 fit; asks for 30 cpu, and the largest shape has 4");
}

TEST(NodesWantedGroups, TheMinimumIsEnough) {
  const auto status = search_for(kTwo, group_of("g", 3, "3"), {{{"shop", "g"}, 2}});
  EXPECT_EQ(choice_in(status),
            "2 s (2 g); none (1 g): more nodes would be needed than the shapes, or this question, allow");
  EXPECT_THAT(status.answer->not_modelled, testing::Not(testing::Contains(HasSubstr("groups"))));
}

TEST(NodesWantedGroups, RunningPodsCount) {
  auto snapshot = full_cluster();
  unit::run_pod(snapshot,
                unit::one_of("g", 9, "100m").label("scheduling.x-k8s.io/pod-group", "g").node("n1"));
  EXPECT_EQ(choice_in(search_for(kTwo, group_of("g", 2, "3"), {{{"shop", "g"}, 3}}, snapshot)), "2 s (2 g)");
  EXPECT_EQ(choice_in(search_for(kTwo, group_of("g", 2, "3"), {{{"shop", "g"}, 4}}, snapshot)),
            "none (2 g): group g has 3 of 4 pods");
}

// Both have room for one pod each if their pods come in turn.
TEST(NodesWantedGroups, OfTwoTheFirstIsKept) {
  Pods waiting;
  for (int i = 0; i < 2; ++i) {
    waiting.push_back(member("a", i, "3"));
    waiting.push_back(member("b", i, "3"));
  }
  EXPECT_THAT(
      choice_in(search_for(kTwo, waiting)),
      "2 s (2 a); none (2 b): group b: 0 of 2 fit; more nodes would be needed than the shapes, or this "
      "question, allow");
}

// The first one would take two of three nodes, and not need them.
TEST(NodesWantedGroups, OneThatStaysTooSmallTakesNoRoomOfTheNext) {
  const auto status = search_for(kTwo, joined(group_of("large", 3, "3"), group_of("train", 3, "3")),
                                 {{{"shop", "large"}, 3}, {{"shop", "train"}, 2}});
  EXPECT_EQ(status.answer->fitting, 2u);
  EXPECT_THAT(choice_in(status), HasSubstr("2 s (2 train)"));
  EXPECT_THAT(choice_in(status), HasSubstr("group large: 2 of 3 fit"));
}

TEST(NodesWantedGroups, NoGroupIsSplitWhenTheTimeEnds) {
  for (int most = 1; most < 400; most += 7) {
    int left = most;
    const auto waiting = joined(group_of("g", 6, "3"), unit::many("web", 9, "1"));
    const auto status = search_for(kAny, waiting, {}, full_cluster(), [&] { return --left > 0; });
    if (!status.answer || !status.answer->nodes_wanted) continue;
    std::size_t placed = 0;
    for (const auto& added : status.answer->nodes_wanted->added) {
      EXPECT_GT(added.pods, 0u) << most;
      for (const auto& each : added.workloads) placed += each.name == "g" ? each.count : 0;
    }
    EXPECT_TRUE(placed == 0 || placed == 6) << placed << " of 6 after " << most;
  }
}

// The first pod of the group fits on the node that exists. A group that is taken out leaves it again.
TEST(NodesWantedGroups, NoMoreFitNowThanInAll) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  bool has_taken_out = false;
  for (int most = 1; most < 200; ++most) {
    int left = most;
    const auto status = search_for(kAny, group_of("g", 6, "3"), {}, snapshot, [&] { return --left > 0; });
    if (!status.answer || !status.answer->nodes_wanted) continue;
    EXPECT_LE(status.answer->nodes_wanted->fit_now, status.answer->fitting) << most;
    has_taken_out |= status.answer->fitting == 0;
  }
  EXPECT_TRUE(has_taken_out);
}

TEST(NodesWantedGroups, OthersAreNotNamed) {
  auto pods = group_of("g", 3, "3");
  for (auto& each : pods) {
    auto copy = *each->pod;
    copy.meta.namespace_ = "secret";
    each = unit::waits(copy);
  }
  EXPECT_EQ(choice_in(search_for(kTwo, pods)), "none (3 others): they fit on no shape");
}

}  // namespace
}  // namespace podium::explain
