// VolumeBinding: the verdicts of the filter, and the queueing hints.
#include "scheduler/plugins/volumes/binding.h"

#include "unit/scheduler/plugins/volume_fixture.h"

namespace podium::plugins::test::volume_binding_test {
namespace {

using framework::EventResource;

const std::string kAffinity = "UU; node(s) didn't match PersistentVolume's node affinity";
const std::string kNoVolume = "UU; node(s) didn't find available persistent volumes to bind";
const std::string kNoSpace = "UU; node(s) did not have enough free storage";
const std::string kMissing = "UU; node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

Answers ask(const api::Pod& pod, const Snapshot& snapshot) {
  return filter(make(make_volume_binding), pod, snapshot);
}

// The driver of the class "fast" reports storage capacity.
api::CsiDriver tracking() {
  api::CsiDriver made;
  made.meta.name = "disks.example.com";
  made.storage_capacity = true;
  return made;
}

TEST(VolumeBinding, ClaimsThatKeepThePodFromBeingScheduled) {
  auto lost = claim("c");
  lost.phase = "Lost";
  lost.volume_name = "v";
  auto going = claim("c");
  going.meta.deleted.emplace();
  auto prebound = claim("c");
  prebound.volume_name = "v";
  auto modeless = storage_class("local", "kubernetes.io/no-provisioner", false);
  modeless.has_binding_mode = false;
  const auto theirs = claim("p-scratch");
  const struct {
    const char* name;
    api::Pod pod;
    Snapshot snapshot;
    std::string want;
  } cases[] = {
      {"missing", pod("p").claim("c"), storage({host("n")}, {}), "UU; persistentvolumeclaim \"c\" not found"},
      {"of another namespace", pod("p").ns("other").claim("c"),
       storage({host("n")}, {}, local_class(), claim("c")), "UU; persistentvolumeclaim \"c\" not found"},
      {"lost its volume", pod("p").claim("c"), storage({host("n")}, {}, local_class(), lost),
       "UU; persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"v\""},
      {"on its way out", pod("p").claim("c"), storage({host("n")}, {}, local_class(), going),
       "UU; persistentvolumeclaim \"c\" is being deleted"},
      {"not made yet", pod("p").volume(ephemeral("scratch")), storage({host("n")}, {}),
       "UU; waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-scratch\""},
      {"not made for it", pod("p").volume(ephemeral("scratch")),
       storage({host("n")}, {}, local_class(), theirs),
       "UU; PVC default/p-scratch was not created for pod default/p (pod is not owner)"},
      {"to be bound immediately", pod("p").claim("c"),
       storage({host("n")}, {}, immediate_class(), claim("c", "5Gi", "now")),
       "UU; pod has unbound immediate PersistentVolumeClaims"},
      {"without a class", pod("p").claim("c"), storage({host("n")}, {}, claim("c", "5Gi", "")),
       "UU; pod has unbound immediate PersistentVolumeClaims"},
      {"of a class that is not there", pod("p").claim("c"), storage({host("n")}, {}, claim("c")),
       "UU; pod has unbound immediate PersistentVolumeClaims"},
      {"promised a volume by the user", pod("p").claim("c"),
       storage({host("n")}, {}, local_class(), prebound),
       "UU; pod has unbound immediate PersistentVolumeClaims"},
      {"one of two", pod("p").claim("a").claim("b"),
       storage({host("n")}, {}, local_class(), immediate_class(), claim("a"), claim("b", "5Gi", "now")),
       "UU; pod has unbound immediate PersistentVolumeClaims"},
      {"the second of two is missing", pod("p").claim("a").claim("b"),
       storage({host("n")}, {}, local_class(), claim("a")), "UU; persistentvolumeclaim \"b\" not found"},
      {"a missing one counts before one that is to be bound immediately", pod("p").claim("a").claim("b"),
       storage({host("n")}, {}, immediate_class(), claim("a", "5Gi", "now")),
       "UU; persistentvolumeclaim \"b\" not found"},
      {"a class without a mode", pod("p").claim("c"), storage({host("n")}, {}, modeless, claim("c")),
       "E; VolumeBindingMode not set for StorageClass \"local\""},
  };
  for (const auto& c : cases) EXPECT_EQ(ask(c.pod, c.snapshot), (Answers{{"*", c.want}})) << c.name;
}

TEST(VolumeBinding, PodsWithoutClaimsAreNotLookedAt) {
  EXPECT_EQ(ask(pod("p"), storage({host("n")}, {})), Answers{});
  EXPECT_EQ(ask(pod("p").volume(disk(api::Volume::Kind::other, "")), storage({host("n")}, {})), Answers{});
}

TEST(VolumeBinding, BoundClaimsGoWhereTheirVolumeIs) {
  const auto [a, on_n] = bound(claim("a"), local_volume("va", "n"));
  const auto [b, on_m] = bound(claim("b"), local_volume("vb", "m"));
  const auto [free, anywhere] = bound(claim("free"), volume("vf"));
  const auto [early, early_volume] = bound(claim("early", "5Gi", "now"), local_volume("ve", "n"));
  const api::Pod with_scratch = pod("p").volume(ephemeral("scratch"));
  const auto [own, scratch] = bound(claim_for(with_scratch, "scratch"), local_volume("vs", "n"));
  const Nodes nodes{host("n"), host("m")};
  const struct {
    const char* name;
    api::Pod pod;
    Snapshot snapshot;
    Answers want;
  } cases[] = {
      {"anywhere", pod("p").claim("free"), storage(nodes, {}, local_class(), free, anywhere), {}},
      {"one node", pod("p").claim("a"), storage(nodes, {}, local_class(), a, on_n), {{"m", kAffinity}}},
      {"bound immediately, long ago",
       pod("p").claim("early"),
       storage(nodes, {}, immediate_class(), early, early_volume),
       {{"m", kAffinity}}},
      {"made for the pod", with_scratch, storage(nodes, {}, local_class(), own, scratch), {{"m", kAffinity}}},
      {"two nodes at the same time",
       pod("p").claim("a").claim("b"),
       storage(nodes, {}, local_class(), a, on_n, b, on_m),
       {{"m", kAffinity}, {"n", kAffinity}}},
      {"the volume is gone",
       pod("p").claim("a"),
       storage(nodes, {}, local_class(), a),
       {{"m", kMissing}, {"n", kMissing}}},
      {"the first problem counts",
       pod("p").claim("a").claim("b"),
       storage(nodes, {}, local_class(), a, on_n, b),
       {{"m", kAffinity}, {"n", kMissing}}},
      {"and one that waits finds its own on the way",
       pod("p").claim("a").claim("waits"),
       storage(nodes, {}, local_class(), a, on_n, claim("waits"), local_volume("v2", "n")),
       {{"m", kAffinity + "; node(s) didn't find available persistent volumes to bind"}}},
      {"and one that waits finds none",
       pod("p").claim("a").claim("waits"),
       storage(nodes, {}, local_class(), a, on_n, claim("waits")),
       {{"m", kAffinity + "; node(s) didn't find available persistent volumes to bind"}, {"n", kNoVolume}}},
      {"and there is no room for another",
       pod("p").claim("a").claim("waits"),
       storage(nodes, {}, fast_class(), a, on_n, claim("waits", "5Gi", "fast"), tracking()),
       {{"m", kAffinity + "; node(s) did not have enough free storage"}, {"n", kNoSpace}}},
  };
  for (const auto& c : cases) EXPECT_EQ(ask(c.pod, c.snapshot), c.want) << c.name;
}

// A volume's node affinity is checked against node labels only; matchFields are ignored.
TEST(VolumeBinding, TheNodesNameDoesNotCount) {
  const Nodes nodes{host("n"), host("m")};
  const auto only_n = podium::test::in("metadata.name", {"n"});
  const struct {
    const char* name;
    std::vector<api::NodeSelectorTerm> affinity;
    bool anywhere;
  } cases[] = {
      {"the name alone", {node_term({}, {only_n})}, true},
      {"any other name", {node_term({}, {podium::test::not_in("metadata.name", {"n"})})}, true},
      {"a label and the name",
       {node_term({podium::test::in("kubernetes.io/hostname", {"n"})}, {only_n})},
       false},
      {"a test that no field has", {node_term({}, {podium::test::exists("metadata.name")})}, false},
      {"one of two terms", {node_term({podium::test::in("a", {"b"})}), node_term({}, {only_n})}, true},
  };
  for (const auto& c : cases) {
    auto named = volume("v");
    named.node_affinity = c.affinity;
    const auto selects_n = c.affinity[0].match_expressions.size() == 1;
    const auto unreached = [&](const std::string& why) {
      if (c.anywhere) return Answers{};
      return selects_n ? Answers{{"m", why}} : Answers{{"m", why}, {"n", why}};
    };
    EXPECT_EQ(ask(pod("p").claim("c"), storage(nodes, {}, local_class(), claim("c"), named)),
              unreached(kNoVolume))
        << c.name;
    const auto [bound_claim, bound_volume] = bound(claim("c"), named);
    EXPECT_EQ(ask(pod("p").claim("c"), storage(nodes, {}, local_class(), bound_claim, bound_volume)),
              unreached(kAffinity))
        << c.name;
  }
}

TEST(VolumeBinding, ClaimsThatWaitAreMatchedWithVolumes) {
  const Nodes nodes{host("n"), host("m")};
  const auto matched = [&](const api::PersistentVolume& v, const api::PersistentVolumeClaim& c) {
    return ask(pod("p").claim("c"), storage(nodes, {}, local_class(), v, c)) == Answers{{"m", kNoVolume}};
  };
  const auto with = [](auto value, auto change) {
    change(value);
    return value;
  };
  const auto v = local_volume("v", "n");
  const auto c = claim("c");
  const struct {
    const char* name;
    bool is_matched;
    bool want;
  } cases[] = {
      {"it fits", matched(v, c), true},
      {"just large enough", matched(local_volume("v", "n", "5Gi"), c), true},
      {"too small", matched(local_volume("v", "n", "4Gi"), c), false},
      {"another class", matched(with(v, [](auto& x) { x.storage_class = "other"; }), c), false},
      {"bound", matched(with(v, [](auto& x) { x.phase = "Bound"; }), c), false},
      {"released", matched(with(v, [](auto& x) { x.phase = "Released"; }), c), false},
      {"on its way out", matched(with(v, [](auto& x) { x.meta.deleted.emplace(); }), c), false},
      {"another mode", matched(with(v, [](auto& x) { x.volume_mode = "Block"; }), c), false},
      {"the same mode",
       matched(with(v, [](auto& x) { x.volume_mode = "Block"; }),
               with(c, [](auto& x) { x.volume_mode = "Block"; })),
       true},
      {"an access mode that it lacks",
       matched(v, with(c, [](auto& x) { x.access_modes = {"ReadWriteMany"}; })), false},
      {"promised to the claim", matched(with(v, [](auto& x) { x.claim = {"default", "c", ""}; }), c), true},
      {"promised to this very claim",
       matched(with(v, [](auto& x) { x.claim = {"default", "c", "uid-default-c"}; }), c), true},
      {"promised to one that was there before",
       matched(with(v, [](auto& x) { x.claim = {"default", "c", "old"}; }), c), false},
      {"promised to another", matched(with(v, [](auto& x) { x.claim = {"default", "d", ""}; }), c), false},
      {"a selector that matches",
       matched(with(v, [](auto& x) { x.meta.labels.set("tier", "gold"); }),
               with(c, [](auto& x) { x.selector = podium::test::select_labels({{"tier", "gold"}}); })),
       true},
      {"a selector that does not",
       matched(v, with(c, [](auto& x) { x.selector = podium::test::select_labels({{"tier", "gold"}}); })),
       false},
  };
  for (const auto& each : cases) EXPECT_EQ(each.is_matched, each.want) << each.name;
}

TEST(VolumeBinding, AVolumeIsTakenOnce) {
  const Nodes nodes{host("n"), host("m")};
  const auto two = pod("p").claim("a").claim("b");
  const auto one_each = storage(nodes, {}, local_class(), claim("a"), claim("b"), local_volume("v1", "n"),
                                local_volume("v2", "n"), local_volume("v3", "m"));
  EXPECT_EQ(ask(two, one_each), (Answers{{"m", kNoVolume}}));
  // The smaller claim does not take the only volume that fits the larger one.
  const auto by_size = storage({host("n")}, {}, local_class(), claim("a", "8Gi"), claim("b", "2Gi"),
                               local_volume("large", "n", "9Gi"), local_volume("small", "n", "3Gi"));
  EXPECT_EQ(ask(two, by_size), Answers{});
  // As upstream: a claim that the pod names twice takes two volumes, also where the first is promised to it.
  auto promised = local_volume("v1", "n");
  promised.claim = {"default", "a", ""};
  const auto twice = pod("p").claim("a").claim("a");
  EXPECT_EQ(ask(twice, storage({host("n")}, {}, local_class(), claim("a"), promised)),
            (Answers{{"n", kNoVolume}}));
  EXPECT_EQ(
      ask(twice, storage({host("n")}, {}, local_class(), claim("a"), promised, local_volume("v2", "n"))),
      Answers{});
}

TEST(VolumeBinding, ClaimsWhoseVolumeIsToBeMade) {
  const Nodes nodes{host("n").zone("a"), host("m").zone("b")};
  auto zonal = fast_class();
  zonal.allowed_topologies = {node_term({podium::test::in("topology.kubernetes.io/zone", {"a"})})};
  auto blind = tracking();
  blind.storage_capacity = false;
  auto bare = fast_class();
  bare.provisioner.clear();
  const auto room = [](std::string name, std::string zone, std::string_view capacity,
                       std::string_view largest = "") {
    api::CsiStorageCapacity made;
    made.meta.name = std::move(name);
    made.storage_class = "fast";
    made.node_topology = podium::test::select_labels({{"topology.kubernetes.io/zone", std::move(zone)}});
    made.capacity = podium::test::quantity(capacity);
    if (!largest.empty()) made.maximum_volume_size = podium::test::quantity(largest);
    return made;
  };
  auto nowhere = room("x", "a", "100Gi"), everywhere = nowhere, others = nowhere, unknown = nowhere;
  nowhere.node_topology.reset();
  everywhere.node_topology = podium::test::select_all();
  others.storage_class = "slow";
  unknown.capacity.reset();
  auto none_so_large = unknown;
  none_so_large.maximum_volume_size = podium::test::quantity("0");
  const auto c = claim("c", "5Gi", "fast");
  const auto p = pod("p").claim("c");
  const struct {
    const char* name;
    Snapshot snapshot;
    Answers want;
  } cases[] = {
      {"anywhere", storage(nodes, {}, fast_class(), c), {}},
      {"where the class allows it", storage(nodes, {}, zonal, c), {{"m", kNoVolume}}},
      {"where a node was selected",
       storage(nodes, {}, fast_class(), claim_on("c", "n", "fast")),
       {{"m", kNoVolume}}},
      {"where nobody provisions",
       storage(nodes, {}, local_class(), claim("c")),
       {{"m", kNoVolume}, {"n", kNoVolume}}},
      {"where there is room",
       storage(nodes, {}, fast_class(), c, tracking(), room("x", "a", "5Gi"), room("y", "b", "4Gi")),
       {{"m", kNoSpace}}},
      {"where it can be that large",
       storage(nodes, {}, fast_class(), c, tracking(), room("x", "a", "100Gi", "4Gi")),
       {{"m", kNoSpace}, {"n", kNoSpace}}},
      {"where the room is reached from",
       storage(nodes, {}, fast_class(), c, tracking(), nowhere),
       {{"m", kNoSpace}, {"n", kNoSpace}}},
      {"where there is no word of room",
       storage(nodes, {}, fast_class(), c, tracking()),
       {{"m", kNoSpace}, {"n", kNoSpace}}},
      {"where room is everywhere", storage(nodes, {}, fast_class(), c, tracking(), everywhere), {}},
      {"where one of several is enough",
       storage(nodes, {}, fast_class(), c, tracking(), room("w", "a", "1Gi"), room("x", "a", "9Gi")),
       {{"m", kNoSpace}}},
      {"where another class has room",
       storage(nodes, {}, fast_class(), c, tracking(), others),
       {{"m", kNoSpace}, {"n", kNoSpace}}},
      {"where nobody says how much room",
       storage(nodes, {}, fast_class(), c, tracking(), unknown),
       {{"m", kNoSpace}, {"n", kNoSpace}}},
      {"where no volume may be large",
       storage(nodes, {}, fast_class(), c, tracking(), none_so_large),
       {{"m", kNoSpace}, {"n", kNoSpace}}},
      {"room that the driver does not count",
       storage(nodes, {}, fast_class(), c, blind, room("x", "a", "1Gi")),
       {}},
      {"where the class has no provisioner",
       storage(nodes, {}, bare, c),
       {{"m", kNoVolume}, {"n", kNoVolume}}},
      {"room that nobody counts", storage(nodes, {}, fast_class(), c, room("x", "a", "1Gi")), {}},
      {"a volume that is there comes first",
       storage(nodes, {}, fast_class(), c, tracking(), volume("v", "5Gi", "fast")),
       {}},
  };
  for (const auto& each : cases) EXPECT_EQ(ask(p, each.snapshot), each.want) << each.name;
}

TEST(VolumeBinding, Hints) {
  const api::Pod rejected = pod("p").claim("c").volume(ephemeral("scratch"));
  auto zonal = fast_class();
  zonal.allowed_topologies = {node_term({podium::test::in("zone", {"a"})})};
  auto renamed = fast_class();
  renamed.meta.labels.set("a", "b");
  auto theirs = claim("c");
  theirs.meta.namespace_ = "other";
  auto migrated = csi_node("n", {});
  migrated.meta.annotations.set("storage.alpha.kubernetes.io/migrated-plugins", "kubernetes.io/aws-ebs");
  auto migrated_more = migrated;
  migrated_more.meta.annotations.set("storage.alpha.kubernetes.io/migrated-plugins",
                                     "kubernetes.io/aws-ebs,kubernetes.io/gce-pd");
  auto blind = tracking();
  blind.storage_capacity = false;
  const auto room = [](std::string_view capacity, std::string_view largest = "") {
    api::CsiStorageCapacity made;
    if (!capacity.empty()) made.capacity = podium::test::quantity(capacity);
    if (!largest.empty()) made.maximum_volume_size = podium::test::quantity(largest);
    return made;
  };
  const auto little = room("1Gi"), much = room("2Gi"), unknown = room("");
  const auto another_room = [](const auto& before, const auto& after) {
    return updated(EventResource::csi_storage_capacity, before, after);
  };
  const struct {
    const char* name;
    framework::ClusterEvent event;
    bool want;
  } cases[] = {
      {"a class", added(EventResource::storage_class, fast_class()), true},
      {"a class that allows other nodes", updated(EventResource::storage_class, fast_class(), zonal), true},
      {"a class that has another label", updated(EventResource::storage_class, fast_class(), renamed), false},
      {"its claim", added(EventResource::persistent_volume_claim, claim("c")), true},
      {"its claim changed", updated(EventResource::persistent_volume_claim, claim("c"), claim_on("c", "n")),
       true},
      {"its ephemeral claim", added(EventResource::persistent_volume_claim, claim("p-scratch")), true},
      {"another claim", added(EventResource::persistent_volume_claim, claim("d")), false},
      {"an ephemeral claim of another volume",
       added(EventResource::persistent_volume_claim, claim("p-other")), false},
      {"a claim of its name elsewhere", added(EventResource::persistent_volume_claim, theirs), false},
      {"its claim is gone", removed(EventResource::persistent_volume_claim, claim("c")), false},
      {"a volume", added(EventResource::persistent_volume, volume("v")), true},
      {"a volume changed", updated(EventResource::persistent_volume, volume("v"), volume("v", "20Gi")), true},
      {"a node", node_added(node("n")), true},
      {"a node's labels", node_updated(node("n"), node("n").label("a", "b")), true},
      {"a node's taints", node_updated(node("n").taint("k", "v", "NoSchedule"), node("n")), false},
      {"a CSI node", added(EventResource::csi_node, csi_node("n", {})), true},
      {"a CSI node has migrated", updated(EventResource::csi_node, csi_node("n", {}), migrated), true},
      {"a CSI node has migrated more", updated(EventResource::csi_node, migrated, migrated_more), true},
      {"a CSI node has another limit",
       updated(EventResource::csi_node, csi_node("n", {}), csi_node("n", {{"d", 1}})), false},
      {"a driver no longer counts room", updated(EventResource::csi_driver, tracking(), blind), true},
      {"a driver still counts room", updated(EventResource::csi_driver, tracking(), tracking()), false},
      {"a driver counts room", updated(EventResource::csi_driver, blind, tracking()), false},
      {"room", added(EventResource::csi_storage_capacity, little), true},
      {"more room", another_room(little, much), true},
      {"as much room", another_room(much, much), false},
      {"less room", another_room(much, little), false},
      {"some room where none was known", another_room(unknown, little), true},
      {"larger volumes", another_room(room("9Gi", "1Gi"), room("9Gi", "2Gi")), true},
      {"volumes as large", another_room(room("9Gi", "1Gi"), room("9Gi", "1Gi")), false},
      {"smaller volumes", another_room(room("", "2Gi"), room("", "1Gi")), false},
      {"volumes of a size where none was known", another_room(unknown, room("", "1Gi")), true},
      {"volumes as large as there is room", another_room(room("2Gi", "1Gi"), room("2Gi")), true},
      {"no larger than they were", another_room(room("2Gi", "1Gi"), room("1Gi")), false},
      {"a pod is gone", pod_deleted(pod("a").node("n").claim("c")), false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(helps(make(make_volume_binding), rejected, c.event), c.want) << c.name;
}

// Each of them is looked for among the volumes of its class, on each node.
TEST(VolumeBinding, APodWithVeryManyUnboundClaimsIsRefused) {
  for (const auto& [count, want] :
       {std::pair(256, Answers{}), {257, Answers{{"*", "UU; the pod has too many unbound claims"}}}}) {
    auto snapshot = storage({host("n")}, {}, local_class());
    auto many = pod("p");
    for (int i = 0; i < count; ++i) {
      const auto name = "c" + std::to_string(i);
      snapshot.objects().set<api::PersistentVolumeClaim>(podium::test::share(claim(name)));
      snapshot.objects().set<api::PersistentVolume>(podium::test::share(volume("v" + name)));
      many = many.claim(name);
    }
    EXPECT_EQ(ask(many, snapshot), want) << count;
  }
}

}  // namespace
}  // namespace podium::plugins::test::volume_binding_test
