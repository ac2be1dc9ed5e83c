// The dry run that reads sums of requests compared with the one that asks each filter about each pod, on
// drawn clusters that change between the questions.
#include <random>

#include "unit/scheduler/plugins/preemption_fixture.h"
#include "unit/scheduler/plugins/resource_reference.h"
#include "unit/support/seed.h"

namespace podium::plugins::test::preemption_random_test {
namespace {

using podium::test::disruption_budget;
using podium::test::select_labels;

// Accepts every node. It says that pods count, so that the dry run asks about each of them.
class AsksAboutPods final : public framework::Plugin, public framework::FilterPlugin {
 public:
  std::string_view name() const override { return "AsksAboutPods"; }
  bool has_pre_filter() const override { return false; }
  std::vector<framework::EventHint> hints() const override { return {}; }
  framework::PreparedFilter prepare_filter(const cluster::PodInfo&, const Snapshot& snapshot) const override {
    return {.filter = std::make_unique<Evaluator>(snapshot)};
  }

 private:
  class Evaluator final : public framework::NodeFilter {
   public:
    explicit Evaluator(const Snapshot& snapshot) : NodeFilter(snapshot) {}
    void filter(cluster::NodeMask&, framework::Rejections&) const override {}
    std::optional<framework::Verdict> check(cluster::Row, const framework::PodDelta&) const override {
      return std::nullopt;
    }
  };
};

class World {
 public:
  explicit World(std::uint64_t seed)
      : random_(seed), resources_(seed + 1, chance(20)), has_budgets_(chance(50)) {
    // A node without enough allowed pods or without cpu rejects most pods for good.
    for (auto made : resources_.nodes(kNodes)) {
      if (chance(20)) made.taints.push_back({"dedicated", "batch", api::TaintEffect::no_schedule});
      made.unschedulable = chance(10);
      if (chance(80)) made.meta.labels.set("zone", "zone" + std::to_string(below(3)));
      snapshot_.set_node(podium::test::share(made));
    }
    for (int i = 0; i < 30; ++i) add_pod();
    const auto budgets = has_budgets_ ? 1 + below(3) : 0;
    for (std::size_t i = 0; i < budgets; ++i) {
      const auto app = "app" + std::to_string(below(3));
      snapshot_.objects().set(
          podium::test::share(disruption_budget("default", "budget" + std::to_string(i),
                                                select_labels({{"app", app}}), static_cast<int>(below(3)))));
    }
  }

  void change() {
    switch (below(4)) {
      case 0:
        return snapshot_.remove_pod("uid-placed" + std::to_string(below(40)));
      case 1:
        return nominate();
      default:
        return add_pod();
    }
  }

  cluster::PodInfoPtr incoming() {
    auto made = resources_.incoming();
    made.priority = static_cast<std::int32_t>(below(4));
    if (chance(50)) made.tolerations.push_back(tolerates_all());
    made.meta.labels.set("app", app());
    if (chance(50)) add_rules(made);
    return info(made);
  }
  const Snapshot& snapshot() const { return snapshot_; }

 private:
  static constexpr int kNodes = 6;

  std::string app() { return "app" + std::to_string(below(6)); }
  api::PodAffinityTerm term() {
    return podium::test::term(chance(50) ? "zone" : "kubernetes.io/hostname").label("app", app());
  }
  void add_host_port(api::Pod& pod) {
    pod.containers.write().front().ports.push_back({.host_port = static_cast<std::int32_t>(8000 + below(3))});
  }
  // Rules for which pods count.
  void add_rules(api::Pod& pod) {
    if (chance(30)) add_host_port(pod);
    if (chance(40)) pod.pod_anti_affinity.required.push_back(term());
    if (chance(30)) pod.pod_affinity.required.push_back(term());
    if (chance(40)) {
      pod.topology_spread.push_back(
          podium::test::spread(chance(50) ? "zone" : "kubernetes.io/hostname").label("app", app()));
    }
  }

  std::size_t below(std::size_t n) { return random_() % n; }
  bool chance(std::size_t percent) { return below(100) < percent; }

  static api::Toleration tolerates_all() {
    const api::Pod made = pod("any").tolerate_exists("");
    return made.tolerations.front();
  }
  api::Pod drawn(const std::string& name) {
    auto made = resources_.placed(1, kNodes).front();
    made.meta.name = name;
    made.meta.uid = "uid-" + name;
    made.meta.labels.set("app", app());
    if (chance(20)) made.pod_anti_affinity.required.push_back(term());
    if (chance(10)) add_host_port(made);
    made.priority = static_cast<std::int32_t>(below(4)) - 1;
    if (chance(80)) made.start_time = Wall(std::chrono::seconds(1'700'000'000 + below(5)));
    return made;
  }
  void add_pod() { snapshot_.add_pod(info(drawn("placed" + std::to_string(below(40))))); }
  void nominate() {
    auto made = drawn("nominated" + std::to_string(below(4)));
    const auto node = std::exchange(made.node_name, "");
    snapshot_.nominate(info(made), node);
  }

  std::mt19937_64 random_;
  RandomResources resources_;
  bool has_budgets_;
  Snapshot snapshot_;
};

std::string text_of(const PreemptionDryRun& run, const Snapshot& snapshot) {
  std::string text;
  for (const auto& [row, victims, violations, violated] : run.candidates) {
    text += fmt::format("{} ({}):", snapshot.node_name(row), violations);
    for (const auto& victim : victims) text += " " + (*victim)->meta.name;
    for (const auto& [victim, budget] : violated)
      text += fmt::format(" {} violates {}", (*victim)->meta.name, budget->meta.name);
    text += "\n";
  }
  text += fmt::format("{} failed\n", run.failed_nodes);
  for (const auto& [reason, nodes] : run.reasons) text += fmt::format("{} {}\n", nodes, reason);
  for (const auto& error : run.errors) text += error + "\n";
  return text;
}

TEST(PreemptionReference, SumsOfRequestsSayWhatTheFiltersSay) {
  const auto seed = podium::test::drawn_seed();
  SCOPED_SEED(seed);
  const auto quick = default_profile();
  const AsksAboutPods asks;
  auto plain = default_profile();
  plain.filters.push_back({"AsksAboutPods", &asks});
  std::size_t with_victims = 0, in_vain = 0, violating = 0;
  for (std::uint64_t run = 0; run < 300; ++run) {
    World world(seed + run);
    std::optional<Snapshot> fork;
    for (int step = 0; step < 15; ++step) {
      world.change();
      const auto pod = world.incoming();
      const auto& snapshot = world.snapshot();
      const auto decision = framework::evaluate(*pod, snapshot, quick),
                 want = framework::evaluate(*pod, snapshot, plain);
      SCOPED_TRACE(fmt::format("run {}, step {}", run, step));
      ASSERT_EQ(decision.message, want.message);
      ASSERT_EQ(decision.preemption.has_value(), want.preemption.has_value());
      if (!decision.tried_preemption) continue;
      in_vain += !want.preemption;
      if (want.preemption) {
        ++with_victims;
        EXPECT_EQ(decision.preemption->node, want.preemption->node);
        EXPECT_EQ(decision.preemption->victims, want.preemption->victims);
      }
      if (not_eligible_to_preempt(*pod, snapshot, decision)) continue;
      const auto all =
          dry_run_preemption(*pod, snapshot, framework::Filters(*pod, snapshot, quick), decision);
      ASSERT_EQ(text_of(all, snapshot),
                text_of(dry_run_preemption(*pod, snapshot, framework::Filters(*pod, snapshot, plain), want),
                        snapshot));
      for (const auto& candidate : all.candidates) {
        violating += candidate.budget_violations > 0;
        EXPECT_EQ(candidate.violated.size(), static_cast<std::size_t>(candidate.budget_violations));
      }
      if (step % 4 == 0) fork = snapshot;  // shares what was computed for it, and then the next change copies
    }
  }
  EXPECT_GT(with_victims, 300u);
  EXPECT_GT(in_vain, 100u);
  EXPECT_GT(violating, 50u);
}

}  // namespace
}  // namespace podium::plugins::test::preemption_random_test
