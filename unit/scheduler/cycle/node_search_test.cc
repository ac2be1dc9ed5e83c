// The start of the node search advances from pod to pod, also when the Consultant decides.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "scheduler/config/load.h"
#include "scheduler/cycle/scheduler.h"
#include "scheduler/framework/decision.h"
#include "unit/scheduler/cycle/unused_seams.h"
#include "unit/support/builders.h"
#include "unit/support/manual_clock.h"

namespace podium::cycle::node_search_test {
namespace {

using podium::test::node;
using podium::test::pod;
using Log = std::vector<std::string>;

// Records the nodes that each decision evaluated.
struct World final : Binder, Announcer, framework::Recorder, Consultant {
  void bind(cluster::PodInfoPtr, std::string) override {}
  void read(cluster::PodInfoPtr) override {}
  void scheduled(const cluster::PodInfo&, std::string_view) override {}
  void preempted(const cluster::PodInfo&, const cluster::PodInfo&, std::string_view, bool) override {}
  void skipped(const cluster::PodInfo&) override {}
  void noted(const cluster::PodInfo&, std::string_view, std::string_view) override {}
  void failed(const cluster::PodInfo&, std::string_view, std::string_view,
              const std::optional<std::string>&) override {}
  void binding_ended(const cluster::PodInfo&, const framework::BindResult&) override {}
  void forgotten(std::string_view) override {}
  void decided(const framework::Attempt& attempt, const framework::Decision& decision,
               const cluster::Snapshot& snapshot) override {
    std::vector<std::string_view> names;
    for (const auto row : snapshot.rows_by_name()) {
      if (decision.feasible.test(row)) names.push_back(snapshot.node_name(row));
    }
    log.push_back(fmt::format("{}: {} of {}, {} to {}", (*attempt.pod)->meta.name, decision.evaluated,
                              decision.node_count, names.front(), names.back()));
  }
  bool applies_to(const api::Pod& pod) const override { return pod.meta.labels.find("ask") != nullptr; }
  void decide(cluster::PodInfoPtr pod, cluster::Snapshot fork, const framework::Profile& profile,
              std::size_t start) override {
    answer = framework::evaluate(*pod, fork, profile, start);
  }

  Log log;
  framework::Decision answer;
};

TEST(NodeSearchOfTheCycle, StartsWhereTheLastOneEnded) {
  unit::ManualClock clock;
  World world;
  NoPreemptor preemptor;
  NoWriter writer;
  NoNominator nominator;
  prometheus::Registry registry;
  Metrics metrics{registry};
  const auto config = config::load(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles: [{schedulerName: default-scheduler, percentageOfNodesToScore: 40}, {schedulerName: "
      "thorough}]\n",
      "c.yaml");
  ASSERT_TRUE(config) << config.error().message;
  Scheduler scheduler({.config = *config,
                       .clock = clock,
                       .binder = world,
                       .preemptor = preemptor,
                       .writer = writer,
                       .nominator = nominator,
                       .announcer = world,
                       .recorder = world,
                       .metrics = metrics,
                       .consultant = &world});
  for (int i = 0; i < 300; ++i) {
    scheduler.node_added_or_updated(
        node(fmt::format("n{:03}", i)).cap("cpu", "4").cap("memory", "8Gi").cap("pods", "10").ptr());
  }
  const auto schedule = [&](const api::Pod& pod) {
    scheduler.pod_added_or_updated(cluster::make_pod_info(std::make_shared<const api::Pod>(pod)));
    scheduler.step();
    if (scheduler.consulting()) scheduler.decided(std::move(world.answer));
  };
  schedule(pod("first"));
  schedule(pod("asked").label("ask", ""));
  schedule(pod("all").scheduler("thorough"));
  schedule(pod("third"));
  EXPECT_EQ(world.log, (Log{"first: 120 of 300, n000 to n119", "asked: 120 of 300, n120 to n239",
                            "all: 300 of 300, n000 to n299", "third: 120 of 300, n000 to n299"}));
}

}  // namespace
}  // namespace podium::cycle::node_search_test
