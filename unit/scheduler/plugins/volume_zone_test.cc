#include "unit/scheduler/plugins/volume_fixture.h"

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/volumes/volumes_apart.h"

namespace podium::plugins::test::volume_zone_test {
namespace {

using framework::EventResource;

constexpr auto kZone = "topology.kubernetes.io/zone", kRegion = "topology.kubernetes.io/region",
               kBetaZone = "failure-domain.beta.kubernetes.io/zone",
               kBetaRegion = "failure-domain.beta.kubernetes.io/region";
const std::string kElsewhere = "UU; node(s) had no available volume zone";

Answers ask(const api::Pod& pod, const Snapshot& snapshot) {
  return filter(make(make_volume_zone), pod, snapshot);
}

TEST(VolumeZone, VolumesAreReachedFromTheirZone) {
  using Labels = std::initializer_list<api::Labels::Entry>;
  const struct {
    const char* name;
    Labels volume, node;
    bool fits;
  } cases[] = {
      {"neither has any", {}, {}, true},
      {"only the node", {}, {{kZone, "a"}}, true},
      {"only the volume", {{kZone, "a"}}, {}, true},
      {"the same zone", {{kZone, "a"}}, {{kZone, "a"}}, true},
      {"another zone", {{kZone, "a"}}, {{kZone, "b"}}, false},
      {"one of two zones", {{kZone, "a__b"}}, {{kZone, "b"}}, true},
      {"none of two zones", {{kZone, "a__b"}}, {{kZone, "c"}}, false},
      {"blanks around zones", {{kZone, " a __ b "}}, {{kZone, "b"}}, true},
      {"a list with a hole is not a list", {{kZone, "a__"}}, {{kZone, "b"}}, true},
      {"the same region", {{kRegion, "r"}}, {{kRegion, "r"}}, true},
      {"another region", {{kRegion, "r"}}, {{kRegion, "s"}}, false},
      {"the zone, in no region", {{kZone, "a"}, {kRegion, "r"}}, {{kZone, "a"}}, false},
      {"the zone, in another region", {{kZone, "a"}, {kRegion, "r"}}, {{kZone, "a"}, {kRegion, "s"}}, false},
      {"a zone where the node has but a region", {{kZone, "a"}}, {{kRegion, "r"}}, false},
      {"the old label on both", {{kBetaZone, "a"}}, {{kBetaZone, "a"}}, true},
      {"the old label on both, another zone", {{kBetaZone, "a"}}, {{kBetaZone, "b"}}, false},
      {"the old label on the volume alone", {{kBetaZone, "a"}}, {{kZone, "a"}}, true},
      {"the old label on the volume alone, another zone", {{kBetaZone, "a"}}, {{kZone, "b"}}, false},
      {"the old label with two zones", {{kBetaZone, "a__b"}}, {{kBetaZone, "b"}}, true},
      {"the old region on both", {{kBetaRegion, "r"}}, {{kBetaRegion, "r"}}, true},
      {"the old region on both, another region", {{kBetaRegion, "r"}}, {{kBetaRegion, "s"}}, false},
      {"the old region on the volume alone", {{kBetaRegion, "r"}}, {{kRegion, "r"}}, true},
      {"the old label on the node alone", {{kZone, "a"}}, {{kBetaZone, "a"}}, false},
  };
  for (const auto& c : cases) {
    auto [claimed, v] = bound(claim("c"), volume("v"));
    v.meta.labels = api::Labels(c.volume);
    auto n = host("n");
    for (const auto& [key, value] : c.node) n.label(key, value);
    const auto want = c.fits ? Answers{} : Answers{{"n", kElsewhere}};
    EXPECT_EQ(ask(pod("p").claim("c"), storage({n}, {}, claimed, v)), want) << c.name;
  }
}

TEST(VolumeZone, PodsWithoutClaimsAreNotLookedAt) {
  EXPECT_EQ(ask(pod("p"), storage({host("n").zone("a")}, {})), Answers{});
  EXPECT_EQ(ask(pod("p").volume(ephemeral("scratch")), storage({host("n").zone("a")}, {})), Answers{});
}

TEST(VolumeZone, EveryVolumeCounts) {
  auto [a, va] = bound(claim("a"), volume("va"));
  auto [b, vb] = bound(claim("b"), volume("vb"));
  va.meta.labels.set(kZone, "a__b");
  vb.meta.labels.set(kZone, "b__c");
  const Nodes nodes{host("na").zone("a"), host("nb").zone("b"), host("nc").zone("c")};
  EXPECT_EQ(ask(pod("p").claim("a").claim("b"), storage(nodes, {}, a, va, b, vb)),
            (Answers{{"na", kElsewhere}, {"nc", kElsewhere}}));
}

// kube-scheduler's reason names neither of the volumes.
TEST(VolumesApart, TwoInDifferentPlacesAreNamed) {
  const auto apart = [](const api::PersistentVolume& one, const api::PersistentVolume& other) {
    const auto [a, va] = bound(claim("a"), one);
    const auto [b, vb] = bound(claim("b"), other);
    const auto found = volumes_apart(pod("p").claim("a").claim("b").build(),
                                     storage({host("n1"), host("n2")}, {}, a, va, b, vb));
    if (!found) return std::string();
    const auto words = [](const PlacedVolume& each) {
      return each.claim + " " + each.volume + " " + each.key + "=" + each.values.front();
    };
    return words(found->first) + ", " + words(found->second);
  };
  const auto in_zones = [](const char* name, std::vector<std::string> zones, const char* key = kZone) {
    auto made = volume(name);
    made.node_affinity = {node_term({podium::test::in(key, std::move(zones))})};
    return made;
  };
  EXPECT_EQ(apart(in_zones("va", {"eu-1a"}), in_zones("vb", {"eu-1b"})),
            "a va topology.kubernetes.io/zone=eu-1a, b vb topology.kubernetes.io/zone=eu-1b");
  EXPECT_EQ(apart(in_zones("va", {"eu-1a", "eu-1b"}), in_zones("vb", {"eu-1b", "eu-1c"})), "");
  EXPECT_EQ(apart(in_zones("va", {"eu-1a"}), in_zones("vb", {"eu-1b"}, "disks.example.com/zone")), "")
      << "a node may have both labels";
  EXPECT_EQ(apart(local_volume("va", "n1"), local_volume("vb", "n2")),
            "a va kubernetes.io/hostname=n1, b vb kubernetes.io/hostname=n2");
  EXPECT_EQ(apart(volume("va"), in_zones("vb", {"eu-1b"})), "");
  auto labelled = volume("va");
  labelled.meta.labels.set(kBetaZone, "eu-1a__eu-1c");
  EXPECT_EQ(apart(labelled, in_zones("vb", {"eu-1b"})),
            "a va topology.kubernetes.io/zone=eu-1a, b vb topology.kubernetes.io/zone=eu-1b");
  // Terms are ORed.
  auto either = volume("va");
  either.node_affinity = {
      {{{podium::test::in(kZone, {"eu-1a"})}, {}}, {{podium::test::in(kZone, {"eu-1b"})}, {}}}};
  EXPECT_EQ(apart(either, in_zones("vb", {"eu-1b"})), "");
}

TEST(VolumeZone, ClaimsWithoutAVolume) {
  auto modeless = local_class();
  modeless.has_binding_mode = false;
  auto named = claim("c");
  named.volume_name = "v";
  const struct {
    const char* name;
    Snapshot snapshot;
    Answers want;
  } cases[] = {
      {"waits for its first consumer", storage({host("n")}, {}, local_class(), claim("c")), {}},
      {"missing", storage({host("n")}, {}), {{"*", "UU; persistentvolumeclaim \"c\" not found"}}},
      {"names a volume that is missing",
       storage({host("n")}, {}, local_class(), named),
       {{"*", "UU; persistentvolume \"v\" not found"}}},
      {"has no class",
       storage({host("n")}, {}, claim("c", "5Gi", "")),
       {{"*", "UU; PersistentVolumeClaim had no pv name and storageClass name"}}},
      {"its class is missing",
       storage({host("n")}, {}, claim("c")),
       {{"*", "UU; storageclass.storage.k8s.io \"local\" not found"}}},
      {"its class has no mode",
       storage({host("n")}, {}, modeless, claim("c")),
       {{"*", "UU; VolumeBindingMode not set for StorageClass \"local\""}}},
      {"is to be bound immediately",
       storage({host("n")}, {}, immediate_class(), claim("c", "5Gi", "now")),
       {{"*", "UU; PersistentVolume had no name"}}},
  };
  for (const auto& c : cases) EXPECT_EQ(ask(pod("p").claim("c"), c.snapshot), c.want) << c.name;
  EXPECT_EQ(ask(pod("p").claim(""), storage({host("n")}, {})),
            (Answers{{"*", "UU; PersistentVolumeClaim had no name"}}));
}

TEST(VolumeZone, Hints) {
  const api::Pod rejected = pod("p").claim("c").volume(ephemeral("scratch"));
  auto zonal = volume("v");
  zonal.meta.labels.set(kZone, "a");
  auto elsewhere = zonal, both = zonal, same = zonal, twice = zonal;
  elsewhere.meta.labels.set(kZone, "b");
  both.meta.labels.set(kBetaZone, "a");
  same.meta.labels.set("tier", "gold");
  twice.meta.labels.set(kZone, "a__a");
  auto modeless = local_class();
  modeless.has_binding_mode = modeless.wait_for_first_consumer = false;
  auto theirs = claim("c");
  theirs.meta.namespace_ = "other";
  auto labelled = volume("v");
  labelled.meta.labels.set("tier", "gold");
  const struct {
    const char* name;
    framework::ClusterEvent event;
    bool want;
  } cases[] = {
      {"a class that waits", added(EventResource::storage_class, local_class()), true},
      {"a class that does not", added(EventResource::storage_class, immediate_class()), false},
      {"a class without a mode", added(EventResource::storage_class, modeless), false},
      {"a class changed", updated(EventResource::storage_class, local_class(), local_class()), false},
      {"a node", node_added(node("n")), true},
      {"a node's labels", node_updated(node("n"), node("n").zone("a")), true},
      {"its claim", added(EventResource::persistent_volume_claim, claim("c")), true},
      {"its claim changed", updated(EventResource::persistent_volume_claim, claim("c"), claim("c")), true},
      {"another claim", added(EventResource::persistent_volume_claim, claim("d")), false},
      {"a claim of its name elsewhere", added(EventResource::persistent_volume_claim, theirs), false},
      {"an ephemeral claim", added(EventResource::persistent_volume_claim, claim("p-scratch")), false},
      {"a volume", added(EventResource::persistent_volume, volume("v")), true},
      {"a volume's zone", updated(EventResource::persistent_volume, volume("v"), zonal), true},
      {"a volume's zone is another", updated(EventResource::persistent_volume, zonal, elsewhere), true},
      {"a volume's zone in two labels", updated(EventResource::persistent_volume, zonal, both), true},
      {"a volume's zone given twice", updated(EventResource::persistent_volume, zonal, twice), false},
      {"another label of a volume in a zone", updated(EventResource::persistent_volume, zonal, same), false},
      {"another label of a volume", updated(EventResource::persistent_volume, volume("v"), labelled), false},
      {"a volume is gone", removed(EventResource::persistent_volume, volume("v")), false},
  };
  for (const auto& c : cases) EXPECT_EQ(helps(make(make_volume_zone), rejected, c.event), c.want) << c.name;
  EXPECT_FALSE(
      helps(make(make_volume_zone), pod("p"), added(EventResource::persistent_volume_claim, claim("c"))));
}

}  // namespace
}  // namespace podium::plugins::test::volume_zone_test
