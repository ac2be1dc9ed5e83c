// Replicas that share volumes or other resources of a Reserve plugin: each sees what the earlier ones
// got, and the live snapshot does not change.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/steps.h"
#include "explain/answer/answer.h"
#include "explain/report/reason_words.h"
#include "scheduler/framework/profile.h"
#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

using podium::test::pod;
using podium::test::share;
using Volume = api::PersistentVolume;
using Claim = api::PersistentVolumeClaim;

constexpr int kPodsOfANode = 2;

// Nodes n1 and n2 with capacity for two pods each, and StorageClasses with existing (local) or
// dynamically provisioned (fast) volumes.
cluster::Snapshot nodes() {
  cluster::Snapshot snapshot;
  for (const std::string name : {"n1", "n2"}) {
    snapshot.set_node(test::node(name)
                          .label("kubernetes.io/hostname", name)
                          .cap("cpu", "4")
                          .cap("memory", "8Gi")
                          .cap("pods", std::to_string(kPodsOfANode))
                          .ptr());
  }
  snapshot.objects().set(share(test::storage_class("local", "kubernetes.io/no-provisioner", true)));
  snapshot.objects().set(share(test::storage_class("fast", "disks.example.com", true)));
  return snapshot;
}

// An existing volume that only one node can access.
Volume local(const std::string& name, const std::string& node) {
  auto made = test::persistent_volume(name, "5Gi", "local");
  made.node_affinity = {test::node_term({test::in("kubernetes.io/hostname", {node})})};
  return made;
}
Claim claim(const std::string& name, const std::string& storage_class, const char* mode = "ReadWriteOnce") {
  return test::persistent_volume_claim("default", name, "5Gi", storage_class, {mode});
}

template <typename... Objects>
cluster::Snapshot with(const Objects&... objects) {
  auto snapshot = nodes();
  (snapshot.objects().template set<Objects>(share(objects)), ...);
  return snapshot;
}

constexpr auto kNothingToBind = "node(s) didn't find available persistent volumes to bind";
constexpr auto kInUse =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
    "another "
    "pod";

// The claim of the first pod is on a node that is full.
TEST(ReplicasWithVolumes, PodsOfAParallelSetDoNotWaitForTheFirst) {
  auto of_first = local("v1", "n1");
  of_first.claim = {"shop", "data-db-0", "c0"};
  of_first.phase = "Bound";
  auto first = claim("data-db-0", "local");
  first.meta.namespace_ = "shop";
  first.meta.uid = "c0";
  first.volume_name = "v1";
  first.phase = "Bound";
  first.meta.annotations.set("pv.kubernetes.io/bind-completed", "yes");
  auto snapshot = with(of_first, first);
  unit::run_pod(snapshot, pod("big").req("cpu", "4").node("n1"));
  const auto fitting = [&](const char* policy) {
    return unit::ask(fmt::format(R"({{"template": {{"apiVersion": "apps/v1", "kind": "StatefulSet",
      "metadata": {{"name": "db"}}, "spec": {{"replicas": 3, "podManagementPolicy": "{}",
      "selector": {{"matchLabels": {{"app": "db"}}}}, "template": {{"metadata": {{"labels": {{"app": "db"}}}},
      "spec": {{"containers": [{{"name": "c", "image": "i", "resources": {{"requests": {{"cpu": "1"}}}}}}]}}}},
      "volumeClaimTemplates": [{{"metadata": {{"name": "data"}}, "spec": {{"storageClassName": "fast",
      "accessModes": ["ReadWriteOnce"], "resources": {{"requests": {{"storage": "5Gi"}}}}}}}}]}}}}}})",
                                 policy),
                     snapshot)
        .answer->fitting;
  };
  EXPECT_EQ(fitting("OrderedReady"), 0u);
  EXPECT_EQ(fitting("Parallel"), 2u);
}

// Each has claims on the fork, also if it has no place.
TEST(ReplicasWithVolumes, ThoseWithoutAPlaceHaveABoundOfMemory) {
  std::string templates;
  for (int i = 0; i < 5; ++i)
    templates += fmt::format(R"({}{{"metadata": {{"name": "data-{}"}}, "spec": {{"storageClassName": "fast",
      "accessModes": ["ReadWriteOnce"], "resources": {{"requests": {{"storage": "5Gi"}}}}}}}})",
                             i ? ", " : "", i);
  const auto question = unit::read(fmt::format(
      R"({{"template": {{"apiVersion": "apps/v1", "kind": "StatefulSet",
      "metadata": {{"name": "db"}}, "spec": {{"replicas": 1000000000, "podManagementPolicy": "Parallel",
      "selector": {{"matchLabels": {{"app": "db"}}}}, "template": {{"metadata": {{"labels": {{"app": "db"}}}},
      "spec": {{"containers": [{{"name": "c", "image": "i", "resources": {{"requests": {{"cpu": "100"}}}}}}]}}}},
      "volumeClaimTemplates": [{}]}}}}}})",
      templates));
  ASSERT_TRUE(question) << question.error().message;
  std::size_t looks = 0;
  const Budget budget = [&] { return ++looks < 30'000; };
  const auto status = answer(*question, nodes(), unit::default_config(), budget);
  EXPECT_TRUE(unit::condition(status, "Complete").starts_with("true MemoryExceeded"))
      << unit::condition(status, "Complete");
  EXPECT_LT(looks, 15'000u);
}

TEST(ReplicasWithVolumes, SeeWhatIsReservedForTheOnesBefore) {
  const auto two_volumes = with(local("v1", "n1"), local("v2", "n2"), claim("c", "local"));
  auto for_one = local("v1", "n1");
  for_one.access_modes = {"ReadWriteOncePod"};
  const struct {
    const char* name;
    cluster::Snapshot snapshot;
    int replicas;
    const char* outcome;
    std::size_t placed;
    std::vector<std::string> reasons;  // of the first that does not fit
  } cases[] = {
      {"a claim that gets one of two volumes draws all to its node", two_volumes, 2, "Fits", 2, {}},
      {"where that is full the next does not fit",
       two_volumes,
       3,
       "PartlyFits",
       2,
       {kNothingToBind, "Too many pods"}},
      {"so does one whose volume is made on demand",
       with(claim("c", "fast")),
       3,
       "PartlyFits",
       2,
       {kNothingToBind, "Too many pods"}},
      {"a claim for one pod",
       with(for_one, claim("c", "local", "ReadWriteOncePod")),
       2,
       "PartlyFits",
       1,
       {kInUse}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto status = unit::ask(pod("web").claim("c"), c.replicas, c.snapshot);
    EXPECT_EQ(status.outcome, c.outcome);
    EXPECT_EQ(unit::placements(status), (unit::Counts{{status.choice->node, c.placed}}))
        << "all on the volume's node";
    std::vector<std::string> reasons;
    if (const auto& failure = status.answer->first_failure) {
      for (const auto& rejection : failure->rejections) reasons.push_back(rejection.reason);
    }
    std::ranges::sort(reasons, std::greater{});
    if (!c.reasons.empty()) {
      EXPECT_EQ(reasons, c.reasons);
    }
  }
}

TEST(ReplicasWithVolumes, NoOtherSnapshotHasWhatIsReserved) {
  const auto snapshot = with(local("v", "n1"), claim("c", "local"), claim("d", "fast"));
  const auto status = unit::ask(pod("web").claim("c").claim("d"), 2, snapshot);
  EXPECT_EQ(status.outcome, "Fits");
  EXPECT_FALSE(snapshot.objects().find<Volume>("", "v")->claim);
  EXPECT_TRUE(snapshot.objects().find<Claim>("default", "d")->meta.annotations.empty());
}

// Reserves two pods at most, on any node; the plugin itself keeps no count.
class TwoPlaces final : public framework::Plugin, public framework::ReservePlugin {
 public:
  std::string_view name() const override { return "TwoPlaces"; }
  framework::ReserveResult reserve(const framework::AssumedPod&, cluster::Snapshot& snapshot) const override {
    if (snapshot.pod_total() <= 2) return {};
    return {framework::Verdict{"TwoPlaces", framework::Code::unschedulable, {"no place left"}}, nullptr};
  }
  void unreserve(const framework::AssumedPod&, framework::PluginState*, cluster::Snapshot&,
                 framework::Handle&) const override {}
};

TEST(ReplicasWithVolumes, AReservePluginMaySayNo) {
  const auto plugin = std::make_shared<TwoPlaces>();
  auto config = unit::default_config();
  auto profile = *config.profiles[0];
  profile.reserves.push_back({"TwoPlaces", plugin.get()});
  config.profiles = {share(profile)};
  const auto status = unit::ask(pod("web"), 3, nodes(), config);
  EXPECT_EQ(status.outcome, "PartlyFits");
  EXPECT_EQ(status.answer->fitting, 2u);
  EXPECT_EQ(status.answer->first_failure->message, "0/1 nodes are available: 1 no place left.");
  EXPECT_EQ(status.conditions.back().message,
            "2 of 3 replicas fit: 0/1 nodes are available: 1 no place left.");
}

// --- generic ephemeral claims ---

api::Pod with_ephemeral(const std::string& name) {
  api::Volume disk;
  disk.name = "disk";
  disk.kind = api::Volume::Kind::ephemeral;
  api::Pod made = pod(name);
  made.volumes.push_back(disk);
  return made;
}

// The volume's claim template; omits the class if it is empty.
std::vector<EphemeralClaim> ephemeral(const std::string& storage_class) {
  json::object spec{{"accessModes", {"ReadWriteOnce"}}, {"resources", {{"requests", {{"storage", "5Gi"}}}}}};
  if (!storage_class.empty()) spec["storageClassName"] = storage_class;
  const json::value made = json::object{
      {"spec",
       {{"volumes", {{{"name", "disk"}, {"ephemeral", {{"volumeClaimTemplate", {{"spec", spec}}}}}}}}}}};
  return read_ephemeral_claims(made).value();
}

api::StorageClass by_default(api::StorageClass storage_class, const char* key, int age) {
  storage_class.meta.annotations.set(key, "true");
  storage_class.meta.created = Wall{} - std::chrono::hours(age);
  return storage_class;
}

TEST(EphemeralVolumes, HaveTheClaimsThatWouldBeMade) {
  constexpr auto kKey = "storageclass.kubernetes.io/is-default-class";
  constexpr auto kBetaKey = "storageclass.beta.kubernetes.io/is-default-class";
  const auto now = test::storage_class("now", "disks.example.com", false);
  auto future = test::storage_class("future", "kubernetes.io/no-provisioner", true);
  future.meta.annotations.set(kKey, "true");
  auto foreign = claim("web-disk", "fast");
  const struct {
    const char* name;
    cluster::Snapshot snapshot;
    std::string storage_class;
    int replicas;
    // "not found" comes from upstream's DynamicResources after a PreFilter that ended before its own.
    std::string message;
    std::size_t placed;
  } cases[] = {
      {"made on demand", nodes(), "fast", 3, "all 3 replicas fit", 3},
      {"a volume each", with(local("v1", "n1"), local("v2", "n2")), "local", 2, "all 2 replicas fit", 2},
      {"one volume only", with(local("v1", "n1")), "local", 2,
       "1 of 2 replicas fit: 0/2 nodes are available: 2 node(s) didn't find available persistent volumes to "
       "bind.",
       1},
      {"bound before the pod is scheduled", with(now), "now", 3, "all 3 replicas fit", 3},
      {"no such class", nodes(), "none", 1,
       "0 of 1 replicas fit: 0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not "
       "found",
       0},
      {"no class and no default", nodes(), "", 1,
       "0 of 1 replicas fit: 0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not "
       "found",
       0},
      {"the default class", with(by_default(test::storage_class("fast", "disks.example.com", true), kKey, 1)),
       "", 2, "all 2 replicas fit", 2},
      {"the newest default class",
       with(by_default(now, kKey, 2),
            by_default(test::storage_class("fast", "disks.example.com", true), kBetaKey, 1)),
       "", 2, "all 2 replicas fit", 2},
      {"a default class that is not stored yet is the newest",
       with(by_default(now, kKey, 2), std::move(future)), "", 1,
       "0 of 1 replicas fit: 0/2 nodes are available: 2 node(s) didn't find available persistent volumes to "
       "bind.",
       0},
      {"somebody else's claim of that name", with(foreign), "fast", 2,
       "0 of 2 replicas fit: 0/2 nodes are available: PVC default/web-disk was not created for pod "
       "default/web "
       "(pod is not owner). not found",
       0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto status = answer(unit::about(with_ephemeral("web"), c.replicas, ephemeral(c.storage_class)),
                               c.snapshot, unit::default_config());
    auto message = status.conditions.back().message;
    if (const auto preemption = message.find(" preemption:"); preemption != std::string::npos)
      message.resize(preemption);
    EXPECT_EQ(message, c.message);
    EXPECT_EQ(status.answer->fitting, c.placed);
    EXPECT_FALSE(c.snapshot.objects().find<Claim>("default", "web#1-disk"));
  }
}

// A reason names the claim, which no file has.
TEST(EphemeralVolumes, TheirClaimsAreExplained) {
  const auto notes = [](const cluster::Snapshot& snapshot) {
    return answer(unit::about(with_ephemeral("web"), 1, ephemeral("none")), snapshot, unit::default_config())
        .answer.value()
        .notes;
  };
  EXPECT_THAT(notes(nodes()), testing::ElementsAre("the claim web-disk does not exist yet: it is that of the "
                                                   "pod's ephemeral volume disk."));
  EXPECT_THAT(notes(with(claim("web-disk", "none"))), testing::IsEmpty()) << "it exists";
}

TEST(EphemeralVolumes, AreReadWithTheirPath) {
  const auto wrong = json::parse(R"({"spec": {"volumes": [{"name": "a"}, {"name": "b", "ephemeral": {
      "volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": "lots"}}}}}}]}})");
  const auto read = read_ephemeral_claims(wrong);
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().message.starts_with(
      "spec.volumes[1].ephemeral.volumeClaimTemplate.spec.resources.requests.storage: "))
      << read.error().message;
  EXPECT_EQ(read_ephemeral_claims(json::parse(R"({"spec": {"volumes": "none"}})"))->size(), 0u);
}

// --- a pod of the cluster ---

TEST(APodThatWaits, HasTheClaimsThatWereMadeForIt) {
  auto made = claim("web-disk", "fast");
  made.meta.owners = {{.kind = "Pod", .name = "web", .uid = "uid-web", .controller = true}};
  api::Volume disk;
  disk.name = "disk";
  disk.kind = api::Volume::Kind::ephemeral;
  api::Pod web = pod("web");
  web.volumes.push_back(disk);
  EXPECT_EQ(unit::ask(web, 1, with(made)).outcome, "Fits");
}

TEST(APodThatWaits, IsNotInItsOwnWay) {
  auto snapshot = nodes();
  const api::Pod web = pod("web").req("cpu", "3");
  snapshot.remove_node("n2");
  snapshot.nominate(cluster::make_pod_info(share(web)), "n1");
  EXPECT_EQ(unit::ask(web, 1, snapshot).outcome, "Fits");
}

// A provisioner makes the volume before the pod is scheduled, so kube-scheduler does not see it unbound.
TEST(NewClaims, OfAClassThatDoesNotWaitAreBound) {
  auto now = test::storage_class("now", "disks.example.com", false);
  const auto asked = [](const cluster::Snapshot& snapshot) {
    return unit::ask(
        R"({"replicas": 2, "template": {"spec": {"containers": [{"name": "c", "image": "i"}], "volumes": [
            {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "now",
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}}]}}})",
        snapshot);
  };
  const auto anywhere = asked(with(now));
  EXPECT_EQ(anywhere.outcome, "Fits") << anywhere.message;
  const auto caveat = [](const ReportStatus& status) {
    const auto& names = status.answer->not_modelled;
    return std::ranges::find(names, "the topology of new volumes of StorageClass now") != names.end();
  };
  EXPECT_TRUE(caveat(anywhere));
  auto there = test::persistent_volume("v", "5Gi", "now");
  there.node_affinity = {test::node_term({test::in("kubernetes.io/hostname", {"n2"})})};
  EXPECT_EQ(asked(with(now, there)).choice->node, "n2") << "the first claim is bound to what there is";
  now.allowed_topologies = {test::node_term({test::in("kubernetes.io/hostname", {"n2"})})};
  EXPECT_EQ(unit::placements(asked(with(now))), (unit::Counts{{"n2", 2}}));
  const auto waits = asked(with(test::storage_class("now", "disks.example.com", true)));
  EXPECT_EQ(waits.outcome, "Fits");
  EXPECT_FALSE(caveat(waits));
  EXPECT_EQ(asked(with(test::storage_class("now", "kubernetes.io/no-provisioner", false))).outcome,
            "DoesNotFit");
}

TEST(Volumes, TheReasonNamesTheClaim) {
  const auto words = [](const ReportStatus& status) { return reason_words(status.rejections.front()); };
  EXPECT_EQ(words(unit::ask(pod("web").claim("data"), 1, with(claim("data", "local")))),
            "has no available volume that matches the pod's claim data");
  auto disk = local("v", "n9");
  auto data = claim("data", "local");
  test::bind_claim(data, disk);
  EXPECT_EQ(words(unit::ask(pod("web").claim("data"), 1, with(disk, data))),
            "cannot reach the pod's volume v: it is on node n9, which does not exist");
}

// kube-scheduler places them all the same.
TEST(NewClaims, ADiskForOneNodeAtATimeIsNamed) {
  auto disk = test::persistent_volume("v", "5Gi", "fast");
  disk.csi_driver = "disks.example.com";
  auto data = claim("data", "fast");
  test::bind_claim(data, disk);
  const auto names = [](int replicas, const cluster::Snapshot& snapshot) {
    return unit::ask(pod("web").claim("data"), replicas, snapshot).answer->not_modelled;
  };
  const std::string both =
      "the ReadWriteOnce claim data (one node at a time can attach it; n1 and n2 would use it)";
  const auto has_both = [&](const std::vector<std::string>& all) {
    return std::ranges::find(all, both) != all.end();
  };
  EXPECT_FALSE(has_both(names(1, with(disk, data))));
  EXPECT_TRUE(has_both(names(2, with(disk, data))));
  auto used = with(disk, data);
  unit::run_pod(used, pod("other").claim("data").node("n1").req("cpu", "3"));
  EXPECT_TRUE(has_both(names(1, used))) << "it goes to the emptier node";
  data.access_modes = {"ReadWriteMany"};
  EXPECT_FALSE(has_both(names(2, with(disk, data))));
}

TEST(NewClaims, WhatTheirVolumesChangeIsNotModelled) {
  api::CsiDriver driver;
  driver.meta.name = "disks.example.com";
  const auto names = [](const cluster::Snapshot& snapshot, const char* mode) {
    return unit::ask(fmt::format(R"({{"replicas": 2, "changes": [{{"type": "AddClaims", "claims": [
            {{"metadata": {{"name": "data"}}, "spec": {{"storageClassName": "fast", "accessModes": ["{}"]}}}}]}}],
            "template": {{"spec": {{"containers": [{{"name": "c", "image": "i"}}]}}}}}})",
                                 mode),
                     snapshot)
        .answer->not_modelled;
  };
  const auto has = [](const std::vector<std::string>& all, const std::string& words) {
    return std::ranges::find(all, words) != all.end();
  };
  const std::string taken = "the capacity that new volumes of StorageClass fast take";
  EXPECT_FALSE(has(names(with(driver), "ReadWriteOnce"), taken));
  driver.storage_capacity = true;
  EXPECT_TRUE(has(names(with(driver), "ReadWriteOnce"), taken));
  api::CsiStorageCapacity free;
  free.meta.name = "all";
  free.storage_class = "fast";
  free.node_topology.emplace();
  free.capacity = api::Quantity::parse("8Gi").value();
  const auto pods = [&](int replicas, const char* room = "false") {
    return unit::ask(
        fmt::format(
            R"({{"replicas": {}, "room": {}, "template": {{"spec": {{"containers": [{{"name": "c", "image": "i"}}],
            "volumes": [{{"name": "v", "ephemeral": {{"volumeClaimTemplate": {{"spec": {{"storageClassName": "fast",
            "accessModes": ["ReadWriteOnce"], "resources": {{"requests": {{"storage": "5Gi"}}}}}}}}}}}}]}}}}}})",
            replicas, room),
        with(driver, free));
  };
  EXPECT_TRUE(
      has(pods(2, "true").answer->not_modelled, taken + " (2 on n2 need 10Gi, and its driver reports 8Gi)"))
      << "of the pods that were asked about, not of those that count the room";
  EXPECT_TRUE(has(pods(1).answer->not_modelled, taken));
  EXPECT_EQ(pods(2).outcome, "Fits") << "as the scheduler says";
  EXPECT_TRUE(has(pods(2).answer->not_modelled, taken + " (2 on n2 need 10Gi, and its driver reports 8Gi)"));
  const std::string elsewhere = "the use of a new volume of StorageClass fast on several nodes";
  EXPECT_FALSE(has(names(nodes(), "ReadWriteOnce"), elsewhere));
  EXPECT_TRUE(has(names(nodes(), "ReadWriteMany"), elsewhere));
}

// A local driver reports a capacity for each node.
TEST(NewClaims, AsksTheBudgetOftenIfThereAreManyCapacities) {
  constexpr int kReplicas = 500, kCapacities = 2'000;
  constexpr std::uint64_t kMost = 60'000'000;  // about a tenth of a second without sanitizers
  auto snapshot = with();
  snapshot.set_node(test::node("large").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "1000").ptr());
  for (int i = 0; i < kCapacities; ++i) {
    api::CsiStorageCapacity each;
    each.meta.name = fmt::format("c{}", i);
    each.storage_class = "fast";
    each.node_topology = test::select_labels({{"zone", "elsewhere"}});
    each.capacity = api::Quantity::from_units(1);
    snapshot.objects().set(share(each));
  }
  std::uint64_t last = steps_of_thread(), longest = 0;
  const auto look = [&] {
    longest = std::max(longest, steps_of_thread() - last);
    last = steps_of_thread();
    return true;
  };
  const auto status = unit::ask(
      fmt::format(
          R"({{"replicas": {}, "template": {{"spec": {{"containers": [{{"name": "c", "image": "i"}}],
          "volumes": [{{"name": "v", "ephemeral": {{"volumeClaimTemplate": {{"spec": {{"storageClassName": "fast",
          "accessModes": ["ReadWriteOnce"], "resources": {{"requests": {{"storage": "5Gi"}}}}}}}}}}}}]}}}}}})",
          kReplicas),
      snapshot, unit::default_config(), look);
  look();
  EXPECT_EQ(status.answer->fitting, static_cast<std::size_t>(kReplicas));
  EXPECT_LT(longest, kMost);
}

}  // namespace
}  // namespace podium::explain
