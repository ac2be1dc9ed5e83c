#include "unit/scheduler/plugins/ask.h"

#include "scheduler/cluster/snapshot.h"

namespace podium::plugins::test::scheduling_gates_test {
namespace {

TEST(SchedulingGates, KeepsGatedPodsOut) {
  const struct {
    const char* name;
    api::Pod pod;
    std::optional<framework::Verdict> want;
  } cases[] = {
      {"no gates", pod("a"), std::nullopt},
      {"two gates, in their order", pod("a").gate("foo").gate("bar"),
       framework::Verdict{"SchedulingGates",
                          framework::Code::unschedulable_and_unresolvable,
                          {framework::Reason(framework::ReasonCode::scheduling_gated,
                                             "waiting for scheduling gates: [foo bar]")}}},
  };
  const auto plugin = make(make_scheduling_gates);
  const auto& gates = dynamic_cast<const framework::PreEnqueuePlugin&>(*plugin);
  for (const auto& c : cases) EXPECT_EQ(gates.pre_enqueue(*info(c.pod), Snapshot()), c.want) << c.name;
}

}  // namespace
}  // namespace podium::plugins::test::scheduling_gates_test
