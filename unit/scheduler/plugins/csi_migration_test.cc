// CSI migration: translated names of in-tree disks, and the node affinity of their volumes on migrated nodes.
#include "scheduler/plugins/shared/csi_migration.h"

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/volumes/binding.h"
#include "unit/scheduler/plugins/volume_fixture.h"

namespace podium::plugins::test::csi_migration_test {
namespace {

using Kind = api::Volume::Kind;

constexpr auto kZone = "topology.kubernetes.io/zone", kBetaZone = "failure-domain.beta.kubernetes.io/zone",
               kRegion = "topology.kubernetes.io/region",
               kBetaRegion = "failure-domain.beta.kubernetes.io/region", kGceZone = "topology.gke.io/zone";

std::string text_of(const std::optional<Translation>& volume) {
  if (!volume) return "none";
  return *volume ? (*volume)->unique_name() : volume->error();
}

api::Volume azure_disk(std::string kind) {
  auto made = disk(Kind::azure_disk, "/subscriptions/d");
  made.pool = std::move(kind);
  return made;
}

const std::string kNoAwsVolume =
    "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ";

TEST(CsiMigration, DisksOfPods) {
  const struct {
    api::Volume volume;
    std::string want;
  } cases[] = {
      {disk(Kind::aws_disk, "vol-1"), "ebs.csi.aws.com/vol-1"},
      {disk(Kind::aws_disk, "aws://us-east-1a/vol-1"), "ebs.csi.aws.com/vol-1"},
      {disk(Kind::aws_disk, "aws:///vol-1"), "ebs.csi.aws.com/vol-1"},
      {disk(Kind::aws_disk, "aws://us-east-1a/vol-1?x#y"), "ebs.csi.aws.com/vol-1"},
      {disk(Kind::aws_disk, "whatever"), "ebs.csi.aws.com/whatever"},
      {disk(Kind::aws_disk, "aws://us-east-1a/1"), kNoAwsVolume + "(aws://us-east-1a/1)"},
      {disk(Kind::aws_disk, "aws://us-east-1a/vol-1/2"), kNoAwsVolume + "(aws://us-east-1a/vol-1/2)"},
      {disk(Kind::aws_disk, "aws://us-east-1a"), kNoAwsVolume + "(aws://us-east-1a)"},
      {disk(Kind::gce_disk, "pd"), "pd.csi.storage.gke.io/projects/UNSPECIFIED/zones/UNSPECIFIED/disks/pd"},
      {azure_disk("Managed"), "disk.csi.azure.com//subscriptions/d"},
      {azure_disk("Shared"), "kind(Shared) is not supported in csi migration"},
      {disk(Kind::cinder, "c"), "cinder.csi.openstack.org/c"},
      {disk(Kind::portworx, "p"), "pxd.portworx.com/p"},
      {disk(Kind::azure_file, "share"), "none"},
      {disk(Kind::vsphere, "path"), "none"},
      {disk(Kind::rbd, "image"), "none"},
      {disk(Kind::iscsi, "iqn"), "none"},
      {disk(Kind::other, ""), "none"},
  };
  for (const auto& c : cases) EXPECT_EQ(text_of(translated(c.volume)), c.want) << c.volume.id;
}

TEST(CsiMigration, PersistentVolumes) {
  using Labels = std::initializer_list<api::Labels::Entry>;
  const struct {
    const char* name;
    Labels labels;
    std::string want;  // of the GCE disk "pd"
  } cases[] = {
      {"nowhere", {}, "zones/UNSPECIFIED"},
      {"in a zone", {{kZone, "us-east1-b"}}, "zones/us-east1-b"},
      {"in a zone by the old label", {{kBetaZone, "us-east1-b"}}, "zones/us-east1-b"},
      {"the old label counts first", {{kZone, "us-east1-c"}, {kBetaZone, "us-east1-b"}}, "zones/us-east1-b"},
      {"unless it is empty", {{kZone, "us-east1-c"}, {kBetaZone, ""}}, "zones/us-east1-c"},
      {"in two zones", {{kZone, "us-east1-b__us-east1-c"}}, "regions/us-east1"},
  };
  for (const auto& c : cases) {
    auto made = volume("v");
    made.source = disk(Kind::gce_disk, "pd");
    made.meta.labels = api::Labels(c.labels);
    EXPECT_EQ(text_of(translated(made)), "pd.csi.storage.gke.io/projects/UNSPECIFIED/" + c.want + "/disks/pd")
        << c.name;
  }
  auto csi = volume("v");
  csi.source = disk(Kind::gce_disk, "pd");
  csi.csi_driver = "disks.example.com";
  EXPECT_EQ(text_of(translated(csi)), "none");
  EXPECT_EQ(text_of(translated(volume("v"))), "none");
}

TEST(CsiMigration, PersistentVolumesWithoutAKnownDriver) {
  auto regional = volume("v");
  regional.source = disk(Kind::gce_disk, "pd");
  regional.meta.labels = api::Labels{{kZone, "us-west1-c__us-east1-b"}};
  EXPECT_EQ(text_of(translated(regional)),
            "failed to get region from zones: multiple or no regions gotten from zones, got: "
            "map[us-east1:{} us-west1:{}]");
  regional.meta.labels = api::Labels{{kZone, "us-east1-b__c"}};
  EXPECT_EQ(text_of(translated(regional)),
            "failed to get region from zones: zone in unexpected format, expected: "
            "{locale}-{region}-{zone}, got: c");
  auto blob = volume("v");
  blob.source = azure_disk("Dedicated");
  EXPECT_EQ(text_of(translated(blob)), "kind(Dedicated) is not supported in csi migration");
}

// Source: k8s.io/csi-translation-lib/plugins, the names and topology keys of each.
struct Migrated {
  Kind kind;
  std::string provisioner, driver, topology_key;  // empty key: not translated
};
const Migrated kMigrated[] = {
    {Kind::aws_disk, "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone"},
    {Kind::gce_disk, "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"},
    {Kind::azure_disk, "kubernetes.io/azure-disk", "disk.csi.azure.com", ""},
    {Kind::cinder, "kubernetes.io/cinder", "cinder.csi.openstack.org",
     "topology.cinder.csi.openstack.org/zone"},
    {Kind::portworx, "kubernetes.io/portworx-volume", "pxd.portworx.com", ""},
};

TEST(CsiMigration, Provisioners) {
  for (const auto& each : kMigrated) {
    EXPECT_EQ(driver_of_provisioner(each.provisioner), each.driver);
    EXPECT_FALSE(is_uncounted_provisioner(each.provisioner)) << each.provisioner;
  }
  EXPECT_EQ(driver_of_provisioner("disks.example.com"), "disks.example.com");
  EXPECT_TRUE(is_uncounted_provisioner("kubernetes.io/vsphere-volume"));
  EXPECT_TRUE(is_uncounted_provisioner("kubernetes.io/azure-file"));
}

TEST(CsiMigration, ZonesAreAskedForByTheDriversKey) {
  for (const auto& each : kMigrated) {
    SCOPED_TRACE(each.provisioner);
    auto made = volume("v");
    made.source = disk(each.kind, "d");
    made.source.pool = "Managed";
    const std::vector in_a{node_term({podium::test::in(kZone, {"a"})})};
    made.node_affinity = in_a;
    const auto [plugin, terms] = migrated_affinity(made);
    if (each.topology_key.empty()) {
      EXPECT_EQ(plugin, "");
      EXPECT_EQ(terms, in_a);
    } else {
      EXPECT_EQ(plugin, each.provisioner);
      EXPECT_EQ(terms, std::vector{node_term({podium::test::in(each.topology_key, {"a"})})});
    }
  }
}

// --- node affinity ---

api::PersistentVolume gce_volume(std::initializer_list<api::Labels::Entry> labels) {
  auto made = volume("v");
  made.source = disk(Kind::gce_disk, "pd");
  made.meta.labels = api::Labels(labels);
  return made;
}

api::CsiNode migrated_node(std::string plugins = "kubernetes.io/aws-ebs,kubernetes.io/gce-pd") {
  auto made = csi_node("n", {});
  made.meta.annotations.set("storage.alpha.kubernetes.io/migrated-plugins", std::move(plugins));
  return made;
}

TEST(CsiMigration, ANodeThatHasMigratedIsAskedForTheDriversLabel) {
  const auto in_zone = [](const char* key, const char* zone) { return host("n").label(key, zone); };
  const auto to = [](std::vector<api::Requirement> tests) {
    auto made = gce_volume({});
    made.node_affinity = {node_term(std::move(tests))};
    return made;
  };
  using podium::test::in;
  const auto old_labels = gce_volume({{kBetaZone, "a"}, {kBetaRegion, "r"}});
  const auto regional = gce_volume({{kZone, "us-east1-b__us-east1-c"}});
  auto rbd = old_labels, another_zone = to({in(kZone, {"a"})});
  rbd.source = disk(Kind::rbd, "i");
  another_zone.meta.labels = api::Labels{{kZone, "b"}};
  const auto done = migrated_node();
  auto bare = csi_node("n", {});
  const struct {
    const char* name;
    api::PersistentVolume volume;
    api::Node node;
    std::optional<api::CsiNode> csi_node;
    bool reached;
  } cases[] = {
      {"its zone", old_labels, in_zone(kGceZone, "a"), done, true},
      {"another zone", old_labels, in_zone(kGceZone, "b"), done, false},
      {"without the driver's label", old_labels, in_zone(kBetaZone, "a"), done, false},
      {"of one of two zones", regional, in_zone(kGceZone, "us-east1-c"), done, true},
      {"of none of two zones", regional, in_zone(kGceZone, "us-east1-d"), done, false},
      {"a volume without a zone", gce_volume({}), in_zone(kGceZone, "b"), done, true},
      {"the affinity's zone", to({in(kZone, {"a"})}), in_zone(kGceZone, "a"), done, true},
      {"the affinity's zone by the old label", to({in(kBetaZone, {"a"})}), in_zone(kGceZone, "a"), done,
       true},
      {"the affinity says more than a label", another_zone, in_zone(kGceZone, "a"), done, true},
      {"the old region becomes the new one", to({in(kBetaZone, {"a"}), in(kBetaRegion, {"r"})}),
       in_zone(kGceZone, "a").label(kRegion, "r"), done, true},
      {"not migrated", old_labels, in_zone(kGceZone, "b"), bare, true},
      {"another plugin migrated", old_labels, in_zone(kGceZone, "b"), migrated_node("kubernetes.io/cinder"),
       true},
      {"nothing is known of it", old_labels, in_zone(kGceZone, "b"), std::nullopt, true},
      {"not migrated, the affinity as it is", to({in(kZone, {"a"})}), in_zone(kGceZone, "a"), bare, false},
      {"a plugin that nobody migrates", rbd, in_zone(kGceZone, "b"), done, true},
  };
  for (const auto& c : cases) {
    const auto [claimed, v] = bound(claim("c"), c.volume);
    auto snapshot = storage({c.node}, {}, local_class(), claimed, v);
    if (c.csi_node) snapshot.objects().set<api::CsiNode>(podium::test::share(*c.csi_node));
    const Answers unreached{{"n", "UU; node(s) didn't match PersistentVolume's node affinity"}};
    EXPECT_EQ(filter(make(make_volume_binding), pod("p").claim("c"), snapshot),
              c.reached ? Answers() : unreached)
        << c.name;
  }
}

// The check fails on a migrated node for a volume that cannot be translated; other nodes are checked.
TEST(CsiMigration, VolumesWithoutAKnownDriver) {
  const auto blob = [](const char* zone) {
    auto made = volume("v");
    made.source = azure_disk("Shared");
    made.node_affinity = {node_term({podium::test::in(kZone, {zone})})};
    return made;
  };
  const std::string why = "E; could not translate pv: kind(Shared) is not supported in csi migration",
                    conflict = "UU; node(s) didn't match PersistentVolume's node affinity";
  const auto [first, here] = bound(claim("here"), local_volume("v-here", "n"));
  const struct {
    const char* name;
    api::PersistentVolume volume;
    api::CsiNode csi_node;
    bool after_another;  // claim, of a volume on n
    Answers want;
  } cases[] = {
      {"migrated",
       blob("a"),
       migrated_node("kubernetes.io/azure-disk"),
       false,
       {{"m", conflict}, {"n", why}}},
      {"whatever its zone", blob("b"), migrated_node("kubernetes.io/azure-disk"), false, {{"n", why}}},
      {"not migrated", blob("a"), migrated_node(), false, {{"m", conflict}}},
      {"of two claims the first counts",
       blob("b"),
       migrated_node("kubernetes.io/azure-disk"),
       true,
       {{"m", conflict}, {"n", why}}},
  };
  for (const auto& c : cases) {
    const auto [claimed, v] = bound(claim("c"), c.volume);
    const auto snapshot = storage({host("n").label(kZone, "a"), host("m").label(kZone, "b")}, {},
                                  local_class(), claimed, v, first, here, c.csi_node);
    const auto wanted = c.after_another ? pod("p").claim("here").claim("c") : pod("p").claim("c");
    EXPECT_EQ(filter(make(make_volume_binding), wanted, snapshot), c.want) << c.name;
  }
  // If the node cannot reach the first volume, the second is not checked.
  const auto [claimed, v] = bound(claim("c"), blob("a"));
  auto elsewhere = migrated_node("kubernetes.io/azure-disk");
  elsewhere.meta.name = "m";
  const auto snapshot = storage({host("n").label(kZone, "a"), host("m").label(kZone, "a")}, {}, local_class(),
                                claimed, v, first, here, elsewhere);
  EXPECT_EQ(filter(make(make_volume_binding), pod("p").claim("here").claim("c"), snapshot),
            (Answers{{"m", conflict}}));
}

// The same checks in PreBind, while the pod waits for the volume to be bound.
TEST(CsiMigration, AndSoIsTheWaitForABinding) {
  const struct {
    const char* name;
    std::string volume_zone, node_zone;
    std::optional<api::CsiNode> csi_node;
    std::string want;  // the error; empty: not yet
  } cases[] = {
      {"its zone", "a", "a", migrated_node(), ""},
      {"another zone", "a", "b", migrated_node(),
       "binding volumes: pv \"v\" node affinity doesn't match node \"n\": no matching NodeSelectorTerms"},
      {"not migrated", "a", "b", csi_node("n", {}), ""},
      {"nothing is known of it", "a", "b", std::nullopt, ""},
      {"no one region", "us-west1-c__us-east1-b", "a", migrated_node(),
       "binding volumes: failed to translate pv to csi: could not translate pv: failed to get region from "
       "zones: multiple or no regions gotten from zones, got: map[us-east1:{} us-west1:{}]"},
      {"no one region, not migrated", "us-west1-c__us-east1-b", "a", csi_node("n", {}), ""},
  };
  for (const auto& c : cases) {
    auto promised = gce_volume({{kBetaZone, c.volume_zone}});
    auto snapshot = storage({host("n")}, {}, local_class(), claim("c"), promised);
    const framework::AssumedPod assumed{info(pod("p").claim("c")), "n"};
    const VolumeBinding plugin;
    const auto state = plugin.reserve(assumed, snapshot).state;
    const boost::json::value object =
        boost::json::object{{"metadata", {{"name", "v"}, {"resourceVersion", "8"}}}};
    EXPECT_FALSE(plugin.replied(assumed, state.get(), 0, {&object, {}, false}, snapshot));
    promised.meta.resource_version = "8";
    promised.claim = {"default", "c", "uid-default-c"};
    snapshot.objects().set<api::PersistentVolume>(podium::test::share(promised));
    snapshot.set_node(node("n").label(kGceZone, c.node_zone).ptr());
    if (c.csi_node) snapshot.objects().set<api::CsiNode>(podium::test::share(*c.csi_node));
    EXPECT_EQ(plugin.ready(assumed, state.get(), snapshot).error, c.want) << c.name;
  }
}

}  // namespace
}  // namespace podium::plugins::test::csi_migration_test
