// Reserve and PreBind of VolumeBinding: volumes and claims are assumed, reverted, written, and finally bound.
#include <fmt/format.h>

#include <boost/json/serialize.hpp>

#include "scheduler/plugins/volumes/binding.h"
#include "unit/scheduler/plugins/volume_fixture.h"

namespace podium::plugins::test::volume_reservation_test {
namespace {

using framework::EventResource;
using framework::Progress;
using Volume = api::PersistentVolume;
using Claim = api::PersistentVolumeClaim;
using Resources = std::vector<EventResource>;

constexpr auto kBoundByController = "pv.kubernetes.io/bound-by-controller";

class Events final : public framework::Handle {
 public:
  std::vector<framework::ClusterEvent> given_back;
  void each_waiting_pod(const std::function<void(const framework::AssumedPod&)>&) const override {}
  std::vector<std::string> pending_plugins(std::string_view) const override { return {}; }
  void allow(std::string_view, std::string_view) override {}
  bool reject(std::string_view, std::string_view, std::string) override { return false; }
  void gave_back(framework::ClusterEvent event) override { given_back.push_back(std::move(event)); }
};

// One pod on node n, from Reserve on.
class Reserved {
 public:
  Reserved(const api::Pod& pod, Snapshot& snapshot, std::string node = "n")
      : snapshot_(snapshot), pod_{info(pod), std::move(node)} {
    auto result = plugin_.reserve(pod_, snapshot);
    failed = std::move(result.failed);
    state_ = std::move(result.state);
  }
  bool has_work() const { return *plugin_.needs_pre_bind(pod_, state_.get()); }
  framework::PreBindPlan plan() { return plugin_.pre_bind(pod_, state_.get(), snapshot_); }
  void written(std::size_t index, const std::string& version) {
    const boost::json::value object =
        boost::json::object{{"metadata", {{"name", "x"}, {"resourceVersion", version}}}};
    EXPECT_FALSE(plugin_.replied(pod_, state_.get(), index, {&object, {}, false}, snapshot_));
  }
  // "ready", "not yet", "its claim c is not bound", or the error.
  std::string progress() const {
    auto progress = plugin_.ready(pod_, state_.get(), snapshot_);
    if (progress.state == Progress::State::failed) return progress.error;
    if (progress.waits_for.code == framework::ReasonCode::claim_not_bound)
      return fmt::format("its claim {} is not bound",
                         framework::named(progress.waits_for.about, framework::Topic::claim));
    return progress.state == Progress::State::ready ? "ready" : "not yet";
  }
  bool concerns(const framework::ClusterEvent& event) const {
    return plugin_.concerns(pod_, state_.get(), event);
  }
  // Returns the resources of the events.
  Resources unreserve() {
    Events events;
    plugin_.unreserve(pod_, state_.get(), snapshot_, events);
    Resources out;
    for (const auto& event : events.given_back) out.push_back(event.resource);
    return out;
  }

  std::optional<framework::Verdict> failed;

 private:
  VolumeBinding plugin_;
  Snapshot& snapshot_;
  framework::AssumedPod pod_;
  std::unique_ptr<framework::PluginState> state_;
};

// The claimRef and bound-by-controller of a volume: "default/c uid-default-c yes"; "" for none.
std::string claim_of(const Snapshot& snapshot, const std::string& volume) {
  const auto* found = snapshot.objects().find<Volume>("", volume);
  if (!found || !found->claim) return "";
  const auto* by_controller = found->meta.annotations.find(kBoundByController);
  return fmt::format("{}/{} {} {}", found->claim->namespace_, found->claim->name, found->claim->uid,
                     by_controller ? *by_controller : "by the user");
}

std::string node_of(const Snapshot& snapshot, const std::string& claim) {
  const auto* found = snapshot.objects().find<Claim>("default", claim);
  const auto* node = found->meta.annotations.find(kSelectedNode);
  return node ? *node : "";
}

template <typename T>
void show(Snapshot& snapshot, const T& object) {
  snapshot.objects().set<T>(podium::test::share(object));
}

// A claim for an existing volume, and a claim whose volume is provisioned.
Snapshot both_kinds() {
  return storage({host("n"), host("m")}, {}, local_class(), fast_class(), claim("c"),
                 claim("d", "5Gi", "fast"), local_volume("v", "n"));
}
api::Pod wants_both() { return pod("p").claim("c").claim("d"); }

TEST(VolumeReservation, PodsWithNothingToBindHaveNoWork) {
  const auto [c, v] = bound(claim("c"), local_volume("v", "n"));
  auto snapshot = storage({host("n")}, {}, local_class(), c, v);
  EXPECT_FALSE(Reserved(pod("p"), snapshot).has_work());
  EXPECT_FALSE(Reserved(pod("p").claim("c"), snapshot).has_work());
}

TEST(VolumeReservation, WhatTheFilterDoesNotKnowIsAnError) {
  auto snapshot = storage({host("n")}, {}, local_class(), claim("c"));
  const Reserved reserved(pod("p").claim("c"), snapshot);
  ASSERT_TRUE(reserved.failed);
  EXPECT_EQ(reserved.failed->code, framework::Code::error);
  EXPECT_EQ(message(*reserved.failed), "no pod volume found for node \"n\"");
}

TEST(VolumeReservation, ReserveAssumesAndUnreserveTakesBack) {
  auto snapshot = both_kinds();
  const auto before = snapshot;
  Reserved reserved(wants_both(), snapshot);
  EXPECT_TRUE(reserved.has_work());
  EXPECT_EQ(claim_of(snapshot, "v"), "default/c uid-default-c yes");
  EXPECT_EQ(node_of(snapshot, "d"), "n");
  EXPECT_EQ(node_of(snapshot, "c"), "");
  EXPECT_EQ(claim_of(before, "v"), "") << "forks keep what they had";

  using enum EventResource;
  EXPECT_EQ(reserved.unreserve(), (Resources{persistent_volume, persistent_volume_claim}));
  EXPECT_EQ(claim_of(snapshot, "v"), "");
  EXPECT_EQ(node_of(snapshot, "d"), "");
  EXPECT_EQ(reserved.unreserve(), Resources{});
  EXPECT_EQ(claim_of(snapshot, "v"), "");
}

TEST(VolumeReservation, AnAssumedVolumeIsNotForOthers) {
  auto snapshot = storage({host("n")}, {}, local_class(), claim("c"), claim("e"), local_volume("v", "n"));
  const auto ask = [&] { return filter(make(make_volume_binding), pod("q").claim("e"), snapshot); };
  EXPECT_EQ(ask(), Answers{});
  Reserved reserved(pod("p").claim("c"), snapshot);
  EXPECT_EQ(ask(), (Answers{{"n", "UU; node(s) didn't find available persistent volumes to bind"}}));
  reserved.unreserve();
  EXPECT_EQ(ask(), Answers{});
}

TEST(VolumeReservation, AnotherPodOfTheSameClaimGoesToTheSameNode) {
  auto snapshot = storage({host("n"), host("m")}, {}, fast_class(), claim("d", "5Gi", "fast"));
  Reserved reserved(pod("p").claim("d"), snapshot);
  EXPECT_EQ(filter(make(make_volume_binding), pod("q").claim("d"), snapshot),
            (Answers{{"m", "UU; node(s) didn't find available persistent volumes to bind"}}));
}

// A watch event overrides an assumption. If two pods assumed the same object, unreserving one reverts
// it for both.
TEST(VolumeReservation, NewsEndAnAssumption) {
  auto snapshot = both_kinds();
  Reserved reserved(wants_both(), snapshot);
  show(snapshot, local_volume("v", "n"));  // the same version again: a relist
  EXPECT_EQ(claim_of(snapshot, "v"), "default/c uid-default-c yes");
  auto newer = local_volume("v", "n");
  newer.meta.resource_version = "8";
  newer.claim = {"default", "somebody", ""};
  show(snapshot, newer);
  EXPECT_EQ(claim_of(snapshot, "v"), "default/somebody  by the user");
  EXPECT_EQ(reserved.unreserve(), Resources{EventResource::persistent_volume_claim});
  EXPECT_EQ(claim_of(snapshot, "v"), "default/somebody  by the user");
  EXPECT_EQ(node_of(snapshot, "d"), "");

  Reserved first(pod("p").claim("d"), snapshot), second(pod("q").claim("d"), snapshot);
  first.unreserve();
  second.unreserve();
  EXPECT_EQ(node_of(snapshot, "d"), "");
}

// Unreserve does not revert an assumption that another pod made on a newer version of the object.
TEST(VolumeReservation, OnlyItsOwnerTakesBackAnAssumptionOnNews) {
  auto snapshot = storage({host("n"), host("m")}, {}, fast_class(), claim("d", "5Gi", "fast"));
  Reserved first(pod("p").claim("d"), snapshot);
  auto newer = claim("d", "5Gi", "fast");
  newer.meta.resource_version = "10";
  show(snapshot, newer);
  Reserved second(pod("q").claim("d"), snapshot, "m");
  first.unreserve();
  EXPECT_EQ(node_of(snapshot, "d"), "m");
  second.unreserve();
  EXPECT_EQ(node_of(snapshot, "d"), "");
}

TEST(VolumeReservation, AnObjectThatIsGoneStaysGone) {
  auto snapshot = both_kinds();
  Reserved reserved(wants_both(), snapshot);
  snapshot.objects().remove<Volume>("", "v");
  EXPECT_EQ(reserved.unreserve(), Resources{EventResource::persistent_volume_claim});
  EXPECT_EQ(snapshot.objects().find<Volume>("", "v"), nullptr);
}

// --- the writes ---

TEST(VolumeReservation, WritesVolumesAndThenClaims) {
  auto snapshot = both_kinds();
  Reserved reserved(wants_both(), snapshot);
  std::string text;
  for (const auto& write : reserved.plan().writes) {
    text += fmt::format("{} {}/{} uid={} rv={} {}\n", write.resource, write.namespace_, write.name, write.uid,
                        write.resource_version, boost::json::serialize(write.patch));
  }
  EXPECT_EQ(
      text,
      "persistentvolumes /v uid=uid-v rv=7 "
      R"({"spec":{"claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim","namespace":"default","name":"c",)"
      R"("uid":"uid-default-c","resourceVersion":"9"}},)"
      R"("metadata":{"annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}}})"
      "\n"
      "persistentvolumeclaims default/d uid=uid-default-d rv=9 "
      R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n"}}})"
      "\n");
  EXPECT_EQ(reserved.plan().timeout, std::chrono::seconds(600));
}

TEST(VolumeReservation, AVolumeThatTheUserHasPromisedIsNotTheControllers) {
  auto promised = local_volume("v", "n");
  promised.claim = {"default", "c", ""};
  auto snapshot = storage({host("n")}, {}, local_class(), claim("c"), promised);
  Reserved reserved(pod("p").claim("c"), snapshot);
  EXPECT_EQ(claim_of(snapshot, "v"), "default/c uid-default-c by the user");
  EXPECT_FALSE(reserved.plan().writes.at(0).patch.as_object().contains("metadata"));
}

TEST(VolumeReservation, WhatIsWrittenStaysAssumedUntilTheWatchShowsIt) {
  auto snapshot = both_kinds();
  Reserved reserved(wants_both(), snapshot);
  reserved.written(0, "20");
  EXPECT_EQ(reserved.unreserve(), Resources{EventResource::persistent_volume_claim}) << "it was not written";
  EXPECT_EQ(claim_of(snapshot, "v"), "default/c uid-default-c yes");
  EXPECT_EQ(node_of(snapshot, "d"), "");
}

TEST(VolumeReservation, OfTwoClaimsTheOneThatIsWrittenStays) {
  auto snapshot =
      storage({host("n")}, {}, fast_class(), claim("a", "1Gi", "fast"), claim("b", "2Gi", "fast"));
  Reserved reserved(pod("p").claim("a").claim("b"), snapshot);
  reserved.written(0, "20");
  reserved.unreserve();
  EXPECT_EQ(node_of(snapshot, "a"), "n");
  EXPECT_EQ(node_of(snapshot, "b"), "");
}

TEST(VolumeReservation, AVolumeThatSaysWhoBoundItKeepsItsWord) {
  auto once_bound = local_volume("v", "n");
  once_bound.meta.annotations.set(kBoundByController, "once");
  auto snapshot = storage({host("n")}, {}, local_class(), claim("c"), once_bound);
  Reserved reserved(pod("p").claim("c"), snapshot);
  EXPECT_EQ(claim_of(snapshot, "v"), "default/c uid-default-c once");
}

TEST(VolumeReservation, TheTimeoutIsAnArgument) {
  const struct {
    const char* args;
    std::chrono::seconds want;
  } cases[] = {{"{}", std::chrono::seconds(600)},
               {R"({"bindTimeoutSeconds": 30})", std::chrono::seconds(30)},
               {R"({"bindTimeoutSeconds": 0})", std::chrono::seconds(0)},
               {R"({"bindTimeoutSeconds": 9223372036854775807})", std::chrono::years(100)}};
  for (const auto& c : cases) {
    auto snapshot = both_kinds();
    const auto plugin = make(make_volume_binding, c.args);
    const framework::AssumedPod assumed{info(wants_both()), "n"};
    const auto state =
        dynamic_cast<const framework::ReservePlugin&>(*plugin).reserve(assumed, snapshot).state;
    const auto plan =
        dynamic_cast<const framework::PreBindPlugin&>(*plugin).pre_bind(assumed, state.get(), snapshot);
    EXPECT_EQ(plan.timeout, c.want) << c.args;
    EXPECT_EQ(plan.timed_out, "binding volumes: context deadline exceeded");
  }
}

// --- the check ---

TEST(VolumeReservation, AVolumeThatIsThereBecomesBound) {
  const auto with = [](auto value, std::string version, auto change) {
    value.meta.resource_version = std::move(version);
    change(value);
    return value;
  };
  const auto to_claim = [](Volume& v) { v.claim = {"default", "c", "uid-default-c"}; };
  const auto v = local_volume("v", "n");
  const auto nothing = [](auto&) {};
  const struct {
    const char* name;
    std::function<void(Snapshot&)> happens;
    std::string want;
  } cases[] = {
      {"nothing yet", [](Snapshot&) {}, "not yet"},
      {"an older volume", [&](Snapshot& s) { show(s, with(v, "9", nothing)); }, "not yet"},
      {"the volume as written", [&](Snapshot& s) { show(s, with(v, "10", to_claim)); },
       "its claim c is not bound"},
      {"both are bound",
       [&](Snapshot& s) {
         auto [c, bound_volume] = bound(claim("c"), v);
         show(s, with(bound_volume, "11", nothing));
         show(s, with(c, "12", nothing));
       },
       "ready"},
      {"the claim names the volume, and is not bound",
       [&](Snapshot& s) {
         show(s, with(v, "10", to_claim));
         show(s, with(claim("c"), "12", [](Claim& c) { c.volume_name = "v"; }));
       },
       "its claim c is not bound"},
      {"the claim is bound to another volume",
       [&](Snapshot& s) {
         show(s, with(v, "10", to_claim));
         show(s, with(bound(claim("c"), local_volume("other", "m")).first, "12", nothing));
       },
       "binding volumes: PVC \"c\" is bound to pv \"other\""},
      {"the volume was unbound", [&](Snapshot& s) { show(s, with(v, "11", nothing)); },
       "binding volumes: ClaimRef got reset for pv \"v\""},
      {"the volume is promised and no more",
       [&](Snapshot& s) { show(s, with(v, "11", [](Volume& x) { x.claim = {"default", "c", ""}; })); },
       "binding volumes: ClaimRef got reset for pv \"v\""},
      {"the volume is gone", [](Snapshot& s) { s.objects().remove<Volume>("", "v"); },
       "binding volumes: failed to check binding: persistentvolumes \"v\" not found"},
      {"the claim is gone", [](Snapshot& s) { s.objects().remove<Claim>("default", "c"); },
       "binding volumes: failed to check binding: persistentvolumeclaims \"default/c\" not found"},
      {"the node is gone", [](Snapshot& s) { s.remove_node("n"); },
       "binding volumes: failed to get node \"n\": node \"n\" not found"},
      {"the volume is of another node by its name, which does not count",
       [&](Snapshot& s) {
         show(s, with(v, "10", [&](Volume& x) {
                to_claim(x);
                x.node_affinity = {node_term({}, {podium::test::in("metadata.name", {"m"})})};
              }));
       },
       "its claim c is not bound"},
      {"the node has another label",
       [&](Snapshot& s) {
         show(s, with(v, "10", to_claim));
         s.set_node(node("n").label("kubernetes.io/hostname", "renamed").ptr());
       },
       "binding volumes: pv \"v\" node affinity doesn't match node \"n\": no matching NodeSelectorTerms"},
  };
  for (const auto& c : cases) {
    auto snapshot = storage({host("n"), host("m")}, {}, local_class(), claim("c"), v);
    Reserved reserved(pod("p").claim("c"), snapshot);
    reserved.written(0, "10");
    c.happens(snapshot);
    EXPECT_EQ(reserved.progress(), c.want) << c.name;
  }
}

TEST(VolumeReservation, AVolumeThatIsToBeMadeBecomesBound) {
  const auto selected = [](std::string version, std::string node = "n") {
    auto made = claim("d", "5Gi", "fast");
    made.meta.resource_version = std::move(version);
    made.meta.annotations.set("volume.kubernetes.io/storage-provisioner", "disks.example.com");
    if (!node.empty()) made.meta.annotations.set(std::string(kSelectedNode), std::move(node));
    return made;
  };
  const auto [c, v] = bound(selected("12"), volume("made", "5Gi", "fast"));
  const auto [d, far] = bound(selected("12"), local_volume("made", "m"));
  auto unbound = c;
  unbound.meta.annotations = selected("12").meta.annotations;
  const struct {
    const char* name;
    std::function<void(Snapshot&)> happens;
    std::string want;
  } cases[] = {
      {"nothing yet", [](Snapshot&) {}, "not yet"},
      {"the claim as written", [&](Snapshot& s) { show(s, selected("10")); }, "its claim d is not bound"},
      {"the volume is not known yet", [&, &c = c](Snapshot& s) { show(s, c); }, "its claim d is not bound"},
      {"both are bound", [&, &c = c, &v = v](Snapshot& s) { show(s, c), show(s, v); }, "ready"},
      {"the claim names the volume, and is not bound",
       [&, &v = v](Snapshot& s) { show(s, unbound), show(s, v); }, "its claim d is not bound"},
      {"made on another node", [&, &d = d, &far = far](Snapshot& s) { show(s, d), show(s, far); },
       "binding volumes: pv \"made\" node affinity doesn't match node \"n\": no matching NodeSelectorTerms"},
      {"the provisioner could not", [&](Snapshot& s) { show(s, selected("11", "")); },
       "binding volumes: provisioning failed for PVC \"d\""},
      {"nothing is left of its annotations",
       [&](Snapshot& s) {
         auto reset = selected("11", "");
         reset.meta.annotations = {};
         show(s, reset);
       },
       "binding volumes: selectedNode annotation reset for PVC \"d\""},
      {"another node was selected", [&](Snapshot& s) { show(s, selected("11", "m")); },
       "binding volumes: provisioning failed for PVC \"d\""},
      {"the claim is gone", [](Snapshot& s) { s.objects().remove<Claim>("default", "d"); },
       "binding volumes: failed to check provisioning pvc: persistentvolumeclaims \"default/d\" not found"},
  };
  for (const auto& each : cases) {
    auto snapshot = storage({host("n"), host("m")}, {}, fast_class(), claim("d", "5Gi", "fast"));
    Reserved reserved(pod("p").claim("d"), snapshot);
    reserved.written(0, "10");
    each.happens(snapshot);
    EXPECT_EQ(reserved.progress(), each.want) << each.name;
  }
}

TEST(VolumeReservation, EveryVolumeHasToBeBound) {
  auto snapshot = both_kinds();
  Reserved reserved(wants_both(), snapshot);
  reserved.written(0, "20");
  reserved.written(1, "21");
  const auto at = [](auto object, std::string version) {
    object.meta.resource_version = std::move(version);
    return object;
  };
  const auto [c, v] = bound(claim("c"), local_volume("v", "n"));
  const auto [d, made] = bound(claim_on("d", "n", "fast"), volume("made", "5Gi", "fast"));
  show(snapshot, at(d, "22"));
  show(snapshot, at(made, "23"));
  EXPECT_EQ(reserved.progress(), "not yet") << "the one that was there is not bound";
  show(snapshot, at(v, "24"));
  EXPECT_EQ(reserved.progress(), "its claim c is not bound") << "nor is its claim";
  show(snapshot, at(c, "25"));
  EXPECT_EQ(reserved.progress(), "ready");
  show(snapshot, at(claim_on("d", "n", "fast"), "26"));
  EXPECT_EQ(reserved.progress(), "its claim d is not bound") << "the one that was made is not";
}

// An assumption by another pod with the same claim does not count as the state of the API server.
TEST(VolumeReservation, OnlyTheApiServersWordCounts) {
  auto snapshot = storage({host("n"), host("m")}, {}, fast_class(), claim("d", "5Gi", "fast"));
  Reserved reserved(pod("p").claim("d"), snapshot);
  reserved.written(0, "10");
  auto refused = claim("d", "5Gi", "fast");
  refused.meta.resource_version = "11";
  show(snapshot, refused);
  Reserved another(pod("q").claim("d"), snapshot);
  EXPECT_EQ(node_of(snapshot, "d"), "n");
  EXPECT_EQ(reserved.progress(), "binding volumes: selectedNode annotation reset for PVC \"d\"");
}

TEST(VolumeReservation, EventsThatConcernThePod) {
  auto snapshot = both_kinds();
  const Reserved reserved(wants_both(), snapshot);
  const struct {
    const char* name;
    framework::ClusterEvent event;
    bool want;
  } cases[] = {
      {"its claim", updated(EventResource::persistent_volume_claim, claim("c"), claim("c")), true},
      {"its other claim is gone", removed(EventResource::persistent_volume_claim, claim("d")), true},
      {"another claim", added(EventResource::persistent_volume_claim, claim("x")), false},
      {"a volume, for one is to be made", added(EventResource::persistent_volume, volume("x")), true},
      {"its node", node_updated(node("n"), node("n").label("a", "b")), true},
      {"another node", node_added(node("m")), false},
      {"its CSI node", added(EventResource::csi_node, csi_node("n", {})), true},
      {"another CSI node", added(EventResource::csi_node, csi_node("m", {})), false},
      {"a pod", pod_deleted(pod("a").node("n")), false},
  };
  for (const auto& c : cases) EXPECT_EQ(reserved.concerns(c.event), c.want) << c.name;

  auto static_only = storage({host("n")}, {}, local_class(), claim("c"), local_volume("v", "n"));
  const Reserved of_volume(pod("p").claim("c"), static_only);
  EXPECT_TRUE(of_volume.concerns(updated(EventResource::persistent_volume, volume("v"), volume("v"))));
  EXPECT_FALSE(of_volume.concerns(added(EventResource::persistent_volume, volume("x"))));
}

}  // namespace
}  // namespace podium::plugins::test::volume_reservation_test
