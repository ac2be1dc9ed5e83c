#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test::node_name_test {
namespace {

TEST(NodeName, OnlyTheNamedNodeFits) {
  const std::string no = "UU; node(s) didn't match the requested node name";
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

TEST(NodeName, Hints) {
  const auto plugin = make(make_node_name);
  EXPECT_TRUE(helps(plugin, pod("a"), node_added(node("n"))));
  EXPECT_FALSE(helps(plugin, pod("a"), node_updated(node("n"), node("n").zone("z"))));
}

}  // namespace
}  // namespace podium::plugins::test::node_name_test
