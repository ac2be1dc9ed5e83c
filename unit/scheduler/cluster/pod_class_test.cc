// Which classes PodClassTable visits. The random test of the snapshot checks that it misses none.
#include "scheduler/cluster/pod_class.h"
#include "base/text_hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "unit/support/builders.h"
#include "unit/support/seed.h"

namespace podium::cluster::pod_class_test {
namespace {

using podium::test::node;
using podium::test::pod;
using testing::ElementsAre;
using testing::IsEmpty;

using Strings = std::vector<std::string>;

PodInfoPtr info(const podium::test::PodBuilder& builder) { return make_pod_info(builder.ptr()); }

// Decisions stay fast if every workload has its own labels and terms: a hundred applications in "shop", all
// of tier "web", whose terms select by both labels.
class ClassesOfManyApps : public testing::Test {
 protected:
  using Visit = PodClassTable::Visit;

  static Snapshot make() {
    Snapshot s;
    s.set_node(node("n").ptr());
    for (int i = 0; i < 100; ++i) s.add_pod(make_app("app-" + std::to_string(i)));
    return s;
  }
  static PodInfoPtr make_app(const std::string& app) {
    const auto own = podium::test::term("zone").label("app", app).label("tier", "web");
    const auto anywhere =
        podium::test::term("zone")
            .selector(podium::test::select_where({podium::test::in("app", {app, app + "-canary"})}))
            .namespace_selector(podium::test::select_all());
    return info(pod(app)
                    .ns("shop")
                    .label("app", app)
                    .label("tier", "web")
                    .node("n")
                    .anti_affinity(own)
                    .prefer_anti_affinity(1, own)
                    .prefer_affinity(1, anywhere));
  }
  template <typename Each>
  static Strings visited(Each&& each) {
    Strings apps;
    each([&](const PodClass& c) { apps.push_back(*c.labels().find("app")); });
    return apps;
  }

  Snapshot s_ = make();
  const PodClassTable& classes_ = s_.pod_classes();
  const api::Labels labels_ = {{"app", "app-7"}, {"tier", "web"}};
};

TEST_F(ClassesOfManyApps, TermsAreLookedUpByNamespaceAndLabel) {
  EXPECT_THAT(visited([&](auto f) { classes_.each_with_required_anti_affinity_for("shop", labels_, f); }),
              ElementsAre("app-7"));
  EXPECT_THAT(visited([&](auto f) { classes_.each_with_scored_terms_for("shop", labels_, f); }),
              ElementsAre("app-7"));
  EXPECT_THAT(visited([&](auto f) { classes_.each_with_required_anti_affinity_for("bank", labels_, f); }),
              IsEmpty());
  EXPECT_THAT(visited([&](auto f) { classes_.each_with_scored_terms_for("bank", labels_, f); }),
              ElementsAre("app-7"));
  const api::Labels canary = {{"app", "app-9-canary"}};
  EXPECT_THAT(visited([&](auto f) { classes_.each_with_scored_terms_for("bank", canary, f); }),
              ElementsAre("app-9"));
}

TEST_F(ClassesOfManyApps, LabelsAreLookedUpByNamespaceAndWithout) {
  s_.add_pod(info(pod("teller").ns("bank").label("app", "app-7").node("n")));
  const auto seven = podium::test::select_labels({{"app", "app-7"}, {"tier", "web"}});
  EXPECT_THAT(visited([&](auto f) { classes_.each_matching("shop", seven, f); }), ElementsAre("app-7"));
  EXPECT_THAT(visited([&](auto f) { classes_.each_matching("bank", seven, f); }), IsEmpty());
  const auto any_seven = podium::test::select_labels({{"app", "app-7"}});
  EXPECT_THAT(visited([&](auto f) { classes_.each_matching(any_seven, f); }), ElementsAre("app-7", "app-7"));
}

TEST_F(ClassesOfManyApps, NamespacesAreLookedUp) {
  s_.add_pod(info(pod("teller").ns("bank").label("app", "teller").node("n")));
  EXPECT_THAT(visited([&](auto f) { classes_.each_in_namespace("bank", f); }), ElementsAre("teller"));
  EXPECT_EQ(visited([&](auto f) { classes_.each_in_namespace("shop", f); }).size(), 100u);
}

TEST(ClassIndex, NarrowsByTheRequirementWithFewestIds) {
  ClassIndex index;
  const auto shop = hash_text("shop");
  const auto tier = index_key(shop, hash_of_label("tier", "web"));
  for (ClassId id = 0; id < 5; ++id) index.insert(tier, id);
  const auto app = index_key(shop, hash_of_label("app", "app-7"));
  const auto narrowest = [&](const api::LabelSelector& selector) {
    return index.narrowest({&shop, 1}, selector);
  };
  EXPECT_THAT(narrowest(podium::test::select_labels({{"app", "app-7"}, {"tier", "web"}})), ElementsAre(app));
  for (ClassId id = 0; id < 6; ++id) index.insert(app, id);
  EXPECT_THAT(narrowest(podium::test::select_labels({{"app", "app-7"}, {"tier", "web"}})), ElementsAre(tier));
  EXPECT_THAT(narrowest(podium::test::select_all()), ElementsAre(index_key(shop, kAnyLabel)));
  EXPECT_THAT(narrowest(podium::test::select_where({podium::test::exists("app")})),
              ElementsAre(index_key(shop, kAnyLabel)));
}

// By row: pods, and terminating ones.
using List = std::map<Row, std::pair<int, int>>;

List list_of(const PodClass& pods) {
  List list;
  for (const auto& posting : pods.postings()) list[posting.row] = {posting.pods, posting.terminating};
  return list;
}

List changed(List list, std::span<const PodClass::Change> changes) {
  for (const auto& change : changes) {
    auto& [pods, terminating] = list[change.row];
    pods += change.pods;
    terminating += change.terminating;
  }
  std::erase_if(list, [](const auto& entry) { return entry.second.first == 0; });
  return list;
}

// A list that has been seen and the changes since give the list as it is, also on forks; equal stamps are of
// equal lists.
TEST(PodClass, KnowsItsLastChanges) {
  const auto seed = podium::test::drawn_seed();
  SCOPED_SEED(seed);
  std::mt19937_64 random(seed);
  std::vector<Snapshot> forks(1);
  for (int i = 0; i < 5; ++i) forks[0].set_node(node("n" + std::to_string(i)).ptr());
  std::map<PodClass::Stamp, List> seen;
  int applied = 0;
  for (int step = 0; step < 400; ++step) {
    if (step % 100 == 50) forks.push_back(forks[random() % forks.size()]);
    auto& fork = forks[random() % forks.size()];
    const auto name = "p" + std::to_string(random() % 12);
    if (random() % 3 == 0) {
      fork.remove_pod(info(pod(name))->pod->meta.uid);
    } else {
      auto builder = pod(name).node("n" + std::to_string(random() % 5)).label("app", name.substr(0, 2));
      if (random() % 4 == 0) builder.terminating();
      fork.add_pod(info(builder));
    }
    for (const auto& each : forks) {
      each.pod_classes().each([&](const PodClass& pods) {
        const auto now = list_of(pods);
        for (const auto& [stamp, list] : seen) {
          const auto changes = pods.changes_since(stamp);
          if (!changes) continue;
          EXPECT_EQ(changed(list, *changes), now);
          applied += !changes->empty();
        }
        const auto [known, is_new] = seen.emplace(pods.stamp(), now);
        EXPECT_EQ(known->second, now);
      });
    }
  }
  EXPECT_GT(applied, 100);
}

TEST(LabelColumn, KnowsWhetherValuesAreUnique) {
  Snapshot s;
  const auto is_unique = [&] { return s.labels().find("rack")->is_unique(); };
  const auto set = [&](const std::string& name, const std::string& rack) {
    auto builder = node(name);
    if (!rack.empty()) builder.label("rack", rack);
    s.set_node(builder.ptr());
  };
  set("a", "1");
  EXPECT_TRUE(is_unique());
  set("none", "");
  set("b", "2");
  set("c", "3");
  EXPECT_TRUE(is_unique());
  set("d", "2");
  EXPECT_FALSE(is_unique());
  set("b", "4");
  set("a", "");  // the first value is not used any more
  EXPECT_TRUE(is_unique());
  set("c", "");
  EXPECT_TRUE(is_unique());
  set("e", "4");
  EXPECT_FALSE(is_unique());
}

}  // namespace
}  // namespace podium::cluster::pod_class_test
