#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test::node_declared_features_test {
namespace {

constexpr const char* kFeature = "RestartAllContainersOnContainerExits";
constexpr const char* kUsers = "UserNamespacesHostNetworkSupport";

TEST(NodeDeclaredFeatures, Filter) {
  const Answers rejected{{"n", "UU; node(s) didn't match Pod's required features"}};
  const struct {
    const char* name;
    api::Pod pod;
    api::Node node;
    Answers want;
  } cases[] = {
      {"nothing needed", pod("p"), node("n"), {}},
      {"declared", pod("p").restart_rule("RestartAllContainers"), node("n").feature(kFeature), {}},
      {"declared among others",
       pod("p").restart_rule("RestartAllContainers"),
       node("n").feature("A").feature(kFeature).feature("Z"),
       {}},
      {"nothing declared", pod("p").restart_rule("RestartAllContainers"), node("n"), rejected},
      {"not declared", pod("p").restart_rule("RestartAllContainers"), node("n").feature("Other"), rejected},
      {"an init container needs it", pod("p").init_container("i").restart_rule("RestartAllContainers"),
       node("n"), rejected},
      {"users of its own", pod("p").host_users(false), node("n"), {}},
      {"the host's network", pod("p").host_network(), node("n"), {}},
      {"users of its own on the host's network", pod("p").host_network().host_users(false),
       node("n").feature(kFeature), rejected},
      {"declared, users of its own on the host's network",
       pod("p").host_network().host_users(false),
       node("n").feature(kUsers),
       {}},
      {"one of two", pod("p").host_network().host_users(false).restart_rule("RestartAllContainers"),
       node("n").feature(kUsers), rejected},
      {"both",
       pod("p").host_network().host_users(false).restart_rule("RestartAllContainers"),
       node("n").feature(kUsers).feature(kFeature),
       {}},
      {"another action", pod("p").restart_rule("Restart"), node("n"), {}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(filter(make(make_node_declared_features), c.pod, snapshot_of({c.node})), c.want) << c.name;
  }
}

TEST(NodeDeclaredFeatures, Hints) {
  const auto plugin = make(make_node_declared_features);
  const api::Pod rejected = pod("p").uid("1").restart_rule("RestartAllContainers");
  EXPECT_TRUE(helps(plugin, rejected, node_added(node("n"))));
  EXPECT_TRUE(helps(plugin, rejected, node_updated(node("n"), node("n").feature(kFeature))));
  EXPECT_FALSE(helps(plugin, rejected, node_updated(node("n"), node("n").zone("z"))));

  const api::Pod plain = pod("p").uid("1"), labelled = pod("p").uid("1").label("a", "b");
  const auto changes = [&](const api::Pod& before, const api::Pod& after) {
    const framework::ClusterEvent event{framework::EventResource::target_pod, framework::kUpdateOther,
                                        object(before), object(after)};
    return helps(plugin, rejected, event);
  };
  EXPECT_TRUE(changes(plain, rejected));
  EXPECT_TRUE(changes(rejected, plain));
  EXPECT_FALSE(changes(plain, labelled));
}

}  // namespace
}  // namespace podium::plugins::test::node_declared_features_test
