// With an EvaluationMemo a decision is the same as without, on a snapshot that changes and on its forks.
#include "scheduler/framework/evaluation_memo.h"

#include <fmt/format.h>

#include <random>

#include "scheduler/framework/evaluation.h"
#include "unit/scheduler/plugins/resource_reference.h"
#include "unit/support/seed.h"

namespace podium::plugins::test::evaluation_memo_test {
namespace {

using framework::Decision;
using framework::EvaluationMemo;

constexpr int kNodes = 2100;  // three chunks
constexpr int kPlaced = 600;  // enough for the memo to keep counts

// The profile, without what reads volumes and devices.
struct TestProfile {
  framework::Profile profile;
  std::vector<PluginPtr> plugins;

  void add(PluginPtr plugin, std::int64_t weight = 1) {
    const std::string name(plugin->name());
    if (const auto* filter = dynamic_cast<const framework::FilterPlugin*>(plugin.get())) {
      if (filter->has_pre_filter()) profile.pre_filters.push_back({name, filter});
      profile.filters.push_back({name, filter});
    }
    if (const auto* score = dynamic_cast<const framework::ScorePlugin*>(plugin.get())) {
      if (score->has_pre_score()) profile.pre_scores.push_back({name, score});
      profile.scores.push_back({name, score, weight});
    }
    plugins.push_back(std::move(plugin));
  }
};

TestProfile profile_with(std::string_view fit, std::int64_t weight) {
  TestProfile out;
  out.add(make(make_node_unschedulable));
  out.add(make(make_taint_toleration), 3);
  out.add(make(make_node_affinity), 2);
  out.add(make(make_node_resources_fit, fit), weight);
  out.add(make(make_pod_topology_spread), 2);
  out.add(make(make_inter_pod_affinity), 2);
  out.add(make(make_node_resources_balanced_allocation));
  out.add(make(make_image_locality));
  return out;
}

struct Calls final : framework::EvaluationObserver {
  void phase_ended(framework::Phase phase, std::string_view status) override {
    text += fmt::format("{} {}\n", static_cast<int>(phase), status);
  }
  void plugin_called(framework::Phase phase, std::size_t index, std::size_t nodes,
                     std::string_view status) override {
    text += fmt::format("{} {} {} {}\n", static_cast<int>(phase), index, nodes, status);
  }
  std::string text;
};

void add_ranks(std::string& out, std::string_view title, const std::vector<framework::Ranked>& ranks) {
  out += fmt::format("{}:", title);
  for (const auto& [row, score] : ranks) out += fmt::format(" {}={}", row, score);
  out += '\n';
}

// All that a decision says, with the lists of a report.
std::string whole(const Decision& decision, const Snapshot& snapshot) {
  auto out = fmt::format("{} of {}; choice {}; {}{}; {}\n", decision.evaluated, decision.node_count,
                         decision.choice ? static_cast<int>(*decision.choice) : -1, decision.message,
                         decision.error, decision.nominated_node);
  for (const auto& name : decision.unschedulable_plugins) out += name + " rejects\n";
  for (const auto& name : decision.skipped_strategies) out += name + " is skipped\n";
  snapshot.present().each([&](cluster::Row row) {
    out += fmt::format("{} {} {}", row, decision.feasible.test(row),
                       decision.total.empty() ? -1 : decision.total[row]);
    for (const auto& strategy : decision.strategies) out += fmt::format(" {}", strategy.at(row));
    if (const auto id = decision.rejections.id(row); id != framework::kFits)
      out += " " + decision.rejections.verdict(id).plugin + text_of(decision.rejections.verdict(id));
    out += '\n';
  });
  const auto best = top_total(decision, snapshot, 10);
  add_ranks(out, "best", best);
  if (const auto below = best.empty() ? std::nullopt : best_below(best.front().score, decision, snapshot))
    out += fmt::format("below: {} {}\n", below->row, below->score);
  for (std::size_t i = 0; i < decision.strategies.size(); ++i) {
    const auto& strategy = decision.strategies[i];
    add_ranks(out, fmt::format("{} * {}", strategy.name, strategy.weight),
              top_of(strategy, decision, snapshot, 5));
    if (const auto winner = winner_without(i, decision, snapshot))
      out += fmt::format("without: {} {}\n", winner->row, winner->score);
  }
  if (const auto lead = lead_of(decision, best))
    out += fmt::format("lead {} {}\n", lead->tied, lead->margin.value_or(-1));
  for (const auto& group : group_rejections(decision, snapshot, 3))
    out += fmt::format("{} {} {} {} {}\n", group.plugin, group.reason.text, group.nodes,
                       group.preemption_may_help, fmt::join(group.examples, ","));
  return out;
}

// Summaries and counts say what the rows have.
void expect_summaries(const Decision& decision) {
  std::vector<std::size_t> counts(decision.rejections.counts().size());
  for (std::size_t row = 0; row < decision.feasible.words() * 64; ++row) {
    if (const auto id = decision.rejections.id(static_cast<cluster::Row>(row))) ++counts[id - 1];
  }
  EXPECT_EQ(counts, decision.rejections.counts());
  for (std::size_t chunk = 0; chunk < decision.total.chunks(); ++chunk) {
    framework::Totals::Chunk space;
    const auto totals = decision.total.chunk(chunk, space);
    const auto& summary = decision.total.summary(chunk);
    const auto most = std::ranges::max(totals);
    EXPECT_EQ(summary.most, most);
    EXPECT_EQ(summary.count, std::ranges::count(totals, most));
    std::int64_t next = 0;
    for (std::size_t i = 0; i < totals.size(); ++i) {
      if (totals[i] < most) next = std::max(next, totals[i]);
      if (most > 0) {
        EXPECT_EQ(summary.rows[i / 64] >> (i % 64) & 1, totals[i] == most);
      }
    }
    EXPECT_EQ(summary.next, next);
    for (const auto& strategy : decision.strategies) {
      framework::Scores::Chunk space;
      const auto scores = strategy.score.chunk(chunk, space);
      EXPECT_EQ(strategy.score.summary(chunk).most, std::ranges::max(scores));
      EXPECT_EQ(strategy.score.summary(chunk).count, std::ranges::count(scores, std::ranges::max(scores)));
    }
  }
}

class Cluster {
 public:
  explicit Cluster(std::uint64_t seed, bool huge)
      : random_(seed, huge),
        snapshot_(snapshot_of(nodes(kNodes), placed(kPlaced))),
        pods_{bare(), bare(), bare()} {
    for (int i = 0; i < 12; ++i) pods_.push_back(random_.incoming());
    pods_.push_back(web().anti_affinity(podium::test::term("kubernetes.io/hostname").label("app", "web")));
    pods_.push_back(web().prefer_affinity(3, podium::test::term("zone").label("app", "web")));
    pods_.push_back(web().spread(podium::test::spread("zone").schedule_anyway().label("app", "web")));
    pods_.push_back(web().spread(on("zone").schedule_anyway()).spread(on(kHostname).schedule_anyway()));
    pods_.push_back(web().spread(on(kHostname).schedule_anyway()));
    pods_.push_back(web().spread(on("zone").max_skew(40)).prefer_anti_affinity(9, term(kHostname)));
    pods_.push_back(web().prefer_affinity(5, term("zone")).prefer_anti_affinity(2, term("rack")));
    pods_.push_back(web().spread(on("zone").schedule_anyway()).prefer_affinity(5, term("rack")));
    pods_.push_back(web().spread(on("rack").schedule_anyway()).spread(on("nowhere").schedule_anyway()));
    pods_.push_back(web().affinity(term("zone")));
    for (int skew = 1; skew <= 3; ++skew)
      pods_.push_back(web().req("cpu", "1m").spread(on("zone").max_skew(skew)));
    pods_.push_back(web().spread(on("zone").max_skew(1)).prefer_anti_affinity(9, term(kHostname)));
    pods_.push_back(web().spread(on("zone").max_skew(2)).spread(on("rack").max_skew(30)));
    pods_.push_back(web().spread(on("nowhere")));
    pods_.push_back(web().affinity(term("rack")).prefer_affinity(3, term("zone")));
    pods_.push_back(web().affinity(term("nowhere")));
    pods_.push_back(web().anti_affinity(term("nowhere")).anti_affinity(term("rack")));
    pods_.push_back(web().tolerate_exists("dedicated").image("app"));
    pods_.push_back(web().tolerate_exists("node.kubernetes.io/unschedulable"));
    pods_.push_back(web().node_selector("zone", "a"));
    pods_.push_back(web().prefer_node(4, podium::test::node_term({podium::test::in("zone", {"b"})})));
    pods_.push_back(web().req("cpu", "100000"));
  }

  // A decision about a pod, with the memo and without.
  void expect_equal(EvaluationMemo& memo, const Snapshot& snapshot) {
    auto asked = random_.below(3) ? last_ : random_.below(pods_.size());
    last_ = asked;
    const auto& profile = profiles_[random_.below(4) ? 0 : random_.below(profiles_.size())].profile;
    auto pod = pods_[asked];
    pod.meta.name = pod.meta.uid = fmt::format("asked-{}", ++number_);
    const auto incoming = info(pod);
    const auto decide = [&](Calls& calls) {
      return framework::Evaluation(*incoming, snapshot, profile, 0, &calls).finish();
    };
    Calls calls_with, calls_without;
    const auto without = decide(calls_without);
    std::string said;  // with lists that the memo keeps parts of
    const auto with = [&] {
      const EvaluationMemo::Use use(memo);
      auto decision = decide(calls_with);
      said = whole(decision, snapshot);
      return decision;
    }();
    ASSERT_EQ(said, whole(without, snapshot)) << "pod " << asked;
    EXPECT_EQ(calls_with.text, calls_without.text) << "pod " << asked;
    expect_summaries(with);
    expect_summaries(without);
    // It shares its chunks with the memo. Not assigned: Boost 1.83 calls memcpy() with null for an empty map.
    if (random_.below(3) == 0) kept_.emplace(with);
    placement_ = with.choice ? std::optional(std::pair(pod, *with.choice)) : std::nullopt;
  }

  // Places the pod of the last decision, as a workload's next replica sees it.
  void place(Snapshot& snapshot) {
    if (!placement_ || !snapshot.present().test(placement_->second)) return;
    auto pod = placement_->first;
    pod.node_name = snapshot.node_name(placement_->second);
    snapshot.add_pod(info(pod));
  }

  // A pod more, a pod less, a nomination, or a node that comes, goes or changes.
  void change(Snapshot& snapshot) {
    const auto number = std::to_string(random_.below(kPlaced));
    switch (random_.below(8)) {
      case 0:
        return snapshot.remove_pod(info(pod("placed" + number))->pod->meta.uid);
      case 1:
        return snapshot.set_node(share_node(random_.below(kNodes)));
      case 2:
        return snapshot.remove_node("n" + std::to_string(random_.below(kNodes)));
      case 3: {
        api::Pod high = web().req("cpu", "1").priority(10);
        high.meta.name = high.meta.uid = "nominated-" + number;
        return snapshot.nominate(info(high), "n" + std::to_string(random_.below(kNodes)));
      }
      case 4:
        return snapshot.withdraw_nomination("nominated-" + number);
      case 5:
        return add_pods(snapshot, random_.below(4) ? 1 : 80);  // more than RowChanges knows
      default:
        add_pods(snapshot, 1);
    }
  }

  std::uint64_t below(std::uint64_t n) { return random_.below(n); }
  Snapshot& snapshot() { return snapshot_; }

 private:
  static podium::test::PodBuilder web() {
    return pod("web").label("app", "web").req("cpu", "250m").req("memory", "1Gi");
  }
  static constexpr auto kHostname = "kubernetes.io/hostname";
  static podium::test::SpreadBuilder on(std::string key) {
    return podium::test::spread(std::move(key)).label("app", "web");
  }
  static podium::test::TermBuilder term(std::string key) {
    return podium::test::term(std::move(key)).label("app", "web");
  }
  api::Pod bare() { return random_.below(2) ? web() : pod("bare").req("cpu", "1"); }

  Nodes nodes(int count) {
    auto out = random_.nodes(count);
    for (auto& node : out) {
      node.meta.labels.set("zone", std::string(1, static_cast<char>('a' + random_.below(3))));
      if (has_all_racks_ || random_.below(9)) node.meta.labels.set("rack", std::to_string(random_.below(40)));
      node.meta.labels.set(kHostname, node.meta.name);
      if (random_.below(20) == 0) node.unschedulable = true;
      if (random_.below(10) == 0) node.taints.push_back({"dedicated", "x", api::TaintEffect::no_schedule});
      if (random_.below(10) == 0) node.taints.push_back({"worse", "x", api::TaintEffect::prefer_no_schedule});
    }
    return out;
  }
  Pods placed(int count) {
    auto out = random_.placed(count, kNodes);
    for (auto& pod : out) {
      if (random_.below(4)) pod.meta.labels.set("app", "web");
      if (random_.below(4) == 0) pod.meta.labels.set("zone", std::to_string(random_.below(3)));
      if (random_.below(5) == 0)
        pod.meta.deleted = podium::test::pod("gone").terminating().build().meta.deleted;
    }
    return out;
  }
  void add_pods(Snapshot& snapshot, int count) {
    for (const auto& each : placed(count)) snapshot.add_pod(info(each));
  }
  api::NodePtr share_node(std::uint64_t number) {
    auto node = nodes(1).front();
    node.meta.name = node.meta.uid = "n" + std::to_string(number);
    return std::make_shared<const api::Node>(std::move(node));
  }

  RandomResources random_;
  const bool has_all_racks_ = random_.below(2) == 0;
  Snapshot snapshot_;
  std::vector<api::Pod> pods_;
  std::vector<TestProfile> profiles_ = [] {
    std::vector<TestProfile> out;
    out.push_back(profile_with("{}", 1));
    out.push_back(profile_with(R"({"scoringStrategy": {"type": "MostAllocated",
        "resources": [{"name": "cpu", "weight": 3}, {"name": "example.com/gpu", "weight": 2}]}})",
                               5));
    out.push_back(profile_with("{}", std::int64_t{1} << 40));  // totals above 32 bits
    return out;
  }();
  std::size_t last_ = 0, number_ = 0;
  std::optional<Decision> kept_;
  std::optional<std::pair<api::Pod, cluster::Row>> placement_;
};

void run(bool huge) {
  const auto seed = podium::test::drawn_seed();
  SCOPED_SEED(seed);
  Cluster cluster(seed, huge);
  EvaluationMemo memo;
  auto apart = cluster.snapshot();
  for (int round = 0; round < 60; ++round) {
    cluster.expect_equal(memo, cluster.snapshot());
    if (cluster.below(3) == 0) {
      auto fork = cluster.snapshot();
      cluster.change(fork);
      cluster.expect_equal(memo, fork);
    }
    if (cluster.below(2)) cluster.place(cluster.snapshot());
    if (cluster.below(2)) cluster.change(cluster.snapshot());
    // One that has long gone its own way.
    if (cluster.below(4) == 0) {
      cluster.change(apart);
      cluster.expect_equal(memo, apart);
    }
    if (cluster.below(20) == 0) apart = cluster.snapshot();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(EvaluationMemo, DecidesAsWithoutIt) { run(false); }
TEST(EvaluationMemo, DecidesAsWithoutItWithHugeAmounts) { run(true); }

// A smaller cluster after a larger one: rows that no longer exist count for nothing.
TEST(EvaluationMemo, DecidesAboutAnotherCluster) {
  const auto seed = podium::test::drawn_seed();
  SCOPED_SEED(seed);
  Cluster cluster(seed, false);
  EvaluationMemo memo;
  cluster.expect_equal(memo, cluster.snapshot());
  const auto small = snapshot_of({node("a").cap("cpu", "4").cap("memory", "4Gi").cap("pods", "4"),
                                  node("b").cap("cpu", "4").cap("memory", "4Gi").cap("pods", "0")});
  for (int i = 0; i < 4; ++i) cluster.expect_equal(memo, small);
}

TEST(EvaluationMemoDeathTest, ARunBeginsWithoutVerdicts) {
  const auto snapshot = snapshot_of({node("a").cap("cpu", "4").cap("memory", "4Gi").cap("pods", "4")});
  const auto profile = profile_with("{}", 1);
  const auto incoming = info(pod("p").req("cpu", "1"));
  const framework::Filters filters(*incoming, snapshot, profile.profile);
  framework::Rejections out(snapshot.chunks());
  out.add({"NodeName", framework::Code::unschedulable, {}});
  EvaluationMemo memo;
  const EvaluationMemo::Use use(memo);
  EXPECT_DEATH((void)filters.run(out), "check failed at .*verdicts\\(\\).empty\\(\\)");
}

}  // namespace
}  // namespace podium::plugins::test::evaluation_memo_test
