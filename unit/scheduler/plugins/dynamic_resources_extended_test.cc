// Extended resources that device classes back, in DynamicResources: which nodes serve them with
// devices, the claim that is made for them, and its end.
#include <fmt/format.h>

#include <boost/json/serialize.hpp>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation.h"
#include "unit/scheduler/plugins/device_fixture.h"

namespace podium::plugins::test::dynamic_resources_extended_test {
namespace {

using framework::ObjectWrite;
using Verb = ObjectWrite::Verb;
using Texts = std::vector<std::string>;

constexpr auto kGpu = "example.com/gpu";

api::DeviceClass gpu_class() {
  auto made = class_named("gpu");
  made.extended_resource_name = kGpu;
  return made;
}
api::Pod gpu_pod() { return pod("p").req(kGpu, "2"); }

// The claim of an earlier attempt at pod p.
api::ResourceClaim left_over() {
  auto claim = claim_of_class("p-extended-resources-x", "gpu");
  claim.meta.annotations = api::Labels{{"resource.kubernetes.io/extended-resource-claim", "true"}};
  claim.meta.owners = {{"v1", "Pod", "p", "uid-p", true}};
  return claim;
}

// Nodes "a" and "b" do not name the resource, "none" has none, "plugin" has 4.
template <typename... Objects>
Snapshot nodes_with(const Objects&... objects) {
  auto snapshot =
      snapshot_of({node("a"), node("b"), node("none").cap(kGpu, "0"), node("plugin").cap(kGpu, "4")});
  (snapshot.objects().set(podium::test::share(objects)), ...);
  return snapshot;
}

const Devices kOnA{{"a", found({allocation_of("container-0-request-0", "x")})}};

TEST(DynamicResourcesExtended, NodesWithoutTheResourceNeedDevices) {
  const auto snapshot = nodes_with(gpu_class());
  EXPECT_EQ(filter(plugin_with(kOnA), gpu_pod(), snapshot),
            (Answers{{"b", "UU; cannot allocate all claims"}, {"none", "UU; cannot allocate all claims"}}));
  const api::Pod by_class = pod("p").req("deviceclass.resource.kubernetes.io/gpu", "1");
  EXPECT_EQ(filter(plugin_with(kOnA), by_class, snapshot).size(), 3u) << "no node names it";
  EXPECT_EQ(filter(plugin_with(kOnA), gpu_pod(), nodes_with(class_named("gpu"))), Answers{});
  EXPECT_EQ(filter(plugin_with(kOnA), pod("p").req(kGpu, "0"), snapshot), Answers{});
}

TEST(DynamicResourcesExtended, AResourceThatNothingServes) {
  const auto snapshot = nodes_with(gpu_class());
  const auto answers =
      filter(plugin_with(kOnA), pod("p").req(kGpu, "1").req("example.com/tpu", "1"), snapshot);
  EXPECT_EQ(answers.at("a"), "UU; cannot fit resource");
  EXPECT_EQ(answers.at("plugin"), "UU; cannot fit resource");
}

TEST(DynamicResourcesExtended, TheClaimAsksForWhatTheNodeLacks) {
  std::vector<ClaimPtr> asked;
  const DynamicResources plugin([&](const Snapshot& snapshot, std::vector<ClaimPtr> claims) {
    asked.insert(asked.end(), claims.begin(), claims.end());
    return std::make_unique<FakeSearch>(snapshot, kOnA);
  });
  const auto snapshot = nodes_with(gpu_class());
  const auto incoming = info(gpu_pod());
  const auto prepared = plugin.prepare_filter(*incoming, snapshot);
  ASSERT_TRUE(prepared.filter);
  EXPECT_FALSE(prepared.filter->check(*snapshot.find_row("plugin"), {}));
  EXPECT_TRUE(asked.empty()) << "the device plugin serves it";
  EXPECT_FALSE(prepared.filter->check(*snapshot.find_row("a"), {}));
  EXPECT_TRUE(prepared.filter->check(*snapshot.find_row("b"), {}));
  ASSERT_EQ(asked.size(), 1u) << "one for all nodes that are alike";
  const auto& requests = asked[0]->spec.requests;
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].name, "container-0-request-0");
  EXPECT_EQ(requests[0].exactly->device_class, "gpu");
  EXPECT_EQ(requests[0].exactly->count, 2);
}

TEST(DynamicResourcesExtended, TheClaimOfAnEarlierAttemptGoesFirst) {
  const auto plugin = plugin_with(kOnA);
  const auto snapshot = nodes_with(gpu_class(), left_over());
  EXPECT_EQ(filter(plugin, gpu_pod(), snapshot).at("a"), "UU; cannot schedule extended resource claim");
  EXPECT_EQ(filter(plugin, gpu_pod(), snapshot).size(), 4u);

  framework::Profile profile;
  const std::string name(plugin->name());
  profile.pre_filters = {{name, plugin.get(), true, true}};
  profile.filters = profile.pre_filters;
  profile.post_filters = {{name, plugin.get()}};
  const auto decision = framework::evaluate(*info(gpu_pod()), snapshot, profile);
  EXPECT_EQ(decision.message,
            "0/4 nodes are available: 4 cannot schedule extended resource claim. deletion of ResourceClaim "
            "completed");
  ASSERT_TRUE(decision.write);
  EXPECT_EQ(decision.write->verb, Verb::remove);
  EXPECT_EQ(decision.write->name + " " + decision.write->uid,
            "p-extended-resources-x uid-p-extended-resources-x");

  auto others = left_over();
  others.meta.owners.write()[0].uid = "uid-other";
  EXPECT_EQ(filter(plugin, gpu_pod(), nodes_with(gpu_class(), others)).count("a"), 0u);
  auto plain = left_over();
  plain.meta.annotations = {};
  EXPECT_EQ(filter(plugin, gpu_pod(), nodes_with(gpu_class(), plain)).count("a"), 0u);
}

// --- Reserve, PreBind, Unreserve ---

class Sent final : public framework::Handle {
 public:
  Texts writes;
  void each_waiting_pod(const std::function<void(const framework::AssumedPod&)>&) const override {}
  std::vector<std::string> pending_plugins(std::string_view) const override { return {}; }
  void allow(std::string_view, std::string_view) override {}
  bool reject(std::string_view, std::string_view, std::string) override { return false; }
  void send(ObjectWrite write) override {
    writes.push_back((write.verb == Verb::remove ? "remove " : "other ") + write.name);
  }
};

constexpr auto kFlight = "<extended-resources>uid-p";

class Binding {
 public:
  Binding(const api::Pod& pod, const char* node, Snapshot& snapshot)
      : plugin_(plugin_with(kOnA)), snapshot_(snapshot), pod_{info(pod), node} {
    auto result = plugin_->reserve(pod_, snapshot);
    failed = result.failed ? text_of(*result.failed) : "";
    state_ = std::move(result.state);
  }
  std::string begin() {
    auto plan = plugin_->pre_bind(pod_, state_.get(), snapshot_);
    return plan.writes.empty() ? "done" : text(plan.writes.at(0));
  }
  // The claim's reply.
  std::string step(int version, bool finalizer = false, bool allocated = false) {
    boost::json::object meta{{"namespace", "default"},
                             {"name", "made"},
                             {"uid", "uid-made"},
                             {"resourceVersion", std::to_string(version)}};
    if (finalizer) meta["finalizers"] = boost::json::array{"resource.kubernetes.io/delete-protection"};
    boost::json::object status;
    if (allocated) status["allocation"] = boost::json::object();
    const boost::json::value object =
        boost::json::object{{"metadata", std::move(meta)}, {"status", std::move(status)}};
    return reply({&object, {}, false});
  }
  std::string refused(bool conflict = false) { return reply({nullptr, "no", conflict}); }
  Texts unreserve() {
    Sent sent;
    plugin_->unreserve(pod_, state_.get(), snapshot_, sent);
    return sent.writes;
  }
  void end() { plugin_->pre_bound(pod_, state_.get(), snapshot_); }  // of PreBind
  bool has_work() const { return *plugin_->needs_pre_bind(pod_, state_.get()); }
  std::string failed;

 private:
  std::string reply(const framework::WriteReply& reply) {
    auto next = plugin_->replied(pod_, state_.get(), 0, reply, snapshot_).value();
    if (!next.error.empty()) return next.error;
    return next.writes.empty() ? "done" : text(next.writes.at(0));
  }
  static std::string text(const ObjectWrite& write) {
    const char* verb = write.verb == Verb::create ? "create" : "patch";
    const bool is_long = write.verb == Verb::create || write.resource == "pods";
    return fmt::format("{} {} {}{}{}", verb, write.resource, write.name,
                       write.subresource.empty() ? "" : "/" + write.subresource,
                       is_long ? " " + boost::json::serialize(write.patch) : "");
  }

  std::shared_ptr<const DynamicResources> plugin_;
  Snapshot& snapshot_;
  framework::AssumedPod pod_;
  std::unique_ptr<framework::PluginState> state_;
};

TEST(DynamicResourcesExtended, TheClaimIsMadeWrittenAndNamedInThePod) {
  auto snapshot = nodes_with(gpu_class());
  Binding binding(gpu_pod(), "a", snapshot);
  EXPECT_EQ(binding.failed, "");
  EXPECT_TRUE(snapshot.objects().is_in_flight(kFlight));
  EXPECT_EQ(
      binding.begin(),
      R"(create resourceclaims  {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"namespace":"default","generateName":"p-extended-resources-","annotations":{"resource.kubernetes.io/extended-resource-claim":"true"},"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"uid-p","controller":true}]},"spec":{"devices":{"requests":[{"name":"container-0-request-0","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":2}}]}}})");
  EXPECT_EQ(binding.step(2), "patch resourceclaims made");
  EXPECT_EQ(binding.step(3, true), "patch resourceclaims made/status");
  EXPECT_TRUE(snapshot.objects().is_in_flight(kFlight));
  const auto mention = binding.step(4, true, true);
  EXPECT_TRUE(mention.starts_with("patch pods p/status ")) << mention;
  EXPECT_NE(mention.find(R"("requestName":"container-0-request-0"}],"resourceClaimName":"made")"),
            std::string::npos)
      << mention;
  const auto* known = snapshot.objects().find<api::ResourceClaim>("default", "made");
  ASSERT_TRUE(known) << "its devices stay taken, also before the watch shows it";
  EXPECT_TRUE(known->status.allocation);
  EXPECT_EQ(binding.step(5), "done");
  EXPECT_TRUE(snapshot.objects().is_in_flight(kFlight)) << "until PreBind has ended";
  binding.end();
  EXPECT_FALSE(snapshot.objects().is_in_flight(kFlight));
  EXPECT_EQ(binding.unreserve(), Texts{"remove made"});
  EXPECT_FALSE(snapshot.objects().find<api::ResourceClaim>("default", "made"))
      << "the watch may never show it";
}

TEST(DynamicResourcesExtended, AClaimThatIsDeletedBeforeIsNotKept) {
  auto snapshot = nodes_with(gpu_class());
  Binding binding(gpu_pod(), "a", snapshot);
  binding.begin();
  snapshot.objects().set(podium::test::share(claim_named("made", "2")));
  binding.step(2);
  snapshot.objects().remove<api::ResourceClaim>("default", "made");
  binding.step(3, true);
  binding.step(4, true, true);
  EXPECT_FALSE(snapshot.objects().find<api::ResourceClaim>("default", "made"));
}

// Its devices are taken until the watch shows that it is gone.
TEST(DynamicResourcesExtended, AClaimThatTheWatchHasShownIsNotForgotten) {
  auto snapshot = nodes_with(gpu_class());
  Binding binding(gpu_pod(), "a", snapshot);
  binding.begin();
  binding.step(2);
  binding.step(3, true);
  binding.step(4, true, true);
  snapshot.objects().set(podium::test::share(claim_named("made", "4")));
  EXPECT_EQ(binding.unreserve(), Texts{"remove made"});
  const auto* known = snapshot.objects().find<api::ResourceClaim>("default", "made");
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->status.allocation);
}

TEST(DynamicResourcesExtended, WhatEndsTheBinding) {
  auto snapshot = nodes_with(gpu_class());
  {
    Binding binding(gpu_pod(), "a", snapshot);
    binding.begin();
    EXPECT_EQ(binding.refused(true), "create claim for extended resources default/: no");
    EXPECT_EQ(binding.unreserve(), Texts()) << "nothing was made";
    EXPECT_FALSE(snapshot.objects().is_in_flight(kFlight));
  }
  {
    Binding binding(gpu_pod(), "a", snapshot);
    binding.begin();
    binding.step(2);
    EXPECT_EQ(binding.refused(), "add finalizer to claim default/made: no");
    EXPECT_EQ(binding.unreserve(), Texts{"remove made"});
  }
  {
    Binding binding(gpu_pod(), "a", snapshot);
    binding.begin();
    binding.step(2);
    binding.step(3, true);
    binding.step(4, true, true);
    EXPECT_EQ(binding.refused(true), "update pod default/p ExtendedResourceClaimStatus: no");
    EXPECT_EQ(binding.unreserve(), Texts{"remove made"});
  }
}

TEST(DynamicResourcesExtended, WhereTheDevicePluginServesItNothingIsMade) {
  auto snapshot = nodes_with(gpu_class());
  Binding binding(gpu_pod(), "plugin", snapshot);
  EXPECT_EQ(binding.failed, "");
  EXPECT_TRUE(binding.has_work()) << "the node is nominated, as upstream";
  EXPECT_EQ(binding.begin(), "done");
  EXPECT_EQ(binding.unreserve(), Texts());
}

// As upstream: a claim without requests is allocated, which ends with an error.
TEST(DynamicResourcesExtended, AClaimOfItsOwnAndADevicePluginCannotBeBound) {
  auto given = claim_named("c");
  given.has_finalizer = true;
  given.status.allocation = allocation_of("r", "y");
  auto snapshot = nodes_with(gpu_class(), given);
  auto asking = pod_with({"c"});
  asking.containers = gpu_pod().containers;
  static const Devices kOnPlugin{{"plugin", found({api::Allocation()})}};
  const auto plugin = plugin_with(kOnPlugin);
  const framework::AssumedPod assumed{info(asking), "plugin"};
  auto result = plugin->reserve(assumed, snapshot);
  ASSERT_FALSE(result.failed);
  EXPECT_TRUE(snapshot.objects().is_in_flight(kFlight));
  EXPECT_EQ(plugin->pre_bind(assumed, result.state.get(), snapshot).writes.size(), 1u);
  const auto answer = [&](const char* text) {
    const auto object = boost::json::parse(text);
    return plugin->replied(assumed, result.state.get(), 0, {&object, {}, false}, snapshot).value();
  };
  answer(R"({"metadata": {"namespace": "default", "name": "c", "uid": "uid-c"}})");
  const char* made = R"({"metadata": {"namespace": "default", "name": "made", "uid": "u",
                                      "finalizers": ["resource.kubernetes.io/delete-protection"]}})";
  EXPECT_EQ(answer(made).writes.at(0).subresource, "status");
  EXPECT_EQ(answer(made).error,
            "nil or empty request mappings, no update of pod default/p ExtendedResourceClaimStatus");
}

}  // namespace
}  // namespace podium::plugins::test::dynamic_resources_extended_test
