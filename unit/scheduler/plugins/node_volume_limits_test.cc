#include "unit/scheduler/plugins/volume_fixture.h"

#include "scheduler/cluster/snapshot.h"

namespace podium::plugins::test::node_volume_limits_test {
namespace {

using framework::EventResource;
using Kind = api::Volume::Kind;

const std::string kFull = "U; node(s) exceed max volume count";
constexpr auto kDriver = "disks.example.com";

Answers ask(const api::Pod& pod, const Snapshot& snapshot) {
  return filter(make(make_node_volume_limits), pod, snapshot);
}

// Adds a claim bound to a volume of the driver.
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

TEST(NodeVolumeLimits, NamesTheDriverOfThePodsVolumes) {
  const auto driver_of = [](const api::Pod& pod, const Snapshot& snapshot) {
    const auto plugin = make(make_node_volume_limits);
    const auto prepared =
        dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(*info(pod), snapshot);
    auto nodes = snapshot.present();
    framework::Rejections out(snapshot.chunks());
    prepared.filter->filter(nodes, out);
    const auto row = *snapshot.find_row("n");
    const auto& reason = out.verdict(out.id(row)).reasons.front();
    EXPECT_EQ(prepared.filter->check(row, {})->reasons.front(), reason);
    return std::string(framework::named(reason.about, framework::Topic::driver));
  };
  const auto none_left = with_claims({}, {{kDriver, 0}, {"other.example.com", 0}});
  EXPECT_EQ(driver_of(pod("p").claim("a"), none_left), kDriver);
  EXPECT_EQ(driver_of(pod("p").claim("a").claim("other"), none_left), "") << "either may be too much";
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
      {"two at the same time", pod("p").claim("a").claim("b"), with_claims({}, {{kDriver, 1}}), full},
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
  auto snapshot = with_claims({}, {{kDriver, 5}});
  const auto everywhere = [](const std::string& why) { return Answers{{"m", why}, {"n", why}}; };
  EXPECT_EQ(ask(pod("p").claim("gone"), snapshot),
            everywhere("UU; looking up PVC default/gone: persistentvolumeclaim \"gone\" not found"));
  EXPECT_EQ(ask(pod("p").claim(""), snapshot), everywhere("E; PersistentVolumeClaim had no name"));
  const auto with_scratch = pod("p").volume(disk(Kind::other, "")).volume(ephemeral("scratch"));
  EXPECT_EQ(
      ask(with_scratch, snapshot),
      everywhere("UU; looking up PVC default/p-scratch: persistentvolumeclaim \"p-scratch\" not found"));
  snapshot.objects().set<api::PersistentVolumeClaim>(podium::test::share(claim("p-scratch", "5Gi", "fast")));
  EXPECT_EQ(ask(with_scratch, snapshot),
            everywhere("E; PVC default/p-scratch was not created for pod default/p (pod is not owner)"));
}

// Which claims count. Node n has a limit of one volume of the driver, and zero or one in use.
TEST(NodeVolumeLimits, WhatAClaimCountsAs) {
  const auto bare = [](const char* name, const char* volume_name, const char* class_name) {
    auto made = claim(name, "5Gi", class_name);
    made.volume_name = volume_name;
    return made;
  };
  const auto snapshot_with = [&](const Pods& placed) {
    auto snapshot = with_claims(placed, {{kDriver, 1}, {"ebs.csi.aws.com", 1}});
    const auto add = [&](const auto& object) { snapshot.objects().set(podium::test::share(object)); };
    auto host_path = volume("host-path"), ebs = volume("ebs"), share = volume("share");
    auto files = fast_class();
    ebs.source = disk(Kind::aws_disk, "aws://zone/vol-1");
    share.source = disk(Kind::azure_file, "s");
    files.meta.name = "files";
    files.provisioner = "kubernetes.io/azure-file";
    add(host_path), add(ebs), add(share), add(files);
    add(storage_class("in-tree", "kubernetes.io/aws-ebs", true));
    add(bare("no-volume", "gone", "fast"));
    add(bare("no-class", "", "")), add(bare("lost-class", "", "gone"));
    add(bare("on-host", "host-path", "fast")), add(bare("ebs", "ebs", "fast")),
        add(bare("share", "share", "fast"));
    add(bare("will-be-ebs", "", "in-tree")), add(bare("will-be-files", "", "files"));
    add(claim_for(pod("p"), "scratch", "fast")), add(claim_for(pod("x"), "scratch", "fast"));
    add(claim_for(pod("x"), "more", "fast"));
    return snapshot;
  };
  const auto of = [](const char* name) { return pod("p").claim(name); };
  const auto on = [](const char* name) { return pod("x").node("n").claim(name); };
  const api::Volume ebs_disk = disk(Kind::aws_disk, "vol-2"), same_disk = disk(Kind::aws_disk, "vol-1"),
                    secret = disk(Kind::other, "");
  const struct {
    const char* name;
    api::Pod pod;
    Pods placed;
    bool fits;
  } cases[] = {
      {"its volume is gone, its class counts", of("no-volume"), {on("a")}, false},
      {"and of a placed pod", of("a"), {on("no-volume")}, false},
      {"it has no class", of("no-class"), {on("a")}, true},
      {"and of a placed pod", of("a"), {on("no-class")}, true},
      {"its class is gone", of("lost-class"), {on("a")}, true},
      {"and of a placed pod", of("a"), {on("lost-class")}, true},
      {"a volume that nothing attaches", of("on-host"), {on("a")}, true},
      {"and of a placed pod", of("a"), {on("on-host")}, true},
      {"not bound, of a placed pod", of("a"), {on("unbound")}, false},
      {"not bound, of two placed pods", of("b"), {on("unbound"), pod("y").node("n").claim("unbound")}, false},
      {"a volume that has moved to a driver", of("ebs"), {pod("x").node("n").volume(ebs_disk)}, false},
      {"and of a placed pod", pod("p").volume(ebs_disk), {on("ebs")}, false},
      {"the disk is that volume", pod("p").volume(same_disk), {on("ebs")}, true},
      {"a class that has moved to a driver", of("will-be-ebs"), {on("ebs")}, false},
      {"and of a placed pod", of("ebs"), {on("will-be-ebs")}, false},
      {"a volume whose driver is not counted", of("share"), {on("a")}, true},
      {"a class whose driver is not counted", of("will-be-files"), {on("a")}, true},
      {"of another driver", of("a"), {on("ebs")}, true},
      {"made for the pod", pod("p").volume(ephemeral("scratch")), {on("a")}, false},
      {"made for the pod, and there is room", pod("p").volume(ephemeral("scratch")), {}, true},
      {"made for a placed pod", of("a"), {pod("x").node("n").volume(ephemeral("scratch"))}, false},
      {"made for a placed pod twice",
       of("ebs"),
       {pod("x").node("n").volume(ephemeral("scratch")).volume(ephemeral("more"))},
       true},
      {"with volumes of other kinds", pod("p").volume(secret).claim("a").volume(secret), {on("b")}, false},
      {"a disk with volumes of other kinds", pod("p").volume(secret).volume(ebs_disk), {on("ebs")}, false},
      {"volumes of other kinds alone", pod("p").volume(secret), {on("a"), on("b")}, true},
  };
  for (const auto& c : cases)
    EXPECT_EQ(ask(c.pod, snapshot_with(c.placed)), c.fits ? Answers() : Answers({{"n", kFull}})) << c.name;
}

// Node n has a CSINode, m has none; in-tree disks do not count on m.
TEST(NodeVolumeLimits, DisksWithoutAKnownDriver) {
  const auto blob = [](std::string name) {
    auto made = disk(Kind::azure_disk, "https://blob");
    made.name = std::move(name);
    made.pool = "Dedicated";
    return made;
  };
  const auto error = [](const std::string& volume) {
    return Answers{{"n", "E; converting volume(" + volume +
                             ") from inline to csi: kind(Dedicated) is not supported in csi migration"}};
  };
  const Pods placed{pod("x").node("n").volume(blob("x")), pod("y").node("m").volume(blob("y"))};
  auto of_a_volume = with_claims({}, {{kDriver, 1}, {"disk.csi.azure.com", 0}});
  auto azure = volume("azure");
  azure.source = blob("");
  const auto [azure_claim, azure_volume] = bound(claim("azure", "5Gi", "fast"), azure);
  of_a_volume.objects().set<api::PersistentVolumeClaim>(podium::test::share(azure_claim));
  of_a_volume.objects().set<api::PersistentVolume>(podium::test::share(azure_volume));
  const struct {
    const char* name;
    api::Pod pod;
    Snapshot snapshot;
    Answers want;
  } cases[] = {
      {"of the pod", pod("p").volume(blob("d")), with_claims({}, {}), error("d")},
      {"of a placed pod", pod("p").claim("a"), with_claims(placed, {{kDriver, 9}}), error("x")},
      {"of a placed pod, where drivers that the pod does not need have limits", pod("p").claim("a"),
       with_claims(placed, {{"other.example.com", 9}}), error("x")},
      {"of a placed pod, where nothing is limited", pod("p").claim("a"), with_claims(placed, {}), {}},
      {"of a placed pod, and the pod has no volumes", pod("p"), with_claims(placed, {{kDriver, 9}}), {}},
      {"a volume does not count", pod("p").claim("azure"), of_a_volume, {}},
  };
  for (const auto& c : cases) EXPECT_EQ(ask(c.pod, c.snapshot), c.want) << c.name;

  // The first problem in the order of the pod's volumes is reported.
  const std::string gone = "UU; looking up PVC default/gone: persistentvolumeclaim \"gone\" not found";
  auto both = error("d");
  both["m"] = gone;
  EXPECT_EQ(ask(pod("p").volume(blob("d")).claim("gone"), with_claims({}, {})), both);
  EXPECT_EQ(ask(pod("p").claim("gone").volume(blob("d")), with_claims({}, {})),
            (Answers{{"m", gone}, {"n", gone}}));
}

TEST(NodeVolumeLimits, PendingVolumesOfOneClaimCountOnce) {
  const Pods two{pod("x").node("n").claim("unbound"), pod("y").node("n").claim("unbound")};
  EXPECT_EQ(ask(pod("p").claim("a"), with_claims(two, {{kDriver, 2}})), Answers{});
  EXPECT_EQ(ask(pod("p").claim("a"), with_claims(two, {{kDriver, 1}})), (Answers{{"n", kFull}}));
}

TEST(NodeVolumeLimits, ADriverMayNotSayHowMany) {
  auto snapshot = with_claims({pod("x").node("n").claim("b")}, {{"other.example.com", 0}});
  auto silent = csi_node("n", {{"other.example.com", 0}});
  silent.drivers.push_back({kDriver, std::nullopt});
  snapshot.objects().set<api::CsiNode>(podium::test::share(silent));
  EXPECT_EQ(ask(pod("p").claim("a"), snapshot), Answers{});
  EXPECT_EQ(ask(pod("p").claim("other"), snapshot), (Answers{{"n", kFull}}));
}

// An attached volume counts against the limit, used by a pod of the node or not.
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

// Behind VolumeLimitScaling: a driver may reject nodes where it is not installed.
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
      // Without a CSINode, the disk is not known to be migrated.
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
  for (const auto& c : cases) EXPECT_EQ(ask(c.pod, c.snapshot), c.want) << c.name;
  framework::Features off;
  off.volume_limit_scaling = false;
  EXPECT_EQ(filter(make(make_node_volume_limits, "{}", off), pod("p").claim("b"), with({}, strict)),
            Answers{});
}

// VolumeIndex invalidates a node's cached usage when an input changes. More cases: volumes_random_test.cc.
TEST(NodeVolumeLimits, AnEphemeralClaimChangesHands) {
  auto snapshot = with_claims({pod("x").node("n").volume(ephemeral("scratch"))}, {{kDriver, 2}});
  auto own = claim_for(pod("x"), "scratch", "fast"), another = own;
  another.meta.owners.write().front().uid = "uid-y";
  snapshot.objects().set<api::PersistentVolumeClaim>(podium::test::share(own));
  EXPECT_EQ(ask(pod("p").claim("a"), snapshot), Answers{});
  snapshot.objects().set<api::PersistentVolumeClaim>(podium::test::share(another));
  EXPECT_EQ(
      ask(pod("p").claim("a"), snapshot),
      (Answers{{"n", "E; PVC default/x-scratch was not created for pod default/x (pod is not owner)"}}));
}

// As upstream, an attached volume that the incoming pod uses counts twice until a pod of the node uses it.
TEST(NodeVolumeLimits, AnAttachmentOfTheWantedVolume) {
  const auto answer = [](int limit) {
    auto snapshot = with_claims({}, {{kDriver, limit}});
    api::VolumeAttachment attached;
    attached.meta.name = "1";
    attached.attacher = kDriver;
    attached.volume_name = "v-a";
    attached.node_name = "n";
    snapshot.objects().set<api::VolumeAttachment>(podium::test::share(attached));
    return ask(pod("p").claim("a"), snapshot);
  };
  EXPECT_EQ(answer(1), (Answers{{"n", kFull}}));
  EXPECT_EQ(answer(2), Answers{});
}

TEST(NodeVolumeLimits, AttachmentsThatTakeNoRoom) {
  auto snapshot = with_claims({}, {{kDriver, 1}});
  auto in_tree = volume("in-tree");
  in_tree.source = disk(Kind::aws_disk, "vol-1");
  snapshot.objects().set<api::PersistentVolume>(podium::test::share(in_tree));
  const auto attach = [&](std::string name, std::string attacher, std::string volume) {
    api::VolumeAttachment made;
    made.meta.name = std::move(name);
    made.attacher = std::move(attacher);
    made.volume_name = std::move(volume);
    made.node_name = "n";
    snapshot.objects().set<api::VolumeAttachment>(podium::test::share(made));
  };
  attach("no attacher", "", "v-b");
  attach("an inline volume", kDriver, "");
  attach("not a CSI volume", kDriver, "in-tree");
  attach("another attacher", "other.example.com", "v-b");
  EXPECT_EQ(ask(pod("p").claim("a"), snapshot), Answers{});
}

TEST(NodeVolumeLimits, Hints) {
  const api::Pod rejected = pod("p").claim("c");
  const api::Pod with_disk = pod("p").volume(disk(Kind::aws_disk, "vol-1"));
  const api::Pod with_both = pod("p").volume(disk(Kind::aws_disk, "vol-1")).claim("c"),
                 with_scratch = pod("p").volume(ephemeral("scratch")),
                 with_files = pod("p").volume(disk(Kind::azure_file, "s"));
  auto theirs = claim("c");
  theirs.meta.namespace_ = "other";
  api::VolumeAttachment attachment, of_aws;
  attachment.attacher = kDriver;
  of_aws.attacher = "ebs.csi.aws.com";
  const struct {
    const char* name;
    api::Pod rejected;
    framework::ClusterEvent event;
    bool want;
  } cases[] = {
      {"a CSI node", rejected, added(EventResource::csi_node, csi_node("n", {})), true},
      {"a higher limit", rejected,
       updated(EventResource::csi_node, csi_node("n", {{"d", 1}}), csi_node("n", {{"d", 2}})), true},
      {"a new limit", rejected,
       updated(EventResource::csi_node, csi_node("n", {}), csi_node("n", {{"d", 2}})), true},
      {"the same limit", rejected,
       updated(EventResource::csi_node, csi_node("n", {{"d", 2}}), csi_node("n", {{"d", 2}})), false},
      {"a lower limit", rejected,
       updated(EventResource::csi_node, csi_node("n", {{"d", 2}}), csi_node("n", {{"d", 1}})), false},
      {"a pod with a claim is gone", rejected, pod_deleted(pod("a").node("n").claim("x")), true},
      {"a nominated pod with a claim is gone", rejected, pod_deleted(pod("a").nominated("n").claim("x")),
       true},
      {"a waiting pod with a claim is gone", rejected, pod_deleted(pod("a").claim("x")), false},
      {"a pod without volumes is gone", rejected, pod_deleted(pod("a").node("n")), false},
      {"a pod with a disk is gone", rejected,
       pod_deleted(pod("a").node("n").volume(disk(Kind::gce_disk, "d"))), true},
      {"its claim", rejected, added(EventResource::persistent_volume_claim, claim("c")), true},
      {"a pod with an ephemeral volume is gone", rejected,
       pod_deleted(pod("a").node("n").volume(ephemeral("s"))), true},
      {"a pod with a volume of another kind is gone", rejected,
       pod_deleted(pod("a").node("n").volume(disk(Kind::rbd, "i"))), false},
      {"its ephemeral claim", with_scratch, added(EventResource::persistent_volume_claim, claim("p-scratch")),
       true},
      {"a claim of its name elsewhere", rejected, added(EventResource::persistent_volume_claim, theirs),
       false},
      {"a claim, and it has none", pod("p"), added(EventResource::persistent_volume_claim, claim("c")),
       false},
      {"another claim", rejected, added(EventResource::persistent_volume_claim, claim("d")), false},
      {"an attachment is gone", rejected, removed(EventResource::volume_attachment, attachment), true},
      {"an attachment of another driver is gone", with_disk,
       removed(EventResource::volume_attachment, attachment), false},
      {"an attachment of another driver is gone, and it has a claim", with_both,
       removed(EventResource::volume_attachment, attachment), true},
      {"an attachment is gone, and it has no volumes", pod("p"),
       removed(EventResource::volume_attachment, attachment), false},
      {"an attachment is gone, and no driver of its volume is counted", with_files,
       removed(EventResource::volume_attachment, attachment), false},
      {"an attachment of its driver is gone", with_disk, removed(EventResource::volume_attachment, of_aws),
       true},
      {"an attachment is gone, and no driver can be notified of its disk",
       pod("p").volume(disk(Kind::aws_disk, "aws://")), removed(EventResource::volume_attachment, attachment),
       true},
      {"an attachment", rejected, added(EventResource::volume_attachment, attachment), false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(helps(make(make_node_volume_limits), c.rejected, c.event), c.want) << c.name;
}

}  // namespace
}  // namespace podium::plugins::test::node_volume_limits_test
