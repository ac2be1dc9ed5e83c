// Invalidation of VolumeIndex, per copy. plugins/volumes_random_test.cc compares the results.
#include "scheduler/cluster/volume_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "scheduler/cluster/snapshot.h"
#include "unit/support/builders.h"

namespace podium::cluster {
namespace {

using podium::test::node;
using podium::test::pod;
using podium::test::share;
using testing::ElementsAre;
using testing::IsEmpty;

using Names = std::vector<std::string>;

PodInfoPtr placed(const std::string& name, const std::string& on) {
  return make_pod_info(std::make_shared<api::Pod>(pod(name).claim(name).node(on)));
}

// The nodes without a cached value. Caches a value for each of them.
Names forgotten(const Snapshot& snapshot) {
  Names names;
  for (const auto row : snapshot.rows_by_name()) {
    snapshot.objects().volumes().at(row, [&] {
      names.emplace_back(snapshot.node_name(row));
      return NodeVolumes();
    });
  }
  return names;
}

// Nodes n1 and n2, each with a pod whose claim is bound to v-n1 or v-n2; n3 has an attachment of v-n1.
class KeptVolumes : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string name : {"n1", "n2", "n3"}) snapshot_.set_node(node(name).ptr());
    for (const std::string name : {"n1", "n2"}) {
      snapshot_.add_pod(placed(name, name));
      auto claim = podium::test::persistent_volume_claim("default", name, "1Gi", "fast");
      auto volume = podium::test::persistent_volume("v-" + name, "1Gi", "fast");
      podium::test::bind_claim(claim, volume);
      set(claim), set(volume);
    }
    attachment_.meta.name = "a";
    attachment_.attacher = "disks.example.com";
    attachment_.volume_name = "v-n1";
    attachment_.node_name = "n3";
    set(attachment_);
    EXPECT_THAT(forgotten(snapshot_), ElementsAre("n1", "n2", "n3"));
    EXPECT_THAT(forgotten(snapshot_), IsEmpty());
  }

  template <typename T>
  void set(const T& object) {
    snapshot_.objects().set(share(object));
  }
  api::PersistentVolumeClaim claim(const std::string& name) const {
    return *snapshot_.objects().find<api::PersistentVolumeClaim>("default", name);
  }
  api::PersistentVolume volume(const std::string& name) const {
    return *snapshot_.objects().find<api::PersistentVolume>("", name);
  }

  Snapshot snapshot_;
  api::VolumeAttachment attachment_;
};

TEST_F(KeptVolumes, AChangeIsForgottenOnTheNodesThatItConcerns) {
  auto unbound = claim("n1");
  unbound.volume_name.clear();
  set(unbound);
  EXPECT_THAT(forgotten(snapshot_), ElementsAre("n1"));
  set(api::PersistentVolumeClaim(unbound));
  EXPECT_THAT(forgotten(snapshot_), IsEmpty());

  auto moved = volume("v-n1");
  moved.csi_handle = "another";
  set(moved);
  EXPECT_THAT(forgotten(snapshot_), ElementsAre("n3")) << "no claim refers to it";
  snapshot_.objects().remove<api::PersistentVolume>("", "v-n2");
  EXPECT_THAT(forgotten(snapshot_), ElementsAre("n2"));

  attachment_.node_name = "n2";
  set(attachment_);
  EXPECT_THAT(forgotten(snapshot_), ElementsAre("n2", "n3"));
  set(podium::test::csi_node("n3", {{"disks.example.com", 5}}));
  EXPECT_THAT(forgotten(snapshot_), ElementsAre("n3"));
  snapshot_.add_pod(placed("n1", "n2"));
  EXPECT_THAT(forgotten(snapshot_), ElementsAre("n1", "n2"));
  set(podium::test::storage_class("fast", "disks.example.com", true));
  EXPECT_THAT(forgotten(snapshot_), ElementsAre("n1", "n2", "n3"));
}

TEST_F(KeptVolumes, WhatDoesNotMatterIsKept) {
  auto promised = claim("n1");
  promised.meta.annotations.set("volume.kubernetes.io/selected-node", "n1");
  promised.phase = "Bound";
  set(promised);
  auto released = volume("v-n1");
  released.claim.reset();
  released.phase = "Released";
  set(released);
  snapshot_.set_node(node("n1").label("a", "b").ptr());
  snapshot_.add_pod(make_pod_info(std::make_shared<api::Pod>(pod("bare").node("n1"))));
  set(podium::test::csi_node("n4", {}));
  EXPECT_THAT(forgotten(snapshot_), IsEmpty());
}

TEST_F(KeptVolumes, AForkForgetsForItselfAlone) {
  auto fork = snapshot_;
  fork.remove_pod("uid-n1");
  EXPECT_THAT(forgotten(snapshot_), IsEmpty());
  EXPECT_THAT(forgotten(fork), ElementsAre("n1"));
}

TEST_F(KeptVolumes, ANodeThatReplacesAnotherStartsEmpty) {
  snapshot_.remove_node("n2");
  snapshot_.set_node(node("n4").ptr());
  EXPECT_THAT(forgotten(snapshot_), ElementsAre("n4"));
}

TEST_F(KeptVolumes, VolumesThatAClaimMayGet) {
  const auto open = [&](const char* name) {
    const auto& volumes = snapshot_.objects().volumes();
    const auto promised =
        volumes.promised_to(podium::test::persistent_volume_claim("default", name, "1Gi", "fast"));
    Names names(promised.begin(), promised.end());
    for (const auto& [free, volume] : volumes.free_of("fast")) names.push_back(free);
    return names;
  };
  set(podium::test::persistent_volume("free", "1Gi", "fast"));
  set(podium::test::persistent_volume("slow", "1Gi", "slow"));
  EXPECT_THAT(open("n1"), ElementsAre("v-n1", "free"));
  EXPECT_THAT(open("new"), ElementsAre("free"));
  auto taken = volume("free");
  taken.claim = {"default", "new", ""};
  snapshot_.objects().assume(share(taken));
  EXPECT_THAT(open("n1"), ElementsAre("v-n1"));
  EXPECT_THAT(open("new"), ElementsAre("free"));
}

// Like what-ifs and the strand: each thread reads its own copies while the writer writes to its own.
TEST(KeptVolumesInThreads, IsMadeOnceForAllCopies) {
  constexpr std::size_t kNodes = 300;
  const auto name = [](std::size_t i) { return "n" + std::to_string(1000 + i); };
  Snapshot snapshot;
  for (std::size_t i = 0; i < kNodes; ++i) {
    snapshot.set_node(node(name(i)).ptr());
    snapshot.add_pod(placed(name(i), name(i)));
  }
  std::atomic<std::size_t> made = 0;
  const auto ask = [&](const Snapshot& copy) {
    for (const auto row : copy.rows_by_name()) {
      const auto& known = copy.objects().volumes().at(row, [&] {
        ++made;
        NodeVolumes volumes;
        volumes.drivers.push_back({std::string(copy.node_name(row)), {}, 0});
        return volumes;
      });
      ASSERT_EQ(known.drivers.front().name, copy.node_name(row));
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([copy = snapshot, &ask] { ask(copy); });
  for (std::size_t i = 0; i < 20; ++i) snapshot.add_pod(placed("more" + std::to_string(i), name(i)));
  threads.clear();
  EXPECT_EQ(made, kNodes);
  ask(snapshot);
  EXPECT_EQ(made, kNodes + 20);
}

}  // namespace
}  // namespace podium::cluster
