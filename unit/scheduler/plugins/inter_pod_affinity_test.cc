#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include "scheduler/plugins/shared/factories.h"
#include "unit/scheduler/plugins/topology_fixture.h"

namespace podium::plugins::topology_test::inter_pod_affinity_test {
namespace {

using namespace podium::test;

constexpr auto kZone = "topology.kubernetes.io/zone";
constexpr auto kHostname = "kubernetes.io/hostname";
const std::string kAffinity = "UU: node(s) didn't match pod affinity rules";
const std::string kAntiAffinity = "U: node(s) didn't match pod anti-affinity rules";
const std::string kExisting = "U: node(s) didn't satisfy existing pods anti-affinity rules";
const InterPodAffinity kPlugin({});

// a and b in zone 1, c in zone 2, d without a zone.
std::vector<api::Node> nodes() {
  return {node("a").zone("1"), node("b").zone("1"), node("c").zone("2"), node("d")};
}
api::PodAffinityTerm to(const char* app, const char* key) { return term(key).label("app", app); }
PodBuilder app(const char* name) { return pod(name).label("app", name); }
const Verdicts kAllFit{{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}};

struct FilterCase {
  std::string name;
  std::vector<api::Pod> placed;
  api::Pod pod;
  Verdicts want;
  std::vector<api::Namespace> namespaces = {};
};

std::vector<FilterCase> affinity_cases() {
  const auto db_on_a = [] { return app("db").node("a"); };
  return {
      {"nothing asked", {db_on_a()}, app("web"), kAllFit},
      {"next to a pod in its zone",
       {db_on_a()},
       app("web").affinity(to("db", kZone)),
       {{"a", ""}, {"b", ""}, {"c", kAffinity}, {"d", kAffinity}}},
      {"next to a pod on its node",
       {db_on_a()},
       app("web").affinity(to("db", kHostname)),
       {{"a", ""}, {"b", kAffinity}, {"c", kAffinity}, {"d", kAffinity}}},
      {"next to a terminating pod",
       {db_on_a().terminating()},
       app("web").affinity(to("db", kHostname)),
       {{"a", ""}, {"b", kAffinity}, {"c", kAffinity}, {"d", kAffinity}}},
      {"the pod is in another namespace",
       {db_on_a().ns("o")},
       app("web").affinity(to("db", kZone)),
       {{"a", kAffinity}, {"b", kAffinity}, {"c", kAffinity}, {"d", kAffinity}}},
      {"which the term names",
       {db_on_a().ns("o")},
       app("web").affinity(term(kZone).label("app", "db").namespaces({"o"})),
       {{"a", ""}, {"b", ""}, {"c", kAffinity}, {"d", kAffinity}}},
      {"an absent selector matches nothing",
       {db_on_a()},
       app("web").affinity(term(kZone)),
       {{"a", kAffinity}, {"b", kAffinity}, {"c", kAffinity}, {"d", kAffinity}}},
      {"all terms must match the same pod",
       {app("db").label("tier", "x").node("a"), app("db").uid("2").node("c"),
        app("cache").label("tier", "x").node("c")},
       app("web").affinity(to("db", kZone)).affinity(term(kHostname).label("tier", "x")),
       {{"a", ""}, {"b", kAffinity}, {"c", kAffinity}, {"d", kAffinity}}},
      {"the first of its kind goes where the key is",
       {},
       app("web").affinity(to("web", kZone)),
       {{"a", ""}, {"b", ""}, {"c", ""}, {"d", kAffinity}}},
      {"also if its kind runs on nodes without the key",
       {app("web").node("d")},
       app("web").affinity(to("web", kZone)),
       {{"a", ""}, {"b", ""}, {"c", ""}, {"d", kAffinity}}},
      {"but not if its kind runs anywhere",
       {app("web").node("c")},
       app("web").affinity(to("web", kZone)),
       {{"a", kAffinity}, {"b", kAffinity}, {"c", ""}, {"d", kAffinity}}},
      {"nor if it does not match itself",
       {},
       app("web").affinity(to("db", kZone)),
       {{"a", kAffinity}, {"b", kAffinity}, {"c", kAffinity}, {"d", kAffinity}}},
  };
}

std::vector<FilterCase> anti_affinity_cases() {
  const auto shy = [](const char* key) { return app("db").anti_affinity(to("web", key)); };
  return {
      {"away from a pod's zone",
       {app("db").node("a")},
       app("web").anti_affinity(to("db", kZone)),
       {{"a", kAntiAffinity}, {"b", kAntiAffinity}, {"c", ""}, {"d", ""}}},
      {"away from a pod's node",
       {app("db").node("a")},
       app("web").anti_affinity(to("db", kHostname)),
       {{"a", kAntiAffinity}, {"b", ""}, {"c", ""}, {"d", ""}}},
      {"one term is enough",
       {app("db").node("a"), app("cache").node("c")},
       app("web").anti_affinity(to("db", kHostname)).anti_affinity(to("cache", kZone)),
       {{"a", kAntiAffinity}, {"b", ""}, {"c", kAntiAffinity}, {"d", ""}}},
      {"a pod on a node without the key keeps nobody away",
       {app("db").node("d")},
       app("web").anti_affinity(to("db", kZone)),
       kAllFit},
      {"a placed pod that wants its zone without us",
       {shy(kZone).node("a")},
       app("web"),
       {{"a", kExisting}, {"b", kExisting}, {"c", ""}, {"d", ""}}},
      {"or its node",
       {shy(kHostname).node("a")},
       app("web"),
       {{"a", kExisting}, {"b", ""}, {"c", ""}, {"d", ""}}},
      {"its term names no other namespace", {shy(kZone).ns("o").node("a")}, app("web"), kAllFit},
      {"preferred terms keep nobody away",
       {app("db").prefer_anti_affinity(9, to("web", kZone)).node("a")},
       app("web"),
       kAllFit},
      {"affinity is reported before anti-affinity, and that before the others'",
       {shy(kZone).node("a"), app("cache").node("a"), app("cache").uid("2").node("c"), app("mq").node("b")},
       app("web").affinity(to("cache", kHostname)).anti_affinity(to("mq", kZone)),
       {{"a", kAntiAffinity}, {"b", kAffinity}, {"c", ""}, {"d", kAffinity}}},
  };
}

// kube-scheduler matches the incoming pod's namespace selector against namespaces and against no
// labels at all.
std::vector<FilterCase> namespace_cases() {
  const std::vector<api::Namespace> namespaces{make_namespace("default"),
                                               make_namespace("one", {{"team", "one"}})};
  const auto near = [](api::LabelSelector selector) {
    return app("web").affinity(term(kHostname).label("app", "db").namespace_selector(std::move(selector)));
  };
  const auto away = [](api::LabelSelector selector) {
    return app("db").node("a").anti_affinity(
        term(kHostname).label("app", "web").namespace_selector(std::move(selector)));
  };
  const Verdicts on_a{{"a", ""}, {"b", kAffinity}, {"c", kAffinity}, {"d", kAffinity}};
  const Verdicts nowhere{{"a", kAffinity}, {"b", kAffinity}, {"c", kAffinity}, {"d", kAffinity}};
  const Verdicts kept_away{{"a", kExisting}, {"b", ""}, {"c", ""}, {"d", ""}};
  const api::Pod in_one = app("db").ns("one").node("a"), in_default = app("db").node("a"),
                 unknown = app("db").ns("u").node("a");
  return {
      {"a namespace by label", {in_one}, near(select_labels({{"team", "one"}})), on_a, namespaces},
      {"the own namespace is not implied",
       {in_default},
       near(select_labels({{"team", "one"}})),
       nowhere,
       namespaces},
      {"an empty selector means all", {unknown}, near(select_all()), on_a, namespaces},
      {"NotIn excludes a namespace",
       {in_one},
       near(select_where({not_in("team", {"one"})})),
       nowhere,
       namespaces},
      {"and takes one without the label",
       {in_default},
       near(select_where({not_in("team", {"one"})})),
       on_a,
       namespaces},
      {"a namespace that does not exist has no labels to lack",
       {unknown},
       near(select_where({not_in("team", {"one"})})),
       nowhere,
       namespaces},
      {"DoesNotExist excludes one",
       {in_one},
       near(select_where({does_not_exist("team")})),
       nowhere,
       namespaces},
      {"and takes another", {in_default}, near(select_where({does_not_exist("team")})), on_a, namespaces},
      {"Exists needs the label", {unknown}, near(select_where({exists("team")})), nowhere, namespaces},
      {"a placed pod's selector sees our namespace's labels",
       {away(select_labels({{"team", "one"}})).ns("x")},
       app("web").ns("one"),
       kept_away,
       namespaces},
      {"and excludes what it excludes",
       {away(select_where({not_in("team", {"one"})})).ns("x")},
       app("web").ns("one"),
       kAllFit,
       namespaces},
      {"a namespace that is not known has no labels",
       {away(select_where({does_not_exist("team")})).ns("x")},
       app("web").ns("u"),
       kept_away,
       namespaces},
  };
}

TEST(InterPodAffinity, Filter) {
  for (const auto& cases : {affinity_cases(), anti_affinity_cases(), namespace_cases()}) {
    for (const auto& test : cases) {
      const auto snapshot = TestCluster{nodes(), test.placed, test.namespaces}.snapshot();
      EXPECT_EQ(filter(kPlugin, test.pod, snapshot), test.want) << test.name;
      for (const auto& [name, verdict] : test.want) {
        EXPECT_EQ(check(kPlugin, test.pod, snapshot, name, {}, {}), verdict)
            << test.name << ", asked about " << name;
      }
    }
  }
}

TEST(InterPodAffinity, CheckWithPodsAddedAndRemoved) {
  const api::Pod db = app("db").node("a"), web = app("web").node("a");
  const api::Pod shy = pod("shy").node("a").anti_affinity(to("web", kZone));
  struct Case {
    std::string name;
    std::vector<api::Pod> placed;
    api::Pod pod;
    std::vector<api::Pod> added, removed;
    std::string want;
  };
  const std::vector<Case> cases{
      {"the wanted pod comes", {}, app("web").affinity(to("db", kZone)), {db}, {}, ""},
      {"the wanted pod goes", {db}, app("web").affinity(to("db", kZone)), {}, {db}, kAffinity},
      {"the last of the own kind goes: the first of its kind again",
       {web},
       app("web").affinity(to("web", kZone)),
       {},
       {web},
       ""},
      {"the own kind comes elsewhere in the zone's key",
       {},
       app("web").affinity(to("web", kZone)),
       {web},
       {},
       ""},
      {"the unwanted pod comes", {}, app("web").anti_affinity(to("db", kZone)), {db}, {}, kAntiAffinity},
      {"the unwanted pod goes", {db}, app("web").anti_affinity(to("db", kZone)), {}, {db}, ""},
      {"one of two goes",
       {db, app("db").uid("2").node("b")},
       app("web").anti_affinity(to("db", kZone)),
       {},
       {db},
       kAntiAffinity},
      {"a pod that keeps us away goes", {shy}, app("web"), {}, {shy}, ""},
      {"one comes", {db}, app("web").anti_affinity(to("none", kZone)), {shy}, {}, kExisting},
      {"one comes, but the plugin was skipped for this pod", {db}, app("web"), {shy}, {}, ""},
  };
  for (const auto& test : cases) {
    const auto snapshot = TestCluster{nodes(), test.placed}.snapshot();
    EXPECT_EQ(check(kPlugin, test.pod, snapshot, "a", test.added, test.removed), test.want) << test.name;
  }
}

using Map = std::map<std::string, std::int64_t>;

TEST(InterPodAffinity, Score) {
  const auto fan = [](int weight) { return app("db").prefer_affinity(weight, to("web", kZone)); };
  struct Case {
    std::string name;
    InterPodAffinity::Args args;
    std::vector<api::Pod> placed;
    api::Pod pod;
    Scores want;
    std::vector<std::string> infeasible = {};
  };
  const std::vector<Case> cases{
      {"nobody has a preference", {}, {app("db").node("a")}, app("web"), std::nullopt},
      {"a preference that nothing meets",
       {},
       {app("mq").node("a")},
       app("web").prefer_affinity(5, to("db", kZone)),
       std::nullopt},
      {"a preference that is met on a node without the key",
       {},
       {app("db").node("d")},
       app("web").prefer_affinity(5, to("db", kZone)),
       std::nullopt},
      {"next to a pod",
       {},
       {app("db").node("a")},
       app("web").prefer_affinity(5, to("db", kZone)),
       Map{{"a", 100}, {"b", 100}, {"c", 0}, {"d", 0}}},
      {"away from a pod",
       {},
       {app("db").node("a")},
       app("web").prefer_anti_affinity(5, to("db", kZone)),
       Map{{"a", 0}, {"b", 0}, {"c", 100}, {"d", 100}}},
      {"weights add up over keys",
       {},
       {app("db").node("a")},
       app("web").prefer_affinity(29, to("db", kZone)).prefer_affinity(71, to("db", kHostname)),
       Map{{"a", 100}, {"b", 28}, {"c", 0}, {"d", 0}}},  // 100 * 0.29 is 28.99… in doubles
      {"a sum of nothing is not a skip",
       {},
       {app("db").node("a")},
       app("web").prefer_affinity(5, to("db", kZone)).prefer_anti_affinity(5, to("db", kZone)),
       Map{{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}}},
      {"placed pods' preferences count",
       {},
       {fan(10).node("a"), fan(5).uid("2").node("c")},
       app("web"),
       Map{{"a", 100}, {"b", 100}, {"c", 50}, {"d", 0}}},
      {"and their dislikes",
       {},
       {app("db").prefer_anti_affinity(1, to("web", kHostname)).node("a")},
       app("web"),
       Map{{"a", 0}, {"b", 100}, {"c", 100}, {"d", 100}}},
      {"their required affinity is worth hardPodAffinityWeight",
       {.hard_pod_affinity_weight = 10},
       {app("db").affinity(to("web", kZone)).node("a"), fan(5).uid("2").node("c")},
       app("web"),
       Map{{"a", 100}, {"b", 100}, {"c", 50}, {"d", 0}}},
      {"unless that is 0",
       {.hard_pod_affinity_weight = 0},
       {app("db").affinity(to("web", kZone)).node("a")},
       app("web"),
       std::nullopt},
      {"placed pods' preferences can be ignored",
       {.ignore_preferred_terms_of_existing_pods = true},
       {fan(10).node("a")},
       app("web"),
       std::nullopt},
      {"which has no effect on a pod with preferences",
       {.ignore_preferred_terms_of_existing_pods = true},
       {fan(10).node("a")},
       app("web").prefer_affinity(1, to("none", kZone)),
       Map{{"a", 100}, {"b", 100}, {"c", 0}, {"d", 0}}},
      {"only feasible nodes set the range",
       {},
       {fan(10).node("a"), fan(5).uid("2").node("c")},
       app("web"),
       Map{{"c", 100}, {"d", 0}},
       {"a", "b"}},
  };
  for (const auto& test : cases) {
    const auto snapshot = TestCluster{nodes(), test.placed}.snapshot();
    EXPECT_EQ(score(InterPodAffinity(test.args), test.pod, snapshot, test.infeasible), test.want)
        << test.name;
  }
}

// So many values of two keys that scores are computed by node and not by combination.
TEST(InterPodAffinity, ScoreOfManyDomains) {
  TestCluster cluster;
  for (int i = 0; i < 300; ++i) {
    const auto id = std::to_string(i);
    cluster.nodes.push_back(node("n" + id).label("rack", "r" + id));
  }
  cluster.pods = {app("db").node("n7"), app("mq").node("n7"), app("mq").node("n8")};
  cluster.pods[1].meta.uid = "mq7";
  cluster.pods[2].meta.uid = "mq8";
  const auto pod =
      app("web").prefer_affinity(3, to("db", "rack")).prefer_affinity(1, to("mq", kHostname)).build();
  auto want = Map{};
  for (const auto& node : cluster.nodes) want[node.meta.name] = 0;
  want["n7"] = 100;
  want["n8"] = 25;
  EXPECT_EQ(score(kPlugin, pod, cluster.snapshot()), want);
}

TEST(InterPodAffinity, Arguments) {
  const std::vector<api::Pod> placed{app("db").affinity(to("web", kZone)).node("a"),
                                     app("db").uid("2").prefer_affinity(10, to("web", kZone)).node("c")};
  const auto snapshot = TestCluster{nodes(), placed}.snapshot();
  const auto scores = [&](const char* args) {
    const auto plugin = make_inter_pod_affinity(boost::json::parse(args).as_object());
    return score(dynamic_cast<const framework::ScorePlugin&>(*plugin), app("web"), snapshot);
  };
  EXPECT_EQ(scores("{}"), (Map{{"a", 10}, {"b", 10}, {"c", 100}, {"d", 0}}));
  EXPECT_EQ(scores(R"({"hardPodAffinityWeight": 20})"), (Map{{"a", 100}, {"b", 100}, {"c", 50}, {"d", 0}}));
  EXPECT_EQ(scores(R"({"ignorePreferredTermsOfExistingPods": true})"), std::nullopt);
  EXPECT_EQ(make_inter_pod_affinity(boost::json::parse(R"({"hardPodAffinityWeight": "a"})").as_object()),
            nullptr);
}

TEST(InterPodAffinity, HintsOnPods) {
  const auto near = app("web").uid("me").affinity(to("db", kZone)).build();
  const auto away = app("web").uid("me").anti_affinity(to("db", kZone)).build();
  const auto choosy =
      app("web").uid("me").anti_affinity(to("db", kZone)).anti_affinity(to("mq", kZone)).build();
  const api::Pod plain = app("web").uid("me");
  const api::Pod db = app("db").node("a"), other = app("other").node("a"), waiting = app("db");
  const api::Pod shy = app("x").node("a").anti_affinity(to("web", kZone));
  const auto near_both =
      app("web").uid("me").affinity(to("db", kZone)).affinity(term(kZone).label("tier", "x")).build();
  const api::Pod both = app("db").label("tier", "x").node("a");
  struct Case {
    std::string name;
    api::Pod rejected;
    std::optional<api::Pod> before, after;
    bool want;
  };
  const std::vector<Case> cases{
      {"the wanted pod is placed", near, {}, db, true},
      {"another pod is placed", near, {}, other, false},
      {"the wanted pod has no place yet", near, {}, waiting, false},
      {"a pod becomes the wanted one", near, other, db, true},
      {"the wanted pod stays one", near, db, app("db").node("a").label("x", "y"), false},
      {"the wanted pod goes", near, db, {}, false},
      {"the unwanted pod goes", away, db, {}, true},
      {"one that is unwanted by one of two terms goes", choosy, db, {}, true},
      {"the unwanted pod is another now", away, db, other, true},
      {"the unwanted pod comes", away, {}, db, false},
      {"a pod that kept us away goes", plain, shy, {}, true},
      {"a nominated pod that was unwanted goes", away, app("db").nominated("a"), {}, true},
      {"any other nominated pod goes", away, app("other").nominated("a"), {}, false},
      {"an unwanted pod that has no place goes", away, waiting, {}, false},
      {"a pod that has no place becomes the wanted one", near, app("other"), waiting, false},
      {"a pod that keeps others away goes",
       plain,
       app("x").node("a").anti_affinity(to("mq", kZone)),
       {},
       false},
      {"a pod comes to match all terms", near_both, db, both, true},
      {"a pod matches one term of two now", near_both, both, db, false},
      {"one that kept us away for one of two reasons goes",
       plain,
       app("x").node("a").anti_affinity(to("web", kZone)).anti_affinity(to("mq", kZone)),
       {},
       true},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(affinity_helps_after_pod_change(test.rejected, test.before ? &*test.before : nullptr,
                                              test.after ? &*test.after : nullptr),
              test.want)
        << test.name;
  }
}

TEST(InterPodAffinity, HintsOnNodes) {
  const auto near = app("web").affinity(to("db", kZone)).build();
  const auto away = app("web").anti_affinity(to("db", kZone)).build();
  struct Case {
    std::string name;
    api::Pod rejected;
    std::optional<api::Node> before, after;
    bool want;
  };
  const std::vector<Case> cases{
      {"near: a node with the key", near, {}, node("n").zone("1"), true},
      {"near: a node without it", near, {}, node("n"), false},
      {"near: a node gets the key", near, node("n"), node("n").zone("1"), true},
      {"near: a node moves", near, node("n").zone("2"), node("n").zone("1"), true},
      {"near: another label", near, node("n").zone("1"), node("n").zone("1").label("x", "y"), false},
      {"away: any new node", away, {}, node("n"), true},
      {"away: a node loses the key", away, node("n").zone("1"), node("n"), true},
      {"away: a node gets the key", away, node("n"), node("n").zone("1"), false},
      {"away: a node moves", away, node("n").zone("2"), node("n").zone("1"), true},
      {"neither", app("web"), {}, node("n").zone("1"), false},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(affinity_helps_after_node_change(test.rejected, test.before ? &*test.before : nullptr,
                                               test.after ? &*test.after : nullptr),
              test.want)
        << test.name;
  }
}

}  // namespace
}  // namespace podium::plugins::topology_test::inter_pod_affinity_test
