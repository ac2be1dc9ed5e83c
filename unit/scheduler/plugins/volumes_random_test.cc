// Decisions with a warm VolumeIndex compared with decisions on a fresh one, after random changes of nodes,
// pods, claims, volumes, classes, drivers and attachments, and with forks in between.
#include <gtest/gtest.h>

#include <random>

#include "scheduler/plugins/volumes/binding.h"
#include "unit/scheduler/plugins/volume_fixture.h"
#include "unit/support/seed.h"

namespace podium::plugins::test::volumes_random_test {
namespace {

using Kind = api::Volume::Kind;

constexpr auto kDriver = "disks.example.com", kEbs = "ebs.csi.aws.com";

// The same cluster with a fresh VolumeIndex.
Snapshot rebuilt(const Snapshot& from) {
  Snapshot made;
  from.present().each([&](cluster::Row row) { made.set_node(from.entry(row).node); });
  from.each_pod([&](const cluster::PodInfoPtr& pod) { made.add_pod(pod); });
  const auto copy = [&]<typename T>(const cluster::ObjectMap<T>& objects) {
    for (const auto& [key, object] : objects) made.objects().set(object);
  };
  const auto& objects = from.objects();
  copy(objects.all<api::PersistentVolumeClaim>());
  copy(objects.all<api::PersistentVolume>());
  copy(objects.all<api::StorageClass>());
  copy(objects.all<api::CsiNode>());
  copy(objects.all<api::CsiDriver>());
  copy(objects.all<api::VolumeAttachment>());
  return made;
}

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }
  bool chance(std::size_t percent) { return below(100) < percent; }

  void step(Snapshot& s) {
    const auto kind = below(100);
    if (kind < 3) {
      if (chance(30)) return s.remove_node(node_name());
      auto made = host(node_name());
      made.label("zone", chance(50) ? "a" : "b");
      for (std::size_t key = 0; key < kKeys; ++key)
        if (chance(50)) made.label(key_name(key), chance(50) ? "a" : "b");
      s.set_node(made.ptr());
    } else if (kind < 18) {
      if (chance(20)) return s.remove_pod("uid-" + pod_name());
      s.add_pod(info(make_pod(pod_name()).node(node_name())));
    } else if (kind < 55) {
      change_claim(s);
    } else if (kind < 78) {
      change_volume(s);
    } else if (kind < 83) {
      change_csi_node(s);
    } else if (kind < 96) {
      change_attachment(s);
    } else {
      change_class(s);
    }
  }

  podium::test::PodBuilder make_pod(const std::string& name) {
    auto made = pod(name);
    for (auto n = 1 + below(2); n > 0; --n) made.claim(claim_name());
    if (chance(30)) made.volume(ephemeral("0"));
    if (chance(10)) made.volume(disk(Kind::aws_disk, chance(5) ? "aws://zone" : handle()));
    return made;
  }
  std::string pod_name() { return "p" + std::to_string(below(12)); }

 private:
  // More than VolumeBinding has indexes for.
  static constexpr std::size_t kKeys = 6;
  static std::string key_name(std::size_t key) { return "key-" + std::to_string(key); }

  std::string node_name() { return "n" + std::to_string(below(3)); }
  std::string volume_name() { return "v" + std::to_string(below(10)); }
  // Some are the claims of ephemeral volumes.
  std::string claim_name() { return chance(20) ? pod_name() + "-0" : "c" + std::to_string(below(10)); }
  std::string class_name() { return chance(70) ? "fast" : "in-tree"; }
  std::string handle() { return "vol-" + std::to_string(below(12)); }
  std::string driver() { return chance(60) ? kDriver : kEbs; }

  template <typename T>
  void put(Snapshot& s, T object) {
    s.objects().set(podium::test::share(std::move(object)));
  }

  // Removes an object, assumes a change of it by `promise`, or reverts the assumption; false: no change.
  template <typename T>
  bool disturb(Snapshot& s, const std::string& ns, const std::string& name, auto promise) {
    const auto known = s.objects().actual<T>(ns, name);
    if (!known || chance(50)) return false;
    const auto kind = below(10);
    if (kind < 2) {
      s.objects().remove<T>(ns, name);
    } else if (kind < 7) {
      auto promised = *known;
      promise(promised);
      s.objects().assume(podium::test::share(promised));
    } else {
      s.objects().restore<T>(ns, name, known->meta.resource_version);
    }
    return true;
  }

  void change_claim(Snapshot& s) {
    const auto name = claim_name();
    const auto select_node = [&](api::PersistentVolumeClaim& claim) {
      claim.meta.annotations.set(std::string(kSelectedNode), node_name());
    };
    if (disturb<api::PersistentVolumeClaim>(s, "default", name, select_node)) return;
    auto made = claim(name, "5Gi", class_name());
    made.meta.resource_version = std::to_string(++version_);
    if (name.ends_with("-0") && chance(80))
      made.meta.owners = {{"v1", "Pod", "p", "uid-" + name.substr(0, name.find('-')), true}};
    if (chance(30)) made.access_modes = {"ReadWriteOncePod"};
    if (chance(60)) {
      made.volume_name = volume_name();
      if (chance(80)) made.meta.annotations.set("pv.kubernetes.io/bind-completed", "yes");
    }
    put(s, std::move(made));
  }

  void change_volume(Snapshot& s) {
    const auto name = volume_name();
    const auto give = [&](api::PersistentVolume& volume) { volume.claim = {"default", claim_name(), ""}; };
    if (disturb<api::PersistentVolume>(s, "", name, give)) return;
    auto made = chance(50) ? local_volume(name, node_name()) : volume(name);
    if (chance(30)) {
      std::vector<std::string> values{chance(50) ? "a" : "b"};
      if (chance(30)) values.push_back(chance(50) ? "b" : "a");
      auto label = podium::test::in(chance(40) ? "zone" : key_name(below(kKeys)), std::move(values));
      made.node_affinity = {node_term({std::move(label)})};
    }
    made.capacity = api::Quantity::from_units(static_cast<std::int64_t>((5 + below(3)) << 30));
    made.meta.resource_version = std::to_string(++version_);
    made.storage_class = class_name();
    made.phase = "Available";
    if (chance(40)) give(made);
    if (chance(20)) {
      made.source = disk(Kind::aws_disk, handle());
    } else {
      made.csi_driver = driver();
      made.csi_handle = handle();
    }
    put(s, std::move(made));
  }

  void change_csi_node(Snapshot& s) {
    const auto name = node_name();
    if (chance(5)) return s.objects().remove<api::CsiNode>("", name);
    const auto limit = [&] { return static_cast<int>(1 + below(6)); };
    auto made = csi_node(name, {});
    if (chance(80)) made.drivers.push_back({kDriver, limit()});
    if (chance(60)) made.drivers.push_back({kEbs, chance(80) ? std::optional(limit()) : std::nullopt});
    put(s, std::move(made));
  }

  void change_attachment(Snapshot& s) {
    api::VolumeAttachment made;
    made.meta.name = "a" + std::to_string(below(8));
    if (chance(30)) return s.objects().remove<api::VolumeAttachment>("", made.meta.name);
    made.attacher = driver();
    made.volume_name = volume_name();
    made.node_name = node_name();
    put(s, std::move(made));
  }

  void change_class(Snapshot& s) {
    const auto name = class_name();
    if (chance(20)) return s.objects().remove<api::StorageClass>("", name);
    put(s, storage_class(name, chance(50) ? "kubernetes.io/aws-ebs" : driver(), chance(80)));
  }

  std::mt19937_64 random_;
  std::uint64_t version_ = 0;
};

TEST(Volumes, WhatIsKeptIsWhatIsSo) {
  const auto seed = podium::test::drawn_seed();
  SCOPED_SEED(seed);
  std::size_t full = 0, bindable = 0, in_use = 0;
  for (std::uint64_t run = 0; run < 40; ++run) {
    World world(seed + run);
    std::vector<Snapshot> forks(1);
    AvailableCache available;
    const auto limits = make(make_node_volume_limits), binding = make(make_volume_binding),
               restrictions = make(make_volume_restrictions);
    for (int i = 0; i < 150; ++i) world.step(forks.front());
    for (int i = 0; i < 250; ++i) {
      auto& snapshot = forks[world.below(forks.size())];
      world.step(snapshot);
      if (world.chance(2) && forks.size() < 3) forks.push_back(Snapshot(snapshot));
      if (world.chance(20)) continue;  // several changes together
      const auto& asked = forks[world.below(forks.size())];
      const auto fresh = rebuilt(asked);
      const api::Pod wanted = world.make_pod(world.pod_name());
      const auto answer = filter(limits, wanted, asked);
      ASSERT_EQ(answer, filter(limits, wanted, fresh)) << "step " << i << " of run " << run;
      for (const auto& [node, why] : answer) full += why == "U; node(s) exceed max volume count";
      ASSERT_EQ(filter(binding, wanted, asked), filter(make(make_volume_binding), wanted, fresh))
          << "step " << i << " of run " << run;
      const auto taken = filter(restrictions, wanted, asked);
      ASSERT_EQ(taken, filter(restrictions, wanted, fresh)) << "step " << i << " of run " << run;
      in_use += taken.size();
      asked.present().each([&](cluster::Row row) {
        AvailableCache nothing;
        const auto plan = plan_volumes(wanted, asked, row, available),
                   again = plan_volumes(wanted, fresh, *fresh.find_row(asked.node_name(row)), nothing);
        ASSERT_EQ(plan.has_value(), again.has_value());
        if (!plan) return;
        ASSERT_EQ(plan->bindings.size(), again->bindings.size());
        for (std::size_t b = 0; b < plan->bindings.size(); ++b) {
          EXPECT_EQ(*plan->bindings[b].volume, *again->bindings[b].volume);
          ++bindable;
        }
      });
    }
  }
  EXPECT_GT(full, 0u);
  EXPECT_GT(bindable, 0u);
  EXPECT_GT(in_use, 0u);
}

}  // namespace
}  // namespace podium::plugins::test::volumes_random_test
