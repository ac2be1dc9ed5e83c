// What single observations come to in the registry, and how a wait for a permit is counted.
#include "scheduler/cycle/metrics.h"

#include <map>
#include <string>
#include <utility>

#include "unit/scheduler/cycle/binding_fixture.h"

namespace podium::cycle {
namespace {

struct Observed {
  std::uint64_t count = 0;
  double sum = 0;
  bool operator==(const Observed&) const = default;
};
void PrintTo(const Observed& observed, std::ostream* out) { *out << observed.count << "/" << observed.sum; }

// The histograms of a family with observations, by the value of their one label; "" where there is none.
std::map<std::string, Observed> histograms(const prometheus::Registry& registry, const std::string& name) {
  std::map<std::string, Observed> found;
  for (const auto& family : registry.Collect()) {
    if (family.name != name) continue;
    for (const auto& metric : family.metric) {
      const auto label = metric.label.empty() ? std::string() : metric.label.front().value;
      const auto& histogram = metric.histogram;
      if (histogram.sample_count > 0) found[label] = {histogram.sample_count, histogram.sample_sum};
    }
  }
  return found;
}

double counter(const prometheus::Registry& registry, const std::string& name) {
  double sum = 0;
  for (const auto& family : registry.Collect()) {
    if (family.name != name) continue;
    for (const auto& metric : family.metric) sum += metric.counter.value;
  }
  return sum;
}

using Histograms = std::map<std::string, Observed>;

// Source: pkg/scheduler/schedule_one.go getAttemptsLabel.
TEST(Metrics, ABoundPodCountsByItsAttemptsUpToFifteen) {
  prometheus::Registry registry;
  Metrics metrics(registry);
  for (const std::uint32_t attempts : {1, 2, 14, 15, 16, 100}) metrics.bound(attempts, 0.25, false);
  EXPECT_EQ(histograms(registry, "scheduler_pod_scheduling_sli_duration_seconds"),
            (Histograms{{"1", {1, 0.25}}, {"2", {1, 0.25}}, {"14", {1, 0.25}}, {"15+", {3, 0.75}}}));
  EXPECT_EQ(histograms(registry, "scheduler_pod_scheduling_attempts"), (Histograms{{"", {6, 148}}}));
}

TEST(Metrics, OnlyPodsThatWereFlushedCountAsScheduledAfterAFlush) {
  prometheus::Registry registry;
  Metrics metrics(registry);
  metrics.bound(1, 1, false);
  EXPECT_EQ(counter(registry, "scheduler_pod_scheduled_after_flush_total"), 0);
  metrics.bound(2, 1, true);
  EXPECT_EQ(counter(registry, "scheduler_pod_scheduled_after_flush_total"), 1);
}

TEST_F(Binding, AWaitForAPermitIsObservedByHowItEnds) {
  const auto observed = [&] { return histograms(registry_, "scheduler_permit_wait_duration_seconds"); };
  begin();  // without a wait
  bound("web");
  scheduler_.pod_deleted("uid-web");
  EXPECT_EQ(observed().size(), 0u);

  a_.waits = 1min;
  const auto begin_and_wait = [&](std::chrono::seconds time) {
    begin();
    clock_.advance(time);
  };
  begin_and_wait(2s);
  scheduler_.waiting_pods().allow("uid-web", "A");
  scheduler_.step();
  bound("web");
  scheduler_.pod_deleted("uid-web");
  Histograms expected{{"Success", {1, 2}}};
  EXPECT_EQ(observed(), expected);

  begin_and_wait(3s);
  scheduler_.waiting_pods().reject("uid-web", "A", "no");
  scheduler_.step();
  scheduler_.pod_deleted("uid-web");
  expected["Unschedulable"] = {1, 3};
  EXPECT_EQ(observed(), expected);

  begin_and_wait(5s);
  EXPECT_TRUE(scheduler_.preempt("uid-web", "P"));
  scheduler_.pod_deleted("uid-web");
  expected["Error"] = {1, 5};
  EXPECT_EQ(observed(), expected);

  begin_and_wait(7s);
  scheduler_.pod_deleted("uid-web");  // it neither got the permit nor was refused it
  EXPECT_EQ(observed(), expected);
}

}  // namespace
}  // namespace podium::cycle
