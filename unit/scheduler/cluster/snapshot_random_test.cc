// Random writes to a snapshot and to a naive model. Forks are taken on the way, written to, and compared
// much later.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/scheduler/cluster/model.h"
#include "unit/support/builders.h"
#include "unit/support/seed.h"

namespace podium::cluster::test {
namespace {

using podium::test::does_not_exist;
using podium::test::exists;
using podium::test::in;
using podium::test::node;
using podium::test::not_in;
using podium::test::pod;
using podium::test::select_all;
using podium::test::select_labels;
using podium::test::select_where;
using podium::test::term;

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    names_.labels = {"kubernetes.io/hostname", "topology.kubernetes.io/zone", "disk", "pool", ""};
    for (int i = 0; i < 6; ++i) names_.images.push_back("image-" + std::to_string(i));
    names_.scalars = {"example.com/gpu", "hugepages-2Mi", "attachable-volumes-x"};
    for (std::size_t i = 0; i < kPods; ++i) names_.uids.push_back("uid-" + std::to_string(i));
  }

  const Names& names() const { return names_; }
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  template <typename... To>
  void step(To&... to) {
    const auto kind = below(100);
    if (kind < 15) {
      const auto made = make_node();
      (to.set_node(made), ...);
    } else if (kind < 20) {
      const auto name = node_name();
      (to.remove_node(name), ...);
    } else if (kind < 70) {
      const auto made = make_pod(node_name());
      (to.add_pod(made), ...);
    } else if (kind < 92) {
      const auto uid = names_.uids[below(kPods)];
      (to.remove_pod(uid), ...);
    } else if (kind < 97) {
      const auto made = make_pod("");
      const auto on = node_name();
      (to.nominate(made, on), ...);
    } else {
      const auto uid = names_.uids[below(kPods)];
      (withdraw(to, uid), ...);
    }
  }

 private:
  static constexpr std::size_t kNodes = 40, kPods = 150;

  static void withdraw(Snapshot& s, const std::string& uid) { s.withdraw_nomination(uid); }
  static void withdraw(Model& m, const std::string& uid) { m.withdraw(uid); }

  std::string node_name() { return "node-" + std::to_string(below(kNodes)); }
  std::string amount() { return one_in(20) ? "9223372036854775807" : std::to_string(below(8)); }

  api::NodePtr make_node() {
    auto b = node(node_name());
    if (one_in(2)) b.zone(std::string(1, 'a' + below(3)));
    if (one_in(2)) b.label("disk", one_in(2) ? "ssd" : "");
    if (one_in(4)) b.label("pool", "pool-" + std::to_string(below(1000)));
    if (one_in(8)) b.label("", "a key that no API server takes");
    if (!one_in(4)) b.cap("cpu", amount()).cap("memory", amount()).cap("pods", amount());
    if (one_in(3)) b.cap("ephemeral-storage", amount());
    if (one_in(3)) b.cap("example.com/gpu", amount());
    if (one_in(5)) b.cap("hugepages-2Mi", amount());
    if (one_in(3)) b.taint("dedicated", std::to_string(below(4)), one_in(2) ? "NoSchedule" : "NoExecute");
    if (one_in(6)) b.taint("other", "", "PreferNoSchedule");
    if (one_in(6)) b.unschedulable();
    for (int i = 0; i < 3; ++i) {
      if (one_in(2)) b.image({names_.images[below(6)], names_.images[below(6)]}, below(5) * 1000);
    }
    return b.ptr();
  }

  api::PodAffinityTerm make_term() {
    auto made = make_label_term();
    if (one_in(4)) made.namespaces = {one_in(2) ? "shop" : "bank"};
    if (one_in(6)) made.namespaces = {"bank", "shop", "shop", "elsewhere"};
    if (one_in(12)) {
      for (int i = 0; i < 40; ++i) made.namespaces.push_back("ns" + std::to_string(i));
    }
    if (one_in(6)) made.namespace_selector = one_in(2) ? select_all() : select_labels({{"team", "one"}});
    if (one_in(6)) made.namespace_selector = select_where({does_not_exist("team")});
    return made;
  }

  api::PodAffinityTerm make_label_term() {
    switch (below(10)) {
      case 0:
        return term("zone");
      case 1:
        return term("zone").selector(select_all());
      case 2:
        return term("zone").selector(select_where({in("app", {"web", "db"}), in("tier", {"back"})}));
      case 3:
        return term("zone").selector(select_where({not_in("app", {"db"})}));
      case 4:
        return term("zone").label("app", "web").label("tier", one_in(2) ? "front" : "back");
      case 5:
        return term("zone").selector(select_where({does_not_exist("job"), exists("app")}));
      case 6: {  // more values than the index uses
        auto values = in("app", {"web"});
        for (int i = 0; i < 40; ++i) values.values.push_back("v" + std::to_string(i));
        return term("zone").selector(select_where({values}));
      }
      default:
        return term("zone").label("app", one_in(2) ? "web" : "db");
    }
  }

  PodInfoPtr make_pod(const std::string& on) {
    auto b = pod("p").ns(one_in(2) ? "shop" : "bank").uid(names_.uids[below(kPods)]).node(on);
    if (!one_in(4)) b.label("app", one_in(2) ? "web" : "db");
    if (one_in(3)) b.label("tier", one_in(2) ? "front" : "back");
    if (one_in(6)) b.label("pod", std::to_string(below(50)));
    if (one_in(2)) b.req("cpu", amount());
    if (one_in(2)) b.req("memory", amount());
    if (one_in(3)) b.req("ephemeral-storage", amount());
    if (one_in(4)) b.req("example.com/gpu", amount());
    if (one_in(6)) b.req("attachable-volumes-x", amount());
    if (one_in(5)) b.host_port(8000 + static_cast<int>(below(4)));
    if (one_in(5)) b.terminating();
    if (one_in(6)) b.anti_affinity(make_term());
    if (one_in(8)) b.affinity(make_term());
    if (one_in(8)) b.prefer_affinity(5, make_term());
    if (one_in(8)) b.prefer_anti_affinity(5, make_term());
    return make_pod_info(b.ptr());
  }

  std::mt19937_64 random_;
  Names names_;
};

std::uint64_t first_seed() { return podium::test::given_seed().value_or(1); }

// Free rows are zero; the next node would inherit anything else.
void expect_free_rows_empty(const Snapshot& s, const Names& names) {
  for (Row row = 0; row < s.chunks() * kChunkRows; ++row) {
    if (s.present().test(row)) continue;
    ASSERT_EQ(see_node(s, row, names), SeenNode()) << "row " << row;
    ASSERT_EQ(s.taint_set[row], 0u);
    ASSERT_EQ(s.entry(row).node, nullptr);
    if (row > s.rows() + 64) break;
  }
}

void expect_same(const Snapshot& s, const Model& model, const Names& names) {
  const auto expected = model.see(), seen = see(s, names);
  ASSERT_TRUE(seen == expected) << "differs in " << difference(seen, expected);
  ASSERT_EQ(s.node_count(), expected.nodes.size());
  ASSERT_EQ(s.pod_total(), expected.pods.size());
}

// The rows in which a column differs are among those that RowChanges names. False: it does not know them.
bool expect_changes_named(const Snapshot& a, const Snapshot& b) {
  const auto named = RowChanges::between(*a.row_changes(), *b.row_changes());
  if (!named || a.chunks() != b.chunks()) return false;
  const auto differs = [&](Row row) {
    const auto in = [&](auto column) { return (a.*column)[row] != (b.*column)[row]; };
    return in(&Snapshot::allocatable_milli_cpu) || in(&Snapshot::allocatable_memory) ||
           in(&Snapshot::allocatable_ephemeral) || in(&Snapshot::allocatable_pods) ||
           in(&Snapshot::requested_milli_cpu) || in(&Snapshot::requested_memory) ||
           in(&Snapshot::requested_ephemeral) || in(&Snapshot::non_zero_milli_cpu) ||
           in(&Snapshot::non_zero_memory) || in(&Snapshot::pod_count) || in(&Snapshot::taint_set) ||
           in(&Snapshot::name_hash);
  };
  for (Row row = 0; row < a.chunks() * kChunkRows; ++row) {
    EXPECT_TRUE(!differs(row) || std::ranges::find(*named, row) != named->end()) << "row " << row;
  }
  return true;
}

TEST(SnapshotRandom, AgreesWithAModelThatCountsFromScratch) {
  for (auto seed = first_seed(); seed < first_seed() + 10; ++seed) {
    SCOPED_SEED(seed);
    World world(seed);
    Snapshot live;
    Model model;
    std::vector<std::pair<Snapshot, Model>> forks;
    std::size_t named = 0;
    for (int i = 0; i < 1500; ++i) {
      const auto before = live;
      world.step(live, model);
      EXPECT_TRUE(live.chunks() != before.chunks() || expect_changes_named(live, before)) << i;
      if (!forks.empty()) named += expect_changes_named(live, forks[world.below(forks.size())].first);
      if (world.one_in(50)) expect_same(live, model, world.names());
      if (world.one_in(60)) forks.emplace_back(live, model);
      if (!forks.empty() && world.one_in(3)) {
        auto& [fork, its_model] = forks[world.below(forks.size())];
        world.step(fork, its_model);
      }
      if (!forks.empty() && world.one_in(300)) forks.erase(forks.begin() + world.below(forks.size()));
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(named, 10u) << "of forks";
    expect_same(live, model, world.names());
    expect_free_rows_empty(live, world.names());
    for (const auto& [fork, its_model] : forks) expect_same(fork, its_model, world.names());
    if (HasFatalFailure()) return;
    // Ids are reused: at most one per possible node, and one more during a replacement.
    const auto* pools = live.labels().find("pool");
    ASSERT_LE(pools ? pools->id_limit() : 0, 42u);
    ASSERT_LE(live.taint_sets().size(), 42u);
    ASSERT_LE(live.rows(), 40u);
  }
}

}  // namespace
}  // namespace podium::cluster::test
