#include "scheduler/framework/evaluation.h"
#include "scheduler/framework/profile.h"
#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test::node_name_test {
namespace {

TEST(NodeName, OnlyTheNamedNodeIsLeft) {
  const std::string no = "left out";
  const struct {
    const char* name;
    api::Pod pod;
    Answers want;
  } cases[] = {
      {"no name", pod("a"), {}},
      {"a name", pod("a").node("n1"), {{"n0", no}, {"n2", no}}},
      {"an unknown name", pod("a").node("n9"), {{"n0", no}, {"n1", no}, {"n2", no}}},
  };
  const Nodes nodes{node("n0"), node("n1"), node("n2")};
  for (const auto& c : cases)
    EXPECT_EQ(filter(make(make_node_name), c.pod, snapshot_of(nodes)), c.want) << c.name;
}

TEST(NodeName, ItsFilterRejectsTheOthersWithoutPreFilter) {
  const auto snapshot = snapshot_of({node("n0"), node("n1")});
  const auto plugin = make(make_node_name);
  const auto& filter = dynamic_cast<const framework::FilterPlugin&>(*plugin);
  framework::Profile profile;
  profile.filters = {{"NodeName", &filter}};
  EXPECT_EQ(framework::evaluate(*info(pod("a").node("n9")), snapshot, profile).message,
            "0/2 nodes are available: 2 node(s) didn't match the requested node name.");
}

TEST(NodeName, Hints) {
  const auto plugin = make(make_node_name);
  EXPECT_TRUE(helps(plugin, pod("a"), node_added(node("n"))));
  EXPECT_FALSE(helps(plugin, pod("a"), node_updated(node("n"), node("n").zone("z"))));
}

}  // namespace
}  // namespace podium::plugins::test::node_name_test
