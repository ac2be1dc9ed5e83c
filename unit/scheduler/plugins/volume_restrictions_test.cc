#include "unit/scheduler/plugins/volume_fixture.h"

#include "scheduler/cluster/snapshot.h"

namespace podium::plugins::test::volume_restrictions_test {
namespace {

using framework::EventResource;
using Kind = api::Volume::Kind;

const std::string kTaken = "U; node(s) had no available disk";
const std::string kInUse =
    "U; node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
    "another pod";

api::Volume rbd(std::string image, std::string pool, std::vector<std::string> monitors,
                bool read_only = false) {
  auto made = disk(Kind::rbd, std::move(image), read_only);
  made.pool = std::move(pool);
  made.monitors = std::move(monitors);
  return made;
}

Answers ask(const api::Pod& pod, const Snapshot& snapshot) {
  return filter(make(make_volume_restrictions), pod, snapshot);
}

TEST(VolumeRestrictions, DisksThatOnlyOneMayWriteTo) {
  const struct {
    const char* name;
    api::Volume wanted, there;
    bool fits;
  } cases[] = {
      {"another GCE disk", disk(Kind::gce_disk, "a"), disk(Kind::gce_disk, "b"), true},
      {"the same GCE disk", disk(Kind::gce_disk, "a"), disk(Kind::gce_disk, "a"), false},
      {"it reads", disk(Kind::gce_disk, "a", true), disk(Kind::gce_disk, "a"), false},
      {"the other one reads", disk(Kind::gce_disk, "a"), disk(Kind::gce_disk, "a", true), false},
      {"both read", disk(Kind::gce_disk, "a", true), disk(Kind::gce_disk, "a", true), true},
      {"the same EBS volume", disk(Kind::aws_disk, "a"), disk(Kind::aws_disk, "a"), false},
      {"the same EBS volume, both read", disk(Kind::aws_disk, "a", true), disk(Kind::aws_disk, "a", true),
       false},
      {"another EBS volume", disk(Kind::aws_disk, "a"), disk(Kind::aws_disk, "b"), true},
      {"another kind of that name", disk(Kind::gce_disk, "a"), disk(Kind::aws_disk, "a"), true},
      {"the same iSCSI target", disk(Kind::iscsi, "iqn"), disk(Kind::iscsi, "iqn"), false},
      {"another iSCSI target", disk(Kind::iscsi, "iqn"), disk(Kind::iscsi, "iqn2"), true},
      {"the same iSCSI target, both read", disk(Kind::iscsi, "iqn", true), disk(Kind::iscsi, "iqn", true),
       true},
      {"the same RBD image", rbd("i", "p", {"m1", "m2"}), rbd("i", "p", {"m2", "m3"}), false},
      {"the same RBD image, both read", rbd("i", "p", {"m1"}, true), rbd("i", "p", {"m1"}, true), true},
      {"an RBD image of another pool", rbd("i", "p", {"m1"}), rbd("i", "q", {"m1"}), true},
      {"an RBD image of another cluster", rbd("i", "p", {"m1"}), rbd("i", "p", {"m2"}), true},
      {"another RBD image", rbd("i", "p", {"m1"}), rbd("j", "p", {"m1"}), true},
      {"no disk", disk(Kind::other, ""), disk(Kind::gce_disk, "a"), true},
      {"a disk that many may use", disk(Kind::azure_disk, "a"), disk(Kind::azure_disk, "a"), true},
  };
  for (const auto& c : cases) {
    const auto snapshot = storage({host("n"), host("m")}, {pod("there").node("n").volume(c.there)});
    const auto want = c.fits ? Answers{} : Answers{{"n", kTaken}};
    EXPECT_EQ(ask(pod("p").volume(c.wanted), snapshot), want) << c.name;
  }
}

TEST(VolumeRestrictions, ClaimsThatOnlyOnePodMayUse) {
  auto once = claim("c");
  once.access_modes = {"ReadWriteOncePod"};
  auto theirs = once, many = claim("many");
  theirs.meta.namespace_ = "other";
  many.access_modes = {"ReadWriteMany"};
  const Answers everywhere{{"m", kInUse}, {"n", kInUse}};
  const Nodes nodes{host("n"), host("m")};
  const struct {
    const char* name;
    Snapshot snapshot;
    Answers want;
  } cases[] = {
      {"nobody uses it", storage(nodes, {}, once), {}},
      {"one uses it", storage(nodes, {pod("a").node("n").claim("c")}, once), everywhere},
      {"one that is going uses it", storage(nodes, {pod("a").node("n").claim("c").terminating()}, once),
       everywhere},
      {"one uses that of another namespace",
       storage(nodes, {pod("a").ns("other").node("n").claim("c")}, once, theirs),
       {}},
      {"one uses it, and many may", storage(nodes, {pod("a").node("n").claim("c")}, claim("c")), {}},
      {"one uses another one", storage(nodes, {pod("a").node("n").claim("many")}, once, many), {}},
      {"two use it and another one",
       storage(nodes, {pod("a").node("n").claim("c"), pod("b").node("m").claim("many")}, once, many),
       everywhere},
      // Upstream counts such a pod until the next node joins or leaves (cache.go pvcRefCountsDelta).
      {"one on a node that is not known uses it",
       storage(nodes, {pod("a").node("gone").claim("c")}, once),
       {}},
      {"it is missing", storage(nodes, {}), {{"*", "UU; persistentvolumeclaim \"c\" not found"}}},
  };
  for (const auto& c : cases) EXPECT_EQ(ask(pod("p").claim("c"), c.snapshot), c.want) << c.name;
}

TEST(VolumeRestrictions, EveryClaimThatOnlyOnePodMayUseCounts) {
  auto a = claim("a"), b = claim("b");
  a.access_modes = b.access_modes = {"ReadWriteOncePod"};
  const auto snapshot =
      storage({host("n"), host("m")}, {pod("x").node("n").claim("a"), pod("y").node("m").claim("b")}, a, b);
  const auto incoming = info(pod("p").claim("a").claim("b"));
  const auto plugin = make(make_volume_restrictions);
  const auto prepared =
      dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(*incoming, snapshot);
  const auto n = *snapshot.find_row("n");
  EXPECT_EQ(text_of(prepared.filter->check(n, {}).value()), kInUse);
  EXPECT_EQ(text_of(prepared.filter->check(n, {{}, snapshot.entry(n).pods}).value()), kInUse)
      << "the other one is in use elsewhere";
  const auto both = storage({host("n")}, {pod("x").node("n").claim("a").claim("b")}, a, b);
  const auto alone = dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(*incoming, both);
  const auto row = *both.find_row("n");
  EXPECT_EQ(text_of(alone.filter->check(row, {}).value()), kInUse);
  EXPECT_FALSE(alone.filter->check(row, {{}, both.entry(row).pods}));
}

// Preemption checks nodes without the victims.
TEST(VolumeRestrictions, CheckWithPodsAddedAndRemoved) {
  auto once = claim("c");
  once.access_modes = {"ReadWriteOncePod"};
  const auto snapshot =
      storage({host("n")}, {pod("a").node("n").claim("c").volume(disk(Kind::gce_disk, "d"))}, once);
  const auto incoming = info(pod("p").claim("c").volume(disk(Kind::gce_disk, "d")));
  const auto plugin = make(make_volume_restrictions);
  const auto prepared =
      dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(*incoming, snapshot);
  const auto row = *snapshot.find_row("n");
  const auto placed = snapshot.entry(row).pods;
  const std::vector<cluster::PodInfoPtr> another{info(pod("b").claim("c"))},
      with_disk{info(pod("b").volume(disk(Kind::gce_disk, "d")))};
  const auto answer = [&](const framework::PodDelta& delta) {
    const auto verdict = prepared.filter->check(row, delta);
    return verdict ? text_of(*verdict) : "";
  };
  EXPECT_EQ(answer({}), kTaken);
  EXPECT_EQ(answer({{}, placed}), "");
  EXPECT_EQ(answer({another, placed}), kInUse);
  EXPECT_EQ(answer({with_disk, placed}), kTaken);
}

TEST(VolumeRestrictions, Hints) {
  const api::Pod rejected = pod("p").claim("c").volume(disk(Kind::gce_disk, "d"));
  auto theirs = claim("c");
  theirs.meta.namespace_ = "other";
  const struct {
    const char* name;
    framework::ClusterEvent event;
    bool want;
  } cases[] = {
      {"one with its disk is gone", pod_deleted(pod("a").node("n").volume(disk(Kind::gce_disk, "d"))), true},
      {"one with its claim is gone", pod_deleted(pod("a").node("n").claim("c")), true},
      {"one with another disk is gone", pod_deleted(pod("a").node("n").volume(disk(Kind::gce_disk, "e"))),
       false},
      {"one with another claim is gone", pod_deleted(pod("a").node("n").claim("d")), false},
      {"one of another namespace is gone", pod_deleted(pod("a").ns("other").node("n").claim("c")), false},
      {"a node", node_added(node("n")), true},
      {"a node's labels", node_updated(node("n"), node("n").label("a", "b")), false},
      {"its claim", added(EventResource::persistent_volume_claim, claim("c")), true},
      {"its claim changed", updated(EventResource::persistent_volume_claim, claim("c"), claim("c")), false},
      {"another claim", added(EventResource::persistent_volume_claim, claim("d")), false},
      {"a claim of its name elsewhere", added(EventResource::persistent_volume_claim, theirs), false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(helps(make(make_volume_restrictions), rejected, c.event), c.want) << c.name;
}

TEST(VolumeRestrictions, ThePodThatIsGoneHadItsDisk) {
  const struct {
    const char* name;
    api::Volume own, gone;
    bool want;
  } cases[] = {
      {"EBS", disk(Kind::aws_disk, "a"), disk(Kind::aws_disk, "a"), true},
      {"another EBS volume", disk(Kind::aws_disk, "a"), disk(Kind::aws_disk, "b"), false},
      {"iSCSI", disk(Kind::iscsi, "a"), disk(Kind::iscsi, "a"), true},
      {"another iSCSI target", disk(Kind::iscsi, "a"), disk(Kind::iscsi, "b"), false},
      {"RBD", rbd("i", "p", {"m1", "m2"}), rbd("i", "p", {"m2"}), true},
      {"RBD of another cluster", rbd("i", "p", {"m1"}), rbd("i", "p", {"m2"}), false},
      {"both read", disk(Kind::gce_disk, "a", true), disk(Kind::gce_disk, "a", true), false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(helps(make(make_volume_restrictions), pod("p").volume(c.own),
                    pod_deleted(pod("a").node("n").volume(c.gone))),
              c.want)
        << c.name;
  }
}

}  // namespace
}  // namespace podium::plugins::test::volume_restrictions_test
