// The volume controller and the checks of lives with volumes.
#include "simulate/cluster/volumes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <memory>
#include <utility>

#include "api/decode/decode.h"
#include "async/virtual_time.h"
#include "scheduler/cluster/snapshot.h"
#include "simulate/cluster/volume_controller.h"
#include "simulate/observers/volume_observer.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

struct Storage {
  Storage() {
    for (const auto* name : {"n0", "n1"}) {
      auto node = json::parse(R"({"metadata":{"labels":{}},"spec":{},"status":{}})");
      auto& labels = node.as_object()["metadata"].as_object()["labels"].as_object();
      labels["kubernetes.io/hostname"] = name;
      labels["zone"] = name[1] == '0' ? "z0" : "z1";
      store.create({"nodes", "", name}, std::move(node), kPeople);
    }
    controller.rest();
  }
  void pass(std::chrono::seconds wait) {
    for (const auto end = time.now() + wait; time.now() < end;) {
      if (!agenda.run_due()) time.advance(std::min(agenda.next(), end) - time.now());
    }
    agenda.run_due();
  }
  static Key claim_key(const std::string& name) { return {std::string(kVolumeClaims), "shop", name}; }
  void claim(const std::string& name, const std::string& of_class, const std::string& storage = "1Gi") {
    auto value = json::parse(R"({"metadata":{},"spec":{"resources":{"requests":{}}},"status":{}})");
    auto& spec = value.as_object()["spec"].as_object();
    spec["storageClassName"] = of_class;
    spec["resources"].as_object()["requests"].as_object()["storage"] = storage;
    store.create(claim_key(name), std::move(value), kPeople);
  }
  void volume(const std::string& name, std::int64_t storage, const std::string& zone) {
    store.create({std::string(kVolumes), "", name}, volume_for("local", storage, "zone", zone), kPeople);
  }
  void change(const Key& key, const std::function<void(json::object&)>& how,
              const std::string& by = kPeople) {
    auto value = store.find(key)->value;
    how(value.as_object());
    store.update(key, std::move(value), by);
  }
  void choose(const std::string& claim, const std::string& node) {
    change(claim_key(claim), [&](json::object& object) {
      object["metadata"].as_object()["annotations"] = {{kSelectedNode, node}};
    });
  }
  void reserve(const std::string& volume, const std::string& claim, const std::string& by = kPeople) {
    change(
        {std::string(kVolumes), "", volume},
        [&](json::object& object) {
          object["spec"].as_object()["claimRef"] = {
              {"namespace", "shop"}, {"name", claim}, {"uid", uid_of(store.find(claim_key(claim))->value)}};
        },
        by);
  }
  std::string volume_of(const std::string& claim) {
    return text_at(store.find(claim_key(claim))->value, "/spec/volumeName");
  }
  std::string phase(const std::string& volume) {
    return text_at(store.find({std::string(kVolumes), "", volume})->value, "/status/phase");
  }
  static json::value pod(std::initializer_list<const char*> claims, const std::string& node = "") {
    auto value =
        json::parse(R"({"metadata":{"name":"p","namespace":"shop","uid":"p"},"spec":{"volumes":[]}})");
    auto& spec = value.as_object()["spec"].as_object();
    for (const auto* claim : claims)
      spec["volumes"].as_array().emplace_back(
          json::object{{"persistentVolumeClaim", json::object{{"claimName", claim}}}});
    if (!node.empty()) spec["nodeName"] = node;
    return value;
  }
  bool fits(const json::value& pod, const std::string& node) {
    return observer.fits(pod, store.find({"nodes", "", node})->value);
  }
  bool reaches(const std::string& claim, const std::string& node) {
    const auto volume = store.find({std::string(kVolumes), "", volume_of(claim)});
    return volume && is_reached(volume->value, store.find({"nodes", "", node})->value);
  }

  async::VirtualTime time{Wall(1'700'000'000s), Steady(1'000'000s)};
  Agenda agenda{time};
  Store store{time};
  VolumeController controller{store, agenda, Dice(1)};
  VolumeObserver observer{store, agenda};
};

TEST(Volumes, AClaimIsBoundWhenItsClassSaysSo) {
  Storage storage;
  storage.claim("now", "now");
  storage.claim("late", "late");
  storage.claim("local", "local");
  storage.volume("v0", 1, "z1");
  storage.pass(20s);
  EXPECT_NE(storage.volume_of("now"), "");
  EXPECT_EQ(storage.volume_of("late"), "");
  EXPECT_EQ(storage.volume_of("local"), "");
  storage.choose("late", "n1");
  storage.reserve("v0", "local");
  storage.pass(20s);
  EXPECT_TRUE(storage.reaches("late", "n1"));
  EXPECT_FALSE(storage.reaches("late", "n0"));
  EXPECT_EQ(storage.volume_of("local"), "v0");
  EXPECT_EQ(storage.phase("v0"), "Bound");
}

TEST(Volumes, AVolumeOutlivesItsClaimIfAnAdministratorMadeIt) {
  Storage storage;
  storage.claim("now", "now");
  storage.claim("local", "local");
  storage.volume("v0", 1, "z1");
  storage.reserve("v0", "local");
  storage.pass(20s);
  for (const auto* name : {"now", "local"}) storage.store.remove(Storage::claim_key(name), kPeople);
  storage.pass(20s);
  EXPECT_EQ(storage.store.all(kVolumes).size(), 1u);
  EXPECT_EQ(storage.phase("v0"), "Released");
  storage.claim("local", "local");
  EXPECT_FALSE(storage.fits(Storage::pod({"local"}), "n1"));
}

TEST(Volumes, APodFitsWhereAllItsClaimsHaveAVolume) {
  Storage storage;
  storage.claim("one", "local");
  storage.claim("large", "local", "2Gi");
  EXPECT_FALSE(storage.fits(Storage::pod({"one"}), "n0"));
  storage.volume("v0", 2, "z0");
  EXPECT_TRUE(storage.fits(Storage::pod({"one"}), "n0"));
  EXPECT_FALSE(storage.fits(Storage::pod({"one"}), "n1"));
  EXPECT_FALSE(storage.fits(Storage::pod({"one", "large"}), "n0"));
  storage.volume("v1", 1, "z0");
  EXPECT_TRUE(storage.fits(Storage::pod({"one", "large"}), "n0"));
  EXPECT_FALSE(storage.fits(Storage::pod({"one", "none"}), "n0"));
}

TEST(Volumes, TheObserverFindsWhatAnEngineBreaks) {
  Storage storage;
  storage.claim("one", "local");
  storage.claim("two", "local");
  storage.volume("v0", 1, "z0");
  const auto now = [&] { return storage.time.now(); };
  EXPECT_EQ(storage.observer.bound(Storage::pod({"one"}, "n0"), "podium-1", now()), std::nullopt)
      << "the engine does not know the claim";
  storage.observer.read("podium-1", kVolumeClaims, storage.store.find(Storage::claim_key("one"))->text());
  storage.observer.read("podium-1", kVolumes, storage.store.find({std::string(kVolumes), "", "v0"})->text());
  EXPECT_NE(storage.observer.bound(Storage::pod({"one"}, "n0"), "podium-1", now()), std::nullopt);
  storage.reserve("v0", "one");
  storage.pass(20s);
  EXPECT_EQ(storage.observer.bound(Storage::pod({"one"}, "n0"), "podium-1", now()), std::nullopt);
  EXPECT_NE(storage.observer.bound(Storage::pod({"one"}, "n1"), "podium-1", now()), std::nullopt);
  VolumeObserver::Broken broken;
  storage.store.on_commit([&](const Commit& commit) { broken = storage.observer.committed(commit); });
  storage.reserve("v0", "two", "podium-1");
  EXPECT_NE(broken, std::nullopt);
}

// Pods and what they share.
struct Shared : Storage {
  void pod_on(const std::string& name, const std::string& claim, const std::string& node) {
    auto value = pod({claim.c_str()}, node);
    value.as_object()["metadata"].as_object()["uid"] = name;
    store.create({"pods", "shop", name}, std::move(value), kPeople);
  }
  void attach_at_most(std::int64_t count, const std::string& node) {
    auto value = json::parse(
        fmt::format(R"({{"metadata":{{}},"spec":{{"drivers":[{{"allocatable":{{"count":{}}}}}]}}}})", count));
    store.create({std::string(kNodeDrivers), "", node}, std::move(value), kKubelet);
  }
  void know_all() {
    for (const auto kind : {kVolumeClaims, kVolumes, kNodeDrivers, std::string_view("nodes")}) {
      for (const auto& object : store.all(kind)) observer.read("podium-1", kind, object->text());
    }
  }
  // The engine begins a request, and has one other pod with the claim on n0, or none.
  void begins(const char* claim = nullptr) {
    cluster::Snapshot snapshot;
    if (claim) {
      auto value = pod({claim}, "n0");
      value.as_object()["metadata"].as_object()["uid"] = "gone";
      snapshot.add_pod(cluster::make_pod_info(std::make_shared<api::Pod>(*api::decode_pod(value))));
    }
    observer.begins("podium-1", snapshot);
  }
  VolumeObserver::Broken shares(const char* claim, const std::string& node, bool knows = true,
                                std::chrono::milliseconds lag = 0ms) {
    return observer.shares(pod({claim}, node), "podium-1", time.now() - lag, time.now(),
                           [&](const json::value& one) { return uid_of(one) == "p" || knows; });
  }
};

TEST(Volumes, AClaimForOnePodIsOfOnePod) {
  Shared storage;
  storage.claim("one", "late");
  storage.change(Storage::claim_key("one"), [](json::object& claim) {
    claim["spec"].as_object()["accessModes"] = json::array{"ReadWriteOncePod"};
  });
  storage.pod_on("other", "one", "n0");
  EXPECT_EQ(storage.shares("one", "n1"), std::nullopt) << "the engine does not know the claim";
  storage.know_all();
  EXPECT_NE(storage.shares("one", "n1"), std::nullopt);
  EXPECT_EQ(storage.shares("one", "n1", false), std::nullopt) << "nor that the other pod is on a node";
  EXPECT_FALSE(storage.fits(Storage::pod({"one"}), "n1"));
  storage.store.remove({"nodes", "", "n0"}, kPeople);
  EXPECT_EQ(storage.shares("one", "n1"), std::nullopt) << "its node is deleted";
  storage.pod_on("another", "one", "n1");
  EXPECT_NE(storage.shares("one", "n1"), std::nullopt);
  storage.change(Storage::claim_key("one"), [](json::object& claim) {
    claim["spec"].as_object()["accessModes"] = json::array{"ReadWriteOnce"};
  });
  EXPECT_EQ(storage.shares("one", "n1"), std::nullopt);
}

TEST(Volumes, ANodeAttachesAsManyVolumesAsItsDriverSays) {
  Shared storage;
  storage.attach_at_most(1, "n0");
  storage.claim("one", "late");
  storage.claim("two", "late");
  storage.claim("local", "local");
  storage.pod_on("other", "one", "n0");
  EXPECT_EQ(storage.shares("two", "n0"), std::nullopt) << "the engine does not know the claims";
  storage.know_all();
  EXPECT_NE(storage.shares("two", "n0"), std::nullopt);
  EXPECT_EQ(storage.shares("two", "n1"), std::nullopt);
  EXPECT_EQ(storage.shares("two", "n0", false), std::nullopt);
  EXPECT_EQ(storage.shares("one", "n0"), std::nullopt) << "it is attached already";
  EXPECT_EQ(storage.shares("local", "n0"), std::nullopt) << "it is not attached";
  EXPECT_FALSE(storage.fits(Storage::pod({"two"}), "n0"));
}

// The pod may have no node in the API server yet, or be deleted there.
TEST(Volumes, APodThatTheEngineHasOnTheNodeAddsNoVolumeAgain) {
  Shared storage;
  storage.attach_at_most(1, "n0");
  for (const auto* claim : {"one", "two", "three"}) storage.claim(claim, "late");
  storage.pod_on("other", "one", "n0");
  storage.know_all();
  storage.begins();
  EXPECT_NE(storage.shares("two", "n0"), std::nullopt);
  storage.begins("two");
  EXPECT_EQ(storage.shares("two", "n0"), std::nullopt) << "the engine counts that volume";
  EXPECT_NE(storage.shares("three", "n0"), std::nullopt);
  storage.pass(1s);
  storage.begins();
  storage.pass(1s);
  EXPECT_NE(storage.shares("two", "n0"), std::nullopt) << "it did not count it any more";
  EXPECT_EQ(storage.shares("two", "n0", true, 2s), std::nullopt) << "it may have decided before that";
}

}  // namespace
}  // namespace podium::simulate
