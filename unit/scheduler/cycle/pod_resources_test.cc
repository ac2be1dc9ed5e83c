#include "scheduler/cycle/pod_resources.h"
#include "scheduler/cluster/pod_requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "unit/scheduler/cycle/scheduler_fixture.h"

namespace podium::cycle {
namespace {

using Lines = std::vector<std::string>;

// "request cpu cores 0.5", "limit memory bytes 1024" …
Lines lines_of(const api::Pod& pod) {
  Lines lines;
  const std::vector<cluster::PodInfoPtr> pods{cluster::make_pod_info(podium::test::share(pod))};
  for (const auto& family : pod_resources(pods)) {
    for (const auto& metric : family.metric) {
      lines.push_back(fmt::format("{} {} {} {}", family.name.substr(family.name.rfind('_') + 1),
                                  metric.label.at(5).value, metric.label.at(6).value, metric.gauge.value));
    }
  }
  std::ranges::sort(lines);
  return lines;
}

TEST(PodResources, Amounts) {
  api::Pod with_limits = pod("p").req("cpu", "250m");
  with_limits.containers.write()[0].limits = {{"cpu", podium::test::quantity("1")},
                                              {"memory", podium::test::quantity("1Ki")}};
  with_limits.overhead = {{"cpu", podium::test::quantity("100m")},
                          {"ephemeral-storage", podium::test::quantity("5")}};
  api::Pod whole = with_limits;
  whole.pod_requests = {{"cpu", podium::test::quantity("2")}, {"x.io/gpu", podium::test::quantity("9")}};
  whole.pod_limits = {{"hugepages-2Mi", podium::test::quantity("2Mi")}};
  const struct {
    const char* name;
    api::Pod pod;
    Lines want;
  } cases[] = {
      {"nothing", pod("p"), {}},
      {"containers add up",
       pod("p").req("cpu", "250m").container().req("cpu", "1"),
       {"request cpu cores 1.25"}},
      {"an init container that needs more",
       pod("p").req("cpu", "250m").init_container().req("cpu", "3"),
       {"request cpu cores 3"}},
      {"zeros are left out", pod("p").req("cpu", "0"), {}},
      {"units",
       pod("p")
           .req("memory", "1Ki")
           .req("ephemeral-storage", "2Ki")
           .req("hugepages-2Mi", "2Mi")
           .req("attachable-volumes-x", "3")
           .req("x.io/gpu", "4"),
       {"request memory bytes 1024", "request ephemeral-storage bytes 2048",
        "request hugepages-2Mi bytes 2097152", "request attachable-volumes-x integer 3",
        "request x.io/gpu  4"}},
      {"overhead adds to limits that there are",
       with_limits,
       {"request cpu cores 0.35", "request ephemeral-storage bytes 5", "limit cpu cores 1.1",
        "limit memory bytes 1024"}},
      {"of the pod as a whole",
       whole,
       {"request cpu cores 2.1", "request ephemeral-storage bytes 5", "limit cpu cores 1.1",
        "limit memory bytes 1024", "limit hugepages-2Mi bytes 2097152"}},
  };
  for (const auto& c : cases) {
    auto want = c.want;
    std::ranges::sort(want);
    EXPECT_EQ(lines_of(c.pod), want) << c.name;
  }
}

// "namespace pod node scheduler priority" of the pods that have requests.
class PodResourcesTest : public SchedulerTest {
 protected:
  Lines pods() {
    Lines lines;
    for (const auto& family : pod_resources(scheduler_.pods())) {
      for (const auto& metric : family.metric) {
        std::string line;
        for (int i = 0; i < 5; ++i) line += metric.label.at(i).value + " ";
        lines.push_back(std::move(line));
      }
    }
    std::ranges::sort(lines);
    return lines;
  }
};

// What-ifs answer for the pods of other schedulers too.
TEST_F(SchedulerTest, ThePodsThatWaitAreThoseOfOtherSchedulersToo) {
  const auto names = [&] {
    Lines out;
    for (const auto& each : scheduler_.waiting()) out.push_back((*each)->meta.name);
    std::ranges::sort(out);
    return out;
  };
  see(machine("n1"));
  see(pod("waits").req("cpu", "9"));
  see(pod("runs").req("cpu", "1").node("n1"));
  see(pod("other").scheduler("other"));
  EXPECT_EQ(names(), (Lines{"other", "waits"}));
  see(pod("other").scheduler("other").node("n1"));
  EXPECT_EQ(names(), Lines{"waits"});
}

TEST_F(PodResourcesTest, AllPodsThatAreNotAtTheirEnd) {
  see(machine("n1"));
  see(pod("runs").req("cpu", "1").node("n1"));
  see(pod("homeless").req("cpu", "1").node("gone"));
  see(pod("waits").req("cpu", "9").priority(7));
  see(pod("assumed").req("cpu", "1"));
  see(pod("other").req("cpu", "1").scheduler("other"));
  run();
  const Lines all{"default assumed n1 default-scheduler  ", "default homeless gone default-scheduler  ",
                  "default other  other  ", "default runs n1 default-scheduler  ",
                  "default waits  default-scheduler 7 "};
  EXPECT_EQ(pods(), all);

  see(pod("other").req("cpu", "1").scheduler("other").node("n1"));
  see(pod("runs").req("cpu", "1").node("n1").phase("Succeeded"));
  scheduler_.pod_deleted("uid-waits");
  scheduler_.pod_deleted("uid-homeless");
  EXPECT_EQ(pods(), (Lines{all[0], "default other n1 other  "}));
  scheduler_.pod_deleted("uid-other");
  EXPECT_EQ(pods(), Lines{all[0]});
}

}  // namespace
}  // namespace podium::cycle
