// Pods that are rejected between the decision and the binding while something else happens.
#include <fmt/format.h>

#include <functional>

#include "unit/scheduler/cycle/binding_fixture.h"

namespace podium::cycle {
namespace {

TEST_F(Binding, ADenialCountsForMoreThanAWait) {
  a_.waits = 1min;
  b_.denies = no("not now");
  EXPECT_EQ(begin(), begun() + (Log{"B unreserve web on n1", "A unreserve web on n1",
                                    "Unschedulable web: 0/1 nodes are available: 1 not now."}));
  EXPECT_EQ(rejected_by("web"), "B");
  EXPECT_FALSE(scheduler_.waiting_pods().reject("uid-web", "A", "too late"));
  EXPECT_EQ(scheduler_.bindings(), 0u);
}

TEST_F(Binding, APermitOfNoTimeIsOverImmediately) {
  a_.waits = 0ms;
  EXPECT_EQ(
      begin().back(),
      "Unschedulable web: 0/1 nodes are available: 1 rejected due to timeout after waiting 0s at plugin "
      "A.");
  EXPECT_EQ(rejected_by("web"), "A");
}

TEST_F(Binding, AFailureWithdrawsTheNominationThatThePodCameWith) {
  struct Case {
    const char* name;
    std::function<void()> prepare, happen;
    std::string announced;
  };
  const Case cases[] = {
      {"Reserve", [&] { a_.reserve_fails = no("no room"); }, [] {},
       "Unschedulable web: 0/1 nodes are available: 1 no room."},
      {"Permit", [&] { a_.denies = no("not now"); }, [] {},
       "Unschedulable web: 0/1 nodes are available: 1 not now."},
      {"Bind", [] {}, [&] { scheduler_.binding_ended("uid-web", {BindEnd::rejected, "no"}); },
       "SchedulerError web: no"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    a_.reserve_fails.reset();
    a_.denies.reset();
    c.prepare();
    see(pod("web").nominated("n1"));
    EXPECT_EQ(run(), 1);
    c.happen();
    ASSERT_GE(log_.size(), 2u);
    EXPECT_EQ(log_[log_.size() - 2], "nominate web to ");
    EXPECT_EQ(log_.back(), c.announced);
    scheduler_.pod_deleted("uid-web");
    take_log();
  }
}

}  // namespace
}  // namespace podium::cycle
