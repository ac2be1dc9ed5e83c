// Devices with binding conditions: when a claim is ready, what the filter and PostFilter make of one that is
// not, and PreBind's wait.
#include "scheduler/plugins/dynamic_resources/binding_conditions.h"

#include <fmt/format.h>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation.h"
#include "scheduler/plugins/shared/factories.h"
#include "unit/scheduler/plugins/device_fixture.h"

namespace podium::plugins::test::binding_conditions_test {
namespace {

using namespace std::chrono_literals;
using framework::Progress;

constexpr Wall kGiven = Wall(std::chrono::hours(24 * 365 * 50));

api::PodCondition condition(const std::string& type, const std::string& status = "True") {
  return {type, status, "Why", "it \"did\""};
}

// A claim with one device, which has two binding conditions and a failure condition. Its driver says this.
api::ResourceClaim claim_with(std::vector<api::PodCondition> conditions, const std::string& name = "c") {
  auto claim = claim_of_class(name, "gpu");
  claim.has_finalizer = true;
  claim.status.allocation = allocation_of("r", "x");
  claim.status.allocation->timestamp = kGiven;
  claim.status.allocation->results[0].binding_conditions = {"attached", "ready"};
  claim.status.allocation->results[0].binding_failure_conditions = {"broken"};
  if (!conditions.empty()) claim.status.devices = {{"d", "p", "x", std::nullopt, std::move(conditions)}};
  return claim;
}

const auto kReady = std::vector{condition("attached"), condition("ready")};
const auto kBroken = std::vector{condition("attached"), condition("ready"), condition("broken")};
constexpr auto kFailed = R"(device binding failed: claim=c, reason=Why, message="it \"did\"")";

TEST(BindingConditions, WhenAClaimIsReady) {
  auto elsewhere = claim_with(kReady);
  elsewhere.status.devices[0].pool = "another";
  auto of_two = claim_with(kReady);
  of_two.status.allocation->results.push_back(of_two.status.allocation->results[0]);
  of_two.status.allocation->results[1].device = "y";
  auto without = claim_with({});
  without.status.allocation->results[0].binding_conditions.clear();
  const struct {
    const char* name;
    api::ResourceClaim claim;
    std::string want;
  } cases[] = {
      {"not allocated", claim_named("c"), "pending"},
      {"the driver says nothing", claim_with({}), "pending"},
      {"of another device", elsewhere, "pending"},
      {"one of two", claim_with({condition("ready")}), "pending"},
      {"one is false", claim_with({condition("attached"), condition("ready", "False")}), "pending"},
      {"the first of a type counts",
       claim_with({condition("attached"), condition("ready", "Unknown"), condition("ready")}), "pending"},
      {"all", claim_with(kReady), "ready"},
      {"not broken", claim_with({condition("attached"), condition("ready"), condition("broken", "False")}),
       "ready"},
      {"broken", claim_with(kBroken), kFailed},
      {"broken before it was ready", claim_with({condition("broken")}), kFailed},
      {"the second device is not ready", of_two, "pending"},
      {"no conditions", without, "ready"},
  };
  for (const auto& c : cases) {
    const auto binding = device_binding(c.claim);
    const auto text = binding.state == DeviceBinding::State::ready     ? "ready"
                      : binding.state == DeviceBinding::State::pending ? "pending"
                                                                       : binding.error;
    EXPECT_EQ(text, c.want) << c.name;
  }
}

TEST(BindingConditions, ABindingThatFailedOrTakesTooLongIsLost) {
  const auto is_lost = [](const api::ResourceClaim& claim, std::chrono::milliseconds after) {
    return is_binding_lost(claim, kGiven + after, 10min);
  };
  EXPECT_FALSE(is_lost(claim_with({}), 10min));
  EXPECT_TRUE(is_lost(claim_with({}), 10min + 1ms));
  EXPECT_FALSE(is_lost(claim_with(kReady), 24h)) << "it is ready";
  EXPECT_TRUE(is_lost(claim_with(kBroken), 0ms));
  auto untimed = claim_with({});
  untimed.status.allocation->timestamp.reset();
  EXPECT_FALSE(is_lost(untimed, 24h));
  auto without = claim_with({});
  without.status.allocation->results[0].binding_conditions.clear();
  EXPECT_FALSE(is_lost(without, 24h));
  EXPECT_FALSE(is_lost(claim_named("c"), 24h)) << "not allocated";
  EXPECT_FALSE(is_binding_lost(claim_with({}), Wall(), 10min)) << "nobody says what time it is";
}

// --- the filter and PostFilter ---

std::string message_of(const api::ResourceClaim& claim, std::chrono::milliseconds after) {
  auto snapshot = devices_of(claim, class_named("gpu"));
  snapshot.set_moment({.time = kGiven + after});
  const Devices none;
  const auto plugin = plugin_with(none);
  framework::Profile profile;
  const std::string name(plugin->name());
  profile.pre_filters = profile.filters = {{name, plugin.get(), true, true}};
  profile.post_filters = {{name, plugin.get()}};
  const auto decision = framework::evaluate(*info(pod_with({"c"})), snapshot, profile);
  EXPECT_EQ(decision.write.has_value(), decision.message.ends_with("completed")) << decision.message;
  return decision.fits() ? "fits" : decision.message;
}

TEST(BindingConditions, ALostBindingIsTakenBackAndOthersAreWaitedFor) {
  const std::string lost = "0/2 nodes are available: 2 resourceclaim not available on the node.";
  EXPECT_EQ(message_of(claim_with({}), 1min), "fits") << "PreBind waits";
  EXPECT_EQ(message_of(claim_with(kReady), 1h), "fits");
  EXPECT_EQ(message_of(claim_with(kBroken), 1min), lost + " deallocation of ResourceClaim completed");
  EXPECT_EQ(message_of(claim_with({}), 11min), lost + " deallocation of ResourceClaim completed");
  auto shared = claim_with(kBroken);
  shared.status.reserved_for = {{"", "pods", "q", "uid-q"}};
  EXPECT_EQ(message_of(shared, 1min), lost);
}

TEST(BindingConditions, TheConfigurationSaysHowLong) {
  const auto fits = [](const char* timeout, std::chrono::milliseconds after) {
    const auto plugin = std::dynamic_pointer_cast<const DynamicResources>(
        make_dynamic_resources({{"bindingTimeout", timeout}}));
    auto snapshot = devices_of(claim_with({}));
    snapshot.set_moment({.time = kGiven + after});
    return filter(plugin, pod_with({"c"}), snapshot).empty();
  };
  EXPECT_TRUE(fits("30s", 30s));
  EXPECT_FALSE(fits("30s", 31s));
  EXPECT_TRUE(fits("2000000h", 20 * 365 * 24h)) << "more than can be counted to";
}

// --- PreBind ---

class SentWrites final : public framework::Handle {
 public:
  std::vector<framework::ObjectWrite> writes;
  void each_waiting_pod(const std::function<void(const framework::AssumedPod&)>&) const override {}
  std::vector<std::string> pending_plugins(std::string_view) const override { return {}; }
  void allow(std::string_view, std::string_view) override {}
  bool reject(std::string_view, std::string_view, std::string) override { return false; }
  void send(framework::ObjectWrite write) override { writes.push_back(std::move(write)); }
};

// The pod that these claims are reserved for, from PreBind on.
class Waiting {
 public:
  Waiting(const std::vector<std::string>& claims, Snapshot& snapshot)
      : snapshot_(snapshot), pod_{info(pod_with(claims)), "a"} {
    state_ = plugin_->reserve(pod_, snapshot).state;
    plan = plugin_->pre_bind(pod_, state_.get(), snapshot);
  }
  std::string looks(std::chrono::milliseconds after = 0ms) {
    snapshot_.set_moment({.time = kGiven + after});
    const auto progress = plugin_->ready(pod_, state_.get(), snapshot_);
    const char* const kStates[] = {"ready", "not yet", "failed: ", "timed out: ", "error: "};
    return kStates[static_cast<std::size_t>(progress.state)] + progress.error;
  }
  void see(api::ResourceClaim claim) {
    claim.meta.resource_version = std::to_string(++version_);
    claim.status.reserved_for = {{"", "pods", "p", "uid-p"}};
    snapshot_.objects().set(podium::test::share(claim));
  }
  std::size_t unreserve() {
    SentWrites handle;
    plugin_->unreserve(pod_, state_.get(), snapshot_, handle);
    return handle.writes.size();
  }
  std::string awaited() const {
    std::string out;
    for (const auto& [driver, has] : plugin_->awaited(pod_, state_.get(), snapshot_))
      out += driver + (has ? "! " : " ");
    return out;
  }

  framework::PreBindPlan plan;

 private:
  const Devices none_;
  const std::shared_ptr<const DynamicResources> plugin_ = plugin_with(none_);
  Snapshot& snapshot_;
  framework::AssumedPod pod_;
  std::unique_ptr<framework::PluginState> state_;
  int version_ = 1;
};

api::ResourceClaim reserved(api::ResourceClaim claim) {
  claim.status.reserved_for = {{"", "pods", "p", "uid-p"}};
  return claim;
}

TEST(BindingConditions, PreBindAnnouncesThatItWaits) {
  auto snapshot = devices_of(reserved(claim_with({})));
  const Waiting waiting({"c"}, snapshot);
  EXPECT_TRUE(waiting.plan.writes.empty()) << "a process before this one has written";
  EXPECT_EQ(waiting.plan.timeout, 10min);
  EXPECT_EQ(waiting.plan.timed_out, "device binding timeout: context deadline exceeded");
  EXPECT_EQ(waiting.plan.poll, 5s);
  EXPECT_EQ(waiting.plan.reason + ": " + waiting.plan.note,
            "BindingConditionsPending: waiting for binding conditions for device on node a");
}

TEST(BindingConditions, DevicesWithoutConditionsAreNotWaitedFor) {
  auto plain = reserved(claim_with({}));
  plain.status.allocation->results[0].binding_conditions.clear();
  auto snapshot = devices_of(plain);
  const Waiting waiting({"c"}, snapshot);
  EXPECT_FALSE(waiting.plan.timeout);
  EXPECT_EQ(waiting.plan.reason, "");
}

TEST(BindingConditions, DevicesThatAreBeingGivenAreWaitedForAfterTheWrites) {
  auto snapshot = devices_of(claim_of_class("c", "gpu"), class_named("gpu"));
  auto allocation = allocation_of("r", "x");
  allocation.results[0].binding_conditions = {"ready"};
  const Devices devices{{"a", found({allocation})}};
  const auto plugin = plugin_with(devices);
  const framework::AssumedPod pod{info(pod_with({"c"})), "a"};
  const auto state = plugin->reserve(pod, snapshot).state;
  const auto plan = plugin->pre_bind(pod, state.get(), snapshot);
  EXPECT_EQ(plan.writes.size(), 1u);
  EXPECT_TRUE(plan.timeout);
}

TEST(BindingConditions, HowAWaitEnds) {
  auto snapshot = devices_of(reserved(claim_with({})), reserved(claim_with({}, "d")));
  Waiting waiting({"c", "d"}, snapshot);
  EXPECT_EQ(waiting.looks(), "not yet");
  waiting.see(claim_with(kReady));
  EXPECT_EQ(waiting.looks(10min), "not yet") << "the second";
  EXPECT_EQ(waiting.looks(11min), "timed out: device binding timeout: claim=d");
  waiting.see(claim_with(kReady, "d"));
  EXPECT_EQ(waiting.looks(11min), "ready");
  waiting.see(claim_with(kBroken));
  EXPECT_EQ(waiting.looks(), std::string("failed: ") + kFailed);
  EXPECT_EQ(waiting.awaited(), "d! d! ");
  snapshot.objects().remove<api::ResourceClaim>("default", "c");
  EXPECT_EQ(waiting.looks(), "error: could not find ResourceClaim \"default/c\"");
}

TEST(BindingConditions, WhatIsWithdrawnIsWhatIsThereNow) {
  auto snapshot = devices_of(reserved(claim_with({})));
  Waiting waiting({"c"}, snapshot);
  EXPECT_EQ(waiting.unreserve(), 1u);
  auto cleared = claim_named("c", "9");
  snapshot.objects().set(podium::test::share(cleared));
  EXPECT_EQ(waiting.unreserve(), 0u) << "another client removed the allocation in the meantime";
}

}  // namespace
}  // namespace podium::plugins::test::binding_conditions_test
