// The counts of scheduler_event_handling_duration_seconds for each kind of cluster change.
#include <functional>

#include "unit/scheduler/cycle/scheduler_fixture.h"

namespace podium::cycle {
namespace {

TEST_F(SchedulerTest, WhatHappensIsCountedUnderUpstreamsNames) {
  see(machine("n1"));
  see(machine("n1").label("a", "b").taint("k", "v", "NoSchedule"));
  see(machine("n1").label("a", "b").taint("k", "v", "NoSchedule"));  // as it was: nothing
  see(machine("n1")
          .label("a", "b")
          .taint("k", "v", "NoSchedule")
          .condition("Ready", "True")
          .annotation("x", "y"));
  see(pod("placed").node("n1"));
  see(pod("placed").node("n1").label("a", "b"));
  see(pod("placed").node("n1").label("a", "b"));
  scheduler_.pod_deleted("uid-placed");
  see(pod("waiting"));
  see(pod("waiting").label("a", "b"));
  scheduler_.pod_deleted("uid-waiting");
  scheduler_.node_deleted("n1");
  EXPECT_EQ(counted_events(), (EventCounts{{"NodeAdd", 1},
                                           {"NodeUpdateNodeLabel", 1},
                                           {"NodeUpdateNodeTaint", 1},
                                           {"NodeUpdateNodeCondition", 1},
                                           {"NodeUpdateNodeAnnotation", 1},
                                           {"AssignedPodAdd", 1},
                                           {"AssignedPodUpdatePodLabel", 1},
                                           {"AssignedPodUpdate", 3},  // each, and one of no other kind
                                                                      // kind
                                           {"AssignedPodDelete", 1},
                                           {"UnscheduledPodAdd", 1},
                                           {"UnscheduledPodUpdate", 1},
                                           {"UnscheduledPodUpdatePodLabel", 1},
                                           {"UnscheduledPodDelete", 1},
                                           {"NodeDelete", 1}}));
}

TEST_F(SchedulerTest, EveryUpdateOfAPlacedPodIsAnEvent) {
  see(machine("n1"));
  see(pod("a").node("n1"));
  see(pod("a").node("n1").annotation("x", "y"));
  EXPECT_EQ(counted_events(), (EventCounts{{"NodeAdd", 1}, {"AssignedPodAdd", 1}, {"AssignedPodUpdate", 2}}))
      << "once as an update, and once for what it changed: nothing else";
}

// A pod's watch event is counted as what it was to the queue. The end of an assumption without a
// watch event is not counted.
TEST_F(SchedulerTest, WhatHappensToPodsOnTheirWayIsCounted) {
  const auto web = [] { return pod("web").req("cpu", "3"); };
  const EventCounts seen{{"NodeAdd", 1}, {"UnscheduledPodAdd", 1}};
  struct Case {
    const char* name;
    std::function<void()> happens;
    EventCounts more;
  };
  const Case cases[] = {
      {"placed by somebody else",
       [&] { see(web().node("n1")); },
       {{"AssignedPodAdd", 1}, {"UnscheduledPodDelete", 1}}},
      {"bound",
       [&] {
         run();
         end("web", BindEnd::bound);
         see(web().node("n1"));
       },
       {{"AssignedPodAdd", 1}, {"UnscheduledPodDelete", 1}}},
      {"bound, before the reply, to another node",
       [&] {
         run();
         see(web().node("n2"));
         end("web", BindEnd::elsewhere);
       },
       {{"AssignedPodAdd", 1}, {"UnscheduledPodDelete", 1}}},
      {"bound and deleted",
       [&] {
         run();
         see(web().node("n1"));
         scheduler_.pod_deleted("uid-web");
       },
       {{"AssignedPodAdd", 1}, {"UnscheduledPodDelete", 1}, {"AssignedPodDelete", 1}}},
      {"its binding is rejected",
       [&] {
         run();
         end("web", BindEnd::rejected, "no");
       },
       {}},
      {"deleted while it is being bound",
       [&] {
         run();
         scheduler_.pod_deleted("uid-web");
         end("web", BindEnd::elsewhere);
       },
       {{"UnscheduledPodDelete", 1}}},
      {"changed while it is being bound",
       [&] {
         run();
         see(web().label("a", "b"));
       },
       {{"UnscheduledPodUpdate", 1}, {"UnscheduledPodUpdatePodLabel", 1}}},
      {"on its way out while it is being bound, and gone",
       [&] {
         run();
         see(web().terminating());
         end("web", BindEnd::rejected, "no");
         scheduler_.pod_deleted("uid-web");
       },
       {{"UnscheduledPodUpdate", 1}, {"UnscheduledPodDelete", 1}}},
      {"placed, and then not any more",
       [&] {
         see(web().node("n1"));
         see(web());
       },
       {{"AssignedPodAdd", 1},
        {"UnscheduledPodDelete", 1},
        {"AssignedPodDelete", 1},
        {"UnscheduledPodAdd", 1}}},
      {"of another scheduler",
       [&] { see(pod("theirs").scheduler("another").node("n1")); },
       {{"AssignedPodAdd", 1}}},
      {"nobody knows it", [&] { scheduler_.pod_deleted("uid-nobody"); }, {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto before = counted_events();
    see(machine("n1").uid(fmt::format("uid-{}", c.name)));  // another node each time
    see(web());
    c.happens();
    auto want = before;
    for (const auto& counts : {seen, c.more})
      for (const auto& [event, count] : counts) want[event] += count;
    EXPECT_EQ(counted_events(), want);
    for (const auto* uid : {"uid-web", "uid-theirs"}) scheduler_.pod_deleted(uid);
    end("web", BindEnd::elsewhere);
  }
}

}  // namespace
}  // namespace podium::cycle
