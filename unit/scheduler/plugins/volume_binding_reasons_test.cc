// VolumeBinding: the reasons behind a text of kube-scheduler that several causes share.
#include "unit/scheduler/plugins/volume_fixture.h"

namespace podium::plugins::test::volume_binding_reasons_test {
namespace {

// One text of kube-scheduler, but the user must do something else in each case.
TEST(VolumeBinding, AnUnboundClaimSaysWhatItWaitsFor) {
  using enum framework::ReasonCode;
  const auto by_hand = storage_class("by-hand", "kubernetes.io/no-provisioner", false);
  auto classless = claim("c");
  classless.storage_class.reset();
  auto named = claim("c", "5Gi", "by-hand");
  named.volume_name = "v";
  auto named_of_class = claim("c", "5Gi", "now");
  named_of_class.volume_name = "v";
  auto exclusive = claim("c", "5Gi", "by-hand");
  exclusive.access_modes = {"ReadWriteMany"};
  const auto free = volume("v", "10Gi", "by-hand"), small = volume("v", "1Gi", "by-hand"),
             of_no_class = volume("v", "10Gi", "manual");
  auto promised = free, promised_to_other = free, released = free;
  promised.claim = {"default", "c", ""};
  promised_to_other.claim = {"default", "d", ""};
  released.claim = {"default", "c", "the uid of an earlier claim"};
  auto released_without_class = released;
  released_without_class.storage_class = "manual";
  const struct {
    const char* name;
    api::PersistentVolumeClaim claim;
    Snapshot snapshot;
    framework::ReasonCode want;
  } cases[] = {
      {"for its provisioner", claim("c", "5Gi", "now"), storage({}, {}, immediate_class()), claim_not_bound},
      {"for its class", claim("c", "5Gi", "nonesuch"), storage({}, {}), claim_class_not_found},
      {"for a volume: no class", classless, storage({}, {}), claim_without_class},
      {"for a volume: an empty class", claim("c", "5Gi", ""), storage({}, {}), claim_without_class},
      {"for a volume", claim("c", "5Gi", "by-hand"), storage({}, {}, by_hand), claim_matches_no_volume},
      {"for the volume that it names", named, storage({}, {}, by_hand, free), claim_not_bound},
      {"for a volume that does not exist", named, storage({}, {}, by_hand), volume_not_found},
      {"for the volume that it names and another claim has", named,
       storage({}, {}, by_hand, promised_to_other), volume_of_another_claim},
      {"for the volume that it names and an earlier claim had", named, storage({}, {}, by_hand, released),
       volume_of_another_claim},
      {"for a volume that it names, whatever its class does", named_of_class,
       storage({}, {}, immediate_class(), promised_to_other), volume_of_another_claim},
      {"for the volume controller", claim("c", "5Gi", "by-hand"), storage({}, {}, by_hand, free),
       claim_not_bound},
      {"for the controller, of a volume that names it", claim("c", "5Gi", "by-hand"),
       storage({}, {}, by_hand, promised), claim_not_bound},
      {"for a larger volume", claim("c", "5Gi", "by-hand"), storage({}, {}, by_hand, small),
       claim_matches_no_volume},
      {"for a volume with its access mode", exclusive, storage({}, {}, by_hand, free),
       claim_matches_no_volume},
      {"for a volume that no other claim has", claim("c", "5Gi", "by-hand"),
       storage({}, {}, by_hand, promised_to_other), claim_matches_no_volume},
      {"for a volume that an earlier claim of its name had", claim("c", "5Gi", "by-hand"),
       storage({}, {}, by_hand, released), volume_of_another_claim},
      {"for such a volume, without an object of the class", claim("c", "5Gi", "manual"),
       storage({}, {}, released_without_class), volume_of_another_claim},
      {"for a provisioner, although an earlier claim had a volume", claim("c", "5Gi", "now"),
       storage({}, {}, immediate_class(), released), claim_not_bound},
      {"for the controller, without an object of the class", claim("c", "5Gi", "manual"),
       storage({}, {}, of_no_class), claim_not_bound},
      {"for a larger volume, without an object of the class", claim("c", "50Gi", "manual"),
       storage({}, {}, of_no_class), claim_matches_no_volume},
  };
  for (const auto& c : cases) {
    auto snapshot = c.snapshot;
    snapshot.objects().set(podium::test::share(c.claim));
    const auto plugin = make(make_volume_binding);
    const auto prepared = dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(
        *info(pod("p").claim("c")), snapshot);
    ASSERT_TRUE(prepared.rejected) << c.name;
    EXPECT_EQ(text_of(*prepared.rejected), "UU; pod has unbound immediate PersistentVolumeClaims") << c.name;
    EXPECT_EQ(prepared.rejected->reasons.front().code, c.want) << c.name;
  }
}

// What VolumeBinding says about the node m; "": it fits.
framework::Verdict verdict_on_m(const api::Pod& pod, const Snapshot& snapshot) {
  const auto plugin = make(make_volume_binding);
  const auto prepared =
      dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(*info(pod), snapshot);
  return prepared.filter->check(*snapshot.find_row("m"), {}).value_or(framework::Verdict());
}

struct NodeCase {
  const char* name;
  Snapshot snapshot;
  framework::Reason want;
};

void expect(const std::vector<NodeCase>& cases, const std::string& text) {
  for (const auto& c : cases) {
    const auto verdict = verdict_on_m(pod("p").claim("c"), c.snapshot);
    EXPECT_EQ(verdict.reasons, std::vector{c.want}) << c.name;
    EXPECT_EQ(text_of(verdict), "UU; " + text) << c.name;
  }
}

// The user looks for a volume, at the class, or at the annotation of the claim.
TEST(VolumeBinding, ANodeWithoutAVolumeSaysWhy) {
  using enum framework::ReasonCode;
  using framework::Topic;
  auto zonal = fast_class();
  zonal.allowed_topologies = {node_term({podium::test::in("topology.kubernetes.io/zone", {"a"})})};
  const Nodes nodes{host("m").zone("b")};
  const framework::Topics of_class{{Topic::claim, "c"}, {Topic::storage_class, "fast"}};
  expect({{"nothing creates one", storage(nodes, {}, local_class(), claim("c")),
           framework::Reason(no_volume_to_bind, {{Topic::claim, "c"}})},
          {"its class does not allow the node", storage(nodes, {}, zonal, claim("c", "5Gi", "fast")),
           framework::Reason(outside_allowed_topologies, of_class)},
          {"it is created for another node", storage(nodes, {}, fast_class(), claim_on("c", "gone", "fast")),
           framework::Reason(provisioned_elsewhere, {{Topic::claim, "c"}, {Topic::node, "gone"}})},
          {"it is created for this node, which its class does not allow",
           storage(nodes, {}, zonal, claim_on("c", "m", "fast")),
           framework::Reason(outside_allowed_topologies, of_class)}},
         "node(s) didn't find available persistent volumes to bind");
}

// Other nodes help, a node that came back, or neither.
TEST(VolumeBinding, ANodeThatCannotReachTheVolumeSaysWhetherAnotherCan) {
  using enum framework::ReasonCode;
  using framework::Topic;
  const auto in_zones = [](std::vector<std::string> zones) {
    auto made = volume("v");
    made.node_affinity = {node_term({podium::test::in("topology.kubernetes.io/zone", std::move(zones))})};
    return made;
  };
  const Nodes nodes{host("m").zone("b"), host("n").zone("a")};
  const auto with = [&](const api::PersistentVolume& volume) {
    const auto [c, v] = bound(claim("c"), volume);
    return storage(nodes, {}, local_class(), c, v);
  };
  const framework::Topics of_volume{{Topic::claim, "c"}, {Topic::volume, "v"}};
  auto of_gone = of_volume;
  of_gone.emplace_back(Topic::node, "gone");
  auto either = in_zones({"x"});
  either.node_affinity->push_back(node_term({podium::test::in("disk", {"ssd"})}));
  expect({{"on another node", with(local_volume("v", "n")),
           framework::Reason(volume_affinity_mismatch, of_volume)},
          {"on a node that does not exist", with(local_volume("v", "gone")),
           framework::Reason(volume_node_not_found, of_gone)},
          {"in another zone", with(in_zones({"a", "x"})),
           framework::Reason(volume_affinity_mismatch, of_volume)},
          {"in a zone without nodes", with(in_zones({"x", "y"})),
           framework::Reason(volume_reaches_no_node, of_volume)},
          {"of one term of several", with(either), framework::Reason(volume_affinity_mismatch, of_volume)}},
         "node(s) didn't match PersistentVolume's node affinity");
}

// Less is asked for, or the driver is looked at.
TEST(VolumeBinding, ANodeWithoutCapacityOfTheClassSaysSo) {
  using enum framework::ReasonCode;
  using framework::Topic;
  api::CsiDriver driver;
  driver.meta.name = "disks.example.com";
  driver.storage_capacity = true;
  api::CsiStorageCapacity little;
  little.meta.name = "x";
  little.storage_class = "fast";
  little.node_topology = podium::test::select_all();
  little.capacity = podium::test::quantity("1Gi");
  auto of_another = little;
  of_another.storage_class = "slow";
  const auto c = claim("c", "5Gi", "fast");
  const Nodes nodes{host("m")};
  const framework::Reason unknown(storage_capacity_unknown,
                                  {{Topic::claim, "c"}, {Topic::storage_class, "fast"}});
  expect({{"too little", storage(nodes, {}, fast_class(), driver, c, little),
           framework::Reason(insufficient_storage, {{Topic::claim, "c"}})},
          {"none is reported", storage(nodes, {}, fast_class(), driver, c), unknown},
          {"of another class", storage(nodes, {}, fast_class(), driver, c, of_another), unknown}},
         "node(s) did not have enough free storage");
}

}  // namespace
}  // namespace podium::plugins::test::volume_binding_reasons_test
