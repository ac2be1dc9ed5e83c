// Pods that the API server has called gone, or placed on another node, before the watch shows it.
#include "unit/scheduler/cycle/scheduler_fixture.h"

namespace podium::cycle {
namespace {

TEST_F(SchedulerTest, APodThatIsElsewhereIsForgotten) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  run();
  end("web", BindEnd::elsewhere, "pod web is already assigned to node n2");
  EXPECT_EQ(place_of("web"), "");
  EXPECT_EQ(used_cpu("n1"), 0);
  EXPECT_FALSE(waits("web")) << "the watch tells the rest";
  EXPECT_EQ(take_log(),
            (Log{"decided web #1 n1", "binding web n1 not bound: pod web is already assigned to node n2"}));
}

// The API server was read, and the watch is behind it.
TEST_F(SchedulerTest, APodThatIsElsewhereIsNotDecidedOnWhenTheWatchShowsAnOlderVersion) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  run();
  end("web", BindEnd::elsewhere, "the pod was placed on n2");
  see(pod("web").req("cpu", "3").label("older", "yes"));
  EXPECT_FALSE(waits("web"));
  see(pod("web").req("cpu", "3").node("n1"));
  EXPECT_EQ(place_of("web"), "n1");
  see(pod("web").req("cpu", "3"));
  EXPECT_TRUE(waits("web")) << "the watch has shown it on the node: etcd was restored";
}

// Its first answer was wrong, or etcd was restored. The pod must not wait for ever.
TEST_F(SchedulerTest, APodThatIsElsewhereIsDecidedOnWhenTheWatchShowsANewerVersion) {
  see(machine("n1"));
  const auto web = [](const char* version) { return pod("web").req("cpu", "3").resource_version(version); };
  see(web("5"));
  for (const auto* version : {"6", "10"}) {
    run();
    end("web", BindEnd::elsewhere, "the pod is gone");
    see(web("5"));
    EXPECT_FALSE(waits("web"));
    see(web(version));
    EXPECT_TRUE(waits("web")) << version;
  }
  run();
  end("web", BindEnd::elsewhere, "the pod is gone");
  scheduler_.pod_versions_restarted();
  see(web("2"));
  EXPECT_TRUE(waits("web"));
}

}  // namespace
}  // namespace podium::cycle
