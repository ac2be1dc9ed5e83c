// Fixture: a Scheduler with fakes that record their calls, and helpers to feed it cluster changes.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/config/load.h"
#include "scheduler/cycle/scheduler.h"
#include "scheduler/framework/decision.h"
#include "unit/scheduler/cycle/unused_seams.h"
#include "unit/support/builders.h"
#include "unit/support/manual_clock.h"

namespace podium::cycle {

using namespace std::chrono_literals;
using podium::test::node;
using podium::test::pod;
using Log = std::vector<std::string>;

// Records the requested bindings; the test ends them.
class FakeBinder final : public Binder {
 public:
  void bind(cluster::PodInfoPtr pod, std::string node) override {
    asked.push_back((*pod)->meta.name + " to " + node);
  }
  void read(cluster::PodInfoPtr pod) override {
    asked.push_back("read " + (*pod)->meta.name + " on " + (*pod)->node_name);
  }
  Log asked;
};

// Records the requested evictions; the test ends them.
class FakePreemptor final : public Preemptor {
 public:
  void preempt(PreemptionOrder order) override {
    std::string text = (*order.preemptor)->meta.name + " on " + order.node + ":";
    for (const auto& victim : order.victims) text += " " + (*victim)->meta.name;
    for (const auto& pod : order.to_withdraw) text += " -" + (*pod)->meta.name;
    asked.push_back(std::move(text));
    orders.push_back(std::move(order));
  }
  Log asked;
  std::vector<PreemptionOrder> orders;
};

class FakeNominator final : public Nominator {
 public:
  explicit FakeNominator(Log& log) : log_(log) {}
  void nominate(const cluster::PodInfo& pod, std::string node) override {
    log_.push_back(fmt::format("nominated {} to {}", pod->meta.name, node));
  }
  void forget(const std::string&) override {}

 private:
  Log& log_;
};

class FakeAnnouncer final : public Announcer {
 public:
  explicit FakeAnnouncer(Log& log) : log_(log) {}
  void scheduled(const cluster::PodInfo& pod, std::string_view node) override {
    log_.push_back(fmt::format("event {} Scheduled {}", pod->meta.name, node));
  }
  void failed(const cluster::PodInfo& pod, std::string_view reason, std::string_view message,
              const std::optional<std::string>& nominated_node) override {
    log_.push_back(
        fmt::format("event {} {}: {}", pod->meta.name, reason, message.substr(0, message.find('.'))));
    nominations[pod->meta.name] = nominated_node.value_or("as it was");
  }
  void preempted(const cluster::PodInfo& victim, const cluster::PodInfo& preemptor, std::string_view node,
                 bool deleted) override {
    log_.push_back(fmt::format("event {} Preempted by {} on {}{}", victim->meta.name, preemptor->meta.name,
                               node, deleted ? "" : " in memory"));
  }
  void noted(const cluster::PodInfo& pod, std::string_view reason, std::string_view) override {
    log_.push_back(fmt::format("event {} {}", pod->meta.name, reason));
  }
  void skipped(const cluster::PodInfo& pod) override {
    log_.push_back("event " + pod->meta.name + " skipped");
  }
  std::map<std::string, std::string> nominations;  // by pod, from its last failure

 private:
  Log& log_;
};

class FakeRecorder final : public framework::Recorder {
 public:
  explicit FakeRecorder(Log& log) : log_(log) {}
  void decided(const framework::Attempt& attempt, const framework::Decision& decision,
               const cluster::Snapshot& snapshot) override {
    const auto verdict = decision.choice ? snapshot.node_name(*decision.choice) : "no node";
    log_.push_back(fmt::format("decided {} #{} {}", (*attempt.pod)->meta.name, attempt.number, verdict));
  }
  void binding_ended(const cluster::PodInfo& pod, const framework::BindResult& result) override {
    const auto end = result.bound ? std::string("bound") : "not bound: " + result.error;
    log_.push_back(fmt::format("binding {} {} {}", pod->meta.name, result.node, end));
  }
  void binding_withdrawn(std::string_view uid) override { log_.push_back(fmt::format("withdrawn {}", uid)); }
  void gated(const framework::Gated& gated, const cluster::Snapshot&) override {
    log_.push_back(
        fmt::format("gated {} #{} by {}", gated.pod->meta.name, gated.attempts, gated.gate.plugin));
  }
  void forgotten(std::string_view uid) override { log_.push_back(fmt::format("forgotten {}", uid)); }

 private:
  Log& log_;
};

class SchedulerTest : public ::testing::Test {
 protected:
  static cluster::PodInfoPtr info(const api::Pod& pod) {
    return cluster::make_pod_info(std::make_shared<const api::Pod>(pod));
  }
  static podium::test::NodeBuilder machine(const std::string& name, std::string_view cpu = "4") {
    return node(name).cap("cpu", cpu).cap("memory", "8Gi").cap("pods", "1000");
  }

  void see(const api::Pod& pod) { scheduler_.pod_added_or_updated(info(pod)); }
  void see(const podium::test::NodeBuilder& node) { scheduler_.node_added_or_updated(node.ptr()); }
  void end(const std::string& name, BindEnd how, std::string error = "") {
    scheduler_.binding_ended("uid-" + name, {how, std::move(error)});
  }
  // What the API server answered to a read of a pod whose binding no watch has shown.
  void answer_read(const std::string& name, const api::Pod& pod) {
    scheduler_.bound_pod_read("uid-" + name, {.end = PodRead::End::found, .pod = info(pod)});
  }
  void answer_read(const std::string& name, PodRead::End end) {
    scheduler_.bound_pod_read("uid-" + name, {.end = end});
  }
  // Steps for as long as there is something to do.
  int run() {
    int steps = 0;
    while (scheduler_.step()) ++steps;
    return steps;
  }
  // Advances the clock to the next wakeup.
  void sleep_until_wakeup() {
    const auto wakeup = scheduler_.next_wakeup();
    ASSERT_TRUE(wakeup);
    clock_.advance(std::chrono::ceil<std::chrono::milliseconds>(*wakeup - clock_.now()));
  }

  std::int64_t used_cpu(std::string_view node) {
    return scheduler_.snapshot().requested_milli_cpu[scheduler_.snapshot().find_row(node).value()];
  }
  // The pod's node in the snapshot; empty: none.
  std::string place_of(const std::string& name) {
    const auto* placed = scheduler_.snapshot().find_pod("uid-" + name);
    return placed ? (**placed)->node_name : "";
  }
  bool waits(const std::string& name) const { return scheduler_.queue().find("uid-" + name) != nullptr; }
  Log take_log() { return std::exchange(log_, {}); }

  unit::ManualClock clock_;
  FakeBinder binder_;
  FakePreemptor preemptor_;
  NoWriter writer_;
  Log log_;
  FakeNominator nominator_{log_};
  FakeAnnouncer announcer_{log_};
  FakeRecorder recorder_{log_};
  using EventCounts = std::map<std::string, std::uint64_t>;
  EventCounts counted_events() const {
    EventCounts counts;
    for (const auto& family : registry_.Collect()) {
      if (family.name != "scheduler_event_handling_duration_seconds") continue;
      for (const auto& metric : family.metric)
        counts[metric.label.at(0).value] = metric.histogram.sample_count;
    }
    return counts;
  }

  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  config::Config config_ = config::load("", "default").value();
  Scheduler scheduler_{{.config = config_,
                        .clock = clock_,
                        .binder = binder_,
                        .preemptor = preemptor_,
                        .writer = writer_,
                        .nominator = nominator_,
                        .announcer = announcer_,
                        .recorder = recorder_,
                        .metrics = metrics_}};
};

}  // namespace podium::cycle
