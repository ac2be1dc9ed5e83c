// pinned_node(): the node that a DaemonSet's controller has chosen.
#include "explain/report/pinned_node.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "api/decode/decode.h"

namespace podium::explain {
namespace {

TEST(PinnedNode, IsWhatTheControllerWritesAndNothingElse) {
  struct Case {
    const char* terms;
    const char* node;
  };
  const Case cases[] = {
      {R"([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}])", "n1"},
      {R"([{"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]}])", ""},
      {R"([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1", "n2"]}]}])", ""},
      {R"([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]},
           {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}])",
       ""},
      {R"([{"matchExpressions": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}])", ""},
  };
  for (const auto& c : cases) {
    boost::json::value object = boost::json::parse(R"({"metadata": {"name": "p", "namespace": "shop"},
        "spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}}})");
    object.at_pointer("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution")
        .as_object()["nodeSelectorTerms"] = boost::json::parse(c.terms);
    const auto pod = api::decode_pod(object);
    ASSERT_TRUE(pod) << c.terms;
    EXPECT_EQ(pinned_node(*pod), c.node) << c.terms;
  }
}

}  // namespace
}  // namespace podium::explain
