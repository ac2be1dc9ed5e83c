// spec.search: what it may have, and each fault with its path.
#include "explain/question/search_spec.h"

#include <gtest/gtest.h>

#include <string_view>

#include "unit/explain/question/reading.h"

namespace podium::explain {
namespace {

using unit::read;

TEST(SearchSpec, ReadsShapes) {
  const auto question = read(R"({"search": {"forPending": {"shapes": [
      {"name": "m.16x64", "allocatable": {"cpu": 16, "memory": "64Gi", "example.com/gpu": "2"}, "labels": {"pool": "m"},
       "taints": [{"key": "a", "value": "b", "effect": "NoSchedule"}], "price": 0.75, "max": 3,
       "csiLimits": {"ebs.csi.aws.com": 25, "nfs.csi.k8s.io": 0},
       "devices": [{"driver": "gpu.example.com", "count": 2, "attributes": {"model": {"string": "a100"}}},
                   {"driver": "nic.example.com"}, {"driver": "gpu.example.com"}]},
      {"name": "mine", "like": "n1", "price": 2}]}}})");
  ASSERT_TRUE(question) << question.error().message;
  ASSERT_TRUE(question->search);
  EXPECT_EQ(question->search->kind, SearchSpec::Kind::for_pending);
  ASSERT_EQ(question->search->shapes.size(), 2u);
  const auto& shape = question->search->shapes[0];
  EXPECT_EQ(shape.price, 750'000);
  EXPECT_EQ(shape.most, 3);
  EXPECT_EQ(api::find_resource(shape.node->allocatable, "cpu")->text(), "16");
  EXPECT_EQ(api::find_resource(shape.node->allocatable, "pods")->text(), "110") << "the kubelet's default";
  EXPECT_EQ(*shape.node->meta.labels.find("pool"), "m");
  EXPECT_EQ(shape.node->taints.size(), 1u);
  ASSERT_EQ(shape.slices.size(), 2u) << "one of each driver";
  ASSERT_EQ(shape.slices[0].devices.size(), 3u);
  EXPECT_EQ(shape.slices[0].devices[2].name, "device-3");
  EXPECT_EQ(shape.slices[0].devices[0].attributes.size(), 1u);
  EXPECT_EQ(shape.slices[1].driver, "nic.example.com");
  ASSERT_TRUE(shape.drivers);
  ASSERT_EQ(shape.drivers->drivers.size(), 2u);
  EXPECT_EQ(shape.drivers->drivers[0], (api::CsiNode::Driver{"ebs.csi.aws.com", 25}));
  EXPECT_FALSE(question->search->shapes[1].drivers);
  EXPECT_EQ(question->search->shapes[1].like, "n1");
  EXPECT_TRUE(question->subject) << "no reader looks for a pod";
}

TEST(SearchSpec, FaultsHaveTheirPath) {
  struct Case {
    std::string_view spec, error;
  };
  const Case cases[] = {
      {R"({"search": {}})", "spec.search: needs exactly one of forPending, couldGo and compareWeights"},
      {R"({"search": {"forPending": {}, "couldGo": {}}})",
       "spec.search: needs exactly one of forPending, couldGo and compareWeights"},
      {R"({"search": {"forPending": {}, "couldGo": {}, "compareWeights": {}}})",
       "spec.search: needs exactly one of forPending, couldGo and compareWeights"},
      {R"({"search": {"compareWeights": {}}})", "spec.search.compareWeights.strategies: required"},
      {R"({"search": {"compareWeights": {"strategies": [{"name": "ImageLocality", "weight": -1}]}}})",
       "spec.search.compareWeights.strategies[0].weight: must be between 0 and 1000000"},
      {R"({"search": {"couldGo": {"shapes": []}}})", "spec.search.couldGo.shapes: unknown field"},
      {R"({"search": {"couldGo": {}}, "podRef": {"name": "p"}})",
       "spec: a what-if needs exactly one of template, podRef, workloadRef and search"},
      {R"({"search": {"couldGo": {}}, "replicas": 2, "fixes": true})",
       "spec.replicas: is not for a search; spec.fixes: is not for a search"},
      {R"({"search": {"forPending": {"shapes": [{"name": "a"}]}}})",
       "spec.search.forPending.shapes[0]: needs exactly one of allocatable and like"},
      {R"({"search": {"forPending": {"shapes": [{"name": "a", "like": "n", "labels": {}}]}}})",
       "spec.search.forPending.shapes[0]: has the labels, taints, devices and CSI limits of the node that it "
       "is like"},
      {R"({"search": {"forPending": {"shapes": [{"name": "a", "allocatable": {"cpu": 1}, "csiLimits": {"A": 1, "b": -1, "c": "many"}},
          {"name": "b", "allocatable": {"cpu": 1}, "csiLimits": []}]}}})",
       "spec.search.forPending.shapes[0].csiLimits[A]: \"A\" is not a valid name; "
       "spec.search.forPending.shapes[0].csiLimits[b]: must be between 0 and 100000; "
       "spec.search.forPending.shapes[0].csiLimits[c]: must be between 0 and 100000; "
       "spec.search.forPending.shapes[1].csiLimits: must be an object with at most 16 drivers"},
      {R"({"search": {"forPending": {"shapes": [{"name": "a", "like": "n", "price": 1}, {"name": "b", "like": "n"}]}}})",
       "spec.search.forPending.shapes: either all shapes have a price, or none"},
      {R"({"search": {"forPending": {"shapes": [{"name": "a", "allocatable": {"cpu": 1}, "devices": [{"count": 0, "attributes": []},
          {"driver": "A", "capacity": {"m": {"value": "x"}}, "more": 1}, {"driver": "g", "count": 100}, {"driver": "g", "count": 100}]}]}}})",
       "spec.search.forPending.shapes[0].devices[0].driver: required; "
       "spec.search.forPending.shapes[0].devices[0].count: must be between 1 and 128; "
       "spec.search.forPending.shapes[0].devices[0].attributes: must be an object with at most 32 fields; "
       "spec.search.forPending.shapes[0].devices[1].driver: \"A\" is not a valid name; "
       "spec.search.forPending.shapes[0].devices[1].more: unknown field; "
       "spec.search.forPending.shapes[0].devices[1].capacity.m.value: \"x\" is not a quantity, such as "
       "\"4\", \"500m\" or \"2Gi\"; "
       "spec.search.forPending.shapes[0].devices[3].count: a node has at most 128 devices"},
      // All faults at the same time.
      {R"({"search": {"forPending": {"shapes": [{"name": "A", "allocatable": {"cpu": "x", "a b": 1}, "labels": {"k": "a b"},
          "taints": [{"key": "a", "effect": "Never"}], "price": -1, "max": 1001, "more": 1}, {"name": "b", "like": "n"}, {"name": "b", "like": "n"}]}}})",
       "spec.search.forPending.shapes[0].name: \"A\" is not a valid name; "
       "spec.search.forPending.shapes[0].allocatable.cpu: must be a quantity, such as 16 or 64Gi; "
       "spec.search.forPending.shapes[0].allocatable.a b: is not the name of a resource; "
       "spec.search.forPending.shapes[0].labels[k]: must be a string that is a valid label value; "
       "spec.search.forPending.shapes[0].taints[0].effect: must be NoSchedule, PreferNoSchedule or "
       "NoExecute; "
       "spec.search.forPending.shapes[0].price: must be a number from 0 to 1000000000; "
       "spec.search.forPending.shapes[0].max: must be between 0 and 1000; "
       "spec.search.forPending.shapes[0].more: unknown field; "
       "spec.search.forPending.shapes[2].name: another shape is named b"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.spec.substr(0, 100));
    const auto question = read(c.spec);
    ASSERT_FALSE(question);
    EXPECT_EQ(question.error().message, c.error);
  }
}

}  // namespace
}  // namespace podium::explain
