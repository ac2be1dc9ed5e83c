// The claim controller's work on a fork: claims of templates, and devices that are free again.
#include "explain/workload/device_claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "explain/answer/changes.h"
#include "explain/answer/waiting.h"
#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::pod;

// A claim of one device on n1, reserved for these pods.
api::ResourceClaim allocated(const std::string& name, const std::vector<std::string>& users) {
  api::ResourceClaim claim;
  claim.meta.name = name;
  claim.meta.namespace_ = "ml";
  claim.meta.uid = name;
  auto& allocation = claim.status.allocation.emplace();
  allocation.results.push_back(
      {.request = "gpu", .driver = "gpu.example.com", .pool = "n1", .device = "gpu-0"});
  for (const auto& uid : users)
    claim.status.reserved_for.push_back({.api_group = "", .resource = "pods", .name = uid, .uid = uid});
  return claim;
}

// A pod on n1 that uses these claims; its name is its UID.
api::Pod user_of(const std::string& name, const std::vector<std::string>& claims) {
  api::Pod made = pod(name).ns("ml").label("app", name).node("n1");
  made.meta.uid = name;
  for (const auto& claim : claims)
    made.resource_claims.push_back({.name = claim, .claim_name = claim, .template_name = std::nullopt});
  return made;
}

struct Fork {
  cluster::Snapshot snapshot = unit::two_nodes();

  void put(api::ResourceClaim claim) {
    snapshot.objects().set<api::ResourceClaim>(test::share(std::move(claim)));
  }
  const api::ResourceClaim& claim(const std::string& name) const {
    return *snapshot.objects().find<api::ResourceClaim>("ml", name);
  }
};

TEST(DeviceClaims, TheLastUserThatGoesFreesTheDevices) {
  Fork fork;
  fork.put(allocated("own", {"a"}));
  fork.put(allocated("shared", {"a", "b"}));
  fork.put(allocated("others", {"b"}));
  free_devices(user_of("a", {"own", "shared", "others", "missing"}), fork.snapshot);
  EXPECT_FALSE(fork.claim("own").status.allocation);
  EXPECT_TRUE(fork.claim("shared").status.allocation);
  EXPECT_EQ(fork.claim("shared").status.reserved_for.size(), 1u);
  EXPECT_EQ(fork.claim("others"), allocated("others", {"b"})) << "it was not reserved for the pod";
  free_devices(user_of("b", {"shared"}), fork.snapshot);
  EXPECT_FALSE(fork.claim("shared").status.allocation);
}

TEST(DeviceClaims, AForkLeavesTheLiveClaimAlone) {
  Fork live;
  live.put(allocated("own", {"a"}));
  auto fork = live;
  free_devices(user_of("a", {"own"}), fork.snapshot);
  EXPECT_TRUE(live.claim("own").status.allocation);
}

TEST(DeviceClaims, AClaimOfATemplateAndOneOfExtendedResourcesAreFreedToo) {
  Fork fork;
  fork.put(allocated("train-gpus-x7k", {"train"}));
  fork.put(allocated("train-extended-resources-9fp", {"train"}));
  auto gone = user_of("train", {});
  gone.resource_claims.push_back({.name = "gpus", .claim_name = std::nullopt, .template_name = "one-gpu"});
  gone.resource_claim_statuses.push_back({.name = "gpus", .claim_name = "train-gpus-x7k"});
  gone.extended_resource_claim = api::PodExtendedResourceClaim{"train-extended-resources-9fp", {}};
  free_devices(gone, fork.snapshot);
  EXPECT_FALSE(fork.claim("train-gpus-x7k").status.allocation);
  EXPECT_FALSE(fork.claim("train-extended-resources-9fp").status.allocation);
}

TEST(DeviceClaims, APodInThePlaceOfAnotherOwnsTheClaimOfItsTemplate) {
  Fork fork;
  auto claim = allocated("train-gpus-x7k", {"train"});
  claim.meta.owners = {
      {.api_version = "v1", .kind = "Pod", .name = "train", .uid = "train", .controller = true}};
  fork.put(claim);
  auto gone = user_of("train", {});
  gone.resource_claims.push_back({.name = "gpus", .claim_name = std::nullopt, .template_name = "one-gpu"});
  gone.resource_claim_statuses.push_back({.name = "gpus", .claim_name = "train-gpus-x7k"});
  auto next = gone;
  next.meta.uid = "train#moved";
  hand_claims_on(gone, next, fork.snapshot);
  EXPECT_EQ(fork.claim("train-gpus-x7k").meta.controller()->uid, "train#moved");
}

TEST(DeviceClaims, AClaimTakesAsManyUsersAsTheApiServerAllows) {
  Fork fork;
  std::vector<std::string> users{"first"};
  while (users.size() < kMostUsers - 1) users.push_back("user-" + std::to_string(users.size()));
  fork.put(allocated("shared", users));
  const auto place = [&fork](const std::string& name) {
    const auto info = cluster::make_pod_info(test::share(user_of(name, {"shared"})));
    return place_with_devices(info, *fork.snapshot.find_row("n1"),
                              *unit::default_config().profile("default-scheduler"), fork.snapshot);
  };
  EXPECT_EQ(place("last"), std::nullopt);
  EXPECT_EQ(place("one-more"),
            "ResourceClaim shared already has 256 users, the most that the API server allows");
  EXPECT_EQ(place("first"), std::nullopt) << "it is one of the users";
  EXPECT_EQ(fork.claim("shared").status.reserved_for.size(), kMostUsers);
}

// Source: DynamicResources.PostFilter, which deallocates such a claim.
TEST(DeviceClaims, AnAllocationThatOnlyThePodUsesDoesNotKeepItFromOtherNodes) {
  const struct {
    const char* name;
    std::vector<std::string> users;
    bool is_freed;
  } cases[] = {{"its own", {"u"}, true}, {"of nobody", {}, true}, {"of another too", {"u", "other"}, false}};
  for (const auto& [name, users, is_freed] : cases) {
    SCOPED_TRACE(name);
    Fork fork;
    auto claim = allocated("own", users);
    auto& on_n1 = claim.status.allocation->node_selector.emplace().emplace_back();
    on_n1.match_fields.push_back({"metadata.name", api::Requirement::Op::in, {"n1"}});
    claim.status.allocation->results.clear();
    fork.put(claim);
    unit::run_pod(fork.snapshot, pod("full").ns("ml").req("cpu", "4").node("n1"));
    api::Pod waits = pod("u").ns("ml").req("cpu", "1");
    waits.meta.uid = "u";
    waits.resource_claims.push_back({.name = "own", .claim_name = "own", .template_name = std::nullopt});
    const auto status = answer(unit::about(waits, 1), fork.snapshot, unit::default_config());
    EXPECT_EQ(status.outcome, is_freed ? "Fits" : "DoesNotFit");
    EXPECT_EQ(unit::placements(status), is_freed ? (unit::Counts{{"n2", 1}}) : unit::Counts());
    const std::vector<cluster::PodInfoPtr> waiting{cluster::make_pod_info(test::share(waits))};
    free_unused_claims(waiting, unit::default_config(), {}, fork.snapshot);
    EXPECT_EQ(fork.claim("own").status.allocation.has_value(), !is_freed);
  }
}

TEST(DeviceClaims, APodThatIsBeingBoundKeepsItsClaim) {
  Fork fork;
  auto claim = allocated("own", {"u"});
  auto& on_n1 = claim.status.allocation->node_selector.emplace().emplace_back();
  on_n1.match_fields.push_back({"metadata.name", api::Requirement::Op::in, {"n1"}});
  fork.put(claim);
  api::Pod waits = pod("u").ns("ml").req("cpu", "3");
  waits.meta.uid = "u";
  waits.resource_claims.push_back({.name = "own", .claim_name = "own", .template_name = std::nullopt});
  auto assumed = waits;
  assumed.node_name = "n1";  // that has no room for it twice
  unit::run_pod(fork.snapshot, assumed);
  const std::vector<cluster::PodInfoPtr> waiting{cluster::make_pod_info(test::share(waits))};
  free_unused_claims(waiting, unit::default_config(), {}, fork.snapshot);
  EXPECT_TRUE(fork.claim("own").status.allocation);
}

TEST(DeviceClaims, NoNodeTakesAPodWhoseClaimHasAllItsUsers) {
  Fork fork;
  std::vector<std::string> users;
  while (users.size() < kMostUsers) users.push_back("user-" + std::to_string(users.size()));
  fork.put(allocated("shared", users));
  const auto fits_n1 = [&fork](const std::string& name) {
    auto waiting = user_of(name, {"shared"});
    waiting.node_name.clear();
    auto question = unit::about(waiting, 1);
    question.nodes = {"n1"};
    const auto status = answer(question, fork.snapshot, unit::default_config());
    return status.answer->verdicts.at(0);
  };
  const auto verdict = fits_n1("one-more");
  EXPECT_FALSE(verdict.fits);
  EXPECT_THAT(verdict.reasons,
              testing::ElementsAre(
                  "ResourceClaim shared already has 256 users, the most that the API server allows"));
  EXPECT_TRUE(fits_n1("user-0").fits);
}

TEST(DeviceClaims, ChangesThatRemovePodsFreeTheirDevices) {
  for (const auto* change :
       {R"({"type": "RemoveNode", "nodeName": "n1"})", R"({"type": "DrainNode", "nodeName": "n1"})",
        R"({"type": "DeletePods", "selector": {"matchLabels": {"app": "a"}}})"}) {
    Fork fork;
    fork.put(allocated("own", {"a"}));
    unit::run_pod(fork.snapshot, user_of("a", {"own"}));
    auto question =
        unit::read(std::string(R"({"template": {"spec": {"containers": [{"name": "c", "image": "i"}]}},
        "changes": [)") +
                   change + "]}");
    ASSERT_TRUE(question) << question.error().message;
    ForkMemory memory;
    const std::string ns = "ml";
    const Budget budget;
    const api::AdmissionObjects objects;
    Quotas quotas;
    WaitingLine line({}, unit::default_config(), budget, fork.snapshot);
    ASSERT_TRUE(apply_changes(
        question->changes, {ns, question->paths.spec, unit::default_config(), budget, objects, quotas, line},
        memory, fork.snapshot));
    EXPECT_FALSE(fork.claim("own").status.allocation) << change;
  }
}

// The pod is rejected for its first claim that is not there.
TEST(DeviceClaims, AMissingTemplateIsNamedIfItIsTheReason) {
  const auto message_about = [](const std::vector<std::string>& claims) {
    Fork fork;
    fork.snapshot.set_node(test::node("n1").cap("cpu", "4").cap("pods", "110").ptr());
    auto pod = user_of("a", claims);
    pod.node_name.clear();
    pod.resource_claims.push_back({.name = "gpus", .claim_name = std::nullopt, .template_name = "one-gpu"});
    return unit::ask(pod, 1, fork.snapshot).message;
  };
  EXPECT_EQ(
      message_about({}),
      "claim gpus: it is not known whether namespace ml has ResourceClaimTemplate \"one-gpu\": the dump does "
      "not have this kind of object");
  const auto other = message_about({"no-such-claim"});
  EXPECT_THAT(other, testing::HasSubstr("could not find ResourceClaim \"ml/no-such-claim\""));
  EXPECT_THAT(other, testing::Not(testing::HasSubstr("one-gpu")));
}

}  // namespace
}  // namespace podium::explain
