// New claims are bound to existing volumes as the volume controller binds them.
#include "explain/workload/new_claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

api::PersistentVolume volume(const char* name, const char* capacity, const char* storage_class) {
  api::PersistentVolume out;
  out.meta.name = name;
  out.meta.resource_version = "7";
  out.capacity = *api::Quantity::parse(capacity);
  out.storage_class = storage_class;
  out.access_modes = {"ReadWriteOnce"};
  out.phase = "Available";
  return out;
}

api::PersistentVolumeClaim claim(const char* storage_class) {
  api::PersistentVolumeClaim out;
  out.meta.name = "data";
  out.meta.namespace_ = "shop";
  out.meta.uid = "c";
  out.request = *api::Quantity::parse("5Gi");
  out.storage_class = storage_class;
  out.access_modes = {"ReadWriteOnce"};
  return out;
}

// The volume that the claim gets; empty: it stays unbound.
std::string bound_to(const api::PersistentVolumeClaim& added, cluster::Snapshot snapshot) {
  add_claim(std::make_shared<api::PersistentVolumeClaim>(added), snapshot);
  const auto& objects = snapshot.objects();
  const auto* stored = objects.find<api::PersistentVolumeClaim>("shop", "data");
  if (stored->phase != "Bound") return "";
  const auto* found = objects.find<api::PersistentVolume>("", stored->volume_name);
  EXPECT_TRUE(found && found->claim && found->claim->uid == "c" && found->phase == "Bound");
  return stored->volume_name;
}

cluster::Snapshot with(std::initializer_list<api::PersistentVolume> volumes) {
  cluster::Snapshot snapshot;
  for (const auto& each : volumes)
    snapshot.objects().set(std::make_shared<const api::PersistentVolume>(each));
  return snapshot;
}

TEST(NewClaims, GetTheSmallestVolumeThatHoldsThem) {
  const auto all = with({volume("small", "1Gi", ""), volume("large", "50Gi", ""), volume("right", "5Gi", ""),
                         volume("fast", "5Gi", "fast")});
  EXPECT_EQ(bound_to(claim(""), all), "right");
  EXPECT_EQ(bound_to(claim("fast"), all), "fast") << "a class without an object";
  EXPECT_EQ(bound_to(claim("slow"), all), "");
  auto shared = volume("nfs", "5Gi", "");
  shared.access_modes = {"ReadWriteOnce", "ReadWriteMany"};
  auto both = claim("");
  EXPECT_EQ(bound_to(both, with({shared, volume("right", "6Gi", "")})), "right") << "fewer access modes";
  both.access_modes = {"ReadWriteMany"};
  EXPECT_EQ(bound_to(both, with({shared, volume("right", "6Gi", "")})), "nfs");
  auto released = volume("old", "5Gi", "");
  released.phase = "Released";
  EXPECT_EQ(bound_to(claim(""), with({released})), "");
}

TEST(NewClaims, GetTheVolumeThatTheyNameOrThatNamesThem) {
  auto naming = claim("");
  naming.volume_name = "large";
  EXPECT_EQ(bound_to(naming, with({volume("right", "5Gi", ""), volume("large", "50Gi", "")})), "large");
  EXPECT_EQ(bound_to(naming, with({volume("large", "1Gi", "")})), "") << "too small";
  auto promised = volume("mine", "9Gi", "");
  promised.claim = {"shop", "data", ""};
  EXPECT_EQ(bound_to(claim(""), with({volume("right", "5Gi", ""), promised})), "mine");
  promised.claim->name = "other";
  EXPECT_EQ(bound_to(claim(""), with({promised})), "");
}

TEST(NewClaims, OfAClassThatWaitsForAPodStayUnbound) {
  auto snapshot = with({volume("v", "5Gi", "local")});
  snapshot.objects().set(test::share(test::storage_class("local", "kubernetes.io/no-provisioner", true)));
  EXPECT_EQ(bound_to(claim("local"), snapshot), "");
  auto naming = claim("local");
  naming.volume_name = "v";
  EXPECT_EQ(bound_to(naming, snapshot), "v");
}

// Such as a tutorial's: a PersistentVolume and a claim for it in one file.
TEST(NewClaims, OfAFileGetTheVolumesOfTheFile) {
  auto snapshot = unit::two_nodes();
  snapshot.set_node(test::node("n2").label("disk", "ssd").cap("cpu", "2").cap("pods", "9").ptr());
  const auto status = unit::ask(
      R"({"changes": [
      {"type": "AddObjects", "objects": [{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"},
        "spec": {"capacity": {"storage": "5Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "manual",
        "hostPath": {"path": "/d"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions":
        [{"key": "disk", "operator": "In", "values": ["ssd"]}]}]}}}}]},
      {"type": "AddClaims", "claims": [{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "shop"}, "spec": {"storageClassName": "manual",
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}}}]}],
      "template": {"spec": {"containers": [{"name": "c", "image": "i"}],
        "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}}})",
      snapshot);
  EXPECT_EQ(unit::condition(status, "Complete"), "true Fits: would be placed on n2") << status.message;
}

// A file that has a class of the cluster again does not make it the newest one.
TEST(NewClaims, GetTheNewestDefaultClassOfTheCluster) {
  const auto fits = [](const char* in_file) {
    auto snapshot = unit::two_nodes();
    const auto add = [&snapshot](const char* name, const char* provisioner, int age) {
      auto made = test::storage_class(name, provisioner, true);
      made.meta.annotations.set("storageclass.kubernetes.io/is-default-class", "true");
      made.meta.created = Wall{} - std::chrono::hours(age);
      snapshot.objects().set(test::share(std::move(made)));
    };
    add("old", "kubernetes.io/no-provisioner", 2);
    add("new", "disks.example.com", 1);
    const auto spec = fmt::format(
        R"({{"changes": [
      {{"type": "AddObjects", "objects": [{{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {{"name": "{}", "annotations": {{"storageclass.kubernetes.io/is-default-class": "true"}}}},
        "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}}]}},
      {{"type": "AddClaims", "claims": [{{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {{"name": "data", "namespace": "shop"}}, "spec": {{
        "accessModes": ["ReadWriteOnce"], "resources": {{"requests": {{"storage": "5Gi"}}}}}}}}]}}],
      "template": {{"spec": {{"containers": [{{"name": "c", "image": "i"}}],
        "volumes": [{{"name": "d", "persistentVolumeClaim": {{"claimName": "data"}}}}]}}}}}})",
        in_file);
    return unit::ask(spec, snapshot).outcome;
  };
  EXPECT_EQ(fits("old"), "Fits");
  EXPECT_EQ(fits("mine"), "DoesNotFit") << "created after the others";
}

}  // namespace
}  // namespace podium::explain
