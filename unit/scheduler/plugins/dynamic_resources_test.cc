// DynamicResources up to the decision. The order and the words of its verdicts are upstream's.
#include "scheduler/plugins/dynamic_resources/dynamic_resources.h"

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation.h"
#include "unit/scheduler/plugins/device_fixture.h"

namespace podium::plugins::test::dynamic_resources_test {
namespace {

using framework::EventResource;
using End = DevicesFound::End;

TEST(DynamicResources, ScoresAreZeroAndNeverSkipped) {
  EXPECT_EQ(score(make(make_dynamic_resources), pod("p"), snapshot_of({node("a"), node("b")})),
            (Scores{{"a", 0}, {"b", 0}}));
}

// --- which claims, and whether they are there ---

api::Pod pod_of_template(std::vector<api::PodResourceClaimStatus> statuses) {
  api::Pod made = pod("p");
  made.resource_claims = {{"gpu", std::nullopt, "template"}};
  made.resource_claim_statuses = std::move(statuses);
  return made;
}

TEST(DynamicResources, APodIsGatedUntilItsClaimsAreThere) {
  auto deleted = claim_named("c");
  deleted.meta.deleted = Wall();
  auto own = claim_named("c"), foreign = claim_named("c");
  own.meta.owners = {{"v1", "Pod", "p", "uid-p", true}};
  foreign.meta.owners = {{"v1", "Pod", "p", "uid-other", true}};
  api::Pod of_no_kind = pod("p");
  of_no_kind.resource_claims = {{"gpu", std::nullopt, std::nullopt}};
  const auto made = [](std::optional<std::string> name) {
    return pod_of_template({{"gpu", std::move(name)}});
  };
  const struct {
    const char* name;
    api::Pod pod;
    Snapshot snapshot;
    std::string want;
  } cases[] = {
      {"no claims", pod("p"), devices_of(), ""},
      {"there", pod_with({"c"}), devices_of(claim_named("c")), ""},
      {"not there", pod_with({"c"}), devices_of(), "could not find ResourceClaim \"default/c\""},
      {"the second is not there", pod_with({"c", "d"}), devices_of(claim_named("c")),
       "could not find ResourceClaim \"default/d\""},
      {"going", pod_with({"c"}), devices_of(deleted), "resourceclaim \"c\" is being deleted"},
      {"not made yet", pod_of_template({}), devices_of(), "pod \"default/p\": ResourceClaim not created yet"},
      {"made for another entry", pod_of_template({{"nic", "c"}}), devices_of(own),
       "pod \"default/p\": ResourceClaim not created yet"},
      {"made", made("c"), devices_of(own), ""},
      {"none is needed", made(std::nullopt), devices_of(), ""},
      {"another's", made("c"), devices_of(foreign),
       "ResourceClaim default/c was not created for Pod default/p (Pod is not owner)"},
      {"nobody's", made("c"), devices_of(claim_named("c")),
       "ResourceClaim default/c was not created for Pod default/p (Pod is not owner)"},
      {"of no kind", of_no_kind, devices_of(),
       "pod \"default/p\", spec.resourceClaim \"gpu\": none of the supported fields are set"},
  };
  const Devices devices;
  for (const auto& c : cases) {
    const auto verdict = plugin_with(devices)->pre_enqueue(*info(c.pod), c.snapshot);
    EXPECT_EQ(verdict ? text_of(*verdict) : "", c.want.empty() ? "" : "UU; " + c.want) << c.name;
    const auto prepared = plugin_with(devices)->prepare_filter(*info(c.pod), c.snapshot);
    EXPECT_EQ(prepared.rejected, verdict) << c.name << ": PreFilter says the same";
  }
}

TEST(DynamicResources, PreFilterLooksAtEveryRequestInOrder) {
  auto in_flight = devices_of(claim_of_class("c", "gpu"), class_named("gpu"));
  in_flight.objects().begin_flight(podium::test::share(claim_of_class("c", "gpu")));
  auto of_no_kind = claim_named("c");
  of_no_kind.spec.requests = {{"r", std::nullopt, {}}};
  auto allocated = claim_of_class("c", "gone");
  allocated.status.allocation = allocation_of("r", "x");
  auto odd_nodes = allocated;
  odd_nodes.status.allocation->node_selector = {
      podium::test::node_term({{"zone", api::Requirement::Op::gt, {"a"}}})};
  const struct {
    const char* name;
    Snapshot snapshot;
    std::string want;
  } cases[] = {
      {"in flight", in_flight, "UU; resource claim default/c is in the process of being allocated"},
      {"no class", devices_of(claim_of_class("c", "gpu")), "UU; request r: device class gpu does not exist"},
      {"no class of an alternative", devices_of(claim_of_any("c", {"gpu", "cpu"}), class_named("gpu")),
       "UU; request r/1: device class cpu does not exist"},
      {"not named", devices_of(claim_of_class("c", "")), "E; request r: unsupported request type"},
      {"of no kind", devices_of(of_no_kind), "UU; resource claim default/c, request r: unknown request type"},
      {"allocated: its class may be gone", devices_of(allocated), ""},
  };
  const Devices devices;
  for (const auto& c : cases) {
    const auto prepared = plugin_with(devices)->prepare_filter(*info(pod_with({"c"})), c.snapshot);
    EXPECT_EQ(prepared.rejected ? text_of(*prepared.rejected) : "", c.want) << c.name;
  }
  const auto odd = plugin_with(devices)->prepare_filter(*info(pod_with({"c"})), devices_of(odd_nodes));
  ASSERT_TRUE(odd.rejected);
  EXPECT_EQ(odd.rejected->code, framework::Code::error);
  EXPECT_TRUE(message(*odd.rejected).starts_with("nodeSelectorTerms[0]")) << message(*odd.rejected);
}

// --- nodes ---

TEST(DynamicResources, EachNodeIsAskedForAllClaimsThatAreNotAllocated) {
  auto done = claim_of_class("done", "gpu");
  done.status.allocation = allocation_of("r", "x");
  const auto snapshot =
      devices_of(claim_of_class("c", "gpu"), claim_of_class("d", "gpu"), done, class_named("gpu"));
  const Devices devices{{"a", found({allocation_of("r", "1"), allocation_of("r", "2")})}};
  std::vector<std::string> asked;
  EXPECT_EQ(filter(plugin_with(devices, &asked), pod_with({"d", "done", "c"}), snapshot),
            (Answers{{"b", "UU; cannot allocate all claims"}}));
  EXPECT_EQ(asked, (std::vector<std::string>{"d", "c"}));
  asked.clear();
  EXPECT_EQ(filter(plugin_with(devices, &asked), pod_with({"done"}), snapshot), Answers{});
  EXPECT_TRUE(asked.empty()) << "nothing is to be allocated";
}

TEST(DynamicResources, HowASearchEndsOnANode) {
  const struct {
    DevicesFound found;
    std::string want;
  } cases[] = {
      {{End::none}, "UU; cannot allocate all claims"},
      {{End::invalid_pools}, "UU; invalid resource pools were encountered"},
      {{End::timed_out}, "E; node b: timed out trying to allocate devices"},
      {{End::failed, "claim default/c: no"}, "E; claim default/c: no"},
  };
  const auto snapshot = devices_of(claim_of_class("c", "gpu"), class_named("gpu"));
  for (const auto& c : cases) {
    const Devices devices{{"a", found({allocation_of("r", "1")})}, {"b", {c.found}}};
    EXPECT_EQ(filter(plugin_with(devices), pod_with({"c"}), snapshot), (Answers{{"b", c.want}}));
  }
}

// The attempt fails, so that further searches would only keep other pods waiting.
TEST(DynamicResources, NoNodeIsSearchedAfterASearchThatWasGivenUp) {
  const auto snapshot = devices_of(claim_of_class("c", "gpu"), class_named("gpu"));
  const Devices devices{{"a", {{End::timed_out}}}, {"b", {{End::failed, "never asked"}}}};
  const auto plugin = plugin_with(devices);
  const auto prepared = plugin->prepare_filter(*info(pod_with({"c"})), snapshot);
  auto nodes = snapshot.present();
  nodes.grow_to_chunks(snapshot.chunks());
  framework::Rejections out(snapshot.chunks());
  prepared.filter->filter(nodes, out);
  EXPECT_TRUE(nodes.none());
  ASSERT_EQ(out.verdicts().size(), 1u);
  EXPECT_EQ(text_of(out.verdict(1)), "E; node a: timed out trying to allocate devices");
}

TEST(DynamicResources, AnAllocatedClaimBindsThePodToItsNodes) {
  auto here = claim_named("here"), zone = claim_named("zone"), anywhere = claim_named("anywhere");
  for (auto* claim : {&here, &zone, &anywhere}) claim->status.allocation = allocation_of("r", "x");
  here.status.allocation->node_selector = on_node("a");
  zone.status.allocation->node_selector = {
      podium::test::node_term({podium::test::in("topology.kubernetes.io/zone", {"b"})})};
  const auto snapshot = devices_of(here, zone, anywhere);
  const Devices none;
  const std::string gone = "UU; resourceclaim not available on the node";
  EXPECT_EQ(filter(plugin_with(none), pod_with({"here"}), snapshot), (Answers{{"b", gone}}));
  EXPECT_EQ(filter(plugin_with(none), pod_with({"zone"}), snapshot), (Answers{{"a", gone}}));
  EXPECT_EQ(filter(plugin_with(none), pod_with({"anywhere"}), snapshot), Answers{});
  EXPECT_EQ(filter(plugin_with(none), pod_with({"zone", "here"}), snapshot),
            (Answers{{"a", gone}, {"b", gone}}));
}

// Regardless of the gate: another scheduler may have allocated it.
TEST(DynamicResources, ADeviceThatSkipsOperationsNeedsANodeThatDeclaresIt) {
  auto skips = claim_named("skips");
  skips.status.allocation = allocation_of("r", "x");
  skips.status.allocation->results[0].skips_node_operations = true;
  auto snapshot = devices_of(skips);
  const Devices none;
  const std::string gone = "UU; resourceclaim not available on the node";
  EXPECT_EQ(filter(plugin_with(none), pod_with({"skips"}), snapshot), (Answers{{"a", gone}, {"b", gone}}));
  auto able = *node("a").zone("a").ptr();
  able.declared_features = {"DRAOptionalNodeOperations"};
  snapshot.set_node(podium::test::share(able));
  EXPECT_EQ(filter(plugin_with(none), pod_with({"skips"}), snapshot), (Answers{{"b", gone}}));
  skips.status.allocation->node_selector = on_node("b");
  skips.meta.resource_version = "2";
  snapshot.objects().set(podium::test::share(skips));
  EXPECT_EQ(filter(plugin_with(none), pod_with({"skips"}), snapshot), (Answers{{"a", gone}, {"b", gone}}));
}

TEST(DynamicResources, TheSearchsVerdictGoesBeforeAClaimOutOfReach) {
  auto here = claim_named("here");
  here.status.allocation = allocation_of("r", "x");
  here.status.allocation->node_selector = on_node("a");
  const auto snapshot = devices_of(here, claim_of_class("c", "gpu"), class_named("gpu"));
  const Devices devices{{"a", found({allocation_of("r", "1")})}, {"b", {{End::failed, "broken"}}}};
  EXPECT_EQ(filter(plugin_with(devices), pod_with({"here", "c"}), snapshot), (Answers{{"b", "E; broken"}}));
}

// --- scores ---

TEST(DynamicResources, FirstAlternativesScoreMost) {
  auto done = claim_of_any("done", {"gpu", "cpu"});
  done.status.allocation = allocation_of("r/1", "x");
  const auto snapshot = devices_of(claim_of_any("c", {"gpu", "cpu", "fpga"}), done, class_named("gpu"),
                                   class_named("cpu"), class_named("fpga"));
  const Devices devices{{"a", found({allocation_of("r/0", "1")})}, {"b", found({allocation_of("r/2", "2")})}};
  EXPECT_EQ(score(plugin_with(devices), pod_with({"c"}), snapshot), (Scores{{"a", 100}, {"b", 75}}));
  EXPECT_EQ(score(plugin_with(devices), pod_with({"done", "c"}), snapshot), (Scores{{"a", 100}, {"b", 86}}))
      << "15 and 13";
  EXPECT_EQ(score(plugin_with(devices), pod_with({"done"}), snapshot), (Scores{{"a", 0}, {"b", 0}}))
      << "old allocations alone do not count";
}

// --- PostFilter ---

// The messages of a profile with only this plugin, and what it wants written.
struct After {
  std::string message;
  std::optional<framework::ObjectWrite> write;
  std::shared_ptr<const api::ResourceClaim> assumed;
};
After after_filter(const std::shared_ptr<const DynamicResources>& plugin, const api::Pod& pod,
                   const Snapshot& snapshot) {
  framework::Profile profile;
  const std::string name(plugin->name());
  profile.pre_filters = {{name, plugin.get(), true, true}};
  profile.filters = profile.pre_filters;
  profile.post_filters = {{name, plugin.get()}};
  auto decision = framework::evaluate(*info(pod), snapshot, profile);
  return {decision.error.empty() ? decision.message : decision.error, decision.write, decision.assumed_claim};
}

TEST(DynamicResources, AnAllocationThatIsInTheWayIsTakenBack) {
  const auto claim = [](std::vector<api::ClaimConsumer> users, const std::string& node = "gone") {
    auto made = claim_named("c");
    made.status.allocation = allocation_of("r", "x");
    made.status.allocation->node_selector = on_node(node);
    made.status.reserved_for = std::move(users);
    return made;
  };
  const api::ClaimConsumer own{"", "pods", "p", "uid-p"}, other{"", "pods", "q", "uid-q"};
  const std::string nodes = "0/2 nodes are available: 2 resourceclaim not available on the node.";
  const struct {
    const char* name;
    Snapshot snapshot;
    std::string want;
    bool writes;
  } cases[] = {
      {"nobody's", devices_of(claim({})), nodes + " deallocation of ResourceClaim completed", true},
      {"the pod's own", devices_of(claim({own})), nodes + " deallocation of ResourceClaim completed", true},
      {"another's", devices_of(claim({other})), nodes, false},
      {"of both", devices_of(claim({own, other})), nodes, false},
  };
  const Devices none;
  for (const auto& c : cases) {
    const auto after = after_filter(plugin_with(none), pod_with({"c"}), c.snapshot);
    EXPECT_EQ(after.message, c.want) << c.name;
    EXPECT_EQ(after.write.has_value(), c.writes) << c.name;
  }
  const auto after = after_filter(plugin_with(none), pod_with({"c"}), devices_of(claim({own})));
  EXPECT_TRUE(after.assumed && is_withdrawn(*after.assumed, "uid-p")) << "it is not reserved any more";
  const auto write = after_filter(plugin_with(none), pod_with({"c"}), devices_of(claim({}))).write;
  ASSERT_TRUE(write);
  EXPECT_EQ(write->group + "/" + write->resource + "/" + write->namespace_ + "/" + write->name + "/" +
                write->subresource,
            "resource.k8s.io/resourceclaims/default/c/status");
  EXPECT_EQ(write->uid + " " + write->resource_version, "uid-c 1");
  EXPECT_EQ(write->patch,
            boost::json::parse(R"({"status": {"reservedFor": null, "allocation": null, "devices": null}})"));
}

TEST(DynamicResources, WhatPostFilterSaysOtherwise) {
  const Devices none;
  const auto snapshot = devices_of(claim_of_class("c", "gpu"), class_named("gpu"));
  EXPECT_EQ(after_filter(plugin_with(none), pod_with({"c"}), snapshot).message,
            "0/2 nodes are available: 2 cannot allocate all claims.");
  EXPECT_EQ(after_filter(plugin_with(none), pod_with({"d"}), snapshot).message,
            "0/2 nodes are available: could not find ResourceClaim \"default/d\".");
}

// --- what wakes a pod ---

framework::ClusterEvent claim_event(const std::optional<api::ResourceClaim>& before,
                                    const api::ResourceClaim& after) {
  framework::ClusterEvent event{
      EventResource::resource_claim, before ? framework::kUpdateOther : framework::kAdd, {}, {}};
  if (before) event.before = podium::test::share(*before);
  event.after = podium::test::share(after);
  return event;
}

TEST(DynamicResources, WhatMayHelp) {
  const auto mine = claim_named("mine"), other = claim_named("other");
  auto allocated = mine, others = other, newer = mine;
  allocated.status.allocation = allocation_of("r", "x");
  others.status.allocation = allocation_of("r", "y");
  newer.meta.resource_version = "2";
  newer.has_finalizer = true;
  const auto snapshot = devices_of(mine, other);
  const auto without = devices_of(other);
  auto after = pod_with({"mine"});
  after.resource_claim_statuses = {{"x", std::nullopt}};
  const auto before = pod_with({"mine"});
  auto other_before = before, other_after = after;
  other_before.meta.uid = other_after.meta.uid = "uid-q";
  const framework::ClusterEvent gone{
      EventResource::resource_claim, framework::kDelete, podium::test::share(others), {}};
  const framework::ClusterEvent gone_without{
      EventResource::resource_claim, framework::kDelete, podium::test::share(other), {}};
  const struct {
    const char* name;
    framework::ClusterEvent event;
    const Snapshot& snapshot;
    bool want;
  } cases[] = {
      {"a node", node_added(node("n")), snapshot, true},
      {"its label", node_updated(node("n"), node("n").zone("z")), snapshot, true},
      {"its taint", node_updated(node("n").taint("k", "v", "NoSchedule"), node("n")), snapshot, false},
      {"a class", {EventResource::device_class, framework::kAdd}, snapshot, true},
      {"a slice's change", {EventResource::resource_slice, framework::kUpdateOther}, snapshot, true},
      {"a slice is gone", {EventResource::resource_slice, framework::kDelete}, snapshot, false},
      {"the own claim is new", claim_event({}, mine), snapshot, true},
      {"another is new", claim_event({}, other), snapshot, false},
      {"another lost its devices", claim_event(others, other), snapshot, true},
      {"another got devices", claim_event(other, others), snapshot, false},
      {"another lost them, and the own is missing", claim_event(others, other), without, false},
      {"the own got devices", claim_event(mine, allocated), snapshot, true},
      {"the own changed without its status", claim_event(mine, newer), snapshot, false},
      {"another is gone with its devices", gone, snapshot, true},
      {"another is gone that had none", gone_without, snapshot, false},
      {"one with devices is gone, and the own is missing", gone, without, true},
      {"the own pod's claims", pod_updated(EventResource::target_pod, before, after), snapshot, true},
      {"the same, and one is missing", pod_updated(EventResource::target_pod, before, after), without, false},
      {"another pod's claims", pod_updated(EventResource::assigned_pod, other_before, other_after), snapshot,
       false},
  };
  const Devices none;
  for (const auto& c : cases) {
    EXPECT_EQ(helps(plugin_with(none), pod_with({"mine"}), c.event, {}, c.snapshot), c.want) << c.name;
  }
}

}  // namespace
}  // namespace podium::plugins::test::dynamic_resources_test
