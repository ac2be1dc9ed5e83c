// Pods without a node that are being deleted, such as those of a Job with its finalizer: no scheduler tries
// them, so no answer counts them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "explain/answer/waiting.h"
#include "unit/explain/answer/nodes_wanted.h"

namespace podium::explain {
namespace {

using test::pod;
using unit::one_of;
using unit::Pods;
using unit::waits;

constexpr const char* kShape = R"({"name": "s", "allocatable": {"cpu": "4", "memory": "8Gi"}})";

TEST(DeletedPods, NeedNoNodeAndHideNoPodLikeThem) {
  const auto deleted = waits(one_of("a", 0, "1").terminating());
  EXPECT_EQ(unit::choice_in(unit::search(kShape, {deleted}, unit::full_cluster())), "");
  const Pods both{deleted, waits(one_of("a", 1, "1"))};
  EXPECT_EQ(unit::choice_in(unit::search(kShape, both, unit::full_cluster())), "1 s (1 a)");
  EXPECT_EQ(unit::choice_in(unit::search("", both, unit::full_cluster())), "1 like n1 (1 a)");
}

TEST(DeletedPods, HideNoPodLikeThemFromTheRoomOfADrain) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "2"}});
  unit::run_pod(snapshot,
                pod("runs").ns("shop").uid("runs").owner("ReplicaSet", "r").req("cpu", "1").node("n1"));
  const auto question = unit::read(unit::web(R"("changes": [{"type": "DrainNode", "nodeName": "n1"}])"));
  ASSERT_TRUE(question) << question.error().message;
  const Pods waiting{waits(one_of("a", 0, "1").terminating()), waits(one_of("a", 1, "1"))};
  const auto status = answer(*question, snapshot, unit::default_config(), {}, {}, waiting);
  const auto& drained = status.answer->changes.at(0);
  ASSERT_EQ(drained.pods.size(), 1u);
  EXPECT_EQ(drained.pods[0].node, "n2");
  ASSERT_EQ(drained.waiting.size(), 1u);
  EXPECT_EQ(drained.waiting[0].name, "a-1");
}

TEST(DeletedPods, AStoredOneIsAskedAboutAsANewOne) {
  const auto snapshot = unit::nodes_of({{"n1", "4"}});
  auto question = unit::read(R"({"podRef": {"name": "j-1"}})").value();
  const auto read = read_subject(
      R"({"metadata": {"name": "j-1", "namespace": "shop", "uid": "j", "deletionTimestamp": "2026-01-01T00:00:00Z"},
          "spec": {"containers": [{"name": "c", "image": "i"}]}, "status": {"phase": "Pending"}})",
      question);
  ASSERT_TRUE(read) << read.error().message;
  const auto status = answer(question, snapshot, unit::default_config());
  EXPECT_EQ(status.outcome, "Fits") << status.message;
  EXPECT_THAT(status.answer->notes,
              testing::Contains("this is the answer for a new pod like it: it is being deleted."));
}

}  // namespace
}  // namespace podium::explain
