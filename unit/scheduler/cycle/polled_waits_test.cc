// Waits in PreBind that look every so often: when they do, how they end, and what is counted.
#include "unit/scheduler/cycle/binding_fixture.h"

namespace podium::cycle::polled_waits_test {
namespace {

using framework::Progress;

class PolledWaits : public Binding {
 protected:
  void SetUp() override {
    Binding::SetUp();
    a_.pre_binds = true;
    a_.ready_timeout = 1min;
    a_.poll = 5s;
    a_.event_reason = "Pending";
    a_.event_note = "waiting for a device";
    a_.devices = {{"gpu", true}, {"nic", false}};
  }
  bool is_announced(const std::string& line) {
    const auto log = take_log();
    return std::ranges::count(log, line) == 1;
  }
  // Returns "allocations/waits/seconds" of each driver for this status.
  std::string counted(const std::string& status) {
    std::map<std::string, std::string> out;
    for (const auto& family : registry_.Collect()) {
      if (!family.name.starts_with("scheduler_dra_bindingconditions")) continue;
      for (const auto& metric : family.metric) {
        std::map<std::string, std::string> labels;
        for (const auto& label : metric.label) labels[label.name] = label.value;
        if (labels["status"] != status || labels["profile"] != "default-scheduler") continue;
        const auto& histogram = metric.histogram;
        out[labels["driver"]] += family.type == prometheus::MetricType::Counter
                                     ? fmt::format("{}x ", metric.counter.value)
                                     : fmt::format("{}/{}s ", histogram.sample_count, histogram.sample_sum);
      }
    }
    return fmt::format("{}", fmt::join(out, "; "));
  }
};

TEST_F(PolledWaits, ItIsAnnouncedAndLookedAtImmediatelyAndThenPeriodically) {
  begin();
  const auto began = clock_.wall();
  EXPECT_EQ(a_.asked_at.size(), 1u);
  something_happens();
  EXPECT_EQ(a_.asked_at.size(), 1u) << "events do not count";
  EXPECT_EQ(scheduler_.next_wakeup(), clock_.now() + 5s);
  pass(5s);
  pass(1s);
  pass(4s);
  EXPECT_EQ(a_.asked_at, (std::vector{began, began + 5s, began + 10s})) << "with the time";
  a_.progress = Progress::ready();
  pass(5s);
  EXPECT_TRUE(is_announced("bind web to n1"));
  EXPECT_EQ(counted("success"), R"(("gpu", "1x 1/15s "); ("nic", "1/15s "))");
}

TEST_F(PolledWaits, ThePodIsAnnouncedOnce) {
  EXPECT_EQ(std::ranges::count(begin(), "Pending web: waiting for a device"), 1);
  pass(5s);
  EXPECT_EQ(take_log(), Log{});
}

TEST_F(PolledWaits, HowTheyFail) {
  const struct {
    const char* name;
    Progress progress;
    std::string status, error;
  } cases[] = {
      {"broken", Progress::failed("it is broken"), "failure", "it is broken"},
      {"timeout", {Progress::State::timed_out, "too late"}, "timeout", "too late"},
      {"error", {Progress::State::error, "no claim"}, "error", "no claim"},
  };
  for (const auto& c : cases) {
    a_.progress = Progress::not_yet();
    begin(pod(c.name).req("cpu", "1"));
    a_.progress = c.progress;
    pass(5s);
    EXPECT_TRUE(
        is_announced(fmt::format("SchedulerError {}: running PreBind plugin \"A\": {}", c.name, c.error)))
        << c.name;
    EXPECT_EQ(counted(c.status), R"(("gpu", "1x 1/5s "); ("nic", "1/5s "))") << c.name;
    scheduler_.pod_deleted(fmt::format("uid-{}", c.name));
    take_log();
  }
}

TEST_F(PolledWaits, TheTimeoutEndsThem) {
  begin();
  pass(59s);
  EXPECT_EQ(take_log(), Log{});
  pass(1s);
  EXPECT_TRUE(is_announced("SchedulerError web: running PreBind plugin \"A\": took too long"));
  EXPECT_EQ(counted("timeout"), R"(("gpu", "1x 1/60s "); ("nic", "1/60s "))");
  EXPECT_FALSE(is_placed("web"));
}

TEST_F(PolledWaits, PreemptionEndsThem) {
  begin();
  pass(5s);
  EXPECT_TRUE(scheduler_.preempt("uid-web", "DefaultPreemption"));
  EXPECT_TRUE(
      is_announced("SchedulerError web: running PreBind plugin \"A\": preempted by DefaultPreemption"));
  EXPECT_EQ(counted("error"), R"(("gpu", "1x 1/5s "); ("nic", "1/5s "))");
}

// Nothing is left that would wake the scheduler.
TEST_F(PolledWaits, ThePodsEndAndTheSchedulersEndThem) {
  begin();
  scheduler_.pod_deleted("uid-web");
  EXPECT_EQ(scheduler_.bindings(), 0u);
  EXPECT_EQ(scheduler_.next_wakeup(), std::nullopt);
  begin(pod("other").req("cpu", "1"));
  EXPECT_EQ(scheduler_.bindings(), 1u);
  scheduler_.stop();
  EXPECT_EQ(scheduler_.bindings(), 0u);
  EXPECT_EQ(a_.asked_at.size(), 2u);
  EXPECT_EQ(counted("error"), "");
}

}  // namespace
}  // namespace podium::cycle::polled_waits_test
