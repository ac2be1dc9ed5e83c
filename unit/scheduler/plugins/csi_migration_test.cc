// In-tree disks that CSI drivers have taken over: what they are called there, and where their volumes are
// reached from once the kubelet of a node has migrated.
#include "scheduler/plugins/csi_migration.h"

#include "scheduler/plugins/volume_binding.h"
#include "unit/scheduler/plugins/volume_fixture.h"

namespace podium::plugins::test {
namespace {

using Kind = api::Volume::Kind;

constexpr auto kZone = "topology.kubernetes.io/zone", kBetaZone = "failure-domain.beta.kubernetes.io/zone",
               kRegion = "topology.kubernetes.io/region",
               kBetaRegion = "failure-domain.beta.kubernetes.io/region", kGceZone = "topology.gke.io/zone";

std::string text_of(const std::optional<CsiVolume>& volume) {
  return volume ? volume->unique_name() : "none";
}

TEST(CsiMigration, DisksOfPods) {
  const struct {
    api::Volume volume;
    std::string want;
  } cases[] = {
      {disk(Kind::aws_disk, "vol-1"), "ebs.csi.aws.com/vol-1"},
      {disk(Kind::aws_disk, "aws://us-east-1a/vol-1"), "ebs.csi.aws.com/vol-1"},
      {disk(Kind::aws_disk, "aws:///vol-1"), "ebs.csi.aws.com/vol-1"},
      {disk(Kind::aws_disk, "aws://us-east-1a/1"), "ebs.csi.aws.com/"},
      {disk(Kind::aws_disk, "aws://us-east-1a"), "ebs.csi.aws.com/"},
      {disk(Kind::gce_disk, "pd"), "pd.csi.storage.gke.io/projects/UNSPECIFIED/zones/UNSPECIFIED/disks/pd"},
      {disk(Kind::azure_disk, "/subscriptions/d"), "disk.csi.azure.com//subscriptions/d"},
      {disk(Kind::cinder, "c"), "cinder.csi.openstack.org/c"},
      {disk(Kind::portworx, "p"), "pxd.portworx.com/p"},
      {disk(Kind::azure_file, "share"), "none"},
      {disk(Kind::vsphere, "path"), "none"},
      {disk(Kind::rbd, "image"), "none"},
      {disk(Kind::iscsi, "iqn"), "none"},
      {disk(Kind::other, ""), "none"},
  };
  for (const auto& c : cases) EXPECT_EQ(text_of(migrated(c.volume)), c.want) << c.volume.id;
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
      {"in zones of two regions", {{kZone, "us-east1-b__us-west1-c"}}, ""},
      {"in zones of no region", {{kZone, "b__c"}}, ""},
  };
  for (const auto& c : cases) {
    auto made = volume("v");
    made.source = disk(Kind::gce_disk, "pd");
    made.meta.labels = api::Labels(c.labels);
    const auto path = c.want.empty() ? "" : "projects/UNSPECIFIED/" + c.want + "/disks/pd";
    EXPECT_EQ(text_of(csi_volume(made)), "pd.csi.storage.gke.io/" + path) << c.name;
  }
  auto csi = volume("v");
  csi.source = disk(Kind::gce_disk, "pd");
  csi.csi_driver = "disks.example.com";
  csi.csi_handle = "h";
  EXPECT_EQ(text_of(csi_volume(csi)), "disks.example.com/h");
  EXPECT_EQ(text_of(csi_volume(volume("v"))), "none");
}

TEST(CsiMigration, Provisioners) {
  EXPECT_EQ(driver_of_provisioner("kubernetes.io/aws-ebs"), "ebs.csi.aws.com");
  EXPECT_EQ(driver_of_provisioner("disks.example.com"), "disks.example.com");
  EXPECT_TRUE(is_uncounted_provisioner("kubernetes.io/vsphere-volume"));
  EXPECT_FALSE(is_uncounted_provisioner("kubernetes.io/aws-ebs"));
}

// --- where they are reached from ---

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
      {"of one of two zones", gce_volume({{kZone, "a__b"}}), in_zone(kGceZone, "b"), done, true},
      {"of none of two zones", gce_volume({{kZone, "a__b"}}), in_zone(kGceZone, "c"), done, false},
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

// The same once the volume has been promised, while the pod waits for it to be bound.
TEST(CsiMigration, AndSoIsTheWaitForABinding) {
  const struct {
    const char* name;
    std::string zone;
    std::optional<api::CsiNode> csi_node;
    std::string want;  // the error; empty: not yet
  } cases[] = {
      {"its zone", "a", migrated_node(), ""},
      {"another zone", "b", migrated_node(),
       "binding volumes: pv \"v\" node affinity doesn't match node \"n\": no matching NodeSelectorTerms"},
      {"not migrated", "b", csi_node("n", {}), ""},
      {"nothing is known of it", "b", std::nullopt, ""},
  };
  for (const auto& c : cases) {
    auto snapshot = storage({host("n")}, {}, local_class(), claim("c"), gce_volume({{kBetaZone, "a"}}));
    const framework::AssumedPod assumed{info(pod("p").claim("c")), "n"};
    const VolumeBinding plugin;
    const auto state = plugin.reserve(assumed, snapshot).state;
    const boost::json::object object{{"metadata", {{"name", "v"}, {"resourceVersion", "8"}}}};
    plugin.written(assumed, state.get(), 0, object);
    auto promised = gce_volume({{kBetaZone, "a"}});
    promised.meta.resource_version = "8";
    promised.claim = {"default", "c", "uid-default-c"};
    snapshot.objects().set<api::PersistentVolume>(podium::test::share(promised));
    snapshot.set_node(node("n").label(kGceZone, c.zone).ptr());
    if (c.csi_node) snapshot.objects().set<api::CsiNode>(podium::test::share(*c.csi_node));
    EXPECT_EQ(plugin.ready(assumed, state.get(), snapshot).error, c.want) << c.name;
  }
}

}  // namespace
}  // namespace podium::plugins::test
