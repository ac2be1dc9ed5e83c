// plan_volumes(): the volumes to bind and to provision for a pod on a node.
#include <fmt/format.h>

#include "scheduler/plugins/volumes/binder.h"
#include "scheduler/plugins/volumes/binding.h"
#include "unit/scheduler/plugins/volume_fixture.h"

namespace podium::plugins::test::volume_plan_test {
namespace {

// "claim=volume claim=volume, claim": bindings, then claims to provision, in the order of the writes. "no":
// the pod cannot have its volumes on the node.
std::string plan(const api::Pod& pod, const Snapshot& snapshot, const std::string& node = "n") {
  AvailableCache cache;
  const auto found = plan_volumes(pod, snapshot, *snapshot.find_row(node), cache);
  if (!found) return "no";
  std::string text;
  for (const auto& [claim, volume] : found->bindings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", claim->meta.name, volume->meta.name);
  for (const auto& made : found->provisions)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", made.claim->meta.name);
  return text;
}

template <typename... Objects>
Snapshot on_two_nodes(const Objects&... objects) {
  return storage({host("n"), host("m")}, {}, local_class(), fast_class(), objects...);
}

TEST(VolumePlan, WhatIsTakenAndWhatIsMade) {
  const auto promised = [](std::string name, std::string_view capacity) {
    auto made = local_volume(std::move(name), "n", capacity);
    made.claim = {"default", "c", ""};
    return made;
  };
  const auto [there, its_volume] = bound(claim("there"), local_volume("t", "n"));
  const auto [here, missing] = bound(claim("here"), local_volume("gone", "n"));
  const auto c = pod("p").claim("c"), ab = pod("p").claim("a").claim("b");
  const struct {
    const char* name;
    api::Pod pod;
    Snapshot snapshot;
    std::string want;
  } cases[] = {
      {"no claims", pod("p"), on_two_nodes(), ""},
      {"a bound claim", pod("p").claim("there"), on_two_nodes(there, its_volume), ""},
      {"a bound claim whose volume is gone", pod("p").claim("here"), on_two_nodes(here), "no"},
      {"the smallest that is large enough", c,
       on_two_nodes(claim("c"), local_volume("v8", "n", "8Gi"), local_volume("v6", "n", "6Gi"),
                    local_volume("v4", "n", "4Gi"), volume("v7", "7Gi")),
       "c=v6"},
      {"not one of another node", c,
       on_two_nodes(claim("c"), local_volume("v8", "n", "8Gi"), local_volume("v6", "m", "6Gi")), "c=v8"},
      {"one that is promised, before a smaller one", c,
       on_two_nodes(claim("c"), local_volume("v6", "n", "6Gi"), promised("mine", "9Gi")), "c=mine"},
      {"not one that is promised and too small", c,
       on_two_nodes(claim("c"), local_volume("v6", "n", "6Gi"), promised("mine", "1Gi")), "c=v6"},
      {"one each", ab,
       on_two_nodes(claim("a"), claim("b"), local_volume("v5", "n", "5Gi"), local_volume("v6", "n", "6Gi")),
       "a=v5 b=v6"},
      {"smaller claims first", ab,
       on_two_nodes(claim("a", "4Gi"), claim("b", "2Gi"), local_volume("v5", "n", "5Gi"),
                    local_volume("v6", "n", "6Gi")),
       "b=v5 a=v6"},
      {"one for two", ab, on_two_nodes(claim("a"), claim("b"), local_volume("v5", "n", "5Gi")), "no"},
      {"with a bound claim", pod("p").claim("c").claim("there"),
       on_two_nodes(claim("c"), there, its_volume, local_volume("v6", "n", "6Gi")), "c=v6"},
      {"none with a bound claim", pod("p").claim("c").claim("there"),
       on_two_nodes(claim("c"), there, its_volume, local_volume("v6", "m", "6Gi")), "no"},
      {"to be made", c, on_two_nodes(claim("c", "5Gi", "fast")), "c"},
      {"to be made with a bound claim", pod("p").claim("there").claim("c"),
       on_two_nodes(there, its_volume, claim("c", "5Gi", "fast")), "c"},
      {"its node is selected already", c, on_two_nodes(claim_on("c", "n", "fast")), "c"},
      {"another node is selected", c, on_two_nodes(claim_on("c", "m", "fast")), "no"},
      {"a volume that would fit, where the node is selected already", c,
       on_two_nodes(claim_on("c", "n", "fast"), volume("v", "9Gi", "fast")), "c"},
      {"one taken and one made", ab,
       on_two_nodes(claim("a"), claim("b", "5Gi", "fast"), local_volume("v5", "n", "5Gi")), "a=v5, b"},
      {"of one class, one taken and one made", ab,
       on_two_nodes(claim("a", "5Gi", "fast"), claim("b", "1Gi", "fast"), volume("v", "9Gi", "fast")),
       "b=v, a"},
      {"those with a node first, then by size", pod("p").claim("a").claim("b").claim("c"),
       on_two_nodes(claim("a", "5Gi", "fast"), claim("b", "1Gi", "fast"), claim_on("c", "n", "fast")),
       "c, b, a"},
  };
  for (const auto& each : cases) EXPECT_EQ(plan(each.pod, each.snapshot), each.want) << each.name;
}

// A second pod with the same claim gets the volume that was assumed for the first, on every call.
TEST(VolumePlan, AnAssumptionIsFoundAgain) {
  auto snapshot = on_two_nodes(claim("c"), local_volume("v6", "n", "6Gi"), local_volume("v7", "n", "6Gi"),
                               local_volume("small", "m", "5Gi"));
  const framework::AssumedPod first{info(pod("p").claim("c")), "n"};
  const VolumeBinding plugin;
  const auto reserved = plugin.reserve(first, snapshot);
  ASSERT_FALSE(reserved.failed);
  EXPECT_EQ(plan(pod("q").claim("c"), snapshot), "c=v6");
  EXPECT_EQ(plan(pod("q").claim("c"), snapshot, "m"), "no") << "the smaller one is not its volume any more";
}

TEST(VolumeBinderDeathTest, OnlyAnUntranslatableVolumeHasAnError) {
  const Snapshot snapshot;
  AvailableCache cache;
  const VolumeBinder binder(snapshot, {}, cache);
  EXPECT_DEATH(static_cast<void>(binder.error_at(3)), "check failed at .*\\(row = 3\\)");
}

// Each node has two volumes of its own, those of every third are also within reach of the next one, and some
// name no node that exists: as many groups of volumes as there are nodes.
TEST(VolumePlan, AVolumeOnEachOfManyNodes) {
  constexpr int kNodes = 60;
  const auto name = [](int i) { return fmt::format("n{:02}", i); };
  Nodes nodes;
  for (int i = 0; i < kNodes; ++i) nodes.push_back(host(name(i)));
  auto snapshot = storage(nodes, {}, local_class(), claim("a"), claim("b"));
  const auto add = [&](api::PersistentVolume made) {
    snapshot.objects().set(podium::test::share(std::move(made)));
  };
  for (int i = 0; i < kNodes; ++i) {
    auto small = local_volume("small-" + name(i), name(i), "5Gi");
    if (i % 3 == 0)
      small.node_affinity = {node_term({podium::test::in("kubernetes.io/hostname", {name(i), name(i + 1)})})};
    add(std::move(small));
    add(local_volume("large-" + name(i), name(i), "9Gi"));
    add(local_volume("gone-" + name(i), "gone-" + name(i), "5Gi"));
  }
  snapshot.remove_node(name(7));
  snapshot.set_node(host(name(8)).label("kubernetes.io/hostname", "other").ptr());
  const auto ab = pod("p").claim("a").claim("b");
  for (int i = 0; i < kNodes; ++i) {
    if (i == 7) continue;
    const auto own = "small-" + name(i), before = i % 3 == 1 ? "small-" + name(i - 1) : "";
    const auto first = before.empty() ? own : before, second = before.empty() ? "large-" + name(i) : own;
    EXPECT_EQ(plan(ab, snapshot, name(i)), i == 8 ? "no" : fmt::format("a={} b={}", first, second));
  }
}

}  // namespace
}  // namespace podium::plugins::test::volume_plan_test
