// The metrics of plugins and extension points.
#include <algorithm>

#include "unit/scheduler/cycle/scheduler_fixture.h"

namespace podium::cycle {
namespace {

class StopWatchTest : public SchedulerTest {
 protected:
  // The non-zero samples of a family by the values of two labels, such as "NodeAffinity PreScore".
  std::map<std::string, double> samples(const std::string& name, const std::string& a, const std::string& b) {
    scheduler_.publish_metrics();
    std::map<std::string, double> out;
    for (const auto& family : registry_.Collect()) {
      if (family.name != name) continue;
      for (const auto& metric : family.metric) {
        const auto value = metric.counter.value + static_cast<double>(metric.histogram.sample_count);
        if (value > 0) out[label(metric, a) + " " + label(metric, b)] = value;
      }
    }
    return out;
  }
  std::map<std::string, double> calls() {
    return samples("scheduler_plugin_evaluation_total", "plugin", "extension_point");
  }
  std::map<std::string, double> points() {
    return samples("scheduler_framework_extension_point_duration_seconds", "extension_point", "status");
  }

 private:
  static std::string label(const prometheus::ClientMetric& metric, const std::string& name) {
    const auto it = std::ranges::find(metric.label, name, &prometheus::ClientMetric::Label::name);
    return it == metric.label.end() ? "" : it->value;
  }
};

api::Pod preferring(const std::string& name, api::Requirement requirement) {
  return pod(name).prefer_node(1, podium::test::node_term({std::move(requirement)}));
}

TEST_F(StopWatchTest, PluginsAreCountedWithTheNodesThatTheyWereAskedAbout) {
  for (const auto* name : {"n1", "n2", "n3", "n4"}) see(machine(name));
  see(preferring("web", podium::test::exists("x")));
  run();
  const auto counted = calls();
  EXPECT_EQ(counted.at("NodeAffinity PreScore"), 1);
  EXPECT_EQ(counted.at("NodeAffinity Score"), 4);
  EXPECT_EQ(counted.at("NodeResourcesFit PreFilter"), 1);
  EXPECT_EQ(counted.at("NodeResourcesFit Filter"), 4);
  EXPECT_FALSE(counted.contains("NodeAffinity PreFilter")) << "it had nothing to do";
  EXPECT_FALSE(counted.contains("NodePorts Filter"));
}

TEST_F(StopWatchTest, PhasesThatDidNotRunAreNotThere) {
  see(machine("n1"));
  see(pod("alone"));
  run();
  EXPECT_EQ(points(), (std::map<std::string, double>{{"PreFilter Success", 1},
                                                     {"Filter Success", 1},
                                                     {"Reserve Success", 1},
                                                     {"Permit Success", 1},
                                                     {"PreBindPreFlight Skip", 1},
                                                     {"PreBind Success", 1}}))
      << "one node is left: nobody asks for scores";
  EXPECT_FALSE(calls().contains("NodeResourcesFit Score"));
}

TEST_F(StopWatchTest, AFailedPreScoreIsOneOfTheAttempt) {
  see(machine("n1"));
  see(machine("n2"));
  see(preferring("web", podium::test::gt("cores", "few")));
  run();
  EXPECT_EQ(take_log(), (Log{"decided web #1 no node",
                             "event web SchedulerError: running PreScore plugin \"NodeAffinity\": [0]"}));
  EXPECT_EQ(points(), (std::map<std::string, double>{
                          {"PreFilter Success", 1}, {"Filter Success", 1}, {"PreScore Error", 1}}));
  EXPECT_EQ(scheduler_.queue().counts(), (queue::QueueCounts{.backoff = 1})) << "it is tried again";
}

TEST_F(StopWatchTest, OnePodInTenIsASampleOfThePluginsDurations) {
  see(machine("n1"));
  const auto sampled = [this] {
    const auto all = samples("scheduler_plugin_execution_duration_seconds", "plugin", "extension_point");
    return all.contains("NodeResourcesFit Filter") ? all.at("NodeResourcesFit Filter") : 0;
  };
  for (int i = 0; i < 10; ++i) see(pod("p" + std::to_string(i)));
  EXPECT_EQ(run(), 10);
  EXPECT_EQ(sampled(), 1);
  see(pod("p10"));
  run();
  EXPECT_EQ(sampled(), 2);
}

}  // namespace
}  // namespace podium::cycle
