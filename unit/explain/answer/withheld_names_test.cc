// Answers for users who may not know node names: the status of any question has none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <string>

#include "explain/report/json.h"
#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::node;
using test::pod;

const std::vector<std::string> kNames = {"alpha", "bravo", "charlie", "delta"};

// Four nodes, one tainted, one cordoned, each with a pod, one of which may be preempted.
cluster::Snapshot four_nodes() {
  cluster::Snapshot snapshot;
  for (const auto& name : kNames) {
    auto made = node(name).zone("eu").label("kubernetes.io/hostname", name);
    made.cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110");
    if (name == "charlie") made.taint("owner", "charlie", "NoSchedule");
    if (name == "delta") made.unschedulable().taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
    snapshot.set_node(made.ptr());
    const auto number = std::to_string(snapshot.pod_total());
    unit::run_pod(snapshot,
                  pod("web-" + number).ns("shop").owner("ReplicaSet", "web").req("cpu", "1").node(name));
  }
  return snapshot;
}

std::string asked(std::string_view cpu, std::string_view more) {
  return fmt::format(
      R"({{"dryRun": true, {} "template": {{"spec": {{"containers": [{{"name": "c", "image": "i",
      "resources": {{"requests": {{"cpu": "{}"}}}}}}]}}}}}})",
      more, cpu);
}

std::string answer_to(const std::string& spec, bool withholds) {
  auto question = unit::read(spec);
  EXPECT_TRUE(question) << question.error().message;
  question->withholds_node_names = withholds;
  return boost::json::serialize(to_json(answer(*question, four_nodes(), unit::default_config())));
}

TEST(WithheldNames, AreNowhereInAnAnswer) {
  struct Case {
    const char *cpu, *more;
    std::vector<std::string> named;  // by the asker
  };
  const Case cases[] = {
      {"1", "", {}},
      {"1", R"("replicas": 5,)", {}},
      {"1", R"("replicas": 100, "fixes": true,)", {}},
      {"1", R"("replicas": 2, "room": true,)", {}},
      {"4", R"("fixes": true,)", {}},
      {"100", R"("fixes": true,)", {}},
      {"1", R"("minCount": 2, "topologyKey": "kubernetes.io/hostname",)", {}},
      {"4", R"("fixes": true, "nodes": ["alpha", "nobody"],)", {"alpha"}},
      {"1", R"("changes": [{"type": "DrainNode", "nodeName": "bravo"}],)", {"bravo"}},
      {"4", R"("replicas": 2, "changes": [{"type": "AddNodes", "like": "alpha", "count": 2}],)", {"alpha"}},
      {"1",
       R"("changes": [{"type": "RemoveNode", "nodeName": "alpha"}], "fixes": true, "replicas": 9,)",
       {"alpha"}},
      // A pair: uncordon a node, and request less.
      {"100",
       R"("changes": [{"type": "RemoveNode", "nodeName": "alpha"}, {"type": "RemoveNode", "nodeName": "bravo"},
                      {"type": "CordonNode", "nodeName": "charlie"}], "fixes": true,)",
       {"alpha", "bravo", "charlie"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.more);
    const auto spec = asked(c.cpu, c.more);
    const auto open = answer_to(spec, false), withheld = answer_to(spec, true);
    bool names_one = false;
    for (const auto& name : kNames) {
      names_one |= open.find(name) != open.npos;
      const bool is_own = std::ranges::find(c.named, name) != c.named.end();
      if (!is_own) {
        EXPECT_EQ(withheld.find(name), withheld.npos) << name << " in " << withheld;
      }
    }
    EXPECT_TRUE(names_one) << open;
    EXPECT_NE(withheld.find("withheld-1"), withheld.npos) << withheld;
  }
}

TEST(WithheldNames, APodOfTheNamespaceLosesItsNodesName) {
  auto question = unit::about(pod("web-0").ns("shop").req("cpu", "1"), 1);
  question.subject->was_on = "alpha";
  question.withholds_node_names = true;
  const auto status = answer(question, four_nodes(), unit::default_config());
  EXPECT_EQ(unit::condition(status, "Complete").find("on alpha"), std::string::npos)
      << unit::condition(status, "Complete");
}

}  // namespace
}  // namespace podium::explain
