// What-ifs about pods of a PodGroup: whether as many fit as the group needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using testing::Contains;
using testing::Not;

ReportStatus ask_about_group(int replicas, std::size_t minimum, const cluster::Snapshot& snapshot,
                             bool has_all = true) {
  api::AdmissionObjects objects;
  if (minimum > 0) objects.group_minimums[{"default", "train"}] = minimum;
  objects.has_all_group_minimums = has_all;
  const auto pod = test::pod("w").label("scheduling.x-k8s.io/pod-group", "train").req("cpu", "1");
  return answer(unit::about(pod, replicas), snapshot, unit::default_config(), {}, objects);
}

TEST(GroupOfPod, AsManyAsItNeeds) {
  const auto fits = ask_about_group(8, 6, unit::two_nodes());
  ASSERT_TRUE(fits.answer->group);
  EXPECT_EQ(fits.answer->group->min_count, 6u);
  EXPECT_TRUE(fits.answer->group->fits);
  EXPECT_EQ(fits.outcome, "PartlyFits") << "6 of 8";
  const auto more = ask_about_group(8, 7, unit::two_nodes());
  EXPECT_FALSE(more.answer->group->fits);
  EXPECT_EQ(more.outcome, "PartlyFits") << "podium binds the pods of a group one by one";
}

TEST(GroupOfPod, RunningPodsCount) {
  auto snapshot = unit::two_nodes();
  for (const auto* name : {"a", "b"})
    unit::run_pod(
        snapshot,
        test::pod(name).uid(name).label("scheduling.x-k8s.io/pod-group", "train").req("cpu", "1").node("n1"));
  const auto status = ask_about_group(4, 6, snapshot);
  ASSERT_TRUE(status.answer->group);
  EXPECT_EQ(status.answer->group->min_count, 4u);
  EXPECT_TRUE(status.answer->group->fits);
  EXPECT_FALSE(ask_about_group(4, 2, snapshot).answer->group) << "the group has what it needs";
}

TEST(GroupOfPod, APartOfTheGroupSaysSo) {
  const auto status = ask_about_group(1, 4, unit::two_nodes());
  EXPECT_EQ(status.outcome, "Fits");
  EXPECT_FALSE(status.answer->group);
  EXPECT_THAT(status.answer->not_modelled,
              Contains("the other pods of group train, which still needs 4 pods"));
}

TEST(GroupOfPod, WithoutAPodGroup) {
  EXPECT_FALSE(ask_about_group(4, 0, unit::two_nodes()).answer->group);
  EXPECT_THAT(ask_about_group(4, 0, unit::two_nodes()).answer->not_modelled, Not(Contains("PodGroup")));
  EXPECT_THAT(ask_about_group(4, 0, unit::two_nodes(), false).answer->not_modelled, Contains("PodGroup"));
}

}  // namespace
}  // namespace podium::explain
