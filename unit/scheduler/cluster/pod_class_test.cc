// Which classes PodClassTable visits. The random test of the snapshot checks that it misses none.
#include "scheduler/cluster/pod_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "unit/support/builders.h"

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

}  // namespace
}  // namespace podium::cluster::pod_class_test
