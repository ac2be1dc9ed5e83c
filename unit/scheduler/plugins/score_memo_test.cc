// With a ScoreMemo the resource plugins score as without: on a snapshot that changes, and on its forks.
#include "scheduler/framework/score_memo.h"

#include "scheduler/cluster/snapshot.h"
#include "unit/scheduler/plugins/resource_reference.h"

namespace podium::plugins::test::score_memo_test {
namespace {

using framework::ScoreMemo;

constexpr int kNodes = 1100;  // two chunks

class Replicas {
 public:
  explicit Replicas(std::uint64_t seed, bool huge)
      : random_(seed, huge),
        snapshot_(snapshot_of(random_.nodes(kNodes), random_.placed(300, kNodes))),
        asked_{random_.incoming(), random_.incoming()} {}

  // The scores of all pods by all plugins, in the thread's memo if it has one.
  std::vector<Scores> scores(const Snapshot& snapshot) const {
    std::vector<Scores> all;
    for (const auto& plugin : plugins_) {
      for (const auto& asked : asked_) all.push_back(score(plugin, asked, snapshot));
    }
    return all;
  }

  void expect_equal(ScoreMemo& memo, const Snapshot& snapshot) const {
    const auto want = scores(snapshot);
    const ScoreMemo::Use use(memo);
    EXPECT_EQ(scores(snapshot), want);
  }

  // A pod more, a pod less, or a node with other amounts.
  void change(Snapshot& snapshot) {
    const auto number = std::to_string(random_.below(300));
    switch (random_.below(4)) {
      case 0:
        return snapshot.remove_pod(info(pod("placed" + number))->pod->meta.uid);
      case 1:
        return snapshot.set_node(std::make_shared<const api::Node>(random_.nodes(300)[random_.below(300)]));
      default:
        for (const auto& placed : random_.placed(1, kNodes)) snapshot.add_pod(info(placed));
    }
  }

  Snapshot& snapshot() { return snapshot_; }

 private:
  RandomResources random_;
  Snapshot snapshot_;
  std::vector<api::Pod> asked_;
  std::vector<PluginPtr> plugins_{
      make(make_node_resources_fit),
      make(make_node_resources_fit, R"({"scoringStrategy": {"type": "MostAllocated",
          "resources": [{"name": "cpu", "weight": 3}, {"name": "example.com/gpu", "weight": 2}]}})"),
      make(make_node_resources_balanced_allocation),
      make(make_node_resources_balanced_allocation,
           R"({"resources": [{"name": "cpu"}, {"name": "memory"}, {"name": "ephemeral-storage"}]})")};
};

void run(bool huge) {
  const auto seed = test_seed();
  SCOPED_TRACE("PODIUM_TEST_SEED=" + std::to_string(seed));
  Replicas replicas(seed, huge);
  ScoreMemo memo;
  for (int round = 0; round < 25; ++round) {
    replicas.expect_equal(memo, replicas.snapshot());
    auto fork = replicas.snapshot();
    replicas.change(fork);
    replicas.expect_equal(memo, fork);
    replicas.change(replicas.snapshot());
  }
}

TEST(ScoreMemo, GivesTheScoresThatWouldBeComputed) { run(false); }
TEST(ScoreMemo, GivesTheScoresThatWouldBeComputedOfHugeAmounts) { run(true); }

TEST(ScoreMemo, HoldsTheChunksThatScoresCameFrom) {
  cluster::Column<std::int64_t> column;
  column.grow_to(1);
  column.write(0) = 1;
  ScoreMemo::Chunk chunk;
  const auto changed = [&] {
    const auto* box = &column.box(0);
    return framework::changed_words(chunk, std::span(&box, 1));
  };
  EXPECT_EQ(changed(), 0xFFFFu) << "nothing is known yet";
  EXPECT_EQ(changed(), 0u);
  column.write(70) = 2;
  EXPECT_EQ(changed(), 0b10u) << "the word of row 70";
  column.write(70) = 3;
  column.write(1023) = 3;
  EXPECT_EQ(changed(), 0x8002u);
  column.write(5) = 0;
  EXPECT_EQ(changed(), 0u) << "written with an equal value";
}

TEST(ScoreMemo, IsSeenByItsThreadWhileItIsUsed) {
  const ScoreMemo::Key key{nullptr, {1}}, other{nullptr, {2}};
  EXPECT_EQ(ScoreMemo::of_thread(key), nullptr);
  ScoreMemo memo;
  {
    const ScoreMemo::Use use(memo);
    ScoreMemo::of_thread(key)->resize(3);
    EXPECT_EQ(ScoreMemo::of_thread(other)->size(), 0u);
    for (std::size_t i = 0; i < ScoreMemo::kMost; ++i) {
      EXPECT_EQ(ScoreMemo::of_thread(key)->size(), 3u) << "asked for again and again";
      ScoreMemo::of_thread({nullptr, {100 + static_cast<std::int64_t>(i)}})->resize(1);
    }
    EXPECT_EQ(ScoreMemo::of_thread(key)->size(), 3u);
    EXPECT_EQ(ScoreMemo::of_thread({nullptr, {100}})->size(), 0u) << "forgotten";
  }
  EXPECT_EQ(ScoreMemo::of_thread(key), nullptr);
}

}  // namespace
}  // namespace podium::plugins::test::score_memo_test
