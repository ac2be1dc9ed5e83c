// Reserve, PreBind and Unreserve of DynamicResources: claims in flight, the order of writes, conflicts.
#include <fmt/format.h>

#include <boost/json/serialize.hpp>

#include "api/decode/decode.h"
#include "unit/scheduler/plugins/device_fixture.h"

namespace podium::plugins::test::dynamic_resources_reservation_test {
namespace {

using framework::ObjectWrite;
using Texts = std::vector<std::string>;

class SentWrites final : public framework::Handle {
 public:
  std::vector<ObjectWrite> writes;
  std::vector<framework::ClusterEvent> given_back;
  void each_waiting_pod(const std::function<void(const framework::AssumedPod&)>&) const override {}
  std::vector<std::string> pending_plugins(std::string_view) const override { return {}; }
  void allow(std::string_view, std::string_view) override {}
  bool reject(std::string_view, std::string_view, std::string) override { return false; }
  void send(ObjectWrite write) override { writes.push_back(std::move(write)); }
  void gave_back(framework::ClusterEvent event) override { given_back.push_back(std::move(event)); }
};

// "strategic c/status@1 {…}"
std::string text_of_write(const ObjectWrite& write) {
  if (write.verb == ObjectWrite::Verb::read) return "read " + write.name;
  return fmt::format("{} {}{}{}@{} {}", write.verb == ObjectWrite::Verb::strategic ? "strategic" : "merge",
                     write.name, write.subresource.empty() ? "" : "/", write.subresource,
                     write.resource_version, boost::json::serialize(write.patch));
}

// The claim as the API server returns it.
struct Live {
  std::string name = "c";
  int version = 2;
  bool finalizer = false, allocated = false, deleted = false;
  std::string user = {}, device = "x", uid = {};

  boost::json::value json() const {
    boost::json::object meta{{"namespace", "default"},
                             {"name", name},
                             {"uid", uid.empty() ? "uid-" + name : uid},
                             {"resourceVersion", std::to_string(version)}};
    if (finalizer) meta["finalizers"] = boost::json::array{"resource.kubernetes.io/delete-protection"};
    if (deleted) meta["deletionTimestamp"] = "2026-01-02T03:04:05Z";
    boost::json::object status;
    if (allocated)
      status["allocation"] = boost::json::parse(
          R"({"allocationTimestamp": "2026-01-02T03:04:05Z", "devices": {"results":
              [{"request": "r", "driver": "d", "pool": "p", "device": ")" +
          device + R"("}]}})");
    if (!user.empty())
      status["reservedFor"] = boost::json::parse(R"([{"resource": "pods", "uid": ")" + user + R"("}])");
    return boost::json::object{{"metadata", std::move(meta)}, {"status", std::move(status)}};
  }
};

// One pod on node a, from Reserve on. step() answers the last write; its result is what follows.
class Reserved {
 public:
  Reserved(const Devices& devices, const api::Pod& pod, Snapshot& snapshot)
      : plugin_(plugin_with(devices)), snapshot_(snapshot), pod_{info(pod), "a"} {
    auto result = plugin_->reserve(pod_, snapshot);
    failed = result.failed ? text_of(*result.failed) : "";
    state_ = std::move(result.state);
  }
  bool has_work() const { return *plugin_->needs_pre_bind(pod_, state_.get()); }
  std::string begin() {
    auto plan = plugin_->pre_bind(pod_, state_.get(), snapshot_);
    if (plan.failed) return text_of(*plan.failed);
    return plan.writes.empty() ? "done" : text_of_write(plan.writes.at(0));
  }
  std::string step(const Live& live) {
    const auto object = live.json();
    return step({&object, {}, false});
  }
  std::string conflict() { return step({nullptr, "changed", true}); }
  void end() { plugin_->pre_bound(pod_, state_.get(), snapshot_); }  // of PreBind
  std::string refused() { return step({nullptr, "no", false}); }
  Texts unreserve() {
    SentWrites handle;
    plugin_->unreserve(pod_, state_.get(), snapshot_, handle);
    events = std::move(handle.given_back);
    Texts out;
    for (const auto& write : handle.writes) out.push_back(text_of_write(write));
    return out;
  }

  std::string failed;
  std::vector<framework::ClusterEvent> events;  // of the last step, or of unreserve()

 private:
  std::string step(const framework::WriteReply& reply) {
    auto next = plugin_->replied(pod_, state_.get(), 0, reply, snapshot_).value();
    events = std::move(next.events);
    if (!next.error.empty()) return next.error;
    return next.writes.empty() ? "done" : text_of_write(next.writes.at(0));
  }

  std::shared_ptr<const DynamicResources> plugin_;
  Snapshot& snapshot_;
  framework::AssumedPod pod_;
  std::unique_ptr<framework::PluginState> state_;
};

const Devices kOneDevice{{"a", found({allocation_of("r", "x")})}};
constexpr auto kFinalizer =
    R"(strategic c@1 {"metadata":{"finalizers":["resource.kubernetes.io/delete-protection"]}})";
constexpr auto kUser = R"("reservedFor":[{"resource":"pods","name":"p","uid":"uid-p"}])";
std::string status_at(int version) {
  return fmt::format(
      R"(strategic c/status@{} {{"status":{{{},"allocation":{{"devices":{{"results":[{{"request":"r","driver":"d","pool":"p","device":"x"}}]}},"allocationTimestamp":null}}}}}})",
      version, kUser);
}

Snapshot unallocated() { return devices_of(claim_of_class("c", "gpu"), class_named("gpu")); }
api::ResourceClaim allocated_claim(const std::string& name) {
  auto claim = claim_named(name);
  claim.has_finalizer = true;
  claim.status.allocation = allocation_of("r", "x");
  return claim;
}

TEST(DynamicResourcesReservation, PodsWithoutClaimsHaveNoWork) {
  auto snapshot = unallocated();
  Reserved reserved(kOneDevice, pod("p"), snapshot);
  EXPECT_EQ(reserved.failed, "");
  EXPECT_FALSE(reserved.has_work());
  EXPECT_EQ(reserved.unreserve(), Texts());
}

TEST(DynamicResourcesReservation, FromReserveToTheWrittenAllocation) {
  auto snapshot = unallocated();
  const auto before = snapshot;
  Reserved reserved(kOneDevice, pod_with({"c"}), snapshot);
  EXPECT_TRUE(reserved.has_work());
  ASSERT_TRUE(snapshot.objects().is_in_flight("uid-c"));
  EXPECT_EQ(snapshot.objects().claims_in_flight().at("uid-c").claim->status.allocation,
            allocation_of("r", "x"));
  EXPECT_FALSE(before.objects().is_in_flight("uid-c")) << "forks keep what they had";
  EXPECT_FALSE(snapshot.objects().find<api::ResourceClaim>("default", "c")->status.allocation);

  EXPECT_EQ(reserved.begin(), kFinalizer);
  EXPECT_EQ(reserved.step({.version = 2, .finalizer = true}), status_at(2));
  EXPECT_EQ(reserved.events.size(), 1u);
  EXPECT_EQ(reserved.step({.version = 3, .finalizer = true, .allocated = true, .user = "uid-p"}), "done");
  EXPECT_TRUE(snapshot.objects().is_in_flight("uid-c")) << "until PreBind has ended";
  reserved.end();
  EXPECT_FALSE(snapshot.objects().is_in_flight("uid-c"));
  const auto* written = snapshot.objects().find<api::ResourceClaim>("default", "c");
  EXPECT_TRUE(written->status.allocation);
  EXPECT_EQ(written->meta.resource_version, "3");
  ASSERT_EQ(reserved.events.size(), 1u);
  EXPECT_EQ(reserved.events[0].resource, framework::EventResource::resource_claim);

  EXPECT_EQ(reserved.unreserve(),
            Texts{R"(strategic c/status@3 {"status":{"reservedFor":[{"$patch":"delete","uid":"uid-p"}]}})"});
  EXPECT_TRUE(snapshot.objects().find<api::ResourceClaim>("default", "c")->status.allocation)
      << "the allocation stays";
  EXPECT_EQ(reserved.events.size(), 0u);
}

// kube-scheduler wakes no pod for this: a pod that only lacks the device waits for the flush.
TEST(DynamicResourcesReservation, DevicesThatWereOnlyPromisedWakeThePodsThatLackThem) {
  auto snapshot = devices_of(claim_of_class("c", "gpu"), claim_of_class("d", "gpu"), class_named("gpu"));
  Reserved reserved(kOneDevice, pod_with({"c"}), snapshot);
  reserved.unreserve();
  ASSERT_EQ(reserved.events.size(), 1u);
  EXPECT_TRUE(helps(plugin_with(kOneDevice), pod_with({"d"}), reserved.events[0], {}, snapshot));
  reserved.unreserve();
  EXPECT_EQ(reserved.events.size(), 0u);
}

// As upstream: while the pod waits for conditions, the capacity of a shared device counts for the claim that
// is written and for the one in flight.
TEST(DynamicResourcesReservation, CapacityCountsTwiceUntilPreBindHasEnded) {
  auto shared = allocation_of("r", "x");
  shared.results[0].share_id = "share";
  shared.results[0].consumed_capacity = {{"memory", {podium::test::quantity("6"), "6"}}};
  const Devices devices{{"a", found({shared})}};
  auto snapshot = unallocated();
  const auto consumed = [&] {
    const auto* pool = snapshot.objects().devices_in_use().find({"d", "p"});
    const auto* use = pool ? pool->find("x") : nullptr;
    return use && use->consumed ? use->consumed->front().second.value() : 0;
  };
  Reserved reserved(devices, pod_with({"c"}), snapshot);
  EXPECT_EQ(consumed(), 6);
  reserved.begin();
  reserved.step({.version = 2, .finalizer = true});
  auto written = claim_of_class("c", "gpu");
  written.meta.resource_version = "3";
  written.status.allocation = shared;
  snapshot.objects().assume<api::ResourceClaim>(podium::test::share(written));
  EXPECT_EQ(consumed(), 12);
  reserved.end();
  EXPECT_EQ(consumed(), 6);
  reserved.unreserve();
  EXPECT_EQ(consumed(), 6);
}

TEST(DynamicResourcesReservation, OtherPodsWaitForAClaimInFlight) {
  auto snapshot = unallocated();
  Reserved reserved(kOneDevice, pod_with({"c"}), snapshot);
  EXPECT_EQ(filter(plugin_with(kOneDevice), pod_with({"c"}), snapshot),
            (Answers{{"*", "UU; resource claim default/c is in the process of being allocated"}}));
  EXPECT_EQ(reserved.unreserve(), Texts());
  EXPECT_EQ(filter(plugin_with(kOneDevice), pod_with({"c"}), snapshot),
            (Answers{{"b", "UU; cannot allocate all claims"}}));
}

// The pod waits to be bound, its claim is freed, and the next pod gets it.
TEST(DynamicResourcesReservation, TheNextPodsFlightOutlastsTheFirstPod) {
  auto snapshot = unallocated();
  Reserved first(kOneDevice, pod_with({"c"}), snapshot);
  first.begin();
  first.step({.version = 2, .finalizer = true});
  EXPECT_EQ(first.step({.version = 3, .finalizer = true, .allocated = true, .user = "uid-p"}), "done");
  first.end();
  auto freed = claim_of_class("c", "gpu");
  freed.meta.resource_version = "4";
  snapshot.objects().set(podium::test::share(freed));
  Reserved next(kOneDevice, pod_with({"c"}), snapshot);
  ASSERT_EQ(next.failed, "");
  first.unreserve();
  EXPECT_TRUE(snapshot.objects().is_in_flight("uid-c")) << "its devices count as given";
}

TEST(DynamicResourcesReservation, AClaimThatPostFilterTakesBackIsReservedAgain) {
  auto own = allocated_claim("c");
  own.status.reserved_for = {{"", "pods", "p", "uid-p"}};
  auto snapshot = devices_of(own);
  snapshot.objects().assume<api::ResourceClaim>(marked_withdrawn(own, "uid-p"));
  Reserved next(kOneDevice, pod_with({"c"}), snapshot);
  EXPECT_EQ(next.begin(),
            R"(strategic c/status@1 {"status":{"reservedFor":[{"$patch":"delete","uid":"uid-p"}]}})");
  EXPECT_EQ(next.conflict(), "read c");
  EXPECT_EQ(next.step(Live()), "claim default/c got deallocated elsewhere in the meantime");
}

TEST(DynamicResourcesReservation, AnAllocatedClaimIsOnlyReserved) {
  auto timed = allocated_claim("timed");
  timed.status.allocation->timestamp = Wall();
  auto snapshot = devices_of(allocated_claim("c"), timed);
  Reserved reserved(kOneDevice, pod_with({"timed", "c"}), snapshot);
  EXPECT_EQ(reserved.begin(), fmt::format(R"(strategic timed/status@1 {{"status":{{{}}}}})", kUser));
  EXPECT_EQ(
      reserved.step({.name = "timed", .allocated = true, .user = "uid-p"}),
      fmt::format(R"(strategic c/status@1 {{"status":{{{},"allocation":{{"allocationTimestamp":null}}}}}})",
                  kUser));
  EXPECT_EQ(reserved.step({.allocated = true, .user = "uid-p"}), "done");
}

TEST(DynamicResourcesReservation, AReservationComesAfterThoseOfOthers) {
  auto shared = allocated_claim("c");
  shared.status.allocation->timestamp = Wall();
  shared.status.reserved_for = {{"", "pods", "x", "uid-x"}, {"", "pods", "y", "uid-y"}};
  auto snapshot = devices_of(shared);
  Reserved reserved(kOneDevice, pod_with({"c"}), snapshot);
  EXPECT_EQ(
      reserved.begin(),
      fmt::format(R"(strategic c/status@1 {{"status":{{{},{}}}}})", kUser,
                  R"("$setElementOrder/reservedFor":[{"uid":"uid-x"},{"uid":"uid-y"},{"uid":"uid-p"}])"));
}

TEST(DynamicResourcesReservation, AClaimThatIsReservedAlreadyIsLeftAlone) {
  auto own = allocated_claim("c");
  own.status.reserved_for = {{"", "pods", "p", "uid-p"}};
  auto snapshot = devices_of(own);
  Reserved reserved(kOneDevice, pod_with({"c"}), snapshot);
  EXPECT_TRUE(reserved.has_work()) << "the node is nominated, as upstream";
  EXPECT_EQ(reserved.begin(), "done");
}

// The withdrawal may be carried out after the next attempt has found the claim reserved: it would take the
// claim from a pod that is bound.
TEST(DynamicResourcesReservation, AReservationThatIsBeingWithdrawnIsRenewed) {
  auto own = allocated_claim("c");
  own.status.reserved_for = {{"", "pods", "p", "uid-p"}};
  auto snapshot = devices_of(own);
  const std::string withdrawal =
      R"(strategic c/status@1 {"status":{"reservedFor":[{"$patch":"delete","uid":"uid-p"}]}})";
  const auto renewal = fmt::format(R"(strategic c/status@2 {{"status":{{{}}}}})", kUser);
  {
    Reserved first(kOneDevice, pod_with({"c"}), snapshot);
    EXPECT_EQ(first.unreserve(), Texts{withdrawal});
  }
  {
    Reserved next(kOneDevice, pod_with({"c"}), snapshot);
    EXPECT_EQ(next.begin(), withdrawal);
    EXPECT_EQ(next.step({.version = 2, .finalizer = true, .allocated = true}), renewal);
    EXPECT_EQ(next.step({.version = 3, .finalizer = true, .allocated = true, .user = "uid-p"}), "done");
  }
  {
    Reserved last(kOneDevice, pod_with({"c"}), snapshot);
    EXPECT_EQ(last.begin(), "done") << "the renewal is known";
  }
}

// The leader before allocated the claim, and the watch is behind.
TEST(DynamicResourcesReservation, AReservationThatIsReadAndWithdrawnIsRenewed) {
  auto snapshot = unallocated();
  const std::string withdrawal =
      R"(strategic c/status@2 {"status":{"reservedFor":[{"$patch":"delete","uid":"uid-p"}]}})";
  const Live live{.version = 2, .finalizer = true, .allocated = true, .user = "uid-p"};
  const auto shown = podium::test::share(api::decode_resource_claim(live.json()).value());
  Reserved first(kOneDevice, pod_with({"c"}), snapshot);
  first.begin();
  first.conflict();
  EXPECT_EQ(first.step(live), "claim default/c got allocated elsewhere in the meantime");
  ASSERT_EQ(first.events.size(), 1u) << "the watch will be no news";
  EXPECT_EQ(first.unreserve(), Texts{withdrawal});
  EXPECT_FALSE(snapshot.objects().set(shown));
  EXPECT_EQ(Reserved(kOneDevice, pod_with({"c"}), snapshot).begin(), withdrawal);
}

TEST(DynamicResourcesReservation, AWithdrawalThatWasCarriedOutIsSeenByTheConflict) {
  for (const bool is_withdrawn : {true, false}) {
    auto own = allocated_claim("c");
    own.status.reserved_for = {{"", "pods", "p", "uid-p"}};
    auto snapshot = devices_of(own);
    Reserved(kOneDevice, pod_with({"c"}), snapshot).unreserve();
    Reserved next(kOneDevice, pod_with({"c"}), snapshot);
    next.begin();
    EXPECT_EQ(next.conflict(), "read c");
    const Live live{.version = 2, .finalizer = true, .allocated = true, .user = is_withdrawn ? "" : "uid-p"};
    const auto renewal = fmt::format(R"(strategic c/status@2 {{"status":{{{}}}}})", kUser);
    EXPECT_EQ(next.step(live), is_withdrawn ? renewal : "done");
  }
}

TEST(DynamicResourcesReservation, AConflictReadsAndWritesAgain) {
  auto snapshot = unallocated();
  Reserved reserved(kOneDevice, pod_with({"c"}), snapshot);
  EXPECT_EQ(reserved.begin(), kFinalizer);
  EXPECT_EQ(reserved.conflict(), "read c");
  EXPECT_EQ(reserved.step({.version = 5, .finalizer = true}), status_at(5))
      << "somebody else set the finalizer";
  EXPECT_EQ(reserved.conflict(), "read c");
  EXPECT_EQ(reserved.step({.version = 6, .finalizer = true}), status_at(6));
  EXPECT_EQ(reserved.conflict(), "read c");
  EXPECT_EQ(reserved.step({.version = 7, .finalizer = true}), status_at(7));
  EXPECT_EQ(reserved.conflict(), "read c");
  EXPECT_EQ(reserved.step({.version = 8, .finalizer = true}), status_at(8));
  EXPECT_TRUE(snapshot.objects().is_in_flight("uid-c"));
  EXPECT_EQ(reserved.conflict(), "add allocation and reservation to claim default/c: changed") << "the fifth";
  reserved.unreserve();
  EXPECT_FALSE(snapshot.objects().is_in_flight("uid-c"));
}

TEST(DynamicResourcesReservation, WhatEndsIt) {
  struct Case {
    const char* name;
    std::function<std::string(Reserved&)> ends;
    std::string want;
  };
  const auto after_conflict = [](Live live) {
    return [live](Reserved& reserved) {
      reserved.conflict();
      return reserved.step(live);
    };
  };
  const Case cases[] = {
      {"the finalizer is refused", [](Reserved& r) { return r.refused(); },
       "add finalizer to claim default/c: no"},
      {"the status is refused",
       [](Reserved& r) {
         r.step({.finalizer = true});
         return r.refused();
       },
       "add allocation and reservation to claim default/c: no"},
      {"it cannot be read",
       [](Reserved& r) {
         r.conflict();
         return r.refused();
       },
       "get updated claim default/c after conflict: no"},
      {"deleted", after_conflict({.deleted = true}), "claim default/c got deleted in the meantime"},
      {"allocated", after_conflict({.allocated = true}),
       "claim default/c got allocated elsewhere in the meantime"},
  };
  for (const auto& c : cases) {
    auto snapshot = unallocated();
    Reserved reserved(kOneDevice, pod_with({"c"}), snapshot);
    reserved.begin();
    EXPECT_EQ(c.ends(reserved), c.want) << c.name;
    EXPECT_EQ(reserved.unreserve(), Texts()) << c.name;
    EXPECT_FALSE(snapshot.objects().is_in_flight("uid-c")) << c.name;
  }
  auto snapshot = devices_of(allocated_claim("c"));
  Reserved reserved(kOneDevice, pod_with({"c"}), snapshot);
  reserved.begin();
  reserved.conflict();
  EXPECT_EQ(reserved.step(Live()), "claim default/c got deallocated elsewhere in the meantime");
}

// It was deallocated and allocated again: the pod's node may not have these devices.
TEST(DynamicResourcesReservation, AnotherAllocationThanThatOfTheDecision) {
  for (const std::string device : {"x", "y"}) {
    auto own = allocated_claim("c");
    auto snapshot = devices_of(own);
    Reserved reserved(kOneDevice, pod_with({"c"}), snapshot);
    reserved.begin();
    reserved.conflict();
    const auto next = reserved.step({.finalizer = true, .allocated = true, .device = device});
    if (device == "x") {
      EXPECT_EQ(next, fmt::format(R"(strategic c/status@2 {{"status":{{{}}}}})", kUser));
    } else {
      EXPECT_EQ(next, "claim default/c got allocated elsewhere in the meantime");
    }
  }
}

TEST(DynamicResourcesReservation, AnotherClaimOfTheName) {
  auto snapshot = unallocated();
  Reserved reserved(kOneDevice, pod_with({"c"}), snapshot);
  reserved.begin();
  reserved.conflict();
  EXPECT_EQ(reserved.step({.uid = "uid-other"}), "claim default/c got deleted in the meantime");
  reserved.unreserve();
  EXPECT_FALSE(snapshot.objects().is_in_flight("uid-c")) << "its devices are free";
}

TEST(DynamicResourcesReservation, AReplyThatIsOlderThanTheWatchIsNotNews) {
  auto snapshot = unallocated();
  Reserved reserved(kOneDevice, pod_with({"c"}), snapshot);
  reserved.begin();
  reserved.step({.version = 2, .finalizer = true});
  auto newer = allocated_claim("c");
  newer.meta.resource_version = "9";
  snapshot.objects().set(podium::test::share(newer));
  EXPECT_EQ(reserved.step({.version = 3, .finalizer = true, .allocated = true, .user = "uid-p"}), "done");
  EXPECT_TRUE(reserved.events.empty());
  EXPECT_EQ(snapshot.objects().find<api::ResourceClaim>("default", "c")->meta.resource_version, "9");
}

TEST(DynamicResourcesReservation, DevicesThatAreGoneAreAnError) {
  auto snapshot = unallocated();
  const Devices none;
  const Reserved reserved(none, pod_with({"c"}), snapshot);
  EXPECT_EQ(reserved.failed, "E; claim allocation not found for node");
  EXPECT_FALSE(snapshot.objects().is_in_flight("uid-c"));
}

}  // namespace
}  // namespace podium::plugins::test::dynamic_resources_reservation_test
