// Pods that the Consultant decides on: the scheduler asks, handles events until then, and
// uses the decision.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "scheduler/config/load.h"
#include "scheduler/cycle/scheduler.h"
#include "scheduler/framework/decision.h"
#include "unit/scheduler/cycle/unused_seams.h"
#include "unit/support/builders.h"
#include "unit/support/manual_clock.h"

namespace podium::cycle {
namespace {

using namespace std::chrono_literals;
using podium::test::node;
using podium::test::pod;
using Log = std::vector<std::string>;

// One log of everything that the cycle does.
struct World final : Binder, Preemptor, Announcer, framework::Recorder, Consultant {
  void preempt(PreemptionOrder order) override {
    std::string who;
    for (const auto& victim : order.victims) who += " " + (*victim)->meta.name;
    log.push_back(fmt::format("evict for {}:{}", (*order.preemptor)->meta.name, who));
  }
  void bind(cluster::PodInfoPtr pod, std::string node) override {
    log.push_back("bind " + (*pod)->meta.name + " to " + node);
  }
  void read(cluster::PodInfoPtr) override {}
  void scheduled(const cluster::PodInfo&, std::string_view) override {}
  void preempted(const cluster::PodInfo&, const cluster::PodInfo&, std::string_view, bool) override {}
  void skipped(const cluster::PodInfo&) override {}
  void noted(const cluster::PodInfo&, std::string_view, std::string_view) override {}
  void failed(const cluster::PodInfo& pod, std::string_view reason, std::string_view message,
              const std::optional<std::string>&) override {
    log.push_back(fmt::format("failed {} {}: {}", pod->meta.name, reason, message));
  }
  void decided(const framework::Attempt& attempt, const framework::Decision&,
               const cluster::Snapshot& snapshot) override {
    log.push_back(fmt::format("decided {} among {} nodes in {} s", (*attempt.pod)->meta.name,
                              snapshot.node_count(), attempt.evaluate / 1s));
  }
  void binding_ended(const cluster::PodInfo&, const framework::BindResult&) override {}
  void forgotten(std::string_view) override {}
  bool applies_to(const api::Pod& pod) const override { return pod.meta.labels.find("ask") != nullptr; }
  void decide(cluster::PodInfoPtr pod, cluster::Snapshot fork, const framework::Profile& profile,
              std::size_t start) override {
    log.push_back("ask about " + (*pod)->meta.name);
    answer = framework::evaluate(*pod, fork, profile, start);
  }

  Log log;
  framework::Decision answer;
};

class ConsultationTest : public ::testing::Test {
 public:
  ConsultationTest() {
    see_node("n1");
    scheduler_.on_work([this] { ++wakes_; });
  }
  void see_node(const std::string& name) {
    scheduler_.node_added_or_updated(node(name).cap("cpu", "4").cap("memory", "8Gi").cap("pods", "10").ptr());
  }
  void see(const api::Pod& pod) {
    scheduler_.pod_added_or_updated(cluster::make_pod_info(std::make_shared<const api::Pod>(pod)));
  }
  static podium::test::PodBuilder asking(const std::string& name) {
    return pod(name).label("ask", "").priority(10);
  }
  void run() {
    while (scheduler_.step()) {
    }
  }
  void answer() { scheduler_.decided(std::move(world_.answer)); }
  Log take_log() { return std::exchange(world_.log, {}); }

  unit::ManualClock clock_;
  World world_;
  NoWriter writer_;
  NoNominator nominator_;
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  config::Config config_ = config::load("", "default").value();
  int wakes_ = 0;
  Scheduler scheduler_{{.config = config_,
                        .clock = clock_,
                        .binder = world_,
                        .preemptor = world_,
                        .writer = writer_,
                        .nominator = nominator_,
                        .announcer = world_,
                        .recorder = world_,
                        .metrics = metrics_,
                        .consultant = &world_}};
};

TEST_F(ConsultationTest, OneAtATimeAndTheOthersWait) {
  see(asking("gpu"));
  see(asking("second"));
  see(pod("plain"));
  run();
  EXPECT_EQ(take_log(), Log{"ask about gpu"});
  EXPECT_TRUE(scheduler_.consulting());
  see_node("n2");  // events are handled, but the decision uses the older fork
  clock_.advance(2s);
  wakes_ = 0;
  answer();
  EXPECT_GT(wakes_, 0);
  EXPECT_EQ(take_log(), (Log{"bind gpu to n1", "decided gpu among 1 nodes in 2 s"}));
  run();
  EXPECT_EQ(take_log(), Log{"ask about second"});
  answer();
  run();
  EXPECT_EQ(take_log().size(), 4u) << "the second and the plain one";
  EXPECT_FALSE(scheduler_.consulting());
}

TEST_F(ConsultationTest, AFailedAttemptIsTriedAgain) {
  see(asking("gpu"));
  run();
  take_log();
  world_.answer = {};
  world_.answer.error = "connection refused";
  answer();
  EXPECT_EQ(take_log(),
            (Log{"decided gpu among 1 nodes in 0 s", "failed gpu SchedulerError: connection refused"}));
  clock_.advance(3s);
  run();
  EXPECT_EQ(take_log(), Log{"ask about gpu"});
}

TEST_F(ConsultationTest, ABackoffThatEndsDuringTheQuestionWakesNoOther) {
  see(asking("gpu"));
  run();
  world_.answer = {};
  world_.answer.error = "connection refused";
  answer();
  see(asking("second"));
  run();
  EXPECT_EQ(take_log().back(), "ask about second");
  clock_.advance(3s);
  EXPECT_EQ(scheduler_.next_wakeup(), std::nullopt) << "a step would do nothing";
  answer();
  run();
  EXPECT_EQ(take_log(), (Log{"bind second to n1", "decided second among 1 nodes in 3 s", "ask about gpu"}));
}

TEST_F(ConsultationTest, WhatHappensDuringTheQuestion) {
  const struct {
    const char* name;
    void (*happens)(ConsultationTest&);
    Log want;
  } cases[] = {
      {"the pod is deleted", [](ConsultationTest& t) { t.scheduler_.pod_deleted("uid-gpu"); }, {}},
      {"the pod is on its way out", [](ConsultationTest& t) { t.see(asking("gpu").terminating()); }, {}},
      {"somebody else places it", [](ConsultationTest& t) { t.see(asking("gpu").node("n1")); }, {}},
      {"the node leaves",
       [](ConsultationTest& t) { t.scheduler_.node_deleted("n1"); },
       {"decided gpu among 1 nodes in 0 s", "failed gpu SchedulerError: node n1 has left the cluster"}},
      {"the node comes back as another row",
       [](ConsultationTest& t) {
         t.scheduler_.node_deleted("n1");
         t.see_node("n0");
         t.see_node("n1");
       },
       {"bind gpu to n1", "decided gpu among 1 nodes in 0 s"}},
      {"the pod changes",
       [](ConsultationTest& t) { t.see(asking("gpu").label("more", "")); },
       {"bind gpu to n1", "decided gpu among 1 nodes in 0 s"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    scheduler_.pod_deleted("uid-gpu");
    for (const auto* name : {"n0", "n1"}) scheduler_.node_deleted(name);
    see_node("n1");
    see(asking("gpu"));
    run();
    ASSERT_EQ(take_log(), Log{"ask about gpu"});
    c.happens(*this);
    answer();
    EXPECT_EQ(take_log(), c.want);
    EXPECT_FALSE(scheduler_.consulting());
    EXPECT_EQ(scheduler_.queue().counts().in_flight, 0u);
    for (const auto* uid : {"uid-gpu"}) scheduler_.binding_ended(uid, {BindEnd::elsewhere, ""});
  }
}

// The extenders chose "low" and "lower" on n1 as victims.
TEST_F(ConsultationTest, VictimsThatGoDuringTheQuestionAreNotEvicted) {
  static constexpr auto kDecided = "decided gpu among 1 nodes in 0 s";
  static constexpr auto kFailed =
      "failed gpu Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential "
      "placement for pod on node n1, preempting 2 victims";
  const auto victim = [](const char* name) { return pod(name).priority(1).req("cpu", "2").node("n1"); };
  const struct {
    const char* name;
    std::function<void()> happens;
    Log want;  // after the answer
    bool is_tried_again;
  } cases[] = {
      {"nothing", [] {}, {kDecided, kFailed, "evict for gpu: low lower"}, false},
      {"one is deleted",
       [&] { scheduler_.pod_deleted("uid-low"); },
       {kDecided, kFailed, "evict for gpu: lower"},
       false},
      {"one is on its way out",
       [&] { see(victim("lower").terminating()); },
       {kDecided, kFailed, "evict for gpu: low"},
       false},
      {"one is deleted, the other on its way out",
       [&] {
         scheduler_.pod_deleted("uid-low");
         see(victim("lower").terminating());
       },
       {kDecided, kFailed},
       true},
      {"both are deleted",
       [&] {
         scheduler_.pod_deleted("uid-low");
         scheduler_.pod_deleted("uid-lower");
       },
       {kDecided, kFailed},
       true},
      {"their node leaves", [&] { scheduler_.node_deleted("n1"); }, {kDecided, kFailed}, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    scheduler_.pod_deleted("uid-gpu");
    scheduler_.node_deleted("n1");
    see_node("n1");
    for (const auto* name : {"low", "lower"}) {
      scheduler_.pod_deleted(std::string("uid-") + name);
      see(victim(name));
    }
    see(asking("gpu").req("cpu", "4"));
    run();
    ASSERT_EQ(take_log(), Log{"ask about gpu"});
    c.happens();
    answer();
    EXPECT_EQ(take_log(), c.want);
    run();
    EXPECT_EQ(take_log(), c.is_tried_again ? Log{"ask about gpu"} : Log{});
    if (c.is_tried_again) answer();
    take_log();
    scheduler_.binding_ended("uid-gpu", {BindEnd::elsewhere, ""});
  }
}

TEST_F(ConsultationTest, AnotherPodOfItsNameIsAskedAboutAgain) {
  see(asking("gpu"));
  run();
  scheduler_.pod_deleted("uid-gpu");
  see(asking("gpu").uid("uid-gpu-again"));
  EXPECT_EQ(take_log(), Log{"ask about gpu"});
  answer();
  EXPECT_EQ(take_log(), Log{}) << "what was found is of the one that is gone";
  run();
  EXPECT_EQ(take_log(), Log{"ask about gpu"});
  answer();
  EXPECT_EQ(take_log(), (Log{"bind gpu to n1", "decided gpu among 1 nodes in 0 s"}));
}

using ConsultationDeathTest = ConsultationTest;

TEST_F(ConsultationDeathTest, EachQuestionHasOneAnswer) {
  EXPECT_DEATH(scheduler_.decided({}), "check failed at .*consultation_");
  see(asking("gpu"));
  run();
  answer();
  EXPECT_DEATH(scheduler_.decided({}), "check failed at .*consultation_");
}

}  // namespace
}  // namespace podium::cycle
