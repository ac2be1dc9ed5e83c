// Warnings of `podium evaluate` about kinds that a dump lacks.
#include "app/offline/missing_kinds.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "unit/support/builders.h"

namespace podium::offline {
namespace {

using Names = std::vector<std::string>;

Names missing(const api::Manifests& dump, const api::Pod& pod) {
  return missing_kinds(dump, {std::make_shared<const api::Pod>(pod)});
}

TEST(MissingKinds, NamespacesWhereAffinitySelectsThem) {
  api::Pod pod;
  pod.pod_anti_affinity.required.emplace_back().namespace_selector.emplace();
  const Names expected{"--cluster has no namespaces: pod affinity selects them by their labels"};
  api::Manifests dump;
  EXPECT_EQ(missing(dump, pod), expected);
  dump.pods.push_back(std::make_shared<const api::Pod>(pod));
  EXPECT_EQ(missing(dump, api::Pod()), expected) << "a pod that runs keeps others away";
  dump.namespaces.push_back(std::make_shared<const api::Namespace>());
  EXPECT_EQ(missing(dump, pod), Names{});
}

TEST(MissingKinds, AnEmptyListSaysThatThereAreNone) {
  const api::Pod pod = test::pod("p").req("example.com/gpu", "1");
  api::Manifests dump;
  dump.nodes.push_back(test::node("n").cap("cpu", "4").ptr());
  dump.empty_kinds = {"ResourceClaim", "ResourceSlice"};
  EXPECT_EQ(missing(dump, pod),
            Names{"--cluster has no deviceclasses: the pod's devices decide where it may go"});
  dump.empty_kinds.insert("DeviceClass");
  EXPECT_EQ(missing(dump, pod), Names{});
}

// A device class may provide an extended resource that no node has.
TEST(MissingKinds, DevicesWhereNoNodeHasTheResource) {
  const api::Pod pod = test::pod("p").req("example.com/gpu", "1");
  api::Manifests dump;
  dump.nodes.push_back(test::node("n").cap("cpu", "4").ptr());
  EXPECT_EQ(missing(dump, pod), Names{"--cluster has no resourceclaims, deviceclasses, resourceslices: the "
                                      "pod's devices decide where it may go"});
  dump.nodes.push_back(test::node("m").cap("example.com/gpu", "1").ptr());
  EXPECT_EQ(missing(dump, pod), Names{});
}

// Such as a dump that was cut off, or the files of two clusters.
TEST(Doubts, AreOfNodesAndTheirPods) {
  api::Manifests dump;
  Names warnings;
  dump.nodes.push_back(test::node("n").cap("cpu", "4").cap("pods", "9").ptr());
  dump.pods.push_back(test::pod("a").node("n").ptr());
  dump.pods.push_back(test::pod("waits").ptr());
  dump.pods.push_back(test::pod("ended").node("gone").phase("Succeeded").ptr());
  add_doubts(dump, warnings);
  EXPECT_EQ(warnings, Names{});
  dump.nodes.push_back(test::node("cut").ptr());
  dump.nodes.push_back(test::node("by-hand").cap("cpu", "4").ptr());
  dump.pods.push_back(test::pod("b").node("other-1").ptr());
  dump.pods.push_back(test::pod("c").node("other-2").ptr());
  add_doubts(dump, warnings);
  EXPECT_EQ(warnings, (Names{"no pod fits on cut, without status.allocatable",
                             "no pod fits on by-hand, without pods in status.allocatable",
                             "--cluster has 2 pods on nodes that it does not have: other-1 and other-2"}));
}

}  // namespace
}  // namespace podium::offline
