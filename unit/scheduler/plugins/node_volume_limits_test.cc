#include "unit/scheduler/plugins/volume_fixture.h"

namespace podium::plugins::test {
namespace {

using framework::Resource;
using Kind = api::Volume::Kind;

const std::string kFull = "U; node(s) exceed max volume count";
constexpr auto kDriver = "disks.example.com";

Answers ask(const api::Pod& pod, const Snapshot& snapshot) {
  return filter(make(make_node_volume_limits), pod, snapshot);
}

// A claim with a volume of the driver, and both in the snapshot.
void add_bound(Snapshot& snapshot, const std::string& name, const std::string& handle = "",
               const std::string& driver = kDriver) {
  auto [c, v] = bound(claim(name, "5Gi", "fast"), volume("v-" + name, "5Gi", "fast"));
  v.csi_driver = driver;
  v.csi_handle = handle.empty() ? "h-" + name : handle;
  snapshot.objects().set<api::PersistentVolumeClaim>(podium::test::share(c));
  snapshot.objects().set<api::PersistentVolume>(podium::test::share(v));
}

Snapshot with_claims(const Pods& placed, std::initializer_list<std::pair<std::string, int>> limits) {
  auto snapshot = storage({host("n"), host("m")}, placed, fast_class(), csi_node("n", limits));
  for (const char* name : {"a", "b", "c"}) add_bound(snapshot, name);
  add_bound(snapshot, "same-as-a", "h-a");
  add_bound(snapshot, "other", "", "other.example.com");
  snapshot.objects().set<api::PersistentVolumeClaim>(podium::test::share(claim("unbound", "5Gi", "fast")));
  snapshot.objects().set<api::PersistentVolumeClaim>(podium::test::share(claim("unbound2", "5Gi", "fast")));
  return snapshot;
}

TEST(NodeVolumeLimits, VolumesThatANodeCanAttach) {
  const auto on = [](const char* name) { return pod(name).node("n"); };
  const Answers full{{"n", kFull}};
  const struct {
    const char* name;
    api::Pod pod;
    Snapshot snapshot;
    Answers want;
  } cases[] = {
      {"no volumes", pod("p"), with_claims({}, {{kDriver, 0}}), {}},
      {"room for one", pod("p").claim("a"), with_claims({}, {{kDriver, 1}}), {}},
      {"no room at all", pod("p").claim("a"), with_claims({}, {{kDriver, 0}}), full},
      {"two at once", pod("p").claim("a").claim("b"), with_claims({}, {{kDriver, 1}}), full},
      {"one is there", pod("p").claim("b"), with_claims({on("x").claim("a")}, {{kDriver, 1}}), full},
      {"one is there, and there is room",
       pod("p").claim("b"),
       with_claims({on("x").claim("a")}, {{kDriver, 2}}),
       {}},
      {"it is there already", pod("p").claim("a"), with_claims({on("x").claim("a")}, {{kDriver, 1}}), {}},
      {"its volume is there under another name",
       pod("p").claim("same-as-a"),
       with_claims({on("x").claim("a")}, {{kDriver, 1}}),
       {}},
      {"those of another driver",
       pod("p").claim("a"),
       with_claims({on("x").claim("other")}, {{kDriver, 1}}),
       {}},
      {"a driver without a limit", pod("p").claim("other"), with_claims({}, {{kDriver, 0}}), {}},
      {"a claim that is not bound counts by its class", pod("p").claim("unbound"),
       with_claims({}, {{kDriver, 0}}), full},
      {"each of them", pod("p").claim("unbound").claim("unbound2"), with_claims({}, {{kDriver, 1}}), full},
      {"the same one once",
       pod("p").claim("unbound"),
       with_claims({on("x").claim("unbound")}, {{kDriver, 1}}),
       {}},
      {"a claim that is missing, of a placed pod",
       pod("p").claim("a"),
       with_claims({on("x").claim("gone")}, {{kDriver, 1}}),
       {}},
      {"a disk that has moved to a driver", pod("p").volume(disk(Kind::aws_disk, "vol-1")),
       with_claims({}, {{"ebs.csi.aws.com", 0}}), full},
      {"a disk that no driver has",
       pod("p").volume(disk(Kind::rbd, "i")),
       with_claims({}, {{kDriver, 0}}),
       {}},
  };
  for (const auto& c : cases) EXPECT_EQ(ask(c.pod, c.snapshot), c.want) << c.name;
}

TEST(NodeVolumeLimits, ClaimsThatCannotBeCounted) {
  const auto snapshot = with_claims({}, {{kDriver, 5}});
  EXPECT_EQ(ask(pod("p").claim("gone"), snapshot)["m"],
            "UU; looking up PVC default/gone: persistentvolumeclaim \"gone\" not found");
  EXPECT_EQ(ask(pod("p").claim(""), snapshot)["n"], "UU; PersistentVolumeClaim had no name");
}

// A volume that is attached to a node takes its room, whether or not a pod of the node uses it.
TEST(NodeVolumeLimits, AttachmentsCount) {
  auto snapshot = with_claims({pod("x").node("n").claim("a")}, {{kDriver, 2}});
  const auto attach = [&](std::string name, std::string volume, std::string node) {
    api::VolumeAttachment made;
    made.meta.name = std::move(name);
    made.attacher = kDriver;
    made.volume_name = std::move(volume);
    made.node_name = std::move(node);
    snapshot.objects().set<api::VolumeAttachment>(podium::test::share(made));
  };
  const auto wanted = pod("p").claim("c");
  attach("1", "v-a", "n");  // its own pod's
  attach("2", "v-b", "m");  // another node's
  attach("3", "v-gone", "n");
  EXPECT_EQ(ask(wanted, snapshot), Answers{});
  attach("4", "v-b", "n");
  EXPECT_EQ(ask(wanted, snapshot), (Answers{{"n", kFull}}));
}

// Behind VolumeLimitScaling: a driver may ask that its pods go to no node that lacks it.
TEST(NodeVolumeLimits, NodesWithoutTheDriver) {
  const auto driver = [](std::string name, bool prevents) {
    api::CsiDriver made;
    made.meta.name = std::move(name);
    made.prevents_scheduling_if_missing = prevents;
    return made;
  };
  const auto with = [&](std::initializer_list<std::pair<std::string, int>> limits, auto... drivers) {
    auto snapshot = with_claims({pod("x").node("n").claim("a")}, limits);
    (snapshot.objects().set<api::CsiDriver>(podium::test::share(drivers)), ...);
    return snapshot;
  };
  const auto strict = driver(kDriver, true);
  const auto missing = [](std::string_view name) {
    return "U; " + std::string(name) + " CSI driver is not installed on the node";
  };
  auto in_tree = volume("v-in-tree", "5Gi", "fast");
  in_tree.source = disk(Kind::aws_disk, "vol-2");
  const auto [aws_claim, aws_volume] = bound(claim("in-tree", "5Gi", "fast"), in_tree);
  auto aws = with({{"ebs.csi.aws.com", 5}}, driver("ebs.csi.aws.com", true));
  aws.objects().set<api::PersistentVolumeClaim>(podium::test::share(aws_claim));
  aws.objects().set<api::PersistentVolume>(podium::test::share(aws_volume));
  aws.objects().set<api::StorageClass>(
      podium::test::share(storage_class("ebs", "kubernetes.io/aws-ebs", true)));
  aws.objects().set<api::PersistentVolumeClaim>(podium::test::share(claim("to-be-made", "5Gi", "ebs")));
  auto without_aws = aws;
  without_aws.objects().set<api::CsiNode>(podium::test::share(csi_node("n", {})));
  const struct {
    const char* name;
    api::Pod pod;
    Snapshot snapshot;
    Answers want;  // n has a CSINode, m has none
  } cases[] = {
      {"a driver that does not ask", pod("p").claim("b"), with({}, driver(kDriver, false)), {}},
      {"no such driver", pod("p").claim("b"), with({}), {}},
      {"it is there", pod("p").claim("b"), with({{kDriver, 2}}, strict), {{"m", missing(kDriver)}}},
      {"it is there, and full",
       pod("p").claim("b"),
       with({{kDriver, 1}}, strict),
       {{"m", missing(kDriver)}, {"n", kFull}}},
      {"it is nowhere",
       pod("p").claim("b"),
       with({{"other.example.com", 5}}, strict),
       {{"m", missing(kDriver)}, {"n", missing(kDriver)}}},
      {"a volume that is in use there all the same",
       pod("p").claim("a"),
       with({}, strict),
       {{"m", missing(kDriver)}, {"n", missing(kDriver)}}},
      {"a claim that is not bound goes by its class",
       pod("p").claim("unbound"),
       with({}, strict),
       {{"m", missing(kDriver)}, {"n", missing(kDriver)}}},
      {"the first of two by name",
       pod("p").claim("other").claim("b"),
       with({}, strict, driver("other.example.com", true)),
       {{"m", missing(kDriver)}, {"n", missing(kDriver)}}},
      {"the one of two that asks",
       pod("p").claim("other").claim("b"),
       with({{kDriver, 5}}, driver(kDriver, false), driver("other.example.com", true)),
       {{"m", missing("other.example.com")}, {"n", missing("other.example.com")}}},
      {"a pod without volumes", pod("p"), with({}, strict), {}},
      // Without a CSINode nothing tells that the disk has moved to a driver.
      {"a disk that has moved to it", pod("p").volume(disk(Kind::aws_disk, "vol-1")), aws, {}},
      {"and where it is missing",
       pod("p").volume(disk(Kind::aws_disk, "vol-1")),
       without_aws,
       {{"n", missing("ebs.csi.aws.com")}}},
      {"a volume that has", pod("p").claim("in-tree"), without_aws, {{"n", missing("ebs.csi.aws.com")}}},
      {"a class whose provisioner has",
       pod("p").claim("to-be-made"),
       without_aws,
       {{"n", missing("ebs.csi.aws.com")}}},
  };
  framework::Features on;
  on.volume_limit_scaling = true;
  for (const auto& c : cases)
    EXPECT_EQ(filter(make(make_node_volume_limits, "{}", on), c.pod, c.snapshot), c.want) << c.name;
  EXPECT_EQ(ask(pod("p").claim("b"), with({}, strict)), Answers{});
}

TEST(NodeVolumeLimits, Hints) {
  const api::Pod rejected = pod("p").claim("c");
  const api::Pod with_disk = pod("p").volume(disk(Kind::aws_disk, "vol-1"));
  api::VolumeAttachment attachment, of_aws;
  attachment.attacher = kDriver;
  of_aws.attacher = "ebs.csi.aws.com";
  const struct {
    const char* name;
    api::Pod rejected;
    framework::ClusterEvent event;
    bool want;
  } cases[] = {
      {"a CSI node", rejected, added(Resource::csi_node, csi_node("n", {})), true},
      {"a higher limit", rejected,
       updated(Resource::csi_node, csi_node("n", {{"d", 1}}), csi_node("n", {{"d", 2}})), true},
      {"a new limit", rejected, updated(Resource::csi_node, csi_node("n", {}), csi_node("n", {{"d", 2}})),
       true},
      {"a lower limit", rejected,
       updated(Resource::csi_node, csi_node("n", {{"d", 2}}), csi_node("n", {{"d", 1}})), false},
      {"a pod with a claim is gone", rejected, pod_deleted(pod("a").node("n").claim("x")), true},
      {"a nominated pod with a claim is gone", rejected, pod_deleted(pod("a").nominated("n").claim("x")),
       true},
      {"a waiting pod with a claim is gone", rejected, pod_deleted(pod("a").claim("x")), false},
      {"a pod without volumes is gone", rejected, pod_deleted(pod("a").node("n")), false},
      {"a pod with a disk is gone", rejected,
       pod_deleted(pod("a").node("n").volume(disk(Kind::gce_disk, "d"))), true},
      {"its claim", rejected, added(Resource::persistent_volume_claim, claim("c")), true},
      {"another claim", rejected, added(Resource::persistent_volume_claim, claim("d")), false},
      {"an attachment is gone", rejected, removed(Resource::volume_attachment, attachment), true},
      {"an attachment of another driver is gone", with_disk, removed(Resource::volume_attachment, attachment),
       false},
      {"an attachment of its driver is gone", with_disk, removed(Resource::volume_attachment, of_aws), true},
      {"an attachment", rejected, added(Resource::volume_attachment, attachment), false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(helps(make(make_node_volume_limits), c.rejected, c.event), c.want) << c.name;
}

}  // namespace
}  // namespace podium::plugins::test
