#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test::dynamic_resources_test {
namespace {

TEST(DynamicResources, PodsWithClaimsWait) {
  const auto snapshot = snapshot_of({node("n")});
  EXPECT_EQ(filter(make(make_dynamic_resources), pod("p").resource_claims(), snapshot),
            (Answers{{"*", "UU; pods with resource claims are not supported by this scheduler yet"}}));
  EXPECT_EQ(filter(make(make_dynamic_resources), pod("p"), snapshot), Answers{});
}

TEST(DynamicResources, ScoresAreZeroAndNeverSkipped) {
  EXPECT_EQ(score(make(make_dynamic_resources), pod("p"), snapshot_of({node("a"), node("b")})),
            (Scores{{"a", 0}, {"b", 0}}));
}

}  // namespace
}  // namespace podium::plugins::test::dynamic_resources_test
